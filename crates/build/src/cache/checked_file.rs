//! A file that is whole or does not count.
//!
//! A magic number, the format version and a BLAKE3 checksum stand in front of the
//! payload. Writing goes to a temporary file in the same file system and ends with a
//! rename, so a killed writer leaves nothing that a reader would find. No `fsync`:
//! what a power failure tears, the checksum catches.

use super::FORMAT_VERSION;
use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

const MAGIC: [u8; 4] = *b"Knk\n";
const HEADER: usize = MAGIC.len() + 4 + 32;
/// A file's time of modification is its time of last use, this coarsely.
const USE_GRANULARITY: Duration = Duration::from_secs(3600);

/// The content of a file, checked.
pub(super) struct Payload {
    whole: Vec<u8>,
}

impl Payload {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.whole[HEADER..]
    }
}

/// `None` when the file is not there or is not what was written.
pub(super) fn read_checked(path: &Path) -> Option<Payload> {
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let mut whole = Vec::with_capacity(metadata.len() as usize + 1);
    file.read_to_end(&mut whole).ok()?;
    let payload = whole.get(HEADER..)?;
    if whole[..HEADER] != header(payload) {
        return None;
    }
    let now = SystemTime::now();
    let used = metadata.modified().ok()?;
    if now
        .duration_since(used)
        .is_ok_and(|age| age > USE_GRANULARITY)
    {
        // In a directory that cannot be written, the order of eviction suffers, no more.
        file.set_modified(now).ok();
    }
    Some(Payload { whole })
}

/// Writes the payload so that it appears at `path` at once. Returns the file's size.
pub(super) fn write_checked(temporary: &Path, path: &Path, payload: &[u8]) -> io::Result<u64> {
    let mut file = match NamedTempFile::new_in(temporary) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(temporary)?;
            NamedTempFile::new_in(temporary)?
        }
        result => result?,
    };
    file.write_all(&header(payload))?;
    file.write_all(payload)?;
    match file.persist(path) {
        Err(refused) if refused.error.kind() == io::ErrorKind::NotFound => {
            make(path.parent().unwrap_or(temporary))?;
            refused.file.persist(path)?;
        }
        result => {
            result?;
        }
    }
    Ok((HEADER + payload.len()) as u64)
}

fn make(directory: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

fn header(payload: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(&MAGIC);
    header[4..8].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header[8..].copy_from_slice(blake3::hash(payload).as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b");
        let temporary = directory.path().join("temporary");
        let size = write_checked(&temporary, &path, b"payload").unwrap();
        assert_eq!(read_checked(&path).unwrap().bytes(), b"payload");
        assert_eq!(path.metadata().unwrap().len(), size);
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    }

    #[test]
    fn every_flipped_bit_and_every_shorter_file_is_a_miss() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        write_checked(directory.path(), &path, b"payload").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, damaged).unwrap();
            assert!(read_checked(&path).is_none(), "bit {bit}");
        }
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read_checked(&path).is_none(), "length {length}");
        }
    }
}
