//! What does the name of a build's compiler tell about the language and the target?
//!
//! `g++` compiles `.c` files as C++, `aarch64-linux-gnu-gcc` compiles for another machine, and
//! `ccache gcc` is `gcc`. The compiler itself is never run; its name is all that is used.

use std::path::Path;

/// A source language, by what clang is told.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Language {
    C,
    PreprocessedC,
    CPlusPlus,
    PreprocessedCPlusPlus,
    /// Assembly, Fortran, a header, …: not compiled, and a caveat for the reader.
    Other(String),
}

impl Language {
    /// The value for `-x`, for the languages that are compiled.
    pub fn clang_name(&self) -> Option<&'static str> {
        match self {
            Self::C => Some("c"),
            Self::PreprocessedC => Some("cpp-output"),
            Self::CPlusPlus => Some("c++"),
            Self::PreprocessedCPlusPlus => Some("c++-cpp-output"),
            Self::Other(_) => None,
        }
    }
}

/// What the value of `-x` says; `none` returns to the file's extension.
pub(super) fn language_of_option(name: &str) -> Option<Language> {
    match name {
        "none" => None,
        "c" => Some(Language::C),
        "cpp-output" => Some(Language::PreprocessedC),
        "c++" => Some(Language::CPlusPlus),
        "c++-cpp-output" => Some(Language::PreprocessedCPlusPlus),
        other => Some(Language::Other(other.to_owned())),
    }
}

/// What the extension says; nothing for objects, libraries and other inputs of a linker.
pub(super) fn language_of_file(file: &Path, cplusplus_compiler: bool) -> Option<Language> {
    let extension = file.extension()?.to_str()?;
    let language = match extension {
        "c" => Language::C,
        "i" => Language::PreprocessedC,
        "cc" | "cp" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "CXX" => Language::CPlusPlus,
        "ii" => Language::PreprocessedCPlusPlus,
        "s" | "S" | "sx" | "asm" => Language::Other("assembly".to_owned()),
        "h" | "hh" | "hpp" | "hxx" | "H" => Language::Other("header".to_owned()),
        "f" | "F" | "for" | "f77" | "f90" | "F90" | "f95" | "F95" | "f03" | "f08" => {
            Language::Other("fortran".to_owned())
        }
        "m" | "mm" | "M" => Language::Other("objective-c".to_owned()),
        "cu" | "cuh" | "hip" => Language::Other("cuda".to_owned()),
        "ll" | "bc" => Language::Other("llvm".to_owned()),
        "go" | "d" | "ads" | "adb" | "rs" => Language::Other(extension.to_owned()),
        _ => return None,
    };
    Some(match language {
        Language::C if cplusplus_compiler => Language::CPlusPlus,
        Language::PreprocessedC if cplusplus_compiler => Language::PreprocessedCPlusPlus,
        language => language,
    })
}

/// What the compiler's name tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Compiler {
    pub is_cplusplus: bool,
    pub is_msvc: bool,
    /// The target of a cross compiler.
    pub target: Option<String>,
}

const LAUNCHERS: [&str; 9] = [
    "ccache",
    "sccache",
    "distcc",
    "icecc",
    "buildcache",
    "fastbuild",
    "env",
    "nice",
    "time",
];

/// Reads the compiler's name, past launchers such as ccache, and returns the arguments after it.
pub(super) fn compiler_of(arguments: &[String]) -> (Compiler, &[String]) {
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let name = base_name(first);
        let launched = after
            .first()
            .is_some_and(|next| !next.starts_with(['-', '@']));
        if !(LAUNCHERS.contains(&name) && launched) {
            return (compiler_named(name), rest);
        }
    }
    (Compiler::default(), rest)
}

fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn compiler_named(name: &str) -> Compiler {
    // `gcc-12`, `clang-19`, `g++-12.2`
    let unversioned = match name.rsplit_once('-') {
        Some((stem, version)) if version.starts_with(|digit: char| digit.is_ascii_digit()) => stem,
        _ => name,
    };
    let (prefix, tool) = match unversioned.rsplit_once('-') {
        Some((prefix, tool)) => (prefix, tool),
        None => ("", unversioned),
    };
    Compiler {
        is_cplusplus: matches!(tool, "g++" | "c++" | "clang++"),
        is_msvc: matches!(unversioned, "cl" | "clang-cl"),
        target: (is_target(prefix)
            && matches!(tool, "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++"))
        .then(|| prefix.to_owned()),
    }
}

/// Whether this begins with an architecture that clang knows, as in `aarch64-linux-gnu`.
fn is_target(prefix: &str) -> bool {
    const ARCHITECTURES: [&str; 20] = [
        "x86_64",
        "amd64",
        "i386",
        "i486",
        "i586",
        "i686",
        "aarch64",
        "arm64",
        "arm",
        "thumb",
        "riscv32",
        "riscv64",
        "powerpc",
        "ppc64",
        "mips",
        "s390x",
        "sparc",
        "loongarch64",
        "m68k",
        "wasm32",
    ];
    let Some((architecture, _)) = prefix.split_once('-') else {
        return false;
    };
    ARCHITECTURES
        .iter()
        .any(|known| architecture.starts_with(known))
        && prefix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}
