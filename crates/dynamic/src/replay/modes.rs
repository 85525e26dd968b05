//! How the versions of a function are compiled to be run: what is watched, and what stands in for
//! functions of the library.

use crate::bridge::Passing;
use knockon_change::Side;
use knockon_library::library;

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

    pub(super) fn link_flags(self, sanitizers: Sanitizers) -> Vec<String> {
        let wrapped = library().wrapped_functions();
        let mut flags: Vec<String> = wrapped.map(|name| format!("-Wl,--wrap={name}")).collect();
        flags.push("-lm".to_owned());
        if self != Mode::Trapping && sanitizers == Sanitizers::Reporting {
            flags.push("-fsanitize=address,undefined".to_owned());
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wrapped function without a stand-in would not link; one more stand-in would never run.
    #[test]
    fn the_runtime_stands_in_for_each_wrapped_function() {
        let runtime = include_str!("../runtime/runtime.c");
        let mut wrapped = 0;
        for name in library().wrapped_functions() {
            let is_there = runtime.contains(&format!("__wrap_{name}("))
                || runtime.contains(&format!("\nOF_CHARACTERS({name})\n"));
            assert!(is_there, "{name}");
            wrapped += 1;
        }
        assert_eq!(wrapped, 22);
    }
}
