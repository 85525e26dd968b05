//! What do the clauses of a row mean that do not belong to the effect? Each sets one field of the
//! [`Facts`].

use super::{Parsed, argument, single};
use crate::effect::CallbackTime;
use crate::facts::{Facts, HandlerArguments, ProgramStart, Sharing, Timer, Unblocking};

/// Adds what the clause says; `false`: it is none of these.
pub(super) fn add_fact(facts: &mut Facts, verb: &str, words: &[&'static str]) -> Parsed<bool> {
    if let Some(flag) = flag(facts, verb) {
        return match words {
            [] => {
                *flag = true;
                Ok(true)
            }
            _ => Err("takes no more words".into()),
        };
    }
    let signals = &mut facts.signals;
    match verb {
        "starts-program" => facts.starts_program = Some(program_start(words)?),
        "shares-memory" => {
            facts.shares_memory = Some(match words {
                [] => Sharing::Always,
                _ => Sharing::ByFlags(argument(single(words)?)?),
            });
        }
        "sends-signal" => signals.sends = Some(argument(single(words)?)?),
        "sets-handler" => {
            let [signal, handler] = words else {
                return Err("names the signal and its handler".into());
            };
            signals.sets_handler = Some(HandlerArguments {
                signal: argument(signal)?,
                handler: argument(handler)?,
            });
        }
        "resets-handler" => signals.resets_handler = Some(argument(single(words)?)?),
        "unblocks-signals" => {
            signals.unblocks = Some(match words {
                [] => Unblocking::Always,
                _ => Unblocking::UnlessBlocking(argument(single(words)?)?),
            });
        }
        "sets-timer" => {
            signals.timer = Some(match words {
                [] => Timer::AnySignal,
                ["alarm"] => Timer::Alarm,
                ["kind", which] => Timer::Kind(argument(which)?),
                _ => return Err("a timer is `alarm` or `kind ARGUMENT`".into()),
            });
        }
        "lets-run" => {
            facts.lets_run = Some(match words {
                ["anytime"] => CallbackTime::Anytime,
                ["at-exit"] => CallbackTime::AtExit,
                _ => return Err("code runs `anytime` or `at-exit`".into()),
            });
        }
        "zeroes-as" => facts.zeroes_as = Some(single(words)?),
        "replayed" => add_replayed(facts, words)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn flag<'a>(facts: &'a mut Facts, verb: &str) -> Option<&'a mut bool> {
    Some(match verb {
        "jumps" => &mut facts.jumps,
        "forks" => &mut facts.forks,
        "starts-thread" => &mut facts.starts_thread,
        "no-other-process" => &mut facts.needs_no_other_process,
        "opens-descriptor" => &mut facts.opens_descriptor,
        "loads-code" => &mut facts.loads_code,
        "looks-up-symbols" => &mut facts.looks_up_symbols,
        "ignores-null" => &mut facts.ignores_null,
        _ => return None,
    })
}

fn program_start(words: &[&'static str]) -> Parsed<ProgramStart> {
    Ok(match words {
        [] => ProgramStart::Otherwise,
        ["line", line] => ProgramStart::Line(argument(line)?),
        ["path", path] => ProgramStart::Path {
            argument: argument(path)?,
            all_are_texts: false,
        },
        ["path", path, "texts"] => ProgramStart::Path {
            argument: argument(path)?,
            all_are_texts: true,
        },
        _ => return Err("what is started is `path ARGUMENT` or `line ARGUMENT`".into()),
    })
}

fn add_replayed(facts: &mut Facts, words: &[&'static str]) -> Parsed<()> {
    if words.is_empty() {
        return Err("says nothing".into());
    }
    for word in words {
        let flag = match *word {
            "runs" => &mut facts.replayed.runs,
            "wrapped" => &mut facts.replayed.is_wrapped,
            "stream" => &mut facts.replayed.takes_stream,
            "into" => &mut facts.replayed.returns_into_first,
            _ => return Err(format!("`{word}` is nothing that a replay knows")),
        };
        *flag = true;
    }
    Ok(())
}
