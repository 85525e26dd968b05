//! Temporary files whose errors name the directory, which a user can do something about, and not a
//! random name in it.

use std::io;
use std::path::Path;
use tempfile::{NamedTempFile, TempDir};

/// A temporary directory where the system keeps them.
pub fn scratch_directory() -> io::Result<TempDir> {
    scratch_directory_in(&std::env::temp_dir())
}

pub fn scratch_directory_in(directory: &Path) -> io::Result<TempDir> {
    let made = tempfile::Builder::new()
        .prefix("knockon-")
        .tempdir_in(directory);
    made.map_err(|error| named(&error, "a temporary directory", directory))
}

/// A file that takes another one's place when it is whole.
pub fn scratch_file_in(directory: &Path) -> io::Result<NamedTempFile> {
    let made = NamedTempFile::new_in(directory);
    made.map_err(|error| named(&error, "a file", directory))
}

fn named(error: &io::Error, what: &str, directory: &Path) -> io::Error {
    let reason = error.kind();
    let place = directory.display();
    io::Error::new(reason, format!("cannot make {what} in {place}: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_directory_and_no_temporary_file() {
        let place = Path::new("/nowhere/at/all");
        let errors = [
            scratch_directory_in(place).err(),
            scratch_file_in(place).err(),
        ];
        for error in errors.into_iter().flatten() {
            let text = error.to_string();
            assert!(text.contains("in /nowhere/at/all: "), "{text}");
            assert!(!text.contains("all/"), "{text}");
        }
    }
}
