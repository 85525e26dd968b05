//! One unit's IR, as clang prints it.
//!
//! The flags give IR that is close to the source: `-O1` without the passes keeps type
//! information and names and adds no `optnone`; lifetime markers would add false
//! control flow. Three further choices:
//!
//! - *Old programs must read.* `-Wno-everything` turns off every warning but those of
//!   [`crate::unread_attributes`], also those
//!   that are errors by default since clang 16: implicit declarations and `int`,
//!   conversions between integers and pointers, incompatible function pointers,
//!   `return` without a value, in C++ `register`, narrowing and `bool++`. What gcc
//!   accepts and clang cannot compile at all (nested functions, arrays of variable
//!   length in structs) stays a failed unit.
//! - *Equal units give equal bytes.* The root is mapped to `.`, the date and the time
//!   are constants, and `-gdwarf-4` differs from the default only in that debug info
//!   has no checksum of each source file.
//! - *Both versions are compiled at the same moment*: `__DATE__`, `__TIME__` and
//!   `__TIMESTAMP__` are fixed. That is an assumption of every result.
//!
//! The IR comes through a pipe: no slower than a file, and nothing is written.

use super::Clang;
use super::child::{self, ChildError};
use crate::depfile::{DEPFILE_TARGET, parse_depfile};
use crate::flags::clang_arguments;
use crate::searched_paths::SearchPath;
use crate::unit::{RootMap, UnitCommand};
use crate::unread_attributes::{WARNINGS, Warned, warned, without_warnings};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// After the unit's own flags, so that these win.
pub(crate) const FLAGS: &[&str] = &[
    "-S",
    "-emit-llvm",
    "-g",
    "-gdwarf-4",
    "-gno-split-dwarf",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-fno-discard-value-names",
    // Defines __NO_INLINE__: glibc then declares its functions instead of defining
    // some of them in every unit. With passes disabled nothing is inlined anyway.
    "-fno-inline",
    "-fno-lto",
    "-Wno-everything",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-ferror-limit=20",
    "-fno-crash-diagnostics",
    "-D__DATE__=\"Jan  1 1980\"",
    "-D__TIME__=\"00:00:00\"",
    "-D__TIMESTAMP__=\"Tue Jan  1 00:00:00 1980\"",
    // Prints the include search path in front of the messages.
    "-Xclang",
    "-v",
];

/// What one run of clang gave.
pub(crate) struct Emission {
    pub(crate) text: Vec<u8>,
    /// Every file that was read, the source first; relative paths start at the unit's
    /// directory. `None` when clang did not say.
    pub(crate) dependencies: Option<Vec<PathBuf>>,
    pub(crate) search_path: Option<SearchPath>,
    /// Of attributes and pragmas that clang does not know.
    pub(crate) warned: Option<Warned>,
    pub(crate) cpu_time: Duration,
}

pub(crate) enum EmissionError {
    /// The unit does not compile; clang's own words.
    Diagnostics {
        message: String,
        cpu_time: Duration,
    },
    Child(ChildError),
}

/// Runs clang on the unit. `depfile` is a path that no one else uses, in a directory
/// that clang may use for temporary files.
pub(crate) fn emit_ir(
    clang: &Clang,
    unit: &UnitCommand,
    depfile: &Path,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<Emission, EmissionError> {
    let mut command = Command::new(&clang.path);
    command
        .args(arguments(unit, depfile))
        .current_dir(&unit.directory)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|value| ("PATH", value)))
        .env("LC_ALL", "C")
        .envs(unit.environment.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = depfile.parent() {
        command.env("TMPDIR", directory);
    }
    let done = child::run(&mut command, time_limit, interrupted).map_err(EmissionError::Child)?;
    let (search_path, messages) = SearchPath::split_off(&done.messages);
    if !done.status.success() {
        let message = without_warnings(&String::from_utf8_lossy(messages));
        let mut message = message.trim_end().to_owned();
        if message.is_empty() {
            message = format!("clang ended with {} and no message", done.status);
        }
        return Err(EmissionError::Diagnostics {
            message,
            cpu_time: done.cpu_time,
        });
    }
    let warned = warned(messages);
    let dependencies = std::fs::read(depfile)
        .ok()
        .and_then(|text| parse_depfile(&text));
    std::fs::remove_file(depfile).ok();
    Ok(Emission {
        text: done.output,
        dependencies,
        search_path,
        warned,
        cpu_time: done.cpu_time,
    })
}

fn arguments(unit: &UnitCommand, depfile: &Path) -> Vec<OsString> {
    let map = RootMap::new(&unit.root);
    let mut arguments: Vec<OsString> = clang_arguments(&unit.flags)
        .into_iter()
        .map(OsString::from)
        .collect();
    arguments.extend(FLAGS.iter().chain(&WARNINGS).map(OsString::from));
    arguments.extend(map.clang_arguments());
    let mut directory = OsString::from("-fdebug-compilation-dir=");
    directory.push(shown_directory(unit, &map));
    arguments.push(directory);
    arguments.extend(["-MD", "-MT", DEPFILE_TARGET, "-MF"].map(OsString::from));
    arguments.push(depfile.into());
    arguments.extend(["-o", "-", "--"].map(OsString::from));
    arguments.push(unit.file_argument().into());
    arguments
}

/// The unit's directory as debug info has it: relative to the root, `.` for the root.
pub(crate) fn shown_directory(unit: &UnitCommand, map: &RootMap) -> PathBuf {
    match map.inside(&unit.directory) {
        Some(inside) => Path::new(".").join(inside),
        None => unit.directory.clone(),
    }
}
