//! **Question.** How are steps seen where a library cannot be preloaded?
//!
//! A directory in front of `PATH` holds, for each build tool that the machine has, a shell script
//! of the same name: it writes its arguments down and becomes the real tool. Only names that exist
//! get a script, so that a `configure` which looks for `clang` finds what it would have found.
//!
//! A shell cannot write a long record in one piece, so each call writes a file of its own and then
//! one short frame with its name to the common log, which gives it a place in the order. The paths
//! are part of the script: it works in a wiped environment, as long as `PATH` is kept.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::search_path::programs_on_path;
use super::tool::tool_named;

const SCRIPT: &str = include_str!("stand_in.sh");

pub struct StandIns {
    /// To be put in front of `PATH`.
    pub directory: PathBuf,
    /// Where the scripts write their records.
    pub records: PathBuf,
}

/// Writes the scripts below `directory` for all build tools on `path`.
pub fn write_stand_ins(
    directory: &Path,
    log: &Path,
    path: &OsStr,
) -> Result<StandIns, std::io::Error> {
    let stand_ins = StandIns {
        directory: directory.join("bin"),
        records: directory.join("records"),
    };
    fs::create_dir(&stand_ins.directory)?;
    fs::create_dir(&stand_ins.records)?;
    for program in programs_on_path(path, |name| tool_named(name).is_some()) {
        let Some(name) = program.file_name() else {
            continue;
        };
        let mut script = b"#!/bin/sh\n".to_vec();
        for (variable, value) in [
            ("tool", name),
            ("known", program.as_os_str()),
            ("here", stand_ins.directory.as_os_str()),
            ("records", stand_ins.records.as_os_str()),
            ("log", log.as_os_str()),
        ] {
            script.extend_from_slice(b"knockon_");
            script.extend_from_slice(variable.as_bytes());
            script.push(b'=');
            script.extend_from_slice(quoted(value).as_bytes());
            script.push(b'\n');
        }
        script.extend_from_slice(SCRIPT.as_bytes());
        let file = stand_ins.directory.join(name);
        fs::write(&file, script)?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(stand_ins)
}

/// In single quotes, for a shell.
fn quoted(text: &OsStr) -> OsString {
    let mut bytes = vec![b'\''];
    for &byte in text.as_bytes() {
        match byte {
            b'\'' => bytes.extend_from_slice(b"'\\''"),
            _ => bytes.push(byte),
        }
    }
    bytes.push(b'\'');
    OsString::from_vec(bytes)
}
