//! **Question.** Which symbols does prebuilt code define and mention, does it run by itself, and
//! is it the same code in both versions?
//!
//! Reads ELF objects, archives (each member by itself, thin ones too), shared libraries and the
//! linker scripts that stand for a library (`libc.so` is one), without LLVM and without running
//! anything.
//!
//! - `elf.rs` reads one ELF file, `digest.rs` what it contains.
//! - `kept_calls.rs` looks whether its code acts by itself only through calls.
//! - `linker_script.rs` reads `GROUP` and `INPUT`.
//!
//! **Soundness.** An answer is whole or an error: a member, a script command, a symbol name or a
//! relocation that cannot be read makes the file [`ObjectError::NotReadable`], and a caller then
//! assumes the widest. Bitcode and the slim objects of gcc's link-time optimisation are such files:
//! their symbols are for the compiler alone. A fat object has its symbols; its digest speaks of
//! the machine code.
//!
//! **Cost.** Linear in the size of the files, which are read whole.

mod digest;
mod elf;
mod kept_calls;
pub(crate) mod linker_script;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile32, ElfFile64};

/// Linker scripts may name linker scripts; a chain longer than this one is taken for a circle.
const MAX_SCRIPT_DEPTH: usize = 8;

/// What one object file or shared library shows to the rest of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInterface {
    /// The file's name without its directory: `helper.o`, `libx.a(m.o)`.
    pub name: String,
    pub kind: ObjectKind,
    /// Definitions that other files may use, without the version of a versioned one. Of an object
    /// all that are not local, hidden ones included; of a shared library what it exports.
    pub defines: BTreeSet<String>,
    /// Those of them that another definition may replace in a link: weak and common ones.
    pub weak: BTreeSet<String>,
    /// Symbols that the file uses and does not define, weak ones too.
    pub mentions: BTreeSet<String>,
    /// Code of it runs before `main` or when it is loaded: constructors, resolvers of `ifunc`
    /// symbols, content of `.init`.
    pub runs_at_start: bool,
    /// Code of it runs at exit: destructors, content of `.fini`.
    pub runs_at_end: bool,
    /// The shared libraries that it asks for, by name.
    pub needed: Vec<String>,
    /// A shared library that uses its own definitions, whatever the program defines.
    pub symbolic: bool,
    /// Its code asks the system for nothing and leaves no function but by a return, unless what it
    /// calls does: `kept_calls.rs`.
    pub keeps_to_calls: bool,
    /// Of everything that gets into the program; `digest.rs` says what that is.
    pub digest: [u8; 32],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Relocatable,
    Shared,
}

#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the symbols of {name} cannot be read: {reason}")]
    NotReadable { name: String, reason: String },
}

/// The interfaces in a file: one of an object or a shared library, one for each member of an
/// archive, those of all files that a linker script names.
pub fn read_objects(path: &Path) -> Result<Vec<ObjectInterface>, ObjectError> {
    let mut found = Vec::new();
    read_path(path, 0, &mut found)?;
    Ok(found)
}

/// The same of content that is in memory. A thin archive, and a linker script with relative paths,
/// cannot be followed from there.
pub fn read_object_bytes(name: &str, bytes: &[u8]) -> Result<Vec<ObjectInterface>, ObjectError> {
    let mut found = Vec::new();
    read_bytes(name, bytes, None, 0, &mut found)?;
    Ok(found)
}

fn read_path(
    path: &Path,
    depth: usize,
    found: &mut Vec<ObjectInterface>,
) -> Result<(), ObjectError> {
    let bytes = std::fs::read(path).map_err(|source| ObjectError::Read {
        path: path.to_owned(),
        source,
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    let directory = path.parent();
    read_bytes(&name.to_string_lossy(), &bytes, directory, depth, found)
}

fn read_bytes(
    name: &str,
    bytes: &[u8],
    directory: Option<&Path>,
    depth: usize,
    found: &mut Vec<ObjectInterface>,
) -> Result<(), ObjectError> {
    if bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n") {
        return read_archive(name, bytes, directory, found);
    }
    if bytes.starts_with(b"\x7fELF") || is_bitcode(bytes) {
        found.push(read_object(name, bytes)?);
        return Ok(());
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| not_readable(name, "it is no ELF file, archive or linker script"))?;
    if depth >= MAX_SCRIPT_DEPTH {
        return Err(not_readable(name, "its linker scripts name one another"));
    }
    let inputs = linker_script::inputs(text).map_err(|reason| not_readable(name, &reason))?;
    for input in inputs {
        let path = linker_script::find(&input, directory).ok_or_else(|| {
            not_readable(name, &format!("`{input}`, which it names, is not found"))
        })?;
        read_path(&path, depth + 1, found)?;
    }
    Ok(())
}

fn read_archive(
    name: &str,
    bytes: &[u8],
    directory: Option<&Path>,
    found: &mut Vec<ObjectInterface>,
) -> Result<(), ObjectError> {
    let damaged = |error: object::Error| not_readable(name, &error.to_string());
    let archive = ArchiveFile::parse(bytes).map_err(damaged)?;
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let path = std::str::from_utf8(member.name())
            .map_err(|_| not_readable(name, "the name of a member is not UTF-8"))?;
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let shown = format!("{name}({file_name})");
        if !archive.is_thin() {
            found.push(read_object(&shown, member.data(bytes).map_err(damaged)?)?);
            continue;
        }
        let Some(directory) = directory else {
            return Err(not_readable(
                name,
                "it is a thin archive, whose members are elsewhere",
            ));
        };
        let path = directory.join(path);
        let content = std::fs::read(&path).map_err(|source| ObjectError::Read { path, source })?;
        found.push(read_object(&shown, &content)?);
    }
    Ok(())
}

fn read_object(name: &str, bytes: &[u8]) -> Result<ObjectInterface, ObjectError> {
    if is_bitcode(bytes) {
        return Err(not_readable(
            name,
            "it is LLVM bitcode for link-time optimisation",
        ));
    }
    let interface = match object::FileKind::parse(bytes) {
        Ok(object::FileKind::Elf32) => ElfFile32::parse(bytes)
            .map_err(elf::damage)
            .and_then(|file| elf::read(name, &file)),
        Ok(object::FileKind::Elf64) => ElfFile64::parse(bytes)
            .map_err(elf::damage)
            .and_then(|file| elf::read(name, &file)),
        Ok(other) => Err(format!("its format is {other:?} and not ELF")),
        Err(_) => Err("it is no object file".to_owned()),
    };
    interface.map_err(|reason| not_readable(name, &reason))
}

/// Bitcode as it is, and with the header that some systems put before it.
fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

fn not_readable(name: &str, reason: &str) -> ObjectError {
    ObjectError::NotReadable {
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}
