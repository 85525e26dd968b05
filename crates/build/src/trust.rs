//! May the commands in this `knockon.toml` run?
//!
//! A cloned repository must not run commands by being analysed. The user allows one file with one
//! content, `knockon trust`, as direnv does; any edit asks again. What is remembered is one key per
//! line, a hash over the file's canonical path and the hash of its content, in a file that only the
//! user may write. The path beside the key is for human readers.
//!
//! Invariant: a configuration is trusted only if the bytes that its commands were read from were
//! shown to the user before; [`Configuration`] carries the hash of these bytes, so a file that is
//! exchanged between reading and asking gains nothing.
//!
//! The list is replaced by a rename and guarded by a lock, so two processes lose no entry and a
//! killed one leaves the old list.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::configuration::Configuration;

/// The list of what the user trusts.
#[derive(Debug, Clone)]
pub struct TrustStore {
    directory: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error(
        "no place for the list of trusted files: neither XDG_STATE_HOME nor HOME is an absolute path"
    )]
    NoStateDirectory,
    #[error(
        "{}: others than you can write here, so nothing in it can be trusted; run `chmod go-w {}`",
        path.display(),
        path.display()
    )]
    WritableByOthers { path: PathBuf },
    #[error("{}: belongs to another user, so nothing in it can be trusted", path.display())]
    BelongsToAnother { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl TrustError {
    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

impl TrustStore {
    /// The user's own list, in `$XDG_STATE_HOME/knockon` or `~/.local/state/knockon`.
    pub fn of_user() -> Result<Self, TrustError> {
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
            .ok_or(TrustError::NoStateDirectory)?;
        Ok(Self::in_directory(state.join("knockon")))
    }

    /// The list in the file `trusted` of this directory.
    pub fn in_directory(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Whether the user allowed this file with this content.
    pub fn is_trusted(&self, configuration: &Configuration) -> Result<bool, TrustError> {
        let key = key_of(configuration)?;
        Ok(self
            .read()?
            .iter()
            .any(|line| line.split(' ').next() == Some(key.as_str())))
    }

    /// Allows this file with this content, from now on.
    pub fn trust(&self, configuration: &Configuration) -> Result<(), TrustError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)
            .map_err(TrustError::io(&self.directory))?;
        let lock_path = self.directory.join("trusted.lock");
        let lock = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(TrustError::io(&lock_path))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| TrustError::io(&lock_path)(error.into()))?;
        let mut lines = self.read()?;
        let shown = configuration
            .path
            .display()
            .to_string()
            .escape_debug()
            .to_string();
        lines.insert(format!("{} {shown}", key_of(configuration)?));
        self.replace(&lines)
    }

    fn list(&self) -> PathBuf {
        self.directory.join("trusted")
    }

    fn read(&self) -> Result<BTreeSet<String>, TrustError> {
        let list = self.list();
        let file = match File::open(&list) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeSet::new());
            }
            Err(error) => return Err(TrustError::io(&list)(error)),
        };
        let directory =
            std::fs::metadata(&self.directory).map_err(TrustError::io(&self.directory))?;
        let metadata = file.metadata().map_err(TrustError::io(&list))?;
        for (path, metadata) in [(&self.directory, directory), (&list, metadata)] {
            if metadata.uid() != rustix::process::geteuid().as_raw() {
                return Err(TrustError::BelongsToAnother { path: path.clone() });
            }
            if metadata.permissions().mode() & 0o022 != 0 {
                return Err(TrustError::WritableByOthers { path: path.clone() });
            }
        }
        let text = std::io::read_to_string(file).map_err(TrustError::io(&list))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn replace(&self, lines: &BTreeSet<String>) -> Result<(), TrustError> {
        let list = self.list();
        // Created with mode 0600.
        let mut file = tempfile::NamedTempFile::new_in(&self.directory)
            .map_err(TrustError::io(&self.directory))?;
        for line in lines {
            writeln!(file, "{line}").map_err(TrustError::io(&list))?;
        }
        file.as_file().sync_all().map_err(TrustError::io(&list))?;
        file.persist(&list)
            .map_err(|error| TrustError::io(&list)(error.error))?;
        Ok(())
    }
}

fn key_of(configuration: &Configuration) -> Result<String, TrustError> {
    let path =
        std::fs::canonicalize(&configuration.path).map_err(TrustError::io(&configuration.path))?;
    let mut hasher = blake3::Hasher::new_derive_key("knockon trust of path and content, version 1");
    hasher.update(configuration.content_hash.as_bytes());
    hasher.update(path.as_os_str().as_bytes());
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::read_configuration;

    struct Project {
        directory: tempfile::TempDir,
        store: TrustStore,
    }

    impl Project {
        fn new() -> Self {
            let directory = tempfile::tempdir().expect("a directory");
            let store = TrustStore::in_directory(directory.path().join("state/knockon"));
            Self { directory, store }
        }

        fn write(&self, name: &str, command: &str) -> Configuration {
            let path = self.directory.path().join(name);
            std::fs::write(&path, format!("[build]\ncommand = \"{command}\"\n")).expect("written");
            read_configuration(&path).expect("valid")
        }
    }

    #[test]
    fn nothing_is_trusted_until_the_user_says_so() {
        let project = Project::new();
        let configuration = project.write("knockon.toml", "make");
        assert!(!project.store.is_trusted(&configuration).expect("readable"));
        project.store.trust(&configuration).expect("written");
        assert!(project.store.is_trusted(&configuration).expect("readable"));
    }

    #[test]
    fn an_edit_asks_again_and_going_back_does_not() {
        let project = Project::new();
        let first = project.write("knockon.toml", "make");
        project.store.trust(&first).expect("written");
        let edited = project.write("knockon.toml", "make evil");
        assert!(!project.store.is_trusted(&edited).expect("readable"));
        let back = project.write("knockon.toml", "make");
        assert!(project.store.is_trusted(&back).expect("readable"));
    }

    #[test]
    fn the_same_content_elsewhere_is_not_trusted() {
        let project = Project::new();
        project
            .store
            .trust(&project.write("knockon.toml", "make"))
            .expect("written");
        let other = project.write("other.toml", "make");
        assert!(!project.store.is_trusted(&other).expect("readable"));
    }

    #[test]
    fn a_file_exchanged_after_reading_gains_nothing() {
        let project = Project::new();
        let read_before = project.write("knockon.toml", "make evil");
        project
            .store
            .trust(&project.write("knockon.toml", "make"))
            .expect("written");
        assert!(!project.store.is_trusted(&read_before).expect("readable"));
    }

    #[test]
    fn only_the_user_can_read_the_list_and_a_writable_list_is_refused() {
        let project = Project::new();
        let configuration = project.write("knockon.toml", "make");
        project.store.trust(&configuration).expect("written");
        let list = project.store.list();
        assert_eq!(
            std::fs::metadata(&list)
                .expect("there")
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        std::fs::set_permissions(&list, std::fs::Permissions::from_mode(0o622)).expect("changed");
        assert!(matches!(
            project.store.is_trusted(&configuration),
            Err(TrustError::WritableByOthers { .. })
        ));
    }

    #[test]
    fn a_path_with_a_line_break_cannot_forge_an_entry() {
        let project = Project::new();
        let hostile = project.write("a\nb.toml", "make");
        project.store.trust(&hostile).expect("written");
        assert_eq!(project.store.read().expect("readable").len(), 1);
    }

    #[test]
    fn entries_of_two_writers_at_once_are_all_kept() {
        let project = Project::new();
        let configurations: Vec<Configuration> = (0..16)
            .map(|number| project.write(&format!("{number}.toml"), "make"))
            .collect();
        std::thread::scope(|scope| {
            for configuration in &configurations {
                scope.spawn(|| project.store.trust(configuration).expect("written"));
            }
        });
        assert!(
            configurations
                .iter()
                .all(|configuration| project.store.is_trusted(configuration).expect("readable"))
        );
    }
}
