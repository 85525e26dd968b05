//! **Question.** Which programs did the build start, in which order?
//!
//! Reads the log that the preloaded library (`preload.c`) and the stand-ins (`stand_ins.rs`)
//! append to. A frame is `K1 LENGTH`, a newline and LENGTH bytes of NUL-ended fields. A stand-in's
//! frame only names a file with its fields, because a shell cannot write a long record in one
//! piece: the frame gives the place in the order.
//!
//! A full disk or a killed process can leave half a frame. The reader then goes on at the next
//! frame and counts the damage, so that it ends as a caveat and not as a lost step.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// One start of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub event: Event,
    pub token: Vec<u8>,
    /// The token of the program that started this one, empty when it is not known.
    pub parent: Vec<u8>,
    pub directory: OsString,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub variables: Vec<OsString>,
    pub response_files: Vec<(OsString, Vec<u8>)>,
    /// Of a `Start`: what the three standard streams are connected to.
    pub streams: [Stream; 3],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stream {
    /// By its number in the system.
    Pipe(u64),
    File(PathBuf),
    /// Nothing that carries data of the build, or not known.
    #[default]
    Other,
}

/// A file below the root that a program opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRecord {
    /// Of the program.
    pub token: Vec<u8>,
    /// How many programs had been recorded before.
    pub position: usize,
    pub access: Access,
    pub path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    /// From its beginning.
    Write,
    /// With what is in it already.
    Append,
    ReadAndWrite,
    /// It was not there.
    Missing,
    /// The file got this name as well, or instead.
    MoveTo(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Seen by the program that starts another.
    Exec,
    /// Seen by the program that is started; its parent token is that of its own `Exec`.
    Start,
    /// Seen by a stand-in.
    StandIn,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct RecordLog {
    pub records: Vec<Record>,
    pub files: Vec<FileRecord>,
    pub damaged: u32,
}

const FRAME: &[u8] = b"K1 ";

/// Decodes the bytes of a log; `stand_in_records` holds the files that frames of stand-ins name.
pub fn decode(bytes: &[u8], stand_in_records: &Path) -> RecordLog {
    let mut log = RecordLog::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some((payload, behind)) = frame(rest) else {
            log.damaged += 1;
            // The frame's own first byte is passed, so that the search makes progress.
            rest = memchr::memmem::find(&rest[1..], FRAME).map_or(&[], |at| &rest[1 + at..]);
            continue;
        };
        rest = behind;
        match decode_payload(payload, stand_in_records, log.records.len()) {
            Some(Entry::Program(record)) => log.records.push(record),
            Some(Entry::File(file)) => log.files.push(file),
            None => log.damaged += 1,
        }
    }
    log
}

/// The first frame's payload and what follows it. A payload ends in NUL, and the next frame or
/// the end of the log follows: a length that does not lead there is half a frame.
fn frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = bytes.strip_prefix(FRAME)?;
    let line_end = memchr::memchr(b'\n', &text[..text.len().min(24)])?;
    let length: usize = std::str::from_utf8(&text[..line_end]).ok()?.parse().ok()?;
    let payload = text.get(line_end + 1..)?;
    if length > payload.len() {
        return None;
    }
    let (payload, behind) = payload.split_at(length);
    let complete = payload.last() == Some(&0) && (behind.is_empty() || behind.starts_with(FRAME));
    complete.then_some((payload, behind))
}

enum Entry {
    Program(Record),
    File(FileRecord),
}

fn decode_payload(payload: &[u8], stand_in_records: &Path, position: usize) -> Option<Entry> {
    let mut fields = Fields { rest: payload };
    let program = match fields.next()? {
        b"exec" => decode_record(Event::Exec, fields),
        b"start" => decode_record(Event::Start, fields),
        b"file" => return decode_file(fields, position).map(Entry::File),
        b"reference" => {
            let name = fields.next()?;
            if name.is_empty() || name.contains(&b'/') {
                return None;
            }
            let content = fs::read(stand_in_records.join(OsStr::from_bytes(name))).ok()?;
            decode_record(Event::StandIn, Fields { rest: &content })
        }
        _ => None,
    };
    program.map(Entry::Program)
}

fn decode_file(mut fields: Fields, position: usize) -> Option<FileRecord> {
    let token = fields.next()?.to_vec();
    let way = fields.next()?;
    let path = fields.text()?.into();
    let second = fields.text()?;
    let access = match way {
        b"r" => Access::Read,
        b"w" => Access::Write,
        b"a" => Access::Append,
        b"u" => Access::ReadAndWrite,
        b"n" => Access::Missing,
        b"m" => Access::MoveTo(second.into()),
        _ => return None,
    };
    Some(FileRecord {
        token,
        position,
        access,
        path,
    })
}

fn decode_record(event: Event, mut fields: Fields) -> Option<Record> {
    let token = fields.next()?.to_vec();
    let parent = fields.next()?.to_vec();
    let directory = fields.text()?;
    let program = fields.text()?;
    let mut arguments = Vec::new();
    for _ in 0..fields.count()? {
        arguments.push(fields.text()?);
    }
    let mut variables = Vec::new();
    for _ in 0..fields.count()? {
        variables.push(fields.text()?);
    }
    let mut response_files = Vec::new();
    for _ in 0..fields.count()? {
        response_files.push((fields.text()?, fields.next()?.to_vec()));
    }
    let mut streams = <[Stream; 3]>::default();
    if event == Event::Start {
        for stream in &mut streams {
            *stream = decode_stream(fields.next().unwrap_or_default())?;
        }
    }
    Some(Record {
        event,
        token,
        parent,
        directory,
        program,
        arguments,
        variables,
        response_files,
        streams,
    })
}

fn decode_stream(field: &[u8]) -> Option<Stream> {
    match field.split_first() {
        None => Some(Stream::Other),
        Some((b'p', number)) => {
            let number = std::str::from_utf8(number).ok()?;
            Some(Stream::Pipe(number.parse().ok()?))
        }
        Some((b'f', path)) => Some(Stream::File(OsStr::from_bytes(path).into())),
        Some(_) => None,
    }
}

struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let field = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(field)
    }

    fn text(&mut self) -> Option<OsString> {
        self.next().map(|field| OsString::from_vec(field.to_vec()))
    }

    fn count(&mut self) -> Option<usize> {
        std::str::from_utf8(self.next()?).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame_of(fields: &[&str]) -> Vec<u8> {
        let payload: Vec<u8> = fields
            .iter()
            .flat_map(|field| field.bytes().chain([0]))
            .collect();
        let mut bytes = format!("K1 {}\n", payload.len()).into_bytes();
        bytes.extend(payload);
        bytes
    }

    fn compile(token: &str) -> Vec<u8> {
        frame_of(&[
            "exec",
            token,
            "1",
            "/d",
            "/usr/bin/cc",
            "3",
            "cc",
            "-c",
            "a\nb.c",
            "1",
            "CPATH=/x",
            "1",
            "r",
            "-O2",
        ])
    }

    #[test]
    fn records_keep_their_order_and_fields() {
        let bytes = [compile("2"), compile("3")].concat();
        let log = decode(&bytes, Path::new("/nonexistent"));
        assert_eq!(log.damaged, 0);
        assert_eq!(log.records.len(), 2);
        assert_eq!(log.records[1].token, b"3");
        assert_eq!(log.records[0].arguments[2], "a\nb.c");
        assert_eq!(log.records[0].response_files[0].1, b"-O2");
    }

    #[test]
    fn files_and_streams_belong_to_their_programs() {
        let start = frame_of(&[
            "start", "2s", "2", "/d", "/bin/cat", "1", "cat", "0", "0", "", "p7", "f/d/x.h",
        ]);
        let read = frame_of(&["file", "2s", "r", "/d/x", ""]);
        let move_ = frame_of(&["file", "3", "m", "/d/x", "/d/y"]);
        let bytes = [compile("2"), start, read, move_].concat();
        let log = decode(&bytes, Path::new("/nonexistent"));
        assert_eq!((log.damaged, log.records.len()), (0, 2));
        let streams = [
            Stream::Other,
            Stream::Pipe(7),
            Stream::File("/d/x.h".into()),
        ];
        assert_eq!(log.records[1].streams, streams);
        let file = |token: &str, access, path: &str| FileRecord {
            token: token.into(),
            position: 2,
            access,
            path: path.into(),
        };
        let expected = [
            file("2s", Access::Read, "/d/x"),
            file("3", Access::MoveTo("/d/y".into()), "/d/x"),
        ];
        assert_eq!(log.files, expected);
    }

    #[test]
    fn half_a_frame_costs_that_frame_only() {
        let whole = compile("2");
        for cut in 1..whole.len() {
            let bytes = [&whole[..cut], &compile("3"), &compile("4")].concat();
            let log = decode(&bytes, Path::new("/nonexistent"));
            assert_eq!(log.records.len(), 2, "cut at {cut}");
            assert_eq!(log.damaged, 1, "cut at {cut}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_and_whole_frames_behind_them_are_found(
            noise in proptest::collection::vec(
                proptest::prop_oneof![
                    proptest::sample::select(&b"K1 \n\0exec9"[..]),
                    proptest::prelude::any::<u8>(),
                ],
                0..60,
            )
        ) {
            let alone = decode(&noise, Path::new("/nonexistent"));
            let followed = decode(&[&noise[..], &compile("2")].concat(), Path::new("/nonexistent"));
            proptest::prop_assert_eq!(
                followed.records.last().map(|record| &record.token[..]),
                Some(&b"2"[..])
            );
            proptest::prop_assert!(followed.damaged <= alone.damaged.max(1));
        }
    }
}
