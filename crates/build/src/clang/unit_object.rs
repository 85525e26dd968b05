//! Question: what machine code does one unit of a build become?
//!
//! The unit may be C, C++ or assembly, with or without preprocessor; who asks reads the symbols out
//! of the bytes. The unit's own flags, which have passed the allow-list, decide; no debug
//! information is made, and nothing is optimised away, so that a symbol which the text mentions is
//! there whatever the build's own compiler keeps.
//!
//! Soundness: clang's assembler is not the build's. What it does not take is an error here, and
//! what it takes has the same meaning but for the choice among encodings.
//!
//! Cost: one compilation, in a private directory that is removed.

use super::Clang;
use super::executable::{CompileTextError, compile_object};
use crate::flags::{Language, assembler_arguments};
use crate::scratch::scratch_directory;
use crate::unit::{RootMap, UnitCommand};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The object file that clang makes of the unit.
pub fn object_of_unit(
    clang: &Clang,
    unit: &UnitCommand,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<Vec<u8>, CompileTextError> {
    let failed = |error: std::io::Error| CompileTextError {
        message: error.to_string(),
    };
    let scratch = scratch_directory().map_err(failed)?;
    let object = scratch.path().join("unit.o");
    let mut flags: Vec<String> = ["-g0", "-fno-lto", "-fintegrated-as"]
        .map(str::to_owned)
        .to_vec();
    if let Some(language) = assembly_language(unit) {
        flags.extend(["-x".to_owned(), language.to_owned()]);
        flags.extend(assembler_arguments(&unit.flags).map(str::to_owned));
    }
    let map = RootMap::new(&unit.root);
    flags.extend(
        map.clang_arguments()
            .filter_map(|flag| flag.into_string().ok()),
    );
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    compile_object(
        clang,
        Some(unit),
        &unit.file_argument(),
        &flags,
        &object,
        time_limit,
        interrupted,
    )?;
    std::fs::read(&object).map_err(failed)
}

/// What clang calls the language of a unit in assembly; `None` for all others. `-x` decides before
/// the name of the file does, as in the build.
fn assembly_language(unit: &UnitCommand) -> Option<&'static str> {
    match &unit.language {
        Some(Language::Other(name)) if name == "assembler" => Some("assembler"),
        Some(Language::Other(name)) if name == "assembler-with-cpp" => Some("assembler-with-cpp"),
        Some(Language::Other(name)) if name == "assembly" => by_name(&unit.file),
        Some(_) => None,
        None => by_name(&unit.file),
    }
}

fn by_name(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()? {
        "s" => Some("assembler"),
        "S" | "sx" | "asm" => Some("assembler-with-cpp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clang::find_clang;
    use crate::compile_commands::CompileCommand;

    const LIMIT: Duration = Duration::from_secs(60);

    fn object(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, CompileTextError> {
        let command = CompileCommand {
            directory: directory.to_owned(),
            file: arguments[arguments.len() - 1].into(),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            output: None,
        };
        let (unit, _) = UnitCommand::of_compile_command(directory, &command);
        let clang = find_clang(None).unwrap();
        object_of_unit(&clang, &unit, LIMIT, &AtomicBool::new(false))
    }

    fn contains(bytes: &[u8], text: &str) -> bool {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    }

    #[test]
    fn units_in_c_and_in_assembly_become_objects() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        write("a.c", "extern int NAME; int of_c(void) { return NAME; }\n");
        write("plain.s", ".globl of_plain\nof_plain: ret\n.quad seen\n");
        write(
            "with.S",
            "#ifdef WITH\n.globl of_with\nof_with: ret\n#endif\n",
        );
        for (arguments, names) in [
            (
                &["cc", "-g", "-O2", "-DNAME=given", "-c", "a.c"][..],
                ["of_c", "given"],
            ),
            (&["cc", "-c", "plain.s"][..], ["of_plain", "seen"]),
            (
                &["gcc", "-DWITH", "-c", "with.S"][..],
                ["of_with", "of_with"],
            ),
            (
                &["gcc", "-x", "assembler-with-cpp", "-DWITH", "-c", "with.S"][..],
                ["of_with", "of_with"],
            ),
        ] {
            let bytes = object(place.path(), arguments).unwrap();
            assert!(bytes.starts_with(b"\x7fELF"), "{arguments:?}");
            for name in names {
                assert!(contains(&bytes, name), "{name} of {arguments:?}");
            }
            assert!(!contains(&bytes, ".debug_info"), "{arguments:?}");
        }
    }

    #[test]
    fn two_trees_with_the_same_unit_have_the_same_object() {
        let trees = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let objects = trees.each_ref().map(|tree| {
            std::fs::write(
                tree.path().join("a.c"),
                "char *f(void) { return __FILE__; }",
            )
            .unwrap();
            let file = tree.path().join("a.c");
            object(tree.path(), &["cc", "-c", file.to_str().unwrap()]).unwrap()
        });
        assert!(objects[0] == objects[1]);
    }

    #[test]
    fn what_does_not_assemble_is_an_error_in_the_words_of_the_compiler() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("a.s"), "no such instruction\n").unwrap();
        let error = object(place.path(), &["cc", "-c", "a.s"]).unwrap_err();
        assert!(error.message.contains("a.s:1"), "{error}");
    }
}
