//! `fopen`, `fclose`, `fseek`, `feof` and the rest that is neither input nor output.

use crate::library::descriptors::{OpenMode, Whence};
use crate::library::error_numbers::number;
use crate::library::objects::{opened_stream, or_error, set_error, stream_at, with_stream};
use crate::library::state::State;
use crate::library::streams::Buffering;
use crate::library_call::{LibraryCall, LibraryFunction};
use crate::machine::Machine;
use crate::stop::Outcome;
use crate::value::{Scalar, Value};

pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    Some(match name {
        "fopen" | "fopen64" => open,
        "fdopen" => open_descriptor,
        "freopen" | "freopen64" => reopen,
        "tmpfile" | "tmpfile64" => open_temporary,
        "fclose" => close,
        "fflush" | "fflush_unlocked" => flush,
        "feof" | "feof_unlocked" => at_end,
        "ferror" | "ferror_unlocked" => has_error,
        "clearerr" | "clearerr_unlocked" => clear_error,
        "fileno" | "fileno_unlocked" => descriptor,
        "fseek" | "fseeko" | "fseeko64" => seek,
        "ftell" | "ftello" | "ftello64" => tell,
        "rewind" => rewind,
        "fgetpos" | "fgetpos64" => get_position,
        "fsetpos" | "fsetpos64" => set_position,
        "setvbuf" => set_buffer,
        "setbuf" => set_default_buffer,
        "setlinebuf" => set_line_buffer,
        "flockfile" | "funlockfile" => lock,
        _ => return None,
    })
}

/// `"r+"` and the like; `None` when it does not start with `r`, `w` or `a`.
fn parse_mode(text: &[u8]) -> Option<OpenMode> {
    let (first, rest) = text.split_first()?;
    let update = rest.contains(&b'+');
    let exclusive = rest.contains(&b'x');
    let mode = match first {
        b'r' => OpenMode {
            read: true,
            write: update,
            ..OpenMode::default()
        },
        b'w' => OpenMode {
            read: update,
            write: true,
            create: true,
            truncate: true,
            ..OpenMode::default()
        },
        b'a' => OpenMode {
            read: update,
            write: true,
            create: true,
            append: true,
            ..OpenMode::default()
        },
        _ => return None,
    };
    Some(OpenMode { exclusive, ..mode })
}

fn open(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let path = machine.memory.c_string(call.pointer(0)?)?.to_vec();
    let mode = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    let result = parse_mode(&mode)
        .ok_or(number::EINVAL)
        .and_then(|mode| machine.library.descriptors.open(&path, mode));
    stream_for(machine, call, result)
}

fn stream_for(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    descriptor: Result<i32, i32>,
) -> Outcome<Value> {
    let Some(descriptor) = or_error(machine, descriptor)? else {
        return Ok(Value::integer(0));
    };
    let id = machine.library.streams.open(descriptor);
    Ok(Value::integer(opened_stream(machine, id, call.site)?))
}

fn open_descriptor(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let descriptor = call.signed(0)? as i32;
    let result = machine
        .library
        .descriptors
        .access(descriptor)
        .map(|_| descriptor);
    stream_for(machine, call, result)
}

/// `freopen(path, mode, stream)`: the same `FILE` goes on with another file, on the same descriptor.
fn reopen(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let address = call.pointer(2)?;
    let stream = stream_at(machine, address, call.name)?;
    let path_at = call.pointer(0)?;
    let mode = machine.memory.c_string(call.pointer(1)?)?.to_vec();
    if path_at == 0 {
        return Ok(Value::integer(address));
    }
    let path = machine.memory.c_string(path_at)?.to_vec();
    let opened = parse_mode(&mode)
        .ok_or(number::EINVAL)
        .and_then(|mode| machine.library.descriptors.open(&path, mode));
    let State {
        streams,
        descriptors,
        ..
    } = &mut machine.library;
    let result = opened.and_then(|fresh| match streams.get(stream) {
        None => Err(number::EBADF),
        Some(old) => {
            let descriptor = old.descriptor;
            old.synchronise(descriptors)?;
            descriptors.duplicate_to(fresh, descriptor)?;
            descriptors.close(fresh)?;
            old.restart();
            Ok(())
        }
    });
    let done = or_error(machine, result)?.is_some();
    Ok(Value::integer(if done { address } else { 0 }))
}

fn open_temporary(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let result = machine.library.descriptors.open_unnamed();
    stream_for(machine, call, result)
}

fn status(machine: &mut Machine<'_>, result: Result<(), i32>) -> Outcome<Value> {
    let done = or_error(machine, result)?.is_some();
    Ok(Value::int(if done { 0 } else { -1 }))
}

fn close(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let State {
        streams,
        descriptors,
        ..
    } = &mut machine.library;
    let result = streams.close(stream, descriptors);
    status(machine, result)
}

fn flush(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let address = call.pointer(0)?;
    if address == 0 {
        let State {
            streams,
            descriptors,
            ..
        } = &mut machine.library;
        let result = streams.flush_all(descriptors);
        return status(machine, result);
    }
    let stream = stream_at(machine, address, call.name)?;
    let result = with_stream(machine, stream, |stream, descriptors| {
        stream.synchronise(descriptors)
    })?;
    status(machine, result.and_then(|inner| inner))
}

fn at_end(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let result = with_stream(machine, stream, |stream, _| stream.end_of_file)?;
    Ok(Value::int(i32::from(result.unwrap_or(false))))
}

fn has_error(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let result = with_stream(machine, stream, |stream, _| stream.error)?;
    Ok(Value::int(i32::from(result.unwrap_or(false))))
}

fn clear_error(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let _cleared = with_stream(machine, stream, |stream, _| {
        stream.end_of_file = false;
        stream.error = false;
    })?;
    Ok(Value::nothing())
}

fn descriptor(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let result = with_stream(machine, stream, |stream, _| stream.descriptor)?;
    Ok(Value::int(result.unwrap_or(-1)))
}

/// `SEEK_SET`, `SEEK_CUR`, `SEEK_END`.
pub(super) fn whence(number: i64) -> Option<Whence> {
    match number {
        0 => Some(Whence::Start),
        1 => Some(Whence::Current),
        2 => Some(Whence::End),
        _ => None,
    }
}

fn seek(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let offset = call.signed(1)?;
    let Some(whence) = whence(call.signed(2)?) else {
        set_error(machine, number::EINVAL)?;
        return Ok(Value::int(-1));
    };
    let result = with_stream(machine, stream, |stream, descriptors| {
        stream.seek(offset, whence, descriptors)
    })?;
    status(machine, result.and_then(|inner| inner))
}

fn position(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Option<i64>> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let result = with_stream(machine, stream, |stream, descriptors| {
        stream.position(descriptors)
    })?;
    or_error(machine, result.and_then(|inner| inner))
}

fn tell(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    Ok(Value::integer(position(machine, call)?.unwrap_or(-1) as u64))
}

fn rewind(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let result = with_stream(machine, stream, |stream, descriptors| {
        stream.error = false;
        stream.seek(0, Whence::Start, descriptors)
    })?;
    or_error(machine, result.and_then(|inner| inner))?;
    Ok(Value::nothing())
}

fn get_position(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let Some(position) = position(machine, call)? else {
        return Ok(Value::int(-1));
    };
    machine
        .memory
        .store(call.pointer(1)?, 8, Scalar::new(position as u64))?;
    Ok(Value::int(0))
}

fn set_position(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let position = machine.memory.load(call.pointer(1)?, 8)?.bits as i64;
    let result = with_stream(machine, stream, |stream, descriptors| {
        stream.seek(position, Whence::Start, descriptors)
    })?;
    status(machine, result.and_then(|inner| inner))
}

fn change_buffer(
    machine: &mut Machine<'_>,
    call: &LibraryCall<'_>,
    buffering: Buffering,
    size: u64,
) -> Outcome<()> {
    let stream = stream_at(machine, call.pointer(0)?, call.name)?;
    let size = usize::try_from(size).unwrap_or(0);
    with_stream(machine, stream, |stream, _| {
        stream.set_buffering(buffering, size)
    })?
    .unwrap_or_default();
    Ok(())
}

/// The buffer itself is never the program's: only its size and the mode have an effect.
fn set_buffer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    let (buffer, size) = (call.pointer(1)?, call.integer(3)?);
    let buffering = match call.signed(2)? {
        0 => Buffering::Full,
        1 => Buffering::Line,
        2 => Buffering::None,
        _ => return Ok(Value::int(-1)),
    };
    change_buffer(machine, call, buffering, if buffer == 0 { 0 } else { size })?;
    Ok(Value::int(0))
}

fn set_default_buffer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    /// `BUFSIZ`.
    const SIZE: u64 = 8192;
    match call.pointer(1)? {
        0 => change_buffer(machine, call, Buffering::None, 0)?,
        _ => change_buffer(machine, call, Buffering::Full, SIZE)?,
    }
    Ok(Value::nothing())
}

fn set_line_buffer(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    change_buffer(machine, call, Buffering::Line, 0)?;
    Ok(Value::nothing())
}

/// One thread has nobody to wait for.
fn lock(machine: &mut Machine<'_>, call: &LibraryCall<'_>) -> Outcome<Value> {
    stream_at(machine, call.pointer(0)?, call.name)?;
    Ok(Value::nothing())
}
