//! Which bytes do `read` and `write` on a descriptor move, and which files are there?
//!
//! The files of a run are those that were given with it and those that it writes; all of them live in
//! memory, so a run has no effect. Descriptors 0, 1 and 2 are the standard streams: input is the given
//! bytes, output is collected. The kernel's part of the library: no buffering here (see `streams`).

use super::error_numbers::number;
use std::collections::BTreeMap;

/// The descriptor of standard error.
pub(crate) const STANDARD_ERROR: i32 = 2;

/// Larger files than this are refused instead of filling the memory.
const LARGEST_FILE: u64 = 1 << 30;
/// Descriptors that a process may have at once.
const LARGEST_COUNT: usize = 1024;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenMode {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) truncate: bool,
}

/// Where a seek counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whence {
    Start,
    Current,
    End,
}

/// A file's number; files keep theirs when their name goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(usize);

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Input,
    Output,
    Error,
    /// Reads nothing and forgets everything.
    Null,
    File(FileId),
}

/// An open file description; `dup` shares it.
#[derive(Clone, Copy, Debug)]
struct Open {
    source: Source,
    mode: OpenMode,
    position: u64,
}

/// All files and descriptors of a run. Errors are error numbers.
#[derive(Clone, Debug)]
pub(crate) struct Descriptors {
    input: Vec<u8>,
    output: Vec<u8>,
    error: Vec<u8>,
    contents: Vec<Vec<u8>>,
    names: BTreeMap<Vec<u8>, FileId>,
    opened: Vec<Open>,
    /// Descriptor to row of `opened`.
    table: Vec<Option<usize>>,
    temporary: u32,
}

impl Descriptors {
    pub(crate) fn new(input: Vec<u8>, files: &[(Vec<u8>, Vec<u8>)]) -> Descriptors {
        let standard = |source, read| Open {
            source,
            mode: OpenMode {
                read,
                write: !read,
                append: !read,
                ..OpenMode::default()
            },
            position: 0,
        };
        let mut descriptors = Descriptors {
            input,
            output: Vec::new(),
            error: Vec::new(),
            contents: Vec::new(),
            names: BTreeMap::new(),
            opened: vec![
                standard(Source::Input, true),
                standard(Source::Output, false),
                standard(Source::Error, false),
            ],
            table: vec![Some(0), Some(1), Some(2)],
            temporary: 0,
        };
        for (path, content) in files {
            let id = FileId(descriptors.contents.len());
            descriptors.contents.push(content.clone());
            descriptors.names.insert(normalised(path), id);
        }
        descriptors
    }

    /// All bytes written to descriptor 1 and to descriptor 2.
    pub(crate) fn take_outputs(&mut self) -> (Vec<u8>, Vec<u8>) {
        (
            std::mem::take(&mut self.output),
            std::mem::take(&mut self.error),
        )
    }

    fn row(&self, descriptor: i32) -> Result<usize, i32> {
        usize::try_from(descriptor)
            .ok()
            .and_then(|index| self.table.get(index).copied().flatten())
            .ok_or(number::EBADF)
    }

    fn opened(&self, descriptor: i32) -> Result<Open, i32> {
        Ok(self.opened[self.row(descriptor)?])
    }

    /// Whether the descriptor can be read, and whether it can be written.
    pub(crate) fn access(&self, descriptor: i32) -> Result<(bool, bool), i32> {
        let mode = self.opened(descriptor)?.mode;
        Ok((mode.read, mode.write))
    }

    /// Whether every write goes to the end of the file.
    pub(crate) fn appends(&self, descriptor: i32) -> bool {
        self.opened(descriptor)
            .is_ok_and(|opened| opened.mode.append)
    }

    fn descriptor_for(&mut self, row: usize) -> Result<i32, i32> {
        let free = self
            .table
            .iter()
            .position(Option::is_none)
            .unwrap_or(self.table.len());
        if free >= LARGEST_COUNT {
            return Err(number::EMFILE);
        }
        if free == self.table.len() {
            self.table.push(None);
        }
        self.table[free] = Some(row);
        Ok(free as i32)
    }

    pub(crate) fn open(&mut self, path: &[u8], mode: OpenMode) -> Result<i32, i32> {
        let source = match path {
            b"/dev/null" => Source::Null,
            b"/dev/stdin" => Source::Input,
            b"/dev/stdout" => Source::Output,
            b"/dev/stderr" => Source::Error,
            _ => Source::File(self.file(path, mode)?),
        };
        self.opened.push(Open {
            source,
            mode,
            position: 0,
        });
        self.descriptor_for(self.opened.len() - 1)
    }

    fn file(&mut self, path: &[u8], mode: OpenMode) -> Result<FileId, i32> {
        let path = normalised(path);
        if path.is_empty() || path.ends_with(b"/") {
            return Err(number::ENOENT);
        }
        match self.names.get(&path) {
            Some(_) if mode.exclusive && mode.create => Err(number::EEXIST),
            Some(id) => {
                if mode.truncate {
                    self.contents[id.0].clear();
                }
                Ok(*id)
            }
            None if mode.create => {
                let id = FileId(self.contents.len());
                self.contents.push(Vec::new());
                self.names.insert(path, id);
                Ok(id)
            }
            None => Err(number::ENOENT),
        }
    }

    /// A file without a name, as `tmpfile` makes it.
    pub(crate) fn open_unnamed(&mut self) -> Result<i32, i32> {
        let id = FileId(self.contents.len());
        self.contents.push(Vec::new());
        let mode = OpenMode {
            read: true,
            write: true,
            ..OpenMode::default()
        };
        self.opened.push(Open {
            source: Source::File(id),
            mode,
            position: 0,
        });
        self.descriptor_for(self.opened.len() - 1)
    }

    /// A number that no earlier temporary name had.
    pub(crate) fn next_temporary(&mut self) -> u32 {
        self.temporary += 1;
        self.temporary
    }

    pub(crate) fn exists(&self, path: &[u8]) -> bool {
        self.names.contains_key(&normalised(path))
    }

    /// The size of a file by its name.
    pub(crate) fn size_of_path(&self, path: &[u8]) -> Result<u64, i32> {
        let id = self.names.get(&normalised(path)).ok_or(number::ENOENT)?;
        Ok(self.contents[id.0].len() as u64)
    }

    /// The size of a file.
    pub(crate) fn size(&self, descriptor: i32) -> Result<u64, i32> {
        match self.opened(descriptor)?.source {
            Source::File(id) => Ok(self.contents[id.0].len() as u64),
            _ => Err(number::ESPIPE),
        }
    }

    pub(crate) fn close(&mut self, descriptor: i32) -> Result<(), i32> {
        self.row(descriptor)?;
        self.table[descriptor as usize] = None;
        Ok(())
    }

    pub(crate) fn duplicate(&mut self, descriptor: i32) -> Result<i32, i32> {
        let row = self.row(descriptor)?;
        self.descriptor_for(row)
    }

    pub(crate) fn duplicate_to(&mut self, descriptor: i32, target: i32) -> Result<i32, i32> {
        let row = self.row(descriptor)?;
        let index = usize::try_from(target)
            .ok()
            .filter(|index| *index < LARGEST_COUNT)
            .ok_or(number::EBADF)?;
        if self.table.len() <= index {
            self.table.resize(index + 1, None);
        }
        self.table[index] = Some(row);
        Ok(target)
    }

    /// At most `count` bytes from the descriptor's position on.
    pub(crate) fn read(&mut self, descriptor: i32, count: u64) -> Result<Vec<u8>, i32> {
        let row = self.row(descriptor)?;
        let Open {
            source,
            mode,
            position,
        } = self.opened[row];
        if !mode.read {
            return Err(number::EBADF);
        }
        let content: &[u8] = match source {
            Source::Input => &self.input,
            Source::File(id) => &self.contents[id.0],
            Source::Null | Source::Output | Source::Error => &[],
        };
        let start = position.min(content.len() as u64);
        let end = start.saturating_add(count).min(content.len() as u64);
        self.opened[row].position = position.max(end);
        Ok(content[start as usize..end as usize].to_vec())
    }

    /// Writes at the descriptor's position, or at the end when it appends.
    pub(crate) fn write(&mut self, descriptor: i32, bytes: &[u8]) -> Result<(), i32> {
        let row = self.row(descriptor)?;
        let Open {
            source,
            mode,
            position,
        } = self.opened[row];
        if !mode.write {
            return Err(number::EBADF);
        }
        let id = match source {
            Source::Output => {
                self.output.extend_from_slice(bytes);
                return Ok(());
            }
            Source::Error => {
                self.error.extend_from_slice(bytes);
                return Ok(());
            }
            Source::Null | Source::Input => return Ok(()),
            Source::File(id) => id,
        };
        let content = &mut self.contents[id.0];
        let start = if mode.append {
            content.len() as u64
        } else {
            position
        };
        let end = start + bytes.len() as u64;
        if end > LARGEST_FILE {
            return Err(number::EFBIG);
        }
        if (content.len() as u64) < end {
            content.resize(end as usize, 0);
        }
        content[start as usize..end as usize].copy_from_slice(bytes);
        self.opened[row].position = end;
        Ok(())
    }

    /// Moves the position; the standard streams are pipes and cannot.
    pub(crate) fn seek(
        &mut self,
        descriptor: i32,
        offset: i64,
        whence: Whence,
    ) -> Result<u64, i32> {
        let row = self.row(descriptor)?;
        let Open {
            source, position, ..
        } = self.opened[row];
        let end = match source {
            Source::File(id) => self.contents[id.0].len() as u64,
            Source::Null => return Ok(0),
            Source::Input | Source::Output | Source::Error => return Err(number::ESPIPE),
        };
        let base = match whence {
            Whence::Start => 0,
            Whence::Current => position,
            Whence::End => end,
        };
        let target = base
            .checked_add_signed(offset)
            .filter(|target| *target <= i64::MAX as u64);
        let target = target.ok_or(number::EINVAL)?;
        self.opened[row].position = target;
        Ok(target)
    }

    /// Cuts or extends a file.
    pub(crate) fn resize(&mut self, descriptor: i32, size: u64) -> Result<(), i32> {
        match self.opened(descriptor)?.source {
            Source::File(id) if size <= LARGEST_FILE => {
                self.contents[id.0].resize(size as usize, 0);
                Ok(())
            }
            _ => Err(number::EINVAL),
        }
    }

    pub(crate) fn remove(&mut self, path: &[u8]) -> Result<(), i32> {
        self.names
            .remove(&normalised(path))
            .map(|_| ())
            .ok_or(number::ENOENT)
    }

    pub(crate) fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), i32> {
        let id = self.names.remove(&normalised(from)).ok_or(number::ENOENT)?;
        self.names.insert(normalised(to), id);
        Ok(())
    }
}

/// A path without `.` steps and doubled slashes, so that `./a` and `a` are one file.
fn normalised(path: &[u8]) -> Vec<u8> {
    let absolute = path.first() == Some(&b'/');
    let steps: Vec<&[u8]> = path
        .split(|byte| *byte == b'/')
        .filter(|step| !step.is_empty() && *step != b".")
        .collect();
    let mut result = if absolute { vec![b'/'] } else { Vec::new() };
    result.extend(steps.join(&b'/'));
    result
}

#[cfg(test)]
mod tests;
