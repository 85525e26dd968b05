//! **Question.** Which options of a linker say something about what the program does?
//!
//! Three tables: options that are followed, options known to be without a meaning, and all others,
//! which are kept as unknown. An option too few in the second table costs precision, one too many
//! would lose a difference: so it holds layout, diagnostics, search paths and hardening only.

use std::path::PathBuf;

use crate::recorded_build::LinkOption;

/// An option with a value that is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Valued {
    Wrap,
    Defsym,
    Init,
    Fini,
    Entry,
    Undefined,
    VersionScript,
    DynamicList,
    ExportDynamicSymbol,
    Script,
    Keyword,
    CodeFolding,
}

/// By the name without its dashes.
pub fn valued(name: &str) -> Option<Valued> {
    Some(match name {
        "wrap" => Valued::Wrap,
        "defsym" => Valued::Defsym,
        "init" => Valued::Init,
        "fini" => Valued::Fini,
        "e" | "entry" => Valued::Entry,
        "u" | "undefined" | "require-defined" => Valued::Undefined,
        "version-script" => Valued::VersionScript,
        "dynamic-list" | "export-dynamic-symbol-list" => Valued::DynamicList,
        "export-dynamic-symbol" => Valued::ExportDynamicSymbol,
        "T" | "script" | "default-script" | "dT" => Valued::Script,
        "z" => Valued::Keyword,
        "icf" => Valued::CodeFolding,
        _ => return None,
    })
}

/// The option that a value makes; nothing if it has no meaning.
pub fn with_value(option: Valued, value: &str) -> Option<LinkOption> {
    let text = value.to_owned();
    let path = PathBuf::from(value);
    Some(match option {
        Valued::Wrap => LinkOption::Wrap(text),
        Valued::Defsym => match value.split_once('=') {
            Some((symbol, expression)) => LinkOption::Defsym {
                symbol: symbol.trim().to_owned(),
                expression: expression.trim().to_owned(),
            },
            None => LinkOption::Unknown(format!("--defsym={value}")),
        },
        Valued::Init => LinkOption::Init(text),
        Valued::Fini => LinkOption::Fini(text),
        Valued::Entry => LinkOption::Entry(text),
        Valued::Undefined => LinkOption::Undefined(text),
        Valued::VersionScript => LinkOption::VersionScript(path),
        Valued::DynamicList => LinkOption::DynamicList(path),
        Valued::ExportDynamicSymbol => LinkOption::ExportDynamicSymbol(text),
        Valued::Script => LinkOption::LinkerScript(path),
        Valued::CodeFolding if value == "none" => return None,
        Valued::CodeFolding => LinkOption::IdenticalCodeFolding,
        Valued::Keyword if value == "muldefs" => LinkOption::AllowMultipleDefinition,
        Valued::Keyword => {
            let name = value.split('=').next().unwrap_or(value);
            if KEYWORDS_WITHOUT_MEANING.contains(&name) {
                return None;
            }
            LinkOption::Unknown(format!("-z {value}"))
        }
    })
}

/// An option without a value that is followed.
pub fn flag(name: &str) -> Option<LinkOption> {
    Some(match name {
        "Bsymbolic" => LinkOption::Symbolic,
        "Bsymbolic-functions" => LinkOption::SymbolicFunctions,
        "gc-sections" => LinkOption::GcSections,
        "E" | "export-dynamic" => LinkOption::ExportDynamic,
        "allow-multiple-definition" => LinkOption::AllowMultipleDefinition,
        "nostdlib" => LinkOption::NoStandardFiles("-nostdlib".to_owned()),
        "pie" | "pic-executable" => LinkOption::Pie,
        "shared" | "Bshareable" => LinkOption::Shared,
        "static" => LinkOption::Static,
        _ => return None,
    })
}

/// Whether the option, by its name without dashes and value, changes nothing in what the program
/// does.
pub fn is_without_meaning(name: &str) -> bool {
    WITHOUT_MEANING.contains(&name)
        || PREFIXES_WITHOUT_MEANING
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || is_optimisation(name)
}

/// `O1`, which is about the size of tables.
fn is_optimisation(name: &str) -> bool {
    let level = name.strip_prefix('O');
    level.is_some_and(|level| level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What `-z` says without a meaning: binding time, protection, page sizes.
#[rustfmt::skip]
const KEYWORDS_WITHOUT_MEANING: &[&str] = &[
    "now", "lazy", "relro", "norelro", "execstack", "noexecstack", "noexecheap", "defs", "origin", "combreloc",
    "nocombreloc", "max-page-size", "common-page-size", "separate-code", "noseparate-code", "separate-loadable-segments",
    "separate-code-segments", "text", "notext", "textoff", "nodelete", "nodlopen", "nodump", "ibt", "shstk", "cet-report",
    "ibtplt", "pack-relative-relocs", "nopack-relative-relocs", "stack-size", "nognustack", "nocopyreloc", "rel", "rela",
    "retpolineplt", "hazardplt", "bti-plt", "force-bti", "pac-plt", "lam-u48", "lam-u57", "indirect-extern-access",
    "noindirect-extern-access", "keep-text-section-prefix", "nokeep-text-section-prefix", "sectionheader", "nosectionheader",
];

#[rustfmt::skip]
const PREFIXES_WITHOUT_MEANING: &[&str] = &["warn-", "no-warn-", "print-", "no-print-", "fix-", "no-fix-", "threads", "time-trace"];

/// Options about tables, diagnostics, search, debug information and speed. Of those with a value
/// the value is passed over.
#[rustfmt::skip]
const WITHOUT_MEANING: &[&str] = &[
    "A", "EB", "EL", "I", "M", "MF", "Map", "Qy", "S", "V", "X", "Y", "a", "add-needed", "allow-shlib-undefined",
    "architecture", "as-needed", "assert", "be8", "build-id", "call_shared", "check-sections", "color-diagnostics",
    "compress-debug-sections", "copy-dt-needed-entries", "cref", "demangle", "dependency-file", "disable-new-dtags",
    "discard-all", "discard-locals", "discard-none", "dynamic-linker", "eh-frame-hdr", "emit-relocs", "enable-new-dtags",
    "error-limit", "fatal-warnings", "fuse-ld", "gdb-index", "gnu-unique", "h", "hash-size", "hash-style", "help",
    "ld-generated-unwind-info", "long-plt", "m", "map-whole-files", "no-add-needed", "no-allow-shlib-undefined",
    "no-as-needed", "no-check-sections", "no-color-diagnostics", "no-copy-dt-needed-entries", "no-demangle",
    "no-dynamic-linker", "no-eh-frame-hdr", "no-export-dynamic", "no-fatal-warnings", "no-gc-sections", "no-gdb-index",
    "no-keep-memory", "no-ld-generated-unwind-info", "no-map-whole-files", "no-mmap-output-file", "no-omagic", "no-pie",
    "no-relax", "no-rosegment", "no-threads", "no-toc-optimize", "no-undefined", "no-undefined-version", "nmagic", "n",
    "plugin", "plugin-opt", "q", "reduce-memory-overheads", "relax", "reproduce", "retain-symbols-file", "rosegment",
    "rpath", "rpath-link", "s", "save-temps", "soname", "sort-common", "stats", "strip-all", "strip-debug", "sysroot", "t",
    "thread-count", "trace", "trace-symbol", "traditional-format", "undefined-version", "v", "verbose", "version", "x", "y",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_in_no_table_is_not_taken_for_harmless() {
        for name in [
            "just-symbols",
            "section-start",
            "Bgroup",
            "audit",
            "exclude-libs",
            "Orange",
        ] {
            assert!(!is_without_meaning(name) && flag(name).is_none(), "{name}");
            assert_eq!(valued(name), None, "{name}");
        }
        assert_eq!(
            with_value(Valued::Keyword, "initfirst"),
            Some(LinkOption::Unknown("-z initfirst".to_owned()))
        );
        assert_eq!(with_value(Valued::Keyword, "max-page-size=4096"), None);
    }
}
