//! What does the interpreter say of a program? clang's text IR, the reader, then two runs: as read
//! and promoted to SSA, which must not differ, so promotion is tried along with everything else.

use super::outcome::{Class, Ending};
use super::{HarnessError, Input};
use knockon_build::build::compile_units;
use knockon_build::clang::Clang;
use knockon_build::compile::{CompileOptions, DEFAULT_UNIT_TIME_LIMIT};
use knockon_build::unit::UnitCommand;
use knockon_interpreter::{Exit, Run, RunInput, UndefinedBehaviour};
use knockon_program::{Constant, Program, link};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How the interpreter's run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    Ended(Ending),
    Undefined {
        class: Class,
        message: String,
    },
    StepLimit,
    Unsupported(String),
    /// The program as read and as promoted behave differently; how.
    PromotionDiffers(String),
}

#[derive(Clone, Debug)]
pub struct Interpreted {
    pub stdout: Vec<u8>,
    pub meaning: Meaning,
    pub steps: u64,
}

/// Reads and runs programs.
#[derive(Clone, Debug)]
pub struct Interpreter {
    pub clang: Clang,
    pub step_limit: u64,
}

impl Interpreter {
    pub fn run(
        &self,
        source: &Path,
        input: &Input,
        flags: &[String],
    ) -> Result<Interpreted, HarnessError> {
        let mut program = match self.read(source, flags)? {
            Ok(program) => program,
            Err(message) => {
                let meaning = Meaning::Unsupported(format!("reading: {message}"));
                return Ok(Interpreted {
                    stdout: Vec::new(),
                    meaning,
                    steps: 0,
                });
            }
        };
        let run_input = self.run_input(input);
        let folded = has_poison(&program);
        let first = interpreted(knockon_interpreter::run(&program, &run_input), folded);
        knockon_graphs::promote(&mut program);
        let second = interpreted(knockon_interpreter::run(&program, &run_input), folded);
        Ok(joined(first, second))
    }

    /// The run that an input asks for.
    pub fn run_input(&self, input: &Input) -> RunInput {
        let given = input.arguments.iter();
        let given = given.map(|argument| argument.clone().into_bytes());
        RunInput {
            arguments: std::iter::once(b"program".to_vec()).chain(given).collect(),
            stdin: input.stdin.clone(),
            step_limit: self.step_limit,
            ..RunInput::default()
        }
    }

    /// The program of a file, or why it has none.
    pub fn read(
        &self,
        source: &Path,
        flags: &[String],
    ) -> Result<Result<Program, String>, HarnessError> {
        let root = source.parent().unwrap_or(Path::new("."));
        let unit = UnitCommand {
            flags: flags.to_vec(),
            ..UnitCommand::bare(root, source)
        };
        let interrupted = AtomicBool::new(false);
        let options = CompileOptions {
            clang: &self.clang,
            cache: None,
            jobs: 1,
            time_limit: DEFAULT_UNIT_TIME_LIMIT,
            interrupted: &interrupted,
        };
        let compiled = compile_units(&[unit], &options, &|_| {})
            .map_err(|error| HarnessError::Frontend(error.to_string()))?;
        if let Some(failure) = compiled.failures.first() {
            return Ok(Err(failure.message.clone()));
        }
        Ok(Ok(link(
            compiled
                .units
                .into_iter()
                .map(|unit| unit.program)
                .collect(),
        )))
    }
}

/// The run as read, unless the promoted one differs. A read of an uninitialised variable is
/// undefined, and promotion may give the variable any value there: only the run as read sees it.
fn joined(first: Interpreted, second: Interpreted) -> Interpreted {
    if let Meaning::Undefined {
        class: Class::Uninitialised | Class::Folded,
        ..
    } = first.meaning
    {
        return first;
    }
    let class = |meaning: &Meaning| match meaning {
        Meaning::Undefined { class, .. } => Some(*class),
        _ => None,
    };
    let same = match (class(&first.meaning), class(&second.meaning)) {
        (Some(one), Some(other)) => one == other,
        _ => first.meaning == second.meaning,
    };
    if same && first.stdout == second.stdout {
        return first;
    }
    let account = if same {
        "the output differs".to_string()
    } else {
        format!("as read {:?}, promoted {:?}", first.meaning, second.meaning)
    };
    Interpreted {
        meaning: Meaning::PromotionDiffers(account),
        ..first
    }
}

/// clang folds an undefined operation on constants, such as `5 >> 74`, into `poison`: what it
/// was is then not to be seen in the IR.
fn has_poison(program: &Program) -> bool {
    program
        .constants
        .rows()
        .iter()
        .any(|constant| matches!(constant, Constant::Poison(_)))
}

fn interpreted(run: Run, folded: bool) -> Interpreted {
    const ABORT: i32 = 6;
    const ILLEGAL_INSTRUCTION: i32 = 4;
    let meaning = match run.exit {
        Exit::Returned(code) | Exit::Exited(code) => Meaning::Ended(Ending::Code(code & 0xff)),
        Exit::Aborted | Exit::AssertionFailed(_) => Meaning::Ended(Ending::Signal(ABORT)),
        Exit::Trapped => Meaning::Ended(Ending::Signal(ILLEGAL_INSTRUCTION)),
        Exit::Undefined { kind, message, .. } => Meaning::Undefined {
            class: match class(kind) {
                Class::Uninitialised if folded => Class::Folded,
                class => class,
            },
            message,
        },
        Exit::StepLimit => Meaning::StepLimit,
        Exit::Unsupported(reason) => Meaning::Unsupported(reason),
    };
    Interpreted {
        stdout: run.stdout,
        meaning,
        steps: run.steps,
    }
}

/// The class in which a sanitizer would report it.
fn class(kind: UndefinedBehaviour) -> Class {
    use UndefinedBehaviour::*;
    match kind {
        SignedOverflow => Class::SignedOverflow,
        DivisionByZero => Class::DivisionByZero,
        DivisionOverflow => Class::DivisionOverflow,
        ShiftAmount => Class::Shift,
        NullAccess | NullArgument => Class::Null,
        MisalignedAccess => Class::Misaligned,
        ArrayIndex | OutOfBounds => Class::OutOfBounds,
        PointerOverflow => Class::PointerOverflow,
        Unreachable => Class::Unreachable,
        InvalidValue => Class::InvalidValue,
        FloatConversion => Class::FloatToInteger,
        InvalidBuiltin => Class::InvalidBuiltin,
        ArrayLength => Class::ArrayLength,
        UseAfterFree => Class::UseAfterFree,
        UseAfterReturn => Class::UseAfterReturn,
        DoubleFree => Class::DoubleFree,
        InvalidFree => Class::InvalidFree,
        WildPointer | InvalidCall => Class::Wild,
        WriteToConstant => Class::WriteToConstant,
        OverlappingCopy => Class::OverlappingCopy,
        StackOverflow => Class::StackOverflow,
        Uninitialised => Class::Uninitialised,
        VariadicPastEnd | InvalidJump | LibraryMisuse => Class::Other,
    }
}
