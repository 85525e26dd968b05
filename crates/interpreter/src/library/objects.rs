//! Which memory does the library itself own, and where is it?
//!
//! `errno`, the tables behind `isalpha`, `FILE` objects and static result buffers are objects of the
//! program's memory like any other: made at their first use, under a name that stays the same in every
//! run, so that pointers to them are comparable between versions.

use super::error_numbers::number;
use super::streams::{ERROR_STREAM, INPUT_STREAM, OUTPUT_STREAM, Stream, StreamId};
use super::{descriptors::Descriptors, state::State};
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind, Site, SiteId};
use crate::stop::{Outcome, undefined};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Scalar;

/// `sizeof (FILE)` of glibc on x86-64.
const STREAM_SIZE: u64 = 216;
/// The bits of `FILE._flags` that inlined `feof_unlocked` and `ferror_unlocked` read.
const END_OF_FILE_FLAG: u64 = 0x10;
const ERROR_FLAG: u64 = 0x20;

/// A new object of the library with these bytes.
pub(super) fn new_object(
    machine: &mut Machine<'_>,
    name: &'static str,
    bytes: &[u8],
) -> Outcome<u64> {
    let site = machine.memory.site(Site::Library(name));
    let address = machine.memory.allocate(Allocation {
        size: bytes.len() as u64,
        kind: ObjectKind::Library,
        site,
        zeroed: true,
    })?;
    machine.memory.begin_with(address, bytes)?;
    Ok(address)
}

/// The object of that name, made with these bytes at its first use.
pub(super) fn named_object(
    machine: &mut Machine<'_>,
    name: &'static str,
    bytes: impl FnOnce() -> Vec<u8>,
) -> Outcome<u64> {
    if let Some(address) = machine.library.objects.get(name) {
        return Ok(*address);
    }
    let address = new_object(machine, name, &bytes())?;
    machine.library.objects.insert(name, address);
    Ok(address)
}

/// A buffer that holds one result after the other (`strerror`, `ctime`): old pointers stay valid.
pub(super) fn result_text(
    machine: &mut Machine<'_>,
    name: &'static str,
    text: &[u8],
) -> Outcome<u64> {
    const SIZE: usize = 1024;
    let address = named_object(machine, name, || vec![0; SIZE])?;
    let mut bytes = text[..text.len().min(SIZE - 1)].to_vec();
    bytes.push(0);
    machine.memory.write(address, &bytes)?;
    Ok(address)
}

/// `&errno`.
pub(super) fn error_location(machine: &mut Machine<'_>) -> Outcome<u64> {
    named_object(machine, "errno", || vec![0; 4])
}

pub(super) fn set_error(machine: &mut Machine<'_>, number: i32) -> Outcome<()> {
    let address = error_location(machine)?;
    machine
        .memory
        .store(address, 4, Scalar::new(u64::from(number as u32)))
}

pub(super) fn error(machine: &mut Machine<'_>) -> Outcome<i32> {
    let address = error_location(machine)?;
    Ok(machine.memory.load(address, 4)?.bits as i32)
}

/// The result of an operation of the kernel's part; a failure sets `errno` and is `None`.
pub(super) fn or_error<T>(machine: &mut Machine<'_>, result: Result<T, i32>) -> Outcome<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(number) => {
            set_error(machine, number)?;
            Ok(None)
        }
    }
}

/// The address of a stream's `FILE`.
pub(super) fn stream_address(machine: &mut Machine<'_>, id: StreamId) -> Outcome<u64> {
    if let Some(address) = machine.library.stream_address.get(&id.0) {
        return Ok(*address);
    }
    let name = match id {
        INPUT_STREAM => "stdin",
        OUTPUT_STREAM => "stdout",
        ERROR_STREAM => "stderr",
        _ => "FILE",
    };
    let address = new_object(machine, name, &[0; STREAM_SIZE as usize])?;
    set_stream_address(machine, id, address);
    Ok(address)
}

/// The address of the `FILE` of a stream that a call has just opened.
pub(super) fn opened_stream(machine: &mut Machine<'_>, id: StreamId, call: SiteId) -> Outcome<u64> {
    let address = new_object(machine, "FILE", &[0; STREAM_SIZE as usize])?;
    let address = machine.memory.named_as(address, call);
    set_stream_address(machine, id, address);
    Ok(address)
}

fn set_stream_address(machine: &mut Machine<'_>, id: StreamId, address: u64) {
    machine.library.stream_address.insert(id.0, address);
    machine.library.stream_at.insert(address, id);
}

/// The stream that a `FILE *` stands for.
pub(super) fn stream_at(machine: &mut Machine<'_>, address: u64, user: &str) -> Outcome<StreamId> {
    if let Some(id) = machine.library.stream_at.get(&address).copied()
        && machine.library.streams.get(id).is_some()
    {
        return Ok(id);
    }
    if address == 0 {
        return undefined(
            UndefinedBehaviour::NullArgument,
            format!("{user} got a null stream"),
        );
    }
    undefined(
        UndefinedBehaviour::LibraryMisuse,
        format!("{user} got a pointer that is no open stream"),
    )
}

/// Works on an open stream and keeps the flags in its `FILE` up to date.
pub(super) fn with_stream<T>(
    machine: &mut Machine<'_>,
    id: StreamId,
    work: impl FnOnce(&mut Stream, &mut Descriptors) -> T,
) -> Outcome<Result<T, i32>> {
    let State {
        streams,
        descriptors,
        ..
    } = &mut machine.library;
    let Some(stream) = streams.get(id) else {
        return Ok(Err(number::EBADF));
    };
    let before = (stream.end_of_file, stream.error);
    let result = work(stream, descriptors);
    let after = (stream.end_of_file, stream.error);
    if before != after
        && let Some(address) = machine.library.stream_address.get(&id.0).copied()
    {
        let flags = u64::from(after.0) * END_OF_FILE_FLAG + u64::from(after.1) * ERROR_FLAG;
        machine.memory.store(address, 4, Scalar::new(flags))?;
    }
    Ok(Ok(result))
}

/// Writes to a stream; `false` after a failure, with `errno` set.
pub(super) fn put(machine: &mut Machine<'_>, id: StreamId, bytes: &[u8]) -> Outcome<bool> {
    let result = with_stream(machine, id, |stream, descriptors| {
        stream.put(bytes, descriptors)
    })?;
    Ok(or_error(machine, result.and_then(|inner| inner))?.is_some())
}

/// The next byte of a stream.
pub(super) fn get(machine: &mut Machine<'_>, id: StreamId) -> Outcome<Option<u8>> {
    let result = with_stream(machine, id, |stream, descriptors| stream.get(descriptors))?;
    Ok(or_error(machine, result.and_then(|inner| inner))?.flatten())
}

/// The address of a variable that the C library defines, such as `stdout`; `None` for other names.
pub(super) fn external_variable(machine: &mut Machine<'_>, name: &str) -> Outcome<Option<u64>> {
    let stream = |name, id| (name, Some(id));
    let (name, stream) = match name {
        "stdin" => stream("stdin variable", INPUT_STREAM),
        "stdout" => stream("stdout variable", OUTPUT_STREAM),
        "stderr" => stream("stderr variable", ERROR_STREAM),
        "optarg" => ("optarg", None),
        "optind" => ("optind", None),
        "opterr" => ("opterr", None),
        "optopt" => ("optopt", None),
        "environ" | "__environ" => {
            return super::calls::environment::environment_variable(machine).map(Some);
        }
        "program_invocation_name" | "program_invocation_short_name" => {
            let mut text = machine.library.program_name.clone();
            text.push(0);
            let address = named_object(machine, "program name", || text)?;
            return named_object(machine, "program name variable", || {
                address.to_le_bytes().to_vec()
            })
            .map(Some);
        }
        _ => return Ok(None),
    };
    if let Some(id) = stream {
        let address = stream_address(machine, id)?;
        return named_object(machine, name, || address.to_le_bytes().to_vec()).map(Some);
    }
    let initial: u64 = match name {
        "optind" | "opterr" => 1,
        "optopt" => u64::from(b'?'),
        _ => 0,
    };
    let size = if name == "optarg" { 8 } else { 4 };
    named_object(machine, name, || initial.to_le_bytes()[..size].to_vec()).map(Some)
}
