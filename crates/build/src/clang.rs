//! Which clang is there, and how is it driven?
//!
//! clang is a program to Knockon, never a library: any version from 15 on will do,
//! since its IR is read as text. It runs on the user's sources with flags of our own
//! ([`emission`]), in a child process with a bare environment and limits
//! ([`child`]), and turns IR and text into machine code ([`object`], [`executable`]).
//!
//! Asking clang for its version costs as much as a small compilation, so the answer
//! is remembered, by the process and in the cache, for as long as the program file is
//! the same.

pub(crate) mod child;
pub mod emission;
pub mod executable;
pub mod object;
pub mod sanitizers;
pub mod unit_object;
pub mod whole_text;

use crate::cache::{Cache, KeyBuilder};
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The oldest clang whose IR has opaque pointers by default.
pub const OLDEST_CLANG: u32 = 15;

/// The names looked for on `PATH`: what the user calls clang, then the versions that
/// the tests cover, then the rest.
const NAMES: [&str; 10] = [
    "clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-20", "clang-21",
    "clang-22", "clang-14",
];

/// A clang that was found and asked.
#[derive(Clone, Debug)]
pub struct Clang {
    pub path: PathBuf,
    /// The first line of its own account, such as `Debian clang version 19.1.7`.
    pub version: String,
    pub major: u32,
    pub resource_directory: PathBuf,
    pub target: String,
    /// Changes whenever the program, its defaults or its configuration may have.
    pub(crate) identity: [u8; 32],
}

#[derive(Debug, thiserror::Error)]
pub enum ClangError {
    #[error(
        "no clang on PATH; install one of version {OLDEST_CLANG} or later (`make setup`, or `apt install clang-19`) or name it in KNOCKON_CLANG"
    )]
    NotFound,
    #[error(
        "{}: {version} is too old; install clang {OLDEST_CLANG} or later (`make setup`, or `apt install clang-19`) or name it in KNOCKON_CLANG",
        path.display()
    )]
    TooOld { path: PathBuf, version: String },
    #[error("{}: cannot be used as clang: {message}; name another in KNOCKON_CLANG", path.display())]
    Unusable { path: PathBuf, message: String },
}

/// The clang of `KNOCKON_CLANG`, or the first usable one on `PATH`.
pub fn find_clang(cache: Option<&Cache>) -> Result<Clang, ClangError> {
    if let Some(named) = std::env::var_os("KNOCKON_CLANG").filter(|value| !value.is_empty()) {
        let path = on_path(&named).ok_or_else(|| ClangError::Unusable {
            path: PathBuf::from(&named),
            message: "KNOCKON_CLANG names a program that does not exist".to_owned(),
        })?;
        return Clang::at(&path, cache);
    }
    let mut first_problem = None;
    for name in NAMES {
        if let Some(path) = on_path(OsStr::new(name)) {
            match Clang::at(&path, cache) {
                Ok(clang) => return Ok(clang),
                Err(problem) => first_problem = first_problem.or(Some(problem)),
            }
        }
    }
    Err(first_problem.unwrap_or(ClangError::NotFound))
}

/// A name with a slash as it is, any other on `PATH`.
fn on_path(name: &OsStr) -> Option<PathBuf> {
    let runnable = |path: &Path| {
        std::fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
    };
    if name.as_encoded_bytes().contains(&b'/') {
        let path = std::path::absolute(name).ok()?;
        return runnable(&path).then_some(path);
    }
    let directories = std::env::var_os("PATH")?;
    std::env::split_paths(&directories)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|path| runnable(path))
}

/// The last answer, with the key of the program that gave it: a run without a cache reads
/// both versions with the same clang.
static ASKED_LAST: Mutex<Option<([u8; 32], Account)>> = Mutex::new(None);

/// What a clang says of itself, in the form that is remembered.
#[derive(Clone, Serialize, Deserialize)]
struct Account {
    version: String,
    major: u32,
    resource_directory: PathBuf,
    target: String,
    identity: [u8; 32],
}

impl Clang {
    /// Asks the clang at `path`.
    pub fn at(path: &Path, cache: Option<&Cache>) -> Result<Clang, ClangError> {
        let unusable = |message: String| ClangError::Unusable {
            path: path.to_owned(),
            message,
        };
        let real = path
            .canonicalize()
            .map_err(|error| unusable(error.to_string()))?;
        let key = program_key(path, &real).map_err(|error| unusable(error.to_string()))?;
        // Behind a script there may be any program: its answer is not remembered.
        let account = match is_script(&real) {
            true => ask(path, &key).map_err(unusable)?,
            false => remembered_or_asked(path, &key, cache).map_err(unusable)?,
        };
        if account.major < OLDEST_CLANG {
            return Err(ClangError::TooOld {
                path: path.to_owned(),
                version: account.version,
            });
        }
        Ok(Clang {
            path: path.to_owned(),
            version: account.version,
            major: account.major,
            resource_directory: account.resource_directory,
            target: account.target,
            identity: account.identity,
        })
    }
}

fn remembered_or_asked(
    path: &Path,
    key: &[u8; 32],
    cache: Option<&Cache>,
) -> Result<Account, String> {
    let mut last = ASKED_LAST
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, account)) = last.as_ref().filter(|(of, _)| of == key) {
        return Ok(account.clone());
    }
    let remembered = cache.and_then(|cache| cache.compiler_account::<Account>(key));
    let account = match remembered {
        Some(account) => account,
        None => {
            let account = ask(path, key)?;
            if let Some(cache) = cache {
                cache.remember_compiler(key, &account);
            }
            account
        }
    };
    *last = Some((*key, account.clone()));
    Ok(account)
}

/// Everything cheap whose change may change clang's answer: the program file, and the
/// GCC installations, one of which clang selects for its headers.
fn program_key(path: &Path, real: &Path) -> std::io::Result<[u8; 32]> {
    let metadata = std::fs::metadata(real)?;
    let mut key = KeyBuilder::new("compiler");
    key.field(path.as_os_str().as_encoded_bytes());
    key.field(real.as_os_str().as_encoded_bytes());
    for number in [
        metadata.size() as i64,
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
        metadata.ino() as i64,
    ] {
        key.field(&number.to_le_bytes());
    }
    for target in names_in(Path::new("/usr/lib/gcc")) {
        key.field(target.as_os_str().as_encoded_bytes());
        for version in names_in(&target) {
            key.field(version.as_os_str().as_encoded_bytes());
        }
    }
    Ok(key.finish())
}

fn names_in(directory: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    names.sort();
    names
}

fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    std::fs::File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .map_or(true, |()| start == *b"#!")
}

/// `-###` prints the version, the target and the whole command that would compile,
/// with all defaults and configuration files applied; nothing is compiled.
fn ask(path: &Path, key: &[u8; 32]) -> Result<Account, String> {
    let output = Command::new(path)
        .args([
            "-###",
            "-S",
            "-emit-llvm",
            "-x",
            "c",
            "/dev/null",
            "-x",
            "c++",
            "/dev/null",
        ])
        .current_dir("/")
        .env_clear()
        .envs(std::env::var_os("PATH").map(|value| ("PATH", value)))
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(text
            .lines()
            .next()
            .unwrap_or("it failed without a message")
            .to_owned());
    }
    let version = text
        .lines()
        .find(|line| line.contains("clang version "))
        .ok_or("it does not print `clang version`")?;
    let major = version
        .split("clang version ")
        .nth(1)
        .and_then(|rest| rest.split('.').next())
        .and_then(|digits| digits.parse().ok())
        .ok_or("its version is not a number")?;
    let resource_directory = text
        .split("\"-resource-dir\" \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .ok_or("it does not name its resource directory")?;
    let target = text
        .lines()
        .find_map(|line| line.strip_prefix("Target: "))
        .unwrap_or_default();
    let mut identity = KeyBuilder::new("clang");
    identity.field(key);
    identity.field(text.as_bytes());
    Ok(Account {
        version: version.trim().to_owned(),
        major,
        resource_directory: PathBuf::from(resource_directory),
        target: target.to_owned(),
        identity: identity.finish(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by another process: a file that this one has open for writing is inherited by
    /// whatever a test beside it starts, and is busy for that moment.
    fn script(directory: &Path, text: &str) -> PathBuf {
        let path = directory.join("clang");
        let status = Command::new("sh")
            .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&path)
            .arg(text)
            .status()
            .unwrap();
        assert!(status.success());
        path
    }

    #[test]
    fn old_clang_is_refused_with_what_to_install() {
        let directory = tempfile::tempdir().unwrap();
        let path = script(
            directory.path(),
            "#!/bin/sh\necho 'Debian clang version 14.0.6' >&2\necho 'Target: t' >&2\necho '\"-resource-dir\" \"/r\"' >&2\n",
        );
        let message = Clang::at(&path, None).unwrap_err().to_string();
        assert!(message.contains("14.0.6 is too old"), "{message}");
        assert!(message.contains("apt install clang-19"), "{message}");
    }

    #[test]
    fn program_that_is_no_clang_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = script(directory.path(), "#!/bin/sh\necho hello\n");
        let message = Clang::at(&path, None).unwrap_err().to_string();
        assert!(
            message.contains("does not print `clang version`"),
            "{message}"
        );
    }

    #[test]
    fn installed_clang_names_its_parts() {
        let clang = find_clang(None).unwrap();
        assert!(clang.major >= OLDEST_CLANG);
        assert!(clang.resource_directory.join("include/stddef.h").is_file());
        assert!(clang.target.contains('-'));
    }
}
