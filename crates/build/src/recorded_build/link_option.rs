//! **Question.** Which options of a link have a meaning for what the program does?
//!
//! Options without one (output format, search paths, hash style, …) are not kept; an option that
//! is not known to be one of those is kept as [`LinkOption::Unknown`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One option of a link. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkOption {
    /// `--wrap`: an undefined `f` becomes `__wrap_f`, and `__real_f` becomes `f`.
    Wrap(String),
    Defsym {
        symbol: String,
        expression: String,
    },
    /// The function that the loader calls first, in place of `_init`.
    Init(String),
    Fini(String),
    /// Where the program starts, in place of `_start`.
    Entry(String),
    /// A symbol that counts as undefined, so that a member of an archive is taken.
    Undefined(String),
    VersionScript(PathBuf),
    DynamicList(PathBuf),
    /// The library uses its own definitions.
    Symbolic,
    /// The same of functions only.
    SymbolicFunctions,
    GcSections,
    /// `--export-dynamic`, `-rdynamic`: shared libraries see every symbol of the program.
    ExportDynamic,
    /// The same of the symbols that a pattern matches.
    ExportDynamicSymbol(String),
    /// `-T`, or a text in the place of an object.
    LinkerScript(PathBuf),
    /// The first of several definitions counts.
    AllowMultipleDefinition,
    /// `-nostdlib`, `-nodefaultlibs`, `-nostartfiles`, as written.
    NoStandardFiles(String),
    Static,
    Pie,
    Shared,
    /// Equal functions get one address (`--icf=all`).
    IdenticalCodeFolding,
    /// An option of which it is not known whether it has a meaning.
    Unknown(String),
}

/// What an edit of an object does to its symbols.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymbolEdit {
    Redefine {
        from: String,
        to: String,
    },
    Weaken(String),
    /// All global symbols become weak.
    WeakenAll,
    Localize(String),
    /// Hidden symbols become local.
    LocalizeHidden,
    Globalize(String),
    /// All others become local.
    KeepGlobal(String),
    /// Put before the name of every symbol.
    Prefix(String),
    /// An option that may do anything.
    Unknown(String),
}
