//! Which pointers are open streams: arguments of functions of the library that take one.

use crate::input::Stream;
use knockon_library::facts::StreamDirection;
use knockon_library::library;

/// The argument of a function of the library that is a stream.
pub(super) fn stream_argument(name: &str) -> Option<(u8, Stream)> {
    let found = library().replayed_stream(name)?;
    let stream = match found.direction {
        StreamDirection::Input => Stream::Input,
        StreamDirection::Output => Stream::Output,
    };
    Some((found.argument?, stream))
}

/// The function reads from a stream that may be standard input.
pub(super) fn reads_a_stream(name: &str) -> bool {
    let found = library().replayed_stream(name);
    found.is_some_and(|found| found.direction == StreamDirection::Input)
}
