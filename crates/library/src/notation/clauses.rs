//! What does a clause of a row mean? Most say one thing about one field of the [`Effect`]; the
//! others are short for what many rows would repeat: streams, formats, the time zone.

use super::{Parsed, argument, arrow, extend, memory, origin, single, value, world};
use crate::effect::{
    Callback, CallbackTime, Channel, Effect, Extent, Format, FormatKind, Memory, Origin, Return,
    Value, World,
};

/// Adds what the clause says.
pub(super) fn add_clause(effect: &mut Effect, verb: &str, words: &[&'static str]) -> Parsed<()> {
    match verb {
        "pure" => {}
        "reads" => extend(&mut effect.reads, words, memory)?,
        "writes" => extend(&mut effect.writes, words, memory)?,
        "copies" => extend(&mut effect.copies, words, |word| {
            let (from, to) = arrow(word)?;
            Ok((memory(from)?, memory(to)?))
        })?,
        "stores" => extend(&mut effect.stores, words, |word| {
            let (from, to) = arrow(word)?;
            Ok((origin(from)?, memory(to)?))
        })?,
        "returns" => extend(&mut effect.returns, words, origin)?,
        "frees" => effect.frees = Some(value(single(words)?)?),
        "sees" => {
            for word in words {
                see(effect, world(word)?);
            }
        }
        "changes" => {
            for word in words {
                change(effect, world(word)?);
            }
        }
        "errno" => change(effect, World::Errno),
        "time-zone" => look_up_time_zone(effect),
        "calls" => effect.callbacks.push(callback(words)?),
        "never-returns" => effect.return_ = Return::Never,
        "may-not-return" => effect.return_ = Return::Maybe,
        "returns-twice" => effect.return_ = Return::Twice,
        "runs-exit-handlers" => effect.runs_exit_handlers = true,
        "runs-handlers" => effect.runs_handlers = true,
        "redirects" => effect.redirects = true,
        "length" => effect.extent = Some(Extent::Exactly(argument(single(words)?)?)),
        "within" => effect.extent = Some(Extent::AtMost(argument(single(words)?)?)),
        "prints" => add_format(effect, FormatKind::Print, words)?,
        "scans" => add_format(effect, FormatKind::Scan, words)?,
        "input" | "output" | "inspects" | "adjusts" => {
            let stream = value(single(words)?)?;
            effect.channel = Some(Channel::Stream(stream));
            use_stream(effect, verb, stream);
        }
        "input-descriptor" | "output-descriptor" | "adjusts-descriptor" => {
            let descriptor = value(single(words)?)?;
            effect.channel = Some(Channel::Descriptor(descriptor));
            let (reads, writes) = channel_parts(verb);
            reads.iter().for_each(|part| see(effect, *part));
            writes.iter().for_each(|part| change(effect, *part));
        }
        "stream" => effect.channel = Some(Channel::Stream(value(single(words)?)?)),
        "descriptor" => effect.channel = Some(Channel::Descriptor(value(single(words)?)?)),
        _ => return Err(format!("there is no clause `{verb}`")),
    }
    if matches!(
        verb,
        "pure"
            | "errno"
            | "time-zone"
            | "never-returns"
            | "may-not-return"
            | "returns-twice"
            | "runs-exit-handlers"
            | "runs-handlers"
            | "redirects"
    ) != words.is_empty()
    {
        return Err(if words.is_empty() {
            "says nothing"
        } else {
            "takes no more words"
        }
        .into());
    }
    Ok(())
}

/// What an operation through a stream or descriptor reads and writes of the world, when nothing is
/// known of the channel. Output reads no earlier output: that is what makes it append-only.
fn channel_parts(verb: &str) -> (&'static [World], &'static [World]) {
    use World::{Errno, Files, Input, Output};
    match verb {
        "input" | "input-descriptor" => (&[Files, Input], &[Files, Input, Errno]),
        "output" | "output-descriptor" => (&[Files], &[Files, Output, Errno]),
        "inspects" => (&[Files, Input, Output], &[]),
        _ => (&[Files, Input, Output], &[Files, Input, Output, Errno]),
    }
}

/// A stream's memory is what is reachable from it: the `FILE`, a buffer that `setvbuf` gave it,
/// the memory of `fmemopen`. Also of a standard stream all parts of the world are kept: what it is
/// connected to, programs may change.
fn use_stream(effect: &mut Effect, verb: &str, stream: Value) {
    let (reads, writes) = channel_parts(verb);
    reads.iter().for_each(|part| see(effect, *part));
    writes.iter().for_each(|part| change(effect, *part));
    let memory = Memory::ReachableFrom(stream);
    if verb != "output" {
        add(&mut effect.reads, memory);
    }
    if verb != "inspects" {
        add(&mut effect.writes, memory);
    }
}

/// What `tzset` does, and with it every function that converts a calendar time.
fn look_up_time_zone(effect: &mut Effect) {
    see(effect, World::Environment);
    see(effect, World::Files);
    change(effect, World::Errno);
    add(&mut effect.reads, behind("time-zone"));
    for name in ["time-zone", "time-zone-name", "timezone", "daylight"] {
        add(&mut effect.writes, behind(name));
    }
    let name = Origin::Library("time-zone-name");
    add(&mut effect.stores, (name, behind("tzname")));
}

fn behind(name: &'static str) -> Memory {
    Memory::Behind(Value::Library(name))
}

/// `prints 1 *2+`: the format and what its conversions use.
fn add_format(effect: &mut Effect, kind: FormatKind, words: &[&'static str]) -> Parsed<()> {
    let [text, arguments] = words else {
        return Err("names the format and the memory of its arguments".into());
    };
    let (text, arguments) = (value(text)?, memory(arguments)?);
    effect.format = Some(Format {
        kind,
        text,
        arguments,
    });
    see(effect, World::Settings);
    add(&mut effect.reads, Memory::Behind(text));
    let is_list = match arguments {
        // A `va_list` moves on as it is used.
        Memory::ReachableFrom(list) => {
            add(&mut effect.writes, Memory::Behind(list));
            true
        }
        Memory::Behind(_) | Memory::BehindLoaded(_) => false,
    };
    if kind == FormatKind::Print || is_list {
        add(&mut effect.reads, arguments);
    }
    if kind == FormatKind::Scan {
        add(&mut effect.writes, arguments);
    }
    Ok(())
}

/// `3(0,0)`, `[*1](-,@siginfo) anytime`, `3(-) to *0`.
fn callback(words: &[&'static str]) -> Parsed<Callback> {
    let (first, rest) = words.split_first().ok_or("says nothing")?;
    let (function, arguments) = first
        .strip_suffix(')')
        .and_then(|word| word.rsplit_once('('))
        .ok_or("a callback is written `FUNCTION(ARGUMENT,…)`")?;
    let arguments = arguments
        .split(',')
        .filter(|word| !word.is_empty())
        .map(|word| (word != "-").then(|| origin(word)).transpose())
        .collect::<Parsed<_>>()?;
    let (time, rest) = match rest.split_first() {
        Some((&"at-exit", rest)) => (CallbackTime::AtExit, rest),
        Some((&"anytime", rest)) => (CallbackTime::Anytime, rest),
        _ => (CallbackTime::Now, rest),
    };
    let result_to = match rest.split_first() {
        None => Vec::new(),
        Some((&"to", places)) => places
            .iter()
            .map(|word| memory(word))
            .collect::<Parsed<_>>()?,
        Some((other, _)) => return Err(format!("`{other}` is no time of a callback")),
    };
    Ok(Callback {
        function: match origin(function)? {
            Origin::Into(function) => Origin::Same(function),
            other => other,
        },
        arguments,
        time,
        result_to,
    })
}

fn see(effect: &mut Effect, part: World) {
    add(&mut effect.world_reads, part);
    if let Some(memory) = memory_of(part) {
        add(&mut effect.reads, memory);
    }
}

fn change(effect: &mut Effect, part: World) {
    add(&mut effect.world_writes, part);
    if let Some(memory) = memory_of(part) {
        add(&mut effect.writes, memory);
    }
}

/// The memory through which the program can reach a part of the world itself.
fn memory_of(part: World) -> Option<Memory> {
    match part {
        World::Errno => Some(behind("errno")),
        World::Environment => Some(Memory::ReachableFrom(Value::Library("environ"))),
        _ => None,
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
