//! Which pointers are open streams: arguments of functions of the library that take one.

use crate::input::Stream;

/// By function: which argument is the stream, and what is done with it.
const TAKING: [(&str, usize, Stream); 13] = [
    ("fflush", 0, Stream::Output),
    ("fgetc", 0, Stream::Input),
    ("fgets", 2, Stream::Input),
    ("fprintf", 0, Stream::Output),
    ("fputc", 1, Stream::Output),
    ("fputs", 1, Stream::Output),
    ("fread", 3, Stream::Input),
    ("fwrite", 3, Stream::Output),
    ("getc", 0, Stream::Input),
    ("getline", 2, Stream::Input),
    ("putc", 1, Stream::Output),
    ("ungetc", 1, Stream::Input),
    ("vfprintf", 0, Stream::Output),
];

/// The argument of a function of the library that is a stream.
pub(super) fn stream_argument(name: &str) -> Option<(usize, Stream)> {
    let mut rows = TAKING.iter();
    let row = rows.find(|row| row.0 == name)?;
    Some((row.1, row.2))
}

/// The function reads from a stream that may be standard input.
pub(super) fn reads_a_stream(name: &str) -> bool {
    name == "getchar" || matches!(stream_argument(name), Some((_, Stream::Input)))
}
