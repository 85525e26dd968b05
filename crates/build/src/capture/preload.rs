//! **Question.** How does the recording library get into the build?
//!
//! Its C text is part of this program and is compiled by a C compiler of the machine when a
//! capture starts: about a tenth of a second, and this program links no C. The paths of its log,
//! of itself and of the tree whose files it tells of are compiled in, so that a wiped environment does not stop it.
//!
//! The library counts as working when a program that was run with it has written a record. That
//! one check covers whatever can stand in the way: another C library, a file system mounted
//! without `exec`, statically linked tools.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::search_path::programs_on_path;
use super::tool::tool_named;

const SOURCES: [&str; 2] = [include_str!("preload.c"), include_str!("preload_files.c")];

/// Builds the library in `directory` and tries it; the error says why it cannot be used.
pub fn build_library(
    directory: &Path,
    log: &Path,
    tree: &Path,
    path: &OsStr,
) -> Result<PathBuf, String> {
    let library = directory.join("knockon-capture.so");
    let splits = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b':');
    if library.as_os_str().as_bytes().iter().any(splits) {
        return Err(format!(
            "the temporary directory {} has a name that LD_PRELOAD cannot hold",
            directory.display()
        ));
    }
    let source = directory.join("preload.c");
    let text = format!(
        "#define KNOCKON_LOG {}\n#define KNOCKON_LIBRARY {}\n#define KNOCKON_ROOT {}\n{}",
        c_string(log.as_os_str()),
        c_string(library.as_os_str()),
        c_string(tree.as_os_str()),
        SOURCES.concat()
    );
    fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;

    let mut reason = "there is no C compiler on PATH".to_owned();
    for compiler in compilers(path) {
        match compile(&compiler, &source, &library).and_then(|()| try_out(&compiler, &library, log))
        {
            Ok(()) => return Ok(library),
            Err(error) => reason = format!("{}: {error}", compiler.display()),
        }
    }
    Err(reason)
}

/// C compilers to try: the system's own first, other versions of clang last.
fn compilers(path: &OsStr) -> Vec<PathBuf> {
    let rank = |name: &str| {
        let plain = ["cc", "gcc", "clang"]
            .iter()
            .position(|known| *known == name);
        let versioned = name.starts_with("clang-") && tool_named(name).is_some();
        plain.or(versioned.then_some(3))
    };
    let mut found = programs_on_path(path, |name| rank(name).is_some());
    found.sort_by_key(|program| program.file_name().and_then(OsStr::to_str).and_then(rank));
    found
}

fn compile(compiler: &Path, source: &Path, library: &Path) -> Result<(), String> {
    // The hooks check for null pointers that the headers promise away.
    let output = Command::new(compiler)
        .args(["-std=gnu11", "-w", "-O1", "-fno-delete-null-pointer-checks"])
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-o"])
        .arg(library)
        .arg(source)
        .arg("-ldl")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(message.lines().next().unwrap_or("it failed").to_owned())
}

fn try_out(compiler: &Path, library: &Path, log: &Path) -> Result<(), String> {
    fs::write(log, "").map_err(|error| error.to_string())?;
    let status = Command::new(compiler)
        .arg("--version")
        .env("LD_PRELOAD", library)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    let recorded = fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0);
    fs::write(log, "").map_err(|error| error.to_string())?;
    if status.success() && recorded {
        Ok(())
    } else {
        Err("a program run with the preloaded library left no record".to_owned())
    }
}

/// A C string literal for any path.
fn c_string(path: &OsStr) -> String {
    let mut text = String::from("\"");
    for &byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            text.push(char::from(byte));
        } else {
            // Three digits always: a shorter one would swallow a digit that follows.
            let _ = write!(text, "\\{byte:03o}");
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_becomes_a_c_string() {
        assert_eq!(
            c_string(OsStr::from_bytes(b"/a b\"\\1\n\xff")),
            r#""/a\040b\042\1341\012\377""#
        );
    }
}
