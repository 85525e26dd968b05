//! **Question.** Which of the programs that the build started are steps of it?
//!
//! A step is a call of a build tool that names inputs and was not made by another step: a compiler
//! driver runs its own compiler proper, assembler and linker; ccache and distcc run a compiler;
//! a script called `cc` runs the real one. Of such a nest
//! - the outermost call counts, because it is the one that always happens (a cache may run nothing
//!   inside, a compile server runs it elsewhere);
//! - but an inner compiler call with the same sources, goal and output takes its place, because it
//!   has the arguments that the wrapper added (`mpicc`, `musl-gcc`, a script with `-include`);
//! - except behind ccache and its like, which add nothing that changes the code: there the outer
//!   call stays, so that a hit and a miss of the cache give the same step.
//!
//! Nesting is known from tokens that each program hands to those it starts. Process ids would not
//! do: they are used again, and `posix_spawn` and `vfork` blur who the parent is.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::archiver_arguments::ArchiverArguments;
use super::assembler_arguments::AssemblerArguments;
use super::compiler_arguments::{CompilerArguments, Goal};
use super::edit_arguments::EditArguments;
use super::linker_arguments::LinkerArguments;
use super::place::normalised;
use super::record_log::{Event, Record};
use super::response_file;
use super::tool::{Tool, tool_named};
use super::transfer_arguments::TransferArguments;
use crate::recorded_build::{BuildCaveat, BuildCaveatKind};

/// One step of the build as it was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    pub directory: PathBuf,
    /// The tool first; a wrapper in front of it is left out, response files are expanded.
    pub arguments: Vec<String>,
    pub environment: Vec<String>,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Compile(CompilerArguments),
    Assemble(AssemblerArguments),
    Link(LinkerArguments),
    Archive(ArchiverArguments),
    Edit(EditArguments),
    Transfer(TransferArguments),
}

#[derive(Debug, Default)]
pub struct ToolCalls {
    /// In the order in which they started.
    pub calls: Vec<ToolCall>,
    pub not_utf8: u32,
    pub caveats: Vec<BuildCaveat>,
    /// All programs in the order in which they started.
    pub programs: Vec<Program>,
    /// By token the program, by its position.
    pub by_token: FxHashMap<Vec<u8>, usize>,
}

/// A program that the build started.
#[derive(Debug)]
pub struct Program {
    pub record: Record,
    /// Of its first record among all records.
    pub position: usize,
    pub parent: Option<usize>,
    /// It has reported its own start, so it is known what it opened.
    pub confirmed: bool,
    /// A cache or distributor of compilations, whatever name it was called by.
    is_wrapper: bool,
    /// The call that this program's descendants are part of.
    pub call: Option<usize>,
}

/// Picks the steps out of all program starts.
pub fn tool_calls(records: Vec<Record>) -> ToolCalls {
    let mut result = ToolCalls::default();
    let mut behind_wrapper: Vec<bool> = Vec::new();
    let (mut starts, by_token) = join_starts(records);
    for index in 0..starts.len() {
        let enclosing = starts[index].parent.and_then(|parent| starts[parent].call);
        let read = read_call(&starts[index].record, &mut result);
        starts[index].call = match (enclosing, read) {
            // Moves and copies are leaves: a script that is called `install` may run a build.
            (None, Some(call)) if matches!(call.action, Action::Transfer(_) | Action::Edit(_)) => {
                result.calls.push(call);
                behind_wrapper.push(false);
                None
            }
            (None, Some(call)) => {
                result.calls.push(call);
                behind_wrapper.push(starts[index].is_wrapper);
                Some(result.calls.len() - 1)
            }
            (Some(outer), Some(call)) => {
                if !behind_wrapper[outer] && is_same_compilation(&result.calls[outer], &call) {
                    result.calls[outer] = call;
                    behind_wrapper[outer] = starts[index].is_wrapper;
                }
                Some(outer)
            }
            (enclosing, None) => enclosing,
        };
    }
    result.programs = starts;
    result.by_token = by_token;
    result
}

/// One entry for each program start: where both the starting and the started program reported
/// it, the latter knows better where it runs (`posix_spawn` can change the directory on the way)
/// and with which environment.
fn join_starts(records: Vec<Record>) -> (Vec<Program>, FxHashMap<Vec<u8>, usize>) {
    let mut by_token: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    let mut starts: Vec<Program> = Vec::with_capacity(records.len());
    for (position, record) in records.into_iter().enumerate() {
        let parent = by_token.get(&record.parent).copied();
        let is_wrapper = names_wrapper(&record);
        if let (Event::Start, Some(index)) = (record.event, parent) {
            let reported = &mut starts[index];
            if reported.record.event != Event::Start
                && !reported.confirmed
                && reported.record.arguments == record.arguments
            {
                reported.confirmed = true;
                reported.is_wrapper |= is_wrapper;
                if !record.directory.is_empty() {
                    reported.record.directory = record.directory;
                }
                reported.record.variables = record.variables;
                reported.record.streams = record.streams;
                if reported.record.response_files.is_empty() {
                    reported.record.response_files = record.response_files;
                }
                by_token.insert(record.token, index);
                continue;
            }
        }
        if !record.token.is_empty() {
            by_token.insert(record.token.clone(), starts.len());
        }
        starts.push(Program {
            confirmed: record.event == Event::Start,
            record,
            position,
            parent,
            is_wrapper,
            call: None,
        });
    }
    (starts, by_token)
}

/// By the name of the call, or by that of the program behind a link called `gcc`.
fn names_wrapper(record: &Record) -> bool {
    let first = record.arguments.first().unwrap_or(&record.program);
    [first, &record.program]
        .iter()
        .any(|text| tool_of(text) == Some(Tool::CompilerWrapper))
}

fn tool_of(path: &OsStr) -> Option<Tool> {
    tool_named(&Path::new(path).file_name()?.to_string_lossy())
}

fn read_call(record: &Record, result: &mut ToolCalls) -> Option<ToolCall> {
    let (tool, first) = recognise(record)?;
    let mut unread = Vec::new();
    let mut arguments: Vec<OsString> = Vec::new();
    for argument in &record.arguments[first..] {
        expand(argument, record, 0, &mut arguments, &mut unread);
    }
    let directory = PathBuf::from(&record.directory);
    let texts: Option<Vec<String>> = arguments
        .iter()
        .map(|argument| argument.to_str().map(str::to_owned))
        .collect();
    let environment: Option<Vec<String>> = record
        .variables
        .iter()
        .filter(|variable| !variable.as_bytes().ends_with(b"="))
        .map(|variable| variable.to_str().map(str::to_owned))
        .collect();
    // The action is read from the nearest text, so that only real steps are reported as lost.
    let lossy: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let action = read_action(tool, &lossy, &directory)?;
    let (Some(arguments), Some(environment), Some(_)) = (texts, environment, directory.to_str())
    else {
        // A file with such a name is not one that a recorded step made.
        if matches!(action, Action::Transfer(_)) {
            return None;
        }
        result.not_utf8 += 1;
        result.caveats.push(BuildCaveat {
            kind: BuildCaveatKind::NotUtf8,
            message: format!(
                "a step with a name that is not UTF-8 was left out: `{}` in {}",
                lossy.join(" "),
                directory.display()
            ),
        });
        return None;
    };
    for name in unread {
        result.caveats.push(BuildCaveat {
            kind: BuildCaveatKind::UnreadResponseFile,
            message: format!(
                "the response file {} of `{}` in {} could not be read",
                name.display(),
                arguments[0],
                directory.display()
            ),
        });
    }
    Some(ToolCall {
        directory,
        arguments,
        environment,
        action,
    })
}

/// The tool that the record's program is, and where its own command starts.
fn recognise(record: &Record) -> Option<(Tool, usize)> {
    let argument = |index: usize| record.arguments.get(index).map(OsString::as_os_str);
    let mut first = 0;
    let mut tool = tool_of(argument(0)?).or_else(|| tool_of(&record.program))?;
    while tool == Tool::CompilerWrapper {
        first += 1;
        // `ccache NAME=VALUE … compiler …`
        while argument(first)?.as_bytes().contains(&b'=') {
            first += 1;
        }
        tool = tool_of(argument(first)?)?;
    }
    Some((tool, first))
}

/// Response files name response files in turn; gcc stops at a depth of 2000.
const DEEPEST_RESPONSE_FILE: u32 = 32;

fn expand(
    argument: &OsStr,
    record: &Record,
    depth: u32,
    expanded: &mut Vec<OsString>,
    unread: &mut Vec<OsString>,
) {
    let name = match argument.as_bytes().strip_prefix(b"@") {
        Some(name) if !name.is_empty() => OsStr::from_bytes(name),
        _ => {
            expanded.push(argument.to_owned());
            return;
        }
    };
    let kept = record
        .response_files
        .iter()
        .find(|(kept_name, _)| kept_name == name)
        .map(|(_, content)| content.clone());
    let content = kept.or_else(|| fs::read(Path::new(&record.directory).join(name)).ok());
    match content {
        Some(content) if depth < DEEPEST_RESPONSE_FILE => {
            for inner in response_file::split(&content) {
                let inner = OsString::from_vec(inner);
                expand(&inner, record, depth + 1, expanded, unread);
            }
        }
        _ => {
            unread.push(name.to_owned());
            expanded.push(argument.to_owned());
        }
    }
}

/// Reads what a tool's command does; nothing if it is no step of a build.
fn read_action(tool: Tool, command: &[String], directory: &Path) -> Option<Action> {
    let (program, arguments) = command.split_first()?;
    match tool {
        Tool::Compiler { cplusplus } => {
            let call = CompilerArguments::read(arguments, cplusplus);
            let is_step = match call.goal {
                Goal::Nothing => false,
                Goal::Assembly | Goal::Object => !call.sources.is_empty(),
                Goal::Link => !call.linker.items.is_empty(),
            };
            is_step.then_some(Action::Compile(call))
        }
        Tool::Assembler => {
            let gnu = !program.contains("asm");
            AssemblerArguments::read(arguments, gnu).map(Action::Assemble)
        }
        Tool::Linker => {
            let call = LinkerArguments::of_linker(arguments);
            (!call.items.is_empty()).then_some(Action::Link(call))
        }
        Tool::Archiver => ArchiverArguments::read(arguments).map(Action::Archive),
        Tool::Editor { is_strip } => {
            EditArguments::read(arguments, is_strip, directory).map(Action::Edit)
        }
        Tool::Transfer(kind) => TransferArguments::read(arguments, kind).map(Action::Transfer),
        Tool::CompilerWrapper => None,
    }
}

fn is_same_compilation(outer: &ToolCall, inner: &ToolCall) -> bool {
    let (Action::Compile(outer_call), Action::Compile(inner_call)) = (&outer.action, &inner.action)
    else {
        return false;
    };
    outer_call.goal == inner_call.goal
        && !outer_call.sources.is_empty()
        && compiled_files(outer, outer_call) == compiled_files(inner, inner_call)
}

fn compiled_files(
    call: &ToolCall,
    compiler: &CompilerArguments,
) -> Vec<(PathBuf, Option<PathBuf>)> {
    compiler
        .sources
        .iter()
        .map(|source| {
            let output = match compiler.goal {
                Goal::Link => compiler.output.clone(),
                _ => compiler.compiled_file(source),
            };
            (
                normalised(&call.directory.join(&source.path)),
                output.map(|path| normalised(&call.directory.join(path))),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(event: Event, token: &str, parent: &str, command: &str) -> Record {
        let arguments: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        Record {
            event,
            token: token.into(),
            parent: parent.into(),
            directory: "/d".into(),
            program: arguments[0].clone(),
            arguments,
            variables: Vec::new(),
            response_files: Vec::new(),
            streams: Default::default(),
        }
    }

    fn commands(records: Vec<Record>) -> Vec<String> {
        tool_calls(records)
            .calls
            .iter()
            .map(|call| call.arguments.join(" "))
            .collect()
    }

    #[test]
    fn a_drivers_own_processes_are_no_steps() {
        let records = vec![
            record(Event::Exec, "1", "", "gcc a.c -o p"),
            record(Event::Start, "1s", "1", "gcc a.c -o p"),
            record(Event::Exec, "2", "1s", "/lib/cc1 a.c -o /tmp/x.s"),
            record(Event::Exec, "3", "1s", "as -o /tmp/x.o /tmp/x.s"),
            record(Event::Exec, "4", "1s", "/lib/collect2 /tmp/x.o -o p"),
            record(Event::Exec, "5", "4", "ld /tmp/x.o -o p"),
        ];
        assert_eq!(commands(records), ["gcc a.c -o p"]);
    }

    #[test]
    fn the_real_compiler_replaces_the_script_that_adds_flags() {
        let records = vec![
            record(Event::Exec, "1", "", "/opt/cc -c a.c"),
            record(Event::Start, "1s", "1", "/bin/sh /opt/cc -c a.c"),
            record(Event::Exec, "2", "1s", "gcc -DX -c ./a.c -o a.o"),
        ];
        assert_eq!(commands(records), ["gcc -DX -c ./a.c -o a.o"]);
    }

    #[test]
    fn a_caching_wrapper_counts_with_or_without_running_the_compiler() {
        let outer = record(Event::Exec, "1", "", "ccache X=1 gcc -c a.c -o a.o");
        let inner = record(Event::Exec, "2", "1", "gcc -c /tmp/a.i -o a.o");
        let miss = record(Event::Exec, "3", "1", "/bin/gcc -fcolor -c a.c -o a.o");
        assert_eq!(commands(vec![outer.clone()]), ["gcc -c a.c -o a.o"]);
        assert_eq!(commands(vec![outer, inner, miss]), ["gcc -c a.c -o a.o"]);
        // A link called gcc that leads to ccache is known once the program has started.
        let link = record(Event::Exec, "1", "", "gcc -c a.c -o a.o");
        let mut start = record(Event::Start, "2", "1", "gcc -c a.c -o a.o");
        start.program = "/usr/bin/ccache".into();
        let miss = record(Event::Exec, "3", "2", "/bin/gcc -fcolor -c a.c -o a.o");
        assert_eq!(commands(vec![link, start, miss]), ["gcc -c a.c -o a.o"]);
    }

    #[test]
    fn a_script_called_install_does_not_hide_the_build_it_runs() {
        let records = vec![
            record(Event::Exec, "1", "", "./install a b"),
            record(Event::Start, "1s", "1", "/bin/sh ./install a b"),
            record(Event::Exec, "2", "1s", "gcc -c a.c"),
        ];
        assert_eq!(commands(records), ["./install a b", "gcc -c a.c"]);
    }

    #[test]
    fn a_program_run_by_a_static_one_is_seen_by_its_own_start() {
        let records = vec![
            record(Event::Exec, "1", "", "static-make"),
            record(Event::Start, "2", "1", "gcc -c a.c"),
            record(Event::Start, "3", "1", "gcc -c b.c"),
        ];
        assert_eq!(commands(records), ["gcc -c a.c", "gcc -c b.c"]);
    }

    #[test]
    fn started_program_knows_its_directory_better() {
        let mut start = record(Event::Start, "2", "1", "gcc -c a.c");
        start.directory = "/elsewhere".into();
        let calls = tool_calls(vec![record(Event::Exec, "1", "", "gcc -c a.c"), start]);
        assert_eq!(calls.calls.len(), 1);
        assert_eq!(calls.calls[0].directory, Path::new("/elsewhere"));
    }

    #[test]
    fn response_files_are_expanded_from_the_record() {
        let mut call = record(Event::Exec, "1", "", "gcc @r -c a.c");
        call.response_files
            .push(("r".into(), b"-DX='a b' @missing".to_vec()));
        let calls = tool_calls(vec![call]);
        assert_eq!(
            calls.calls[0].arguments,
            ["gcc", "-DX=a b", "@missing", "-c", "a.c"]
        );
        assert_eq!(calls.caveats.len(), 1);
    }

    #[test]
    fn a_name_that_is_not_utf8_is_a_counted_loss() {
        let mut call = record(Event::Exec, "1", "", "gcc -c x");
        call.arguments[2] = OsString::from_vec(b"\xff.c".to_vec());
        let calls = tool_calls(vec![call]);
        assert!(calls.calls.is_empty());
        assert_eq!(calls.not_utf8, 1);
        assert_eq!(calls.caveats.len(), 1);
    }
}
