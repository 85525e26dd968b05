//! Why does a flag not reach clang, and does leaving it out matter?

use std::fmt;

/// Why a flag of the build is not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// Loads or runs code that the build brings along.
    RunsCode,
    /// An `@file` with more flags.
    ResponseFile,
    /// Goes unchecked to an inner part of the compiler.
    CompilerInternal,
    /// Changes where clang finds its own parts.
    CompilerSetup,
    /// Says what to write, and where.
    Output,
    Warning,
    DebugInformation,
    Optimisation,
    /// Shapes the machine code; the source means the same.
    CodeGeneration,
    Linking,
    /// Checks that stop only runs whose behaviour is undefined.
    Hardening,
    /// Adds code to the program: sanitisers, profiling, coverage.
    Instrumentation,
    PathMapping,
    /// Precompiled headers and modules, which fit one version of one compiler.
    Precompiled,
    /// gcc knows it, clang does not, and it changes the meaning of the source.
    MeaningMayDiffer,
    BadValue,
    MissingValue,
    MsvcStyle,
    Unknown,
}

impl DropReason {
    /// Whether the analysed program may mean something else than the built one, so that the report
    /// owes its reader a caveat.
    pub fn needs_caveat(self) -> bool {
        match self {
            Self::Output
            | Self::Warning
            | Self::DebugInformation
            | Self::Optimisation
            | Self::CodeGeneration
            | Self::Linking
            | Self::Hardening
            | Self::PathMapping => false,
            Self::RunsCode
            | Self::ResponseFile
            | Self::CompilerInternal
            | Self::CompilerSetup
            | Self::Instrumentation
            | Self::Precompiled
            | Self::MeaningMayDiffer
            | Self::BadValue
            | Self::MissingValue
            | Self::MsvcStyle
            | Self::Unknown => true,
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::RunsCode => "would load or run code of the build",
            Self::ResponseFile => "flags from an `@file` are not read; write them out in the build",
            Self::CompilerInternal => "would go unchecked to an inner part of the compiler",
            Self::CompilerSetup => "would change where clang finds its own parts",
            Self::Output => "would write a file",
            Self::Warning => "only changes warnings",
            Self::DebugInformation => "only changes debug information",
            Self::Optimisation => "the code is analysed before optimisation",
            Self::CodeGeneration => "only changes the machine code",
            Self::Linking => "only matters for linking",
            Self::Hardening => "only stops runs whose behaviour is undefined",
            Self::Instrumentation => "adds code that is not in the source",
            Self::PathMapping => "paths are mapped by Knockon itself",
            Self::Precompiled => "precompiled headers and modules fit one compiler only",
            Self::MeaningMayDiffer => {
                "clang has no such flag, and it changes what the source means"
            }
            Self::BadValue => "its value is not one that can be passed on safely",
            Self::MissingValue => "its value is missing",
            Self::MsvcStyle => "flags in the style of cl.exe are not read",
            Self::Unknown => "not on the list of flags that are passed on",
        })
    }
}
