//! **Question.** Which build tool is it that a program's name says?
//!
//! By the names under which compilers, linkers and archivers are installed: plain (`cc`), with a
//! target in front (`x86_64-linux-gnu-gcc`), with a version behind (`clang-19`), or both. A name
//! too many here is harmless, because a call counts only if its arguments name inputs; a name too
//! few loses steps.

use super::transfer_arguments::TransferKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Compiler {
        cplusplus: bool,
    },
    Assembler,
    Linker,
    Archiver,
    /// Changes an object: `objcopy`, or `strip`.
    Editor {
        is_strip: bool,
    },
    /// Moves, copies or deletes files, maybe those of a step.
    Transfer(TransferKind),
    /// Runs the compiler that its own arguments name, here, elsewhere or not at all.
    CompilerWrapper,
}

const C_COMPILERS: &[&str] = &[
    "cc", "gcc", "clang", "c89", "c99", "tcc", "pcc", "icc", "icx", "mpicc", "gfortran",
];
const CPLUSPLUS_COMPILERS: &[&str] = &[
    "c++", "g++", "clang++", "icpc", "icpx", "mpicxx", "mpic++", "mpiCC",
];
const ASSEMBLERS: &[&str] = &["as", "nasm", "yasm"];
const LINKERS: &[&str] = &[
    "ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold", "gold", "mold",
];
const ARCHIVERS: &[&str] = &["ar"];
const TRANSFERS: &[(&str, TransferKind)] = &[
    ("mv", TransferKind::Move),
    ("cp", TransferKind::Copy),
    ("ln", TransferKind::Copy),
    ("install", TransferKind::Copy),
    ("rm", TransferKind::Delete),
];
const COMPILER_WRAPPERS: &[&str] = &["ccache", "distcc", "sccache", "icecc"];

/// The tool that a file name stands for.
pub fn tool_named(file_name: &str) -> Option<Tool> {
    let name = without_version(file_name);
    // `llvm-as` reads LLVM IR and is no assembler.
    if name == "llvm-as" {
        return None;
    }
    let is_one_of = |names: &[&str]| {
        names.iter().any(|known| {
            name.strip_suffix(known)
                .is_some_and(|target| target.is_empty() || target.ends_with('-'))
        })
    };
    if is_one_of(CPLUSPLUS_COMPILERS) {
        Some(Tool::Compiler { cplusplus: true })
    } else if is_one_of(C_COMPILERS) {
        Some(Tool::Compiler { cplusplus: false })
    } else if is_one_of(ASSEMBLERS) {
        Some(Tool::Assembler)
    } else if is_one_of(LINKERS) {
        Some(Tool::Linker)
    } else if is_one_of(ARCHIVERS) {
        Some(Tool::Archiver)
    } else if is_one_of(&["objcopy"]) {
        Some(Tool::Editor { is_strip: false })
    } else if is_one_of(&["strip"]) {
        Some(Tool::Editor { is_strip: true })
    } else if let Some((_, kind)) = TRANSFERS.iter().find(|(known, _)| *known == name) {
        Some(Tool::Transfer(*kind))
    } else if COMPILER_WRAPPERS.contains(&name) {
        Some(Tool::CompilerWrapper)
    } else {
        None
    }
}

/// `clang-19` and `gcc-12.2` without what follows the last dash.
fn without_version(file_name: &str) -> &str {
    match file_name.rsplit_once('-') {
        Some((name, version))
            if version.starts_with(|c: char| c.is_ascii_digit())
                && version.chars().all(|c| c.is_ascii_digit() || c == '.') =>
        {
            name
        }
        _ => file_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_versions_do_not_hide_a_tool() {
        let c = Some(Tool::Compiler { cplusplus: false });
        let cplusplus = Some(Tool::Compiler { cplusplus: true });
        for (name, tool) in [
            ("cc", c),
            ("x86_64-linux-gnu-gcc-12", c),
            ("clang-19", c),
            ("musl-gcc", c),
            ("g++-12.2", cplusplus),
            ("clang++-16", cplusplus),
            ("x86_64-linux-gnu-gcc-ar-12", Some(Tool::Archiver)),
            ("llvm-ar-19", Some(Tool::Archiver)),
            ("ld.lld-19", Some(Tool::Linker)),
            ("aarch64-linux-gnu-as", Some(Tool::Assembler)),
            ("llvm-objcopy-19", Some(Tool::Editor { is_strip: false })),
            ("arm-linux-gnu-strip", Some(Tool::Editor { is_strip: true })),
            ("ccache", Some(Tool::CompilerWrapper)),
        ] {
            assert_eq!(tool_named(name), tool, "{name}");
        }
    }

    #[test]
    fn other_programs_are_no_tools() {
        for name in [
            "make",
            "sh",
            "cc1",
            "collect2",
            "clang-format-19",
            "llvm-as-19",
            "gcc-nm",
            "tar",
            "ccls",
            "",
        ] {
            assert_eq!(tool_named(name), None, "{name}");
        }
    }
}
