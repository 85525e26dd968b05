//! Files that people are to find whole, or not at all.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A file is replaced whole, through a temporary one beside it, so that a full disk loses nothing;
/// it has the rights of any new file. A device or a pipe is written to, and a link followed.
pub fn write_whole_file(path: &Path, text: &str) -> std::io::Result<()> {
    let path = match path.canonicalize() {
        Ok(known) if !known.is_file() => {
            let mut there = std::fs::OpenOptions::new().write(true).open(known)?;
            return there.write_all(text.as_bytes());
        }
        Ok(known) => known,
        Err(_) => path.to_owned(),
    };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // What the umask forbids is taken away when the file is made.
    let rights = std::fs::Permissions::from_mode(0o666);
    let mut builder = tempfile::Builder::new();
    let made = builder.permissions(rights).tempfile_in(directory);
    let mut file = made.map_err(|error| std::io::Error::other(without_temporary_name(&error)))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// What failed, without the name of the temporary file at the end.
pub(crate) fn without_temporary_name(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.split_once(" at path ") {
        Some((reason, _)) => reason.to_owned(),
        None => words,
    }
}
