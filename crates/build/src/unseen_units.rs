//! **Question.** What is known of a unit that has no IR: assembly, another language, C that clang
//! refuses?
//!
//! **Rules.** Assembly is assembled, and the object's symbol table is its interface. Where that fails,
//! and for C that does not compile, the words of the text after preprocessing are. Of another language
//! any word of the text may be a symbol, also with the underscore that Fortran adds; its run time may
//! start whatever it likes.
//!
//! **Soundness.** A symbol that code mentions stands in its symbol table, and its name in the text
//! that it was made from. Names that the preprocessor puts together are there behind it. Where even
//! that cannot be had, the unit may mention and define everything.
//!
//! **Cost.** One compilation for each such unit.

use crate::clang::Clang;
use crate::clang::executable::compile_object;
use crate::clang::unit_object::object_of_unit;
use crate::flags::Language;
use crate::object_interface::{ObjectInterface, ObjectKind, read_object_bytes};
use crate::unit::{Route, UnitCommand};
use knockon_library::library;
use knockon_program::{Runs, Symbols, UnseenCode};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const TIME_LIMIT: Duration = Duration::from_secs(120);

/// A unit without IR.
#[derive(Clone, Debug)]
pub struct UnseenUnit {
    /// What stands for it in the program.
    pub code: UnseenCode,
    /// All that the unit is made from is in the code's content: another version of it that is made
    /// from something else has another content.
    pub is_whole: bool,
    pub defines_main: bool,
}

pub fn unseen_unit(clang: &Clang, unit: &UnitCommand, interrupted: &AtomicBool) -> UnseenUnit {
    let name = unit.display_path().display().to_string();
    let source = std::fs::read(unit.source_path()).unwrap_or_default();
    let code = match unit.route() {
        Route::NotAnalysed(_) if is_assembly(unit) => assembled(clang, unit, &name, interrupted)
            .unwrap_or_else(|| of_assembly_text(&name, &source)),
        Route::NotAnalysed(_) => of_words(&name, &source),
        Route::Clang => match preprocessed(clang, unit, interrupted) {
            Some(text) if is_c(unit) => return preprocessed_unit(unit, &name, &text),
            // Names of C++ are other symbols.
            Some(text) => UnseenCode::of_unreadable(&name, text.as_bytes()),
            None => UnseenCode::of_unreadable(&name, &source),
        },
        Route::LlvmText => UnseenCode::of_unreadable(&name, &source),
    };
    UnseenUnit {
        code,
        is_whole: false,
        defines_main: false,
    }
}

fn is_c(unit: &UnitCommand) -> bool {
    match &unit.language {
        Some(language) => matches!(language, Language::C | Language::PreprocessedC),
        None => {
            let extension = unit.file.extension();
            extension.is_some_and(|text| text == "c" || text == "i")
        }
    }
}

/// A text includes files that the preprocessor does not show where its assembly does.
fn preprocessed_unit(unit: &UnitCommand, name: &str, text: &str) -> UnseenUnit {
    let root = unit.root.to_string_lossy();
    let mut code = UnseenCode::of_preprocessed(name, text, &root).registered(registered_runs);
    for flag in meaningful_flags(unit) {
        code.content.push(0);
        code.content.extend_from_slice(flag.as_bytes());
    }
    UnseenUnit {
        code,
        is_whole: !["incbin", ".include"]
            .iter()
            .any(|word| text.contains(word)),
        defines_main: defines_main(text),
    }
}

/// The flags that change what the same text means.
fn meaningful_flags(unit: &UnitCommand) -> impl Iterator<Item = String> {
    const SHOWN_IN_THE_TEXT: [&str; 5] = ["-I", "-D", "-U", "-i", "-W"];
    let root = unit.root.to_string_lossy().into_owned();
    let flags = unit.flags.iter().chain(&unit.unread_flags);
    flags
        .filter(|flag| {
            let is_shown = SHOWN_IN_THE_TEXT
                .iter()
                .any(|start| flag.starts_with(start));
            flag.starts_with('-') && !is_shown
        })
        .map(move |flag| match root.trim_end_matches('/') {
            "" => flag.clone(),
            root => flag.replace(root, "."),
        })
}

/// `main (…) {` outside of all braces. Of a declaration alone that cannot be said.
fn defines_main(text: &str) -> bool {
    let text: String = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices("main").any(|(at, word)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        let opened = before.matches('{').count();
        is_word && opened == before.matches('}').count() && is_body_behind_parameters(after)
    })
}

fn is_body_behind_parameters(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('(') else {
        return false;
    };
    let mut depth = 1;
    for (at, letter) in rest.char_indices() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return rest[at + 1..].trim_start().starts_with('{');
        }
    }
    false
}

/// Assembled or not, the unit is no failure of the compiler, and its interface is read exactly.
pub fn is_assembly(unit: &UnitCommand) -> bool {
    let by_name = |extension: &str| matches!(extension, "s" | "S" | "sx" | "asm");
    match &unit.language {
        Some(Language::Other(name)) => name.starts_with("assembl"),
        Some(_) => false,
        None => {
            let extension = unit.file.extension();
            extension
                .and_then(|text| text.to_str())
                .is_some_and(by_name)
        }
    }
}

/// Libraries that bind their own definitions to themselves, and whose use of the program's is described
/// function by function.
const DESCRIBED: [&str; 9] = [
    "ld-linux",
    "libc.so",
    "libc-",
    "libdl.so",
    "libgcc_s.so",
    "libm.so",
    "libmvec.so",
    "libpthread.so",
    "librt.so",
];

/// Archives of the system whose functions are described like those of the libraries.
const DESCRIBED_ARCHIVES: [&str; 11] = [
    "libc.a",
    "libc_nonshared.a",
    "libdl.a",
    "libgcc.a",
    "libgcc_eh.a",
    "libm-",
    "libm.a",
    "libmvec.a",
    "libpthread.a",
    "libpthread_nonshared.a",
    "librt.a",
];

/// A member of such an archive, by its name in reports.
pub fn is_described_member(name: &str) -> bool {
    let archive = name.split('(').next().unwrap_or(name);
    let mut known = DESCRIBED_ARCHIVES.iter();
    known.any(|start| archive.starts_with(start) && archive.ends_with(".a"))
}

pub fn is_described_library(name: &str) -> bool {
    DESCRIBED.iter().any(|start| name.starts_with(start))
}

/// An object file's part in a program, by its symbol table.
pub fn of_interface(interface: &ObjectInterface) -> UnseenCode {
    // What it defines weakly, or defines besides the program, may be the program's in the end.
    let binds_itself = interface.kind == ObjectKind::Shared
        && (interface.symbolic || is_described_library(&interface.name));
    let mentions: BTreeSet<String> = match binds_itself {
        true => interface.mentions.clone(),
        false => interface
            .mentions
            .union(&interface.defines)
            .cloned()
            .collect(),
    };
    let mentions = Symbols::These(mentions);
    let own = Runs {
        at_start: interface.runs_at_start,
        at_end: interface.runs_at_end,
        any_time: false,
    };
    UnseenCode {
        name: interface.name.clone(),
        content: interface.digest.to_vec(),
        defines: Symbols::These(interface.defines.clone()),
        runs: own,
        mentions,
        is_confined: interface.keeps_to_calls && interface.kind == ObjectKind::Relocatable,
    }
    .registered(registered_runs)
}

/// What code that mentions these symbols may have registered itself for.
pub(crate) fn registered_runs(mentions: &Symbols) -> Runs {
    library().registered_runs(mentions)
}

fn assembled(
    clang: &Clang,
    unit: &UnitCommand,
    name: &str,
    interrupted: &AtomicBool,
) -> Option<UnseenCode> {
    let bytes = object_of_unit(clang, unit, TIME_LIMIT, interrupted).ok()?;
    let interfaces = read_object_bytes(name, &bytes).ok()?;
    match &interfaces[..] {
        [only] => Some(of_interface(only)),
        _ => None,
    }
}

/// What the assembler does not take. The words of an included file are not there.
fn of_assembly_text(name: &str, source: &[u8]) -> UnseenCode {
    let text = String::from_utf8_lossy(source);
    match text.contains("#include") || text.contains("#define") {
        true => UnseenCode::of_unreadable(name, source),
        false => UnseenCode::of_assembly(name, &text).registered(registered_runs),
    }
}

/// The unit's text as the compiler sees it.
pub(crate) fn preprocessed(
    clang: &Clang,
    unit: &UnitCommand,
    interrupted: &AtomicBool,
) -> Option<String> {
    let scratch = tempfile::tempdir().ok()?;
    let output = scratch.path().join("unit.i");
    let file = unit.file_argument();
    let flags = [
        "-E",
        "-O1",
        "-fno-inline",
        "-D__DATE__=\"\"",
        "-D__TIME__=\"\"",
        "-D__TIMESTAMP__=\"\"",
    ];
    compile_object(
        clang,
        Some(unit),
        &file,
        &flags,
        &output,
        TIME_LIMIT,
        interrupted,
    )
    .ok()?;
    let bytes = std::fs::read(&output).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn of_words(name: &str, source: &[u8]) -> UnseenCode {
    let text = String::from_utf8_lossy(source);
    let mut words = BTreeSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if !word.is_empty() {
            words.insert(word.to_owned());
            words.insert(format!("{}_", word.to_lowercase()));
        }
    }
    UnseenCode {
        name: name.to_owned(),
        content: source.to_vec(),
        defines: Symbols::These(words.clone()),
        mentions: Symbols::These(words),
        runs: Runs::ALWAYS,
        is_confined: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_is_defined_where_its_body_stands() {
        let is_defined = [
            "int main(void) { return 0; }",
            "int\nmain (int n, char *(*v)[])\n{\n",
        ];
        for text in is_defined {
            assert!(defines_main(text), "{text}");
        }
        let is_not = [
            "int main(void);",
            "int domain(void) {",
            "void f(void) { main(); { } }",
            "int main(void) __attribute__((cold));",
        ];
        for text in is_not {
            assert!(!defines_main(text), "{text}");
        }
    }
}
