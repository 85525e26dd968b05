//! Which of a build's compiler flags may reach clang?
//!
//! The command lines of a build are data that someone else wrote. Their compiler is never run, and
//! of their flags only those on a list reach ours: flags that change what the source text means
//! (macros, include paths, language, target, the dialect switches) and that can do nothing but read.
//! Everything else is left out and recorded with the reason, so that a report can say what was not
//! honoured. The list is [`table`]; its default is *drop*, so a flag invented tomorrow that loads
//! code or writes files is dropped without anyone knowing it.
//!
//! Why no value can smuggle in a flag: clang expands an argument that begins with `@` and reads one
//! that begins with `-` as a flag wherever it stands where a flag is expected. Every kept value
//! is either joined to its flag and made of harmless characters, or a path that begins with neither
//! (`-I @x` becomes `-I ./@x`, the same directory), or a macro definition that begins with a name.
//!
//! **Optimisation levels.** Units are compiled with `-O1` and the passes off, whatever the build
//! says, because the IR before optimisation is what is analysed. A level also defines macros, and
//! they decide which declarations glibc's headers give. So the macros of the unit's own level are
//! restored: at `-O0` (also the default) `-U__OPTIMIZE__ -D__NO_INLINE__=1`, at `-Os` and `-Oz`
//! `-D__OPTIMIZE_SIZE__=1`, at `-Ofast` `-ffast-math`. clang 19 then predefines exactly what it
//! predefines at that level (tested). `_FORTIFY_SOURCE` alone is left out: its checks stop only runs
//! that overflow a buffer or take `%n` from writable memory, and they would turn every `memcpy` and
//! `printf` into a call of another name.
//!
//! Cost: one hash lookup per prefix of each flag.

mod compiler;
mod reason;
mod table;
mod value;

use std::path::PathBuf;

pub use compiler::Language;
pub use reason::DropReason;

use crate::compile_commands::CompileCommand;
use compiler::{Compiler, compiler_of, language_of_file, language_of_option};
use table::{Fate, Form, find_rule};
use value::{checked_macro, checked_path, checked_word};

/// What of a command line is passed on, and what is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptedFlags {
    /// The flags for clang, in order, `-x LANGUAGE` included; hand them over by
    /// [`clang_arguments`] and put the source file after them. A path is an argument of its own
    /// after its flag, except in `--sysroot=PATH`.
    /// Relative paths are relative to the directory in which the build ran its compiler.
    pub kept: Vec<String>,
    pub dropped: Vec<DroppedFlag>,
    /// The language of the source file, if the command line tells.
    pub language: Option<Language>,
    /// The arguments that are no flags: source files, and for a linking command objects.
    pub inputs: Vec<PathBuf>,
}

/// A flag that does not reach clang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedFlag {
    /// As the build spells it, with its value.
    pub flag: String,
    pub reason: DropReason,
}

/// The flags of one entry of a compilation database. The entry's `file` decides the language where
/// the arguments do not name a source file.
pub fn accept_command(command: &CompileCommand) -> AcceptedFlags {
    let mut reader = read_arguments(&command.arguments);
    if reader.language.is_none() {
        reader.language = language_of_file(&command.file, reader.compiler.is_cplusplus);
    }
    reader.finish()
}

/// The flags of a whole command line, `arguments[0]` being its compiler.
pub fn accept_flags(arguments: &[String]) -> AcceptedFlags {
    read_arguments(arguments).finish()
}

fn read_arguments(arguments: &[String]) -> Reader<'_> {
    let (compiler, rest) = compiler_of(arguments);
    let mut reader = Reader {
        compiler,
        rest,
        kept: Vec::new(),
        dropped: Vec::new(),
        inputs: Vec::new(),
        language: None,
        language_option: None,
        level: "0",
        has_target: false,
    };
    reader.read();
    reader
}

/// A walk over one command line.
struct Reader<'a> {
    compiler: Compiler,
    rest: &'a [String],
    kept: Vec<String>,
    dropped: Vec<DroppedFlag>,
    inputs: Vec<PathBuf>,
    language: Option<Language>,
    /// What the last `-x` said; it holds for the inputs after it.
    language_option: Option<Language>,
    /// What follows `-O` in the last such flag, "0" without one.
    level: &'a str,
    has_target: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        while let Some(argument) = self.next() {
            if self.compiler.is_msvc {
                self.drop_flag(argument, DropReason::MsvcStyle);
            } else if argument.starts_with('@') {
                self.drop_flag(argument, DropReason::ResponseFile);
            } else if argument == "--" {
                while let Some(input) = self.next() {
                    self.add_input(input);
                }
            } else if argument.len() > 1 && argument.starts_with('-') {
                self.read_flag(argument);
            } else {
                self.add_input(argument);
            }
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn add_input(&mut self, input: &str) {
        if self.language.is_none() {
            self.language = match &self.language_option {
                Some(language) => Some(language.clone()),
                None => language_of_file(input.as_ref(), self.compiler.is_cplusplus),
            };
        }
        self.inputs.push(PathBuf::from(input));
    }

    fn drop_flag(&mut self, flag: impl Into<String>, reason: DropReason) {
        self.dropped.push(DroppedFlag {
            flag: flag.into(),
            reason,
        });
    }

    fn read_flag(&mut self, argument: &'a str) {
        let Some(rule) = find_rule(argument) else {
            return self.drop_flag(argument, DropReason::Unknown);
        };
        let joined = &argument[rule.spelling.len()..];
        let takes_next = match rule.form {
            Form::Alone | Form::Joined => false,
            Form::Separate => true,
            Form::Either => joined.is_empty(),
        };
        let (value, whole) = if takes_next {
            match self.next() {
                Some(value) => (value, format!("{argument} {value}")),
                None => return self.drop_flag(argument, DropReason::MissingValue),
            }
        } else {
            (joined, argument.to_owned())
        };
        let kept = match rule.fate {
            Fate::Drop(reason) => Err(reason),
            Fate::Keep => Ok(vec![argument.to_owned()]),
            Fate::KeepWord(spelling) => {
                checked_word(value).map(|word| vec![format!("{spelling}{word}")])
            }
            Fate::KeepPath(spelling) => {
                checked_path(value).map(|path| vec![spelling.to_owned(), path])
            }
            Fate::KeepMacro(spelling) => {
                checked_macro(value).map(|text| vec![format!("{spelling}{text}")])
            }
            Fate::Include => checked_path(value).map(|path| vec![INCLUDE.to_owned(), path]),
            Fate::Sysroot => checked_path(value).map(|path| vec![format!("--sysroot={path}")]),
            Fate::Target => checked_word(value).map(|word| {
                self.has_target = true;
                vec![format!("--target={word}")]
            }),
            Fate::Language => {
                self.language_option = language_of_option(value);
                Ok(Vec::new())
            }
            Fate::Optimise => {
                self.level = value;
                Err(DropReason::Optimisation)
            }
            Fate::PreprocessorList => {
                return self.read_preprocessor_words(value.split(','), &whole);
            }
            Fate::PreprocessorWord => {
                return self.read_preprocessor_words(std::iter::once(value), &whole);
            }
            Fate::AssemblerList => return self.read_assembler_words(value, &whole),
            Fate::CompilerInternal => self.read_internal(value),
        };
        match kept {
            Ok(flags) => self.kept.extend(flags),
            Err(reason) => self.drop_flag(whole, reason),
        }
    }

    /// `-Wp,A,B` and `-Xpreprocessor A`: definitions and include paths are honoured, the rest
    /// (`-MD,FILE` most of all) is not.
    fn read_preprocessor_words(&mut self, words: impl Iterator<Item = &'a str>, whole: &str) {
        let mut all_kept = true;
        for word in words {
            let honoured = ["-D", "-U", "-I"]
                .iter()
                .any(|flag| word.starts_with(flag) && word.len() > 2)
                || word == "-fopenmp";
            if honoured {
                self.read_flag(word);
            } else {
                all_kept = false;
            }
        }
        if !all_kept {
            self.drop_flag(whole, DropReason::CompilerInternal);
        }
    }

    /// `-Wa,A,B`: directories for included files are honoured, and what only shapes the object has no
    /// meaning.
    fn read_assembler_words(&mut self, value: &'a str, whole: &str) {
        const WITHOUT_MEANING: [&str; 7] = [
            "--noexecstack",
            "--execstack",
            "--gdwarf",
            "--compress-debug-sections",
            "--nocompress-debug-sections",
            "-mrelax-relocations=",
            "-W",
        ];
        let mut words = value.split(',');
        let mut all_read = true;
        while let Some(word) = words.next() {
            let directory = match word.strip_prefix("-I") {
                Some("") => words.next(),
                other => other,
            };
            match directory.map(checked_path) {
                Some(Ok(path)) => self.kept.push(format!("{ASSEMBLER_DIRECTORY}{path}")),
                Some(Err(_)) => all_read = false,
                None => all_read &= WITHOUT_MEANING.iter().any(|known| word.starts_with(known)),
            }
        }
        if !all_read {
            self.drop_flag(whole, DropReason::CompilerInternal);
        }
    }

    /// `-Xclang WORD`: of the options of clang's inner compiler only `-include FILE` is honoured,
    /// which is how CMake includes what a precompiled header was made from.
    fn read_internal(&mut self, word: &str) -> Result<Vec<String>, DropReason> {
        if word != "-include" {
            return Err(DropReason::CompilerInternal);
        }
        match self.rest {
            [marker, file, rest @ ..] if marker == "-Xclang" => {
                self.rest = rest;
                checked_path(file).map(|path| vec![INCLUDE.to_owned(), path])
            }
            _ => Err(DropReason::MissingValue),
        }
    }

    fn finish(self) -> AcceptedFlags {
        let language = self.language.or(self.language_option);
        let mut kept = Vec::new();
        if let Some(name) = language.as_ref().and_then(Language::clang_name) {
            kept.extend(["-x".to_owned(), name.to_owned()]);
        }
        if let Some(target) = self.compiler.target.filter(|_| !self.has_target) {
            kept.push(format!("--target={target}"));
        }
        // Before the build's own flags, so that an explicit -D, -U or -fno-fast-math still wins.
        kept.extend(
            level_macros(self.level)
                .iter()
                .map(|flag| (*flag).to_owned()),
        );
        kept.extend(self.kept);
        AcceptedFlags {
            kept,
            dropped: self.dropped,
            language,
            inputs: self.inputs,
        }
    }
}

/// The kept flags as clang is given them. An included file goes straight to the inner compiler:
/// clang's driver would take a precompiled `FILE.pch` or `FILE.gch` that lies beside it instead.
pub fn clang_arguments(kept: &[String]) -> Vec<String> {
    let mut arguments = Vec::with_capacity(kept.len());
    let mut rest = kept.iter();
    while let Some(flag) = rest.next() {
        // clang would look for headers there, too.
        if flag.starts_with(ASSEMBLER_DIRECTORY) {
            continue;
        }
        arguments.push(flag.clone());
        if takes_next_argument(flag) {
            let Some(value) = rest.next() else { break };
            if flag == INCLUDE {
                arguments.insert(arguments.len() - 1, "-Xclang".to_owned());
                arguments.push("-Xclang".to_owned());
            }
            arguments.push(value.clone());
        }
    }
    arguments
}

/// The kept flags that only an assembler is given.
pub(crate) fn assembler_arguments(kept: &[String]) -> impl Iterator<Item = &str> {
    let flags = kept.iter().map(String::as_str);
    flags.filter(|flag| flag.starts_with(ASSEMBLER_DIRECTORY))
}

const INCLUDE: &str = "-include";
const ASSEMBLER_DIRECTORY: &str = "-Wa,-I";

/// Whether a kept flag is followed by its value.
fn takes_next_argument(flag: &str) -> bool {
    flag == "-x"
        || find_rule(flag).is_some_and(|rule| {
            rule.spelling == flag && matches!(rule.fate, Fate::KeepPath(_) | Fate::Include)
        })
}

/// What turns the macros of `-O1` into those of this level.
fn level_macros(level: &str) -> &'static [&'static str] {
    match level {
        "0" => &["-U__OPTIMIZE__", "-D__NO_INLINE__=1"],
        "s" | "z" => &["-D__OPTIMIZE_SIZE__=1"],
        "fast" => &["-ffast-math"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
