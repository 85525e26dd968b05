//! **Question.** Which other processes may run this program, or another one of its build, and what do
//! they share with it?
//!
//! **Rules.** `fork` and its kin make a process that goes on in this program. Calls that start a program
//! by a name may start this one again, or another one of the build. They do not where each text that
//! they are given is a constant which names none of these: the file name of an executable, a path
//! below `/proc`, or, for a shell, anything that it would replace. `sh`, `env` and others that start
//! what they are given count by all of their texts. What is no constant may name anything.
//!
//! **Soundness.** That a program elsewhere (a script, `make`) starts one of the build when it is
//! started under a constant name is not seen (`docs/soundness.md`).
//!
//! **Cost.** A look at each call.

use crate::call_graph::{CallGraph, CallSiteId};
use crate::regions::{Allocation, RegionId, Regions, constant_integer};
use knockon_library::facts::{ProgramStart, Sharing};
use knockon_library::library;
use knockon_program::{Body, Constant, ConstantId, InstructionId, Operand, Program};

/// What of the program is there more than once.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    pub forks: bool,
    /// Calls that may start a program of the build, ascending.
    pub starting: Vec<CallSiteId>,
    /// Memory that several processes see, ascending.
    pub shared: Vec<RegionId>,
}

impl Processes {
    /// There may be another process that runs this program.
    pub fn are_several(&self) -> bool {
        self.forks || !self.starting.is_empty()
    }

    pub fn may_start_program(&self, site: CallSiteId) -> bool {
        self.starting.binary_search(&site).is_ok()
    }
}

pub fn processes(program: &Program, calls: &CallGraph, regions: &Regions) -> Processes {
    let forks = forks(program, calls);
    let starting = starting_calls(program, calls);
    let shared = match forks || !starting.is_empty() {
        true => shared_memory(program, calls, regions),
        false => Vec::new(),
    };
    Processes {
        forks,
        starting,
        shared,
    }
}

/// The program makes processes that run its own functions.
pub fn forks(program: &Program, calls: &CallGraph) -> bool {
    let externals = (0..calls.externals.row_count()).flat_map(|site| calls.externals.of(site));
    let mut names = externals.map(|external| program.function_name(*external));
    names.any(|name| library().facts(name).forks)
}

/// Memory of mappings and segments, where some call may share it with others.
fn shared_memory(program: &Program, calls: &CallGraph, regions: &Regions) -> Vec<RegionId> {
    const SHARED: i64 = 0x01;
    let shares = calls.sites.iter().enumerate().any(|(index, site)| {
        let mut externals = calls.externals.of(index).iter();
        externals.any(|external| {
            match library()
                .facts(program.function_name(*external))
                .shares_memory
            {
                Some(Sharing::Always) => true,
                Some(Sharing::ByFlags(at)) => {
                    let body = program.function(site.caller).body.as_deref();
                    let arguments = body.map(|body| body.arguments(site.instruction));
                    let flags = arguments.and_then(|all| all.get(usize::from(at)));
                    let flags = flags.and_then(|flags| constant_integer(program, *flags));
                    flags.is_none_or(|flags| flags & SHARED != 0)
                }
                None => false,
            }
        })
    });
    if !shares {
        return Vec::new();
    }
    let is_mapping = |allocation: &Allocation| matches!(allocation, Allocation::Library(name) if *name == "mapping");
    let all = (0..regions.region_count()).map(RegionId::from);
    all.filter(|region| regions.allocations(*region).iter().any(is_mapping))
        .collect()
}

/// Whether the function of this name starts a program.
pub fn starts_programs(name: &str) -> bool {
    library().facts(name).starts_program.is_some()
}

/// Calls that may start this program again, or another one of the build.
pub fn starting_calls(program: &Program, calls: &CallGraph) -> Vec<CallSiteId> {
    let sites = (0..calls.sites.len()).map(CallSiteId::from);
    let starting = sites.filter(|site| {
        let row = calls.site(*site);
        let body = program.function(row.caller).body.as_deref();
        let mut externals = calls.externals.of(*site).iter();
        externals.any(|external| {
            let facts = library().facts(program.function_name(*external));
            let Some(start) = facts.starts_program else {
                return false;
            };
            body.is_none_or(|body| may_start(program, body, row.instruction, start))
        })
    });
    starting.collect()
}

fn may_start(program: &Program, body: &Body, call: InstructionId, start: ProgramStart) -> bool {
    let arguments = body.arguments(call);
    let text = |at: usize| constant_text(program, *arguments.get(at)?);
    match start {
        ProgramStart::Otherwise => true,
        ProgramStart::Line(at) => {
            text(usize::from(at)).is_none_or(|line| line_may_name(program, &line))
        }
        ProgramStart::Path {
            argument,
            all_are_texts,
        } => {
            let first = usize::from(argument);
            let Some(path) = text(first) else {
                return true;
            };
            if names(program, &path) {
                return true;
            }
            let name = file_name(&path);
            let is_shell = SHELLS.contains(&name);
            if !is_shell && !LAUNCHERS.contains(&name) {
                return false;
            }
            // A shell without a line reads a script.
            if is_shell && text(first + 2).is_none_or(|option| option != "-c") {
                return true;
            }
            // Behind the name by which it is started.
            let mut texts = (first + 2..arguments.len()).map(text).take_while(|text| {
                // The null pointer at the end.
                text.as_ref().is_none_or(|text| !text.is_empty())
            });
            !all_are_texts
                || texts.any(|text| text.is_none_or(|line| line_may_name(program, &line)))
        }
    }
}

/// They start what they are told to.
const LAUNCHERS: [&str; 12] = [
    "chroot", "env", "find", "gdb", "nice", "nohup", "setsid", "strace", "sudo", "time", "timeout",
    "xargs",
];

/// They start what stands in a file.
const SHELLS: [&str; 10] = [
    "ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "make", "sh", "zsh",
];

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path may be one of a program of the build.
fn names(program: &Program, path: &str) -> bool {
    let build = &program.build;
    let is_known = build
        .executables
        .iter()
        .any(|name| file_name(name) == file_name(path));
    let is_relative = path.contains('/') && !path.starts_with('/');
    is_known || path.starts_with("/proc/") || !build.is_recorded && is_relative
}

/// The shell may start a program of the build for this line: one of its words names one, or is none
/// before the shell has replaced it. A script beside the program may start anything.
fn line_may_name(program: &Program, line: &str) -> bool {
    if line.contains(['$', '`', '*', '?', '[']) {
        return true;
    }
    let is_separator = |c: char| c.is_whitespace() || ";|&<>(){}'\"=".contains(c);
    line.split(is_separator)
        .filter(|word| !word.is_empty())
        .any(|word| {
            names(program, word)
                || word.starts_with("./")
                || word.starts_with("../")
                || SHELLS.contains(&file_name(word))
        })
}

/// The text that a pointer leads to, where that is a constant of the program. Of the null pointer the
/// empty one.
fn constant_text(program: &Program, operand: Operand) -> Option<String> {
    let Operand::Constant(constant) = operand else {
        return None;
    };
    text_of(program, constant)
}

fn text_of(program: &Program, constant: ConstantId) -> Option<String> {
    match program.constant(constant) {
        Constant::Null(_) => Some(String::new()),
        Constant::Global(global) => {
            let row = &program.globals[global.index()];
            match program.constant(row.initialiser.filter(|_| row.is_constant)?) {
                Constant::Bytes { bytes, .. } => {
                    let end = bytes.iter().position(|byte| *byte == 0)?;
                    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
                }
                _ => None,
            }
        }
        _ => None,
    }
}
