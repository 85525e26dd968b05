//! What could not be read, resolved or modelled, as data that every output shows.

use crate::{Name, PlaceId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caveat {
    pub kind: CaveatKind,
    /// The function concerned, or the empty name.
    pub function: Name,
    pub place: PlaceId,
    pub message: String,
}

macro_rules! caveat_kinds {
    ($($variant:ident $name:literal $explanation:literal),* $(,)?) => {
        /// The kinds of caveats; `docs/soundness.md` explains each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum CaveatKind { $($variant),* }

        impl CaveatKind {
            pub const ALL: &[CaveatKind] = &[$(CaveatKind::$variant),*];

            /// The stable name used in every format.
            pub fn name(self) -> &'static str {
                match self { $(CaveatKind::$variant => $name),* }
            }

            /// What it means for the result, and what a user can do.
            pub fn explanation(self) -> &'static str {
                match self { $(CaveatKind::$variant => $explanation),* }
            }
        }
    };
}

caveat_kinds! {
    UnknownInstruction "unknown-instruction"
        "The reader met an instruction or constant it does not know. It is kept as opaque: it reads all its operands and may write all that it can reach. Results stay sound and become coarser.",
    InlineAssembly "inline-assembly"
        "Inline or module-level assembly is not analysed. It is treated as reading and writing all that it can reach.",
    UnitFailed "unit-failed"
        "A translation unit did not compile; the compiler's error is quoted. The unit counts as unseen code that may touch every symbol it names, and the other units are analysed.",
    NotCompiled "not-compiled"
        "A file or lines of it are not part of the captured build (inactive preprocessor branch, unit not captured, assembly, build file), so nothing is said about them.",
    IncompleteCapture "incomplete-capture"
        "The capture of the build may have missed steps: the build failed on the way, or some programs could not be watched. What was not seen is not analysed.",
    DuplicateDefinition "duplicate-definition"
        "Two units define the same external symbol. The first one is used; if they belong to different executables, capture the build so that each executable's units are known.",
    UnresolvedLinkInput "unresolved-link-input"
        "A link step names an object that no recorded step made. Its functions are treated as external.",
    UnseenCode "unseen-code"
        "Some code of the program is not in its IR: assembly, a unit that did not compile, a prebuilt object, a library or plug-in that knows symbols of the program. It may read, write and call every symbol that it mentions whenever it runs, and what changed in it is part of the change. Where its symbols cannot be read, it may do so with all that are not static.",
    DroppedFlag "dropped-flag"
        "A compiler flag is not on the allow-list and was not passed on. If it changes the meaning of the program, results hold for the program without it.",
    IndirectCall "indirect-call"
        "A call through a pointer that comes from outside of the program: it may call every function that outside code knows, and code that is not here.",
    CoarseMemory "coarse-memory"
        "Some memory was not told apart, because pointers may point to very many objects or the program needs too many cells otherwise. Results stay sound and become coarser.",
    UnmodelledExternal "unmodelled-external"
        "An external function has no effect model. It may read and write all that escaped, and call back.",
    GeneratedFile "generated-file"
        "A generated file was taken from another build directory; it may differ from what a fresh build would generate.",
    Submodule "submodule"
        "A git submodule could not be exported, since its objects are not present; its directory is empty. `git submodule update --init --recursive` brings them.",
    LinkOutOfTree "link-out-of-tree"
        "A symbolic link in a revision points out of the exported tree and was left out, since it would lead elsewhere than in the working tree.",
    LargeFile "large-file"
        "A file of a revision is kept by Git LFS and its content is not in the repository; the pointer to it stands in its place.",
    Sandbox "sandbox"
        "A restriction on a child process could not be applied on this system.",
    CacheUnavailable "cache-unavailable"
        "The cache directory could not be written; results are right, the next run is slower.",
    Budget "budget"
        "Time was up, or the run was interrupted, before all levels were done. The verdicts of each executable are those of the last level that it was done with, and of what was proved of one that was broken off: more lines are possible than need be. A larger --budget goes on.",
    NoSolver "no-solver"
        "No SMT solver could be started, so proofs are few and more lines are possible than need be. Install z3.",
}

impl std::fmt::Display for CaveatKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
