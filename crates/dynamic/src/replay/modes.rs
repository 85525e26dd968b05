//! How the versions of a function are compiled to be run: what is watched, and what stands in for
//! functions of the library.

use crate::bridge::Passing;
use knockon_change::Side;

/// What watches a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sanitizers {
    /// The address and the undefined behaviour sanitizer, with their runtime.
    Reporting,
    /// The undefined behaviour sanitizer as traps, which need no runtime; of memory, what lies beyond
    /// allocated pages.
    Trapping,
}

/// How a build is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Trapping,
    Sanitized,
    /// Sanitized, and variables that are not initialised have a value of their own.
    Filled,
}

const LINKED_WITH: [&str; 23] = [
    "-Wl,--wrap=malloc",
    "-Wl,--wrap=calloc",
    "-Wl,--wrap=realloc",
    "-Wl,--wrap=free",
    "-Wl,--wrap=strdup",
    "-Wl,--wrap=strndup",
    "-Wl,--wrap=exit",
    "-Wl,--wrap=_exit",
    "-Wl,--wrap=isalnum",
    "-Wl,--wrap=isalpha",
    "-Wl,--wrap=isblank",
    "-Wl,--wrap=iscntrl",
    "-Wl,--wrap=isdigit",
    "-Wl,--wrap=isgraph",
    "-Wl,--wrap=islower",
    "-Wl,--wrap=isprint",
    "-Wl,--wrap=ispunct",
    "-Wl,--wrap=isspace",
    "-Wl,--wrap=isupper",
    "-Wl,--wrap=isxdigit",
    "-Wl,--wrap=tolower",
    "-Wl,--wrap=toupper",
    "-lm",
];

impl Mode {
    pub(super) fn name(self) -> &'static str {
        match self {
            Mode::Trapping => "plain",
            Mode::Sanitized => "sanitized",
            Mode::Filled => "filled",
        }
    }

    pub(super) fn flags(
        self,
        side: Side,
        passing: Passing,
        sanitizers: Sanitizers,
    ) -> Vec<&'static str> {
        let mut flags = match self {
            Mode::Trapping => vec![
                "-O1",
                "-g0",
                "-fsanitize=undefined,float-cast-overflow",
                "-fsanitize-trap=undefined,float-cast-overflow",
            ],
            // `__OPTIMIZE__` is defined wherever the unit is read.
            Mode::Sanitized | Mode::Filled => vec!["-O0", "-D__OPTIMIZE__=1", "-g0"],
        };
        match (self, sanitizers) {
            (Mode::Trapping, _) => {}
            (Mode::Sanitized | Mode::Filled, Sanitizers::Reporting) => flags.extend([
                "-fsanitize=address,undefined,float-cast-overflow",
                "-fno-sanitize-recover=all",
            ]),
            (Mode::Sanitized | Mode::Filled, Sanitizers::Trapping) => flags.extend([
                "-fsanitize=undefined,float-cast-overflow",
                "-fsanitize-trap=undefined,float-cast-overflow",
            ]),
        }
        flags.push(match (self, side, passing) {
            (Mode::Trapping, ..) | (_, Side::New, _) => "-fno-sanitize=pointer-overflow,function",
            // Called as a function of another type.
            (_, Side::Old, Passing::Registers(_)) => "-fno-sanitize=function",
            (_, Side::Old, Passing::Declared) => "-fsanitize=pointer-overflow",
        });
        // clang gives these a meaning, and so do proofs and the interpreter.
        flags.push("-fno-sanitize=shift-base");
        // Calls, not tables that are read nor comparisons: the runtime looks at what is given.
        flags.extend(["-D__NO_CTYPE", "-fno-builtin-isdigit"]);
        if self == Mode::Filled {
            flags.push("-ftrivial-auto-var-init=pattern");
        }
        flags
    }

    pub(super) fn runtime_flags(self, sanitizers: Sanitizers) -> &'static [&'static str] {
        match (self, sanitizers) {
            (Mode::Trapping, _) => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_PROBED",
                "-DKNOCKON_CASE_MICROSECONDS=20000",
            ],
            (Mode::Sanitized, Sanitizers::Trapping) => {
                &["-O1", "-fno-builtin", "-DKNOCKON_CASE_MICROSECONDS=5000000"]
            }
            (Mode::Filled, Sanitizers::Trapping) => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_FILL=0x3c",
                "-DKNOCKON_CASE_MICROSECONDS=5000000",
            ],
            (Mode::Sanitized, Sanitizers::Reporting) => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_SANITIZED",
                "-DKNOCKON_CASE_MICROSECONDS=5000000",
            ],
            (Mode::Filled, Sanitizers::Reporting) => &[
                "-O1",
                "-fno-builtin",
                "-DKNOCKON_SANITIZED",
                "-DKNOCKON_FILL=0x3c",
                "-DKNOCKON_CASE_MICROSECONDS=5000000",
            ],
        }
    }

    pub(super) fn link_flags(self, sanitizers: Sanitizers) -> Vec<&'static str> {
        let mut flags = LINKED_WITH.to_vec();
        if self != Mode::Trapping && sanitizers == Sanitizers::Reporting {
            flags.push("-fsanitize=address,undefined");
        }
        flags
    }
}
