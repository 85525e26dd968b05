//! **Question.** What of a unit is defined nowhere, and not needed to run the function in question?
//!
//! **Rules.** The unit is compiled as a whole, so its other functions name what other units define.
//! The linker tells those names. What the function in question uses by itself has to be there; of
//! the rest each name becomes a place that cannot be read, written or called: a run that comes
//! there after all, over a pointer, says nothing (`runtime.c`).

use crate::shapes::Shapes;
use knockon_program::Program;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// By name of what is missing: so many bytes are set aside for it. No bytes: it is a function.
pub type Missing = BTreeMap<String, u64>;

/// Names that a linker says are defined nowhere.
pub(super) fn undefined_names(message: &str) -> Vec<String> {
    // GNU's linkers, and LLVM's.
    let marks = [
        "undefined reference to ",
        "undefined references to ",
        "undefined symbol: ",
    ];
    let mut names: Vec<String> = Vec::new();
    for row in message.lines() {
        let found = marks.iter().find_map(|mark| row.split_once(mark));
        let Some((_, rest)) = found else { continue };
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || "_.$".contains(letter);
        let rest = rest.trim_start_matches(['`', '\'']);
        let name = rest.split(|letter| !is_of_name(letter)).next();
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    names
}

/// The function in question uses it by itself.
pub(super) fn is_used(shapes: &Shapes, name: &str) -> bool {
    shapes.globals.contains_key(name) || shapes.externals.contains_key(name)
}

/// How many bytes a variable of this name has; none if there is no variable of this name.
pub(super) fn size_of(program: &Program, name: &str) -> u64 {
    let rows = program.globals.iter();
    let rows = rows.filter(|row| program.name(row.name) == name);
    let sizes = rows.map(|row| program.size_of(row.value_type).max(1));
    sizes.max().unwrap_or(0)
}

/// C text that defines them as places without access.
pub(super) fn text(missing: &Missing) -> String {
    let mut text = String::new();
    for (number, (name, size)) in missing.iter().enumerate() {
        let size = size.max(&64);
        let _ = writeln!(
            text,
            "__attribute__((used, aligned(4096), section(\"knockon_missing\"))) \
             unsigned char knockon_missing_{number}[{size}] __asm__(\"{name}\");"
        );
    }
    // The last page holds nothing else.
    text.push_str(
        "__attribute__((used, aligned(4096), section(\"knockon_missing\"))) \
         unsigned char knockon_missing_end[4096];\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_from_the_words_of_each_linker() {
        let message = "/usr/bin/ld: a.o: in function `unrelated':\n\
            a.c:(.text+0x2): undefined reference to `add'\n\
            /usr/bin/ld: a.o: more undefined references to `add' follow\n\
            ld.lld: error: undefined symbol: table\n>>> referenced by a.c\n\
            a.c:(.text+0x9): undefined reference to 'other'\n";
        assert_eq!(undefined_names(message), ["add", "other", "table"]);
        assert!(undefined_names("clang: error: no such file").is_empty());
    }
}
