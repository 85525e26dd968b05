//! **Question.** Which files does a linker script in the place of a library stand for?
//!
//! `libc.so` is such a text: it names the shared library, the archive with what is always linked
//! in, and the loader. Only the commands that name files or say nothing about the program are
//! known; a script with another one (`SECTIONS`, `PROVIDE`, an assignment) is not read at all,
//! because it may define symbols.

use std::path::{Path, PathBuf};

/// Where a linker looks for what no directory of the script has. A triple of the host is in the
/// path of the script itself, as a rule.
const STANDARD_DIRECTORIES: [&str; 6] = [
    "/usr/local/lib",
    "/lib",
    "/usr/lib",
    "/lib64",
    "/usr/lib64",
    "/lib/x86_64-linux-gnu",
];

/// Commands whose arguments say nothing about the code.
const WITHOUT_CODE: [&str; 5] = [
    "OUTPUT_FORMAT",
    "OUTPUT_ARCH",
    "TARGET",
    "OUTPUT",
    "NOCROSSREFS",
];

/// The files that the script names, in order; an error says what it does beyond.
pub(crate) fn inputs(text: &str) -> Result<Vec<String>, String> {
    let words = words(text)?;
    let mut inputs = Vec::new();
    let mut rest = words.iter().map(String::as_str);
    while let Some(command) = rest.next() {
        if command == ";" {
            continue;
        }
        let names_files = matches!(command, "GROUP" | "INPUT");
        if !names_files && !WITHOUT_CODE.contains(&command) {
            return Err(format!(
                "it is a linker script with `{}`",
                command.chars().take(40).collect::<String>()
            ));
        }
        if rest.next() != Some("(") {
            return Err(format!("`{command}` of the linker script has no arguments"));
        }
        let mut depth = 1;
        while depth > 0 {
            match rest.next() {
                None => return Err(format!("`{command}` of the linker script does not end")),
                Some("(") => depth += 1,
                Some(")") => depth -= 1,
                Some("," | "AS_NEEDED") => {}
                Some(file) if names_files => inputs.push(file.to_owned()),
                Some(_) => {}
            }
        }
    }
    Ok(inputs)
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment
                .find("*/")
                .ok_or("a comment of the linker script does not end")?;
            rest = &comment[end + 2..];
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted
                .find('"')
                .ok_or("a name in the linker script does not end")?;
            words.push(quoted[..end].to_owned());
            rest = &quoted[end + 1..];
        } else if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if matches!(first, '(' | ')' | ',' | ';') {
            words.push(first.to_string());
            rest = &rest[1..];
        } else {
            let end = rest
                .find(|next: char| next.is_whitespace() || "(),;\"".contains(next))
                .unwrap_or(rest.len());
            words.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
    Ok(words)
}

/// The names of files that a word of a script may stand for, absolute or relative.
pub(crate) fn file_names(input: &str) -> Vec<String> {
    let Some(library) = input.strip_prefix("-l") else {
        let path = input.strip_prefix('=').unwrap_or(input);
        return vec![path.strip_prefix("$SYSROOT").unwrap_or(path).to_owned()];
    };
    match library.strip_prefix(':') {
        Some(exact) => vec![exact.to_owned()],
        None => vec![format!("lib{library}.so"), format!("lib{library}.a")],
    }
}

/// The file that a name in a script means: itself, beside the script, or in a standard directory.
pub(super) fn find(input: &str, directory: Option<&Path>) -> Option<PathBuf> {
    let names = file_names(input);
    let standard = STANDARD_DIRECTORIES.iter().map(Path::new);
    let directories: Vec<&Path> = directory.into_iter().chain(standard).collect();
    directories
        .iter()
        .flat_map(|directory| names.iter().map(|name| directory.join(name)))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_library_script_are_found_in_order() {
        let text = "/* GNU ld script\n GROUP ( no ) */\nOUTPUT_FORMAT(elf64-x86-64)\n\
                    GROUP ( /lib/libc.so.6 \"/usr/lib/a b.a\"  AS_NEEDED ( -lm, =/lib/ld.so ) )\n\
                    INPUT(x.o);";
        assert_eq!(
            inputs(text).unwrap(),
            [
                "/lib/libc.so.6",
                "/usr/lib/a b.a",
                "-lm",
                "=/lib/ld.so",
                "x.o"
            ]
        );
        assert!(inputs("").unwrap().is_empty());
    }

    #[test]
    fn script_that_does_more_is_not_read() {
        for text in [
            "SECTIONS { .text : { *(.text) } }",
            "g = h;",
            "GROUP ( a.o ) PROVIDE(hook = g);",
            "GROUP ( a.o",
            "GROUP",
            "/* ",
            "ordinary text",
        ] {
            assert!(inputs(text).is_err(), "{text}");
        }
    }
}
