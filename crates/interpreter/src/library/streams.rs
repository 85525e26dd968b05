//! What do the calls on a `FILE` read, write and remember?
//!
//! The buffering is glibc's, because it can be seen: a program that is aborted loses what it had not
//! flushed, and `write` on a descriptor overtakes what is still in a buffer. Standard output is taken
//! to be a pipe or a file, so it is fully buffered; standard error is not buffered. A buffer has 4096
//! bytes; when it is full and more comes, whole blocks go out.

use super::descriptors::{Descriptors, STANDARD_ERROR, Whence};
use super::error_numbers::number;

/// A stream's number in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamId(pub(crate) usize);

/// The numbers of the three standard streams.
pub(crate) const INPUT_STREAM: StreamId = StreamId(0);
pub(crate) const OUTPUT_STREAM: StreamId = StreamId(1);
pub(crate) const ERROR_STREAM: StreamId = StreamId(2);

const BLOCK: usize = 4096;

/// When written bytes leave the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffering {
    None,
    Line,
    Full,
}

#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) descriptor: i32,
    buffering: Buffering,
    capacity: usize,
    /// Bytes read ahead; those before `read_at` were delivered.
    read: Vec<u8>,
    read_at: usize,
    /// Bytes put back by `ungetc`, the next one last.
    unread: Vec<u8>,
    /// Bytes written and still in the buffer.
    written: Vec<u8>,
    pub(crate) end_of_file: bool,
    pub(crate) error: bool,
}

/// Open streams over the descriptors of a run. Errors are error numbers.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    table: Vec<Option<Stream>>,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        Streams {
            table: (0..3)
                .map(|descriptor| Some(Stream::new(descriptor)))
                .collect(),
        }
    }

    pub(crate) fn open(&mut self, descriptor: i32) -> StreamId {
        self.table.push(Some(Stream::new(descriptor)));
        StreamId(self.table.len() - 1)
    }

    /// The stream, unless it was closed.
    pub(crate) fn get(&mut self, id: StreamId) -> Option<&mut Stream> {
        self.table.get_mut(id.0)?.as_mut()
    }

    pub(crate) fn close(&mut self, id: StreamId, descriptors: &mut Descriptors) -> Result<(), i32> {
        let Some(mut stream) = self.table.get_mut(id.0).and_then(Option::take) else {
            return Err(number::EBADF);
        };
        let flushed = stream.synchronise(descriptors);
        descriptors.close(stream.descriptor)?;
        flushed
    }

    /// Writes out every buffer, as `exit` and `fflush(NULL)` do.
    pub(crate) fn flush_all(&mut self, descriptors: &mut Descriptors) -> Result<(), i32> {
        let mut result = Ok(());
        for stream in self.table.iter_mut().flatten() {
            result = result.and(stream.flush(descriptors));
        }
        result
    }
}

impl Stream {
    fn new(descriptor: i32) -> Stream {
        Stream {
            descriptor,
            buffering: if descriptor == STANDARD_ERROR {
                Buffering::None
            } else {
                Buffering::Full
            },
            capacity: BLOCK,
            read: Vec::new(),
            read_at: 0,
            unread: Vec::new(),
            written: Vec::new(),
            end_of_file: false,
            error: false,
        }
    }

    /// Forgets everything but the descriptor and the buffering, as `freopen` does.
    pub(crate) fn restart(&mut self) {
        self.read.clear();
        self.read_at = 0;
        self.unread.clear();
        self.end_of_file = false;
        self.error = false;
    }

    /// `setvbuf`; a size of zero keeps the buffer.
    pub(crate) fn set_buffering(&mut self, buffering: Buffering, size: usize) {
        self.buffering = buffering;
        if size > 0 {
            self.capacity = size;
        }
    }

    /// The bytes that can be delivered without reading from the descriptor.
    fn ahead(&self) -> usize {
        self.unread.len() + self.read.len() - self.read_at
    }

    /// The next byte; `None` at the end of the file or after an error.
    pub(crate) fn get(&mut self, descriptors: &mut Descriptors) -> Result<Option<u8>, i32> {
        if let Some(byte) = self.unread.pop() {
            return Ok(Some(byte));
        }
        if self.read_at == self.read.len() {
            if self.end_of_file {
                return Ok(None);
            }
            let filled = self
                .flush(descriptors)
                .and_then(|()| descriptors.read(self.descriptor, self.read_block()));
            match filled {
                Ok(bytes) => (self.read, self.read_at) = (bytes, 0),
                Err(number) => {
                    self.error = true;
                    return Err(number);
                }
            }
        }
        let byte = self.read.get(self.read_at).copied();
        match byte {
            Some(_) => self.read_at += 1,
            None => self.end_of_file = true,
        }
        Ok(byte)
    }

    fn read_block(&self) -> u64 {
        match self.buffering {
            Buffering::None => 1,
            Buffering::Line | Buffering::Full => self.capacity as u64,
        }
    }

    /// `ungetc`, and taking back what a scan read too far.
    pub(crate) fn unget(&mut self, byte: u8) {
        if self.unread.is_empty() && self.read_at > 0 && self.read[self.read_at - 1] == byte {
            self.read_at -= 1;
        } else {
            self.unread.push(byte);
        }
        self.end_of_file = false;
    }

    pub(crate) fn put(&mut self, bytes: &[u8], descriptors: &mut Descriptors) -> Result<(), i32> {
        let result = self.try_put(bytes, descriptors);
        self.error |= result.is_err();
        result
    }

    fn try_put(&mut self, bytes: &[u8], descriptors: &mut Descriptors) -> Result<(), i32> {
        if !descriptors.access(self.descriptor)?.1 {
            return Err(number::EBADF);
        }
        self.drop_ahead(descriptors);
        let mut rest = bytes;
        match self.buffering {
            Buffering::None => return descriptors.write(self.descriptor, bytes),
            Buffering::Line => {
                if let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n') {
                    self.written.extend_from_slice(&bytes[..=last]);
                    self.flush(descriptors)?;
                    rest = &bytes[last + 1..];
                }
            }
            Buffering::Full => {}
        }
        let room = self.capacity.saturating_sub(self.written.len());
        let (filling, over) = rest.split_at(room.min(rest.len()));
        self.written.extend_from_slice(filling);
        if !over.is_empty() {
            self.flush(descriptors)?;
            let blocks = over.len() - over.len() % self.capacity.max(1);
            descriptors.write(self.descriptor, &over[..blocks])?;
            self.written.extend_from_slice(&over[blocks..]);
        }
        Ok(())
    }

    /// Writes out the buffer.
    pub(crate) fn flush(&mut self, descriptors: &mut Descriptors) -> Result<(), i32> {
        if self.written.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.written);
        let result = descriptors.write(self.descriptor, &bytes);
        self.error |= result.is_err();
        result
    }

    /// Gives back what was read ahead, so that the descriptor stands where the stream does.
    fn drop_ahead(&mut self, descriptors: &mut Descriptors) {
        let ahead = self.ahead();
        if ahead > 0
            && descriptors
                .seek(self.descriptor, -(ahead as i64), Whence::Current)
                .is_ok()
        {
            self.read.clear();
            self.unread.clear();
            self.read_at = 0;
        }
    }

    /// `fflush`: writes out the buffer and gives back what was read ahead.
    pub(crate) fn synchronise(&mut self, descriptors: &mut Descriptors) -> Result<(), i32> {
        let flushed = self.flush(descriptors);
        self.drop_ahead(descriptors);
        flushed
    }

    /// `fseek`.
    pub(crate) fn seek(
        &mut self,
        offset: i64,
        whence: Whence,
        descriptors: &mut Descriptors,
    ) -> Result<(), i32> {
        self.flush(descriptors)?;
        let offset = match whence {
            Whence::Current => offset
                .checked_sub(self.ahead() as i64)
                .ok_or(number::EINVAL)?,
            Whence::Start | Whence::End => offset,
        };
        descriptors.seek(self.descriptor, offset, whence)?;
        self.read.clear();
        self.unread.clear();
        self.read_at = 0;
        self.end_of_file = false;
        Ok(())
    }

    /// `ftell`.
    pub(crate) fn position(&self, descriptors: &mut Descriptors) -> Result<i64, i32> {
        let position = if self.written.is_empty() {
            descriptors.seek(self.descriptor, 0, Whence::Current)?
        } else if descriptors.appends(self.descriptor) {
            descriptors.size(self.descriptor)?
        } else {
            descriptors.seek(self.descriptor, 0, Whence::Current)?
        };
        Ok(position as i64 - self.ahead() as i64 + self.written.len() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::descriptors::OpenMode;
    use super::*;

    const UPDATE: OpenMode = OpenMode {
        read: true,
        write: true,
        append: false,
        create: true,
        exclusive: false,
        truncate: false,
    };

    #[test]
    fn output_leaves_in_whole_blocks_and_the_rest_at_the_flush() {
        let mut descriptors = Descriptors::new(Vec::new(), &[]);
        let mut streams = Streams::new();
        let output = streams.get(OUTPUT_STREAM).expect("it is open");
        output
            .put(&[b'a'; 4000], &mut descriptors)
            .expect("written");
        output
            .put(&[b'b'; 5000], &mut descriptors)
            .expect("written");
        assert_eq!(descriptors.take_outputs().0.len(), 8192);
        streams.flush_all(&mut descriptors).expect("written");
        assert_eq!(descriptors.take_outputs().0.len(), 9000 - 8192);
    }

    #[test]
    fn standard_error_is_not_buffered() {
        let mut descriptors = Descriptors::new(Vec::new(), &[]);
        let mut streams = Streams::new();
        streams
            .get(ERROR_STREAM)
            .expect("it is open")
            .put(b"x", &mut descriptors)
            .expect("written");
        assert_eq!(descriptors.take_outputs().1, b"x");
    }

    #[test]
    fn a_line_buffered_stream_keeps_only_the_unfinished_line() {
        let mut descriptors = Descriptors::new(Vec::new(), &[]);
        let mut streams = Streams::new();
        let output = streams.get(OUTPUT_STREAM).expect("it is open");
        output.set_buffering(Buffering::Line, 0);
        output.put(b"one\ntwo", &mut descriptors).expect("written");
        assert_eq!(descriptors.take_outputs().0, b"one\n");
    }

    #[test]
    fn positions_count_what_is_buffered() {
        let mut descriptors = Descriptors::new(Vec::new(), &[(b"f".to_vec(), b"abcdef".to_vec())]);
        let mut streams = Streams::new();
        let descriptor = descriptors.open(b"f", UPDATE).expect("the file is there");
        let id = streams.open(descriptor);
        let stream = streams.get(id).expect("it is open");
        assert_eq!(stream.get(&mut descriptors), Ok(Some(b'a')));
        assert_eq!(stream.position(&mut descriptors), Ok(1));
        stream.unget(b'z');
        assert_eq!(stream.position(&mut descriptors), Ok(0));
        assert_eq!(stream.get(&mut descriptors), Ok(Some(b'z')));
        stream
            .seek(-1, Whence::End, &mut descriptors)
            .expect("a file can seek");
        assert_eq!(stream.get(&mut descriptors), Ok(Some(b'f')));
        assert_eq!(stream.get(&mut descriptors), Ok(None));
        assert!(stream.end_of_file);
        stream.put(b"gh", &mut descriptors).expect("written");
        assert_eq!(stream.position(&mut descriptors), Ok(8));
    }
}
