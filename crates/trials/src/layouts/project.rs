//! Random programs of several units with a header that all of them read, in random directories.

use crate::random::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A program in its directories. Paths are relative to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    pub files: BTreeMap<String, String>,
    pub units: Vec<String>,
    pub header_directory: String,
    pub edit: Edit,
}

/// A line that reads differently afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub file: String,
    pub line: u32,
    pub old: String,
    pub new: String,
}

impl Edit {
    pub fn applied(&self, text: &str) -> String {
        let lines = (1..).zip(text.lines());
        let lines = lines.map(|(number, line)| match number == self.line {
            true => format!("{}\n", self.new),
            false => format!("{line}\n"),
        });
        lines.collect()
    }
}

const SOURCE_DIRECTORIES: [&str; 5] = ["", "src", "src/core", "lib", "a b"];
const HEADER_DIRECTORIES: [&str; 4] = ["", "include", "src", "src/include/deep"];

/// The path of a file in a directory; `""` is the root.
pub fn joined(directory: &str, file: &str) -> String {
    match directory {
        "" => file.to_owned(),
        _ => format!("{directory}/{file}"),
    }
}

pub fn project(random: &mut Random) -> Project {
    let unit_count = random.between(1, 4) as usize;
    let inline_count = random.between(1, 3) as usize;
    let header_directory = *random.pick(&HEADER_DIRECTORIES);
    let mut files = BTreeMap::new();
    let mut edits: Vec<Edit> = Vec::new();
    let header = header(random, unit_count, inline_count);
    let header_file = joined(header_directory, "common.h");
    edits.extend(edits_of(&header_file, &header));
    files.insert(header_file, header);
    let mut units = Vec::new();
    for number in 0..=unit_count {
        let directory = *random.pick(&SOURCE_DIRECTORIES);
        let (name, text) = match number == unit_count {
            true => ("main.c".to_owned(), main_unit(unit_count, inline_count)),
            false => (format!("u{number}.c"), unit(random, number, inline_count)),
        };
        let file = joined(directory, &name);
        edits.extend(edits_of(&file, &text));
        files.insert(file.clone(), text);
        units.push(file);
    }
    let edit = random.pick(&edits).clone();
    Project {
        files,
        units,
        header_directory: header_directory.to_owned(),
        edit,
    }
}

/// Lines that know their own place: an assertion names its file, its line and its function.
const CHECKS: [&str; 5] = [
    "    assert(x != 77);\n",
    "    if (x == 99) printf(\"%s\\n\", __FILE__);\n",
    "    if (x == 98) printf(\"%d %s\\n\", __LINE__, __func__);\n",
    "    CHECK(x);\n",
    "",
];

fn header(random: &mut Random, unit_count: usize, inline_count: usize) -> String {
    let mut text = "#pragma once\n#include <assert.h>\n#include <stdio.h>\n\
        #define CHECK(x) ((x) == 97 ? puts(__FILE__) : 0)\n"
        .to_owned();
    for number in 0..unit_count {
        let _ = writeln!(text, "unsigned f{number}(unsigned x);");
    }
    for number in 0..inline_count {
        let check = random.pick(&CHECKS);
        let factor = random.between(2, 60);
        let _ = write!(
            text,
            "static inline unsigned inline{number}(unsigned x) {{\n{check}    return x * {factor}u;\n}}\n"
        );
    }
    text
}

fn unit(random: &mut Random, number: usize, inline_count: usize) -> String {
    let mut text = "#include \"common.h\"\n".to_owned();
    let (check, added) = (random.pick(&CHECKS), random.between(2, 60));
    let _ = write!(
        text,
        "static unsigned own(unsigned x) {{\n{check}    return x + {added}u;\n}}\n"
    );
    let inline = random.below(inline_count);
    let callee = match number {
        0 => "own".to_owned(),
        _ => format!("f{}", random.below(number)),
    };
    let _ = write!(
        text,
        "unsigned f{number}(unsigned x) {{\n    return inline{inline}(own(x)) ^ {callee}(x);\n}}\n"
    );
    text
}

fn main_unit(unit_count: usize, inline_count: usize) -> String {
    let mut text = "#include \"common.h\"\nint main(void) {\n".to_owned();
    for number in 0..unit_count {
        let _ = writeln!(text, "    printf(\"%u\\n\", f{number}({number}));");
    }
    for number in 0..inline_count {
        let _ = writeln!(text, "    printf(\"%u\\n\", inline{number}(3));");
    }
    text + "    return 0;\n}\n"
}

/// Each line that returns a value made of a number may get the next number.
fn edits_of(file: &str, text: &str) -> Vec<Edit> {
    let lines = (1..).zip(text.lines());
    lines
        .filter_map(|(line, old)| {
            let number = old.strip_prefix("    return x ")?.strip_suffix("u;")?;
            let (sign, number) = number.split_once(' ')?;
            let next = number.parse::<u32>().ok()? + 1;
            Some(Edit {
                file: file.to_owned(),
                line,
                old: old.to_owned(),
                new: format!("    return x {sign} {next}u;"),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_project_with_an_edit_of_one_of_its_lines() {
        for seed in 0..100 {
            let made = project(&mut Random::new(seed));
            assert_eq!(made, project(&mut Random::new(seed)));
            let text = &made.files[&made.edit.file];
            let line = text.lines().nth(made.edit.line as usize - 1);
            assert_eq!(line, Some(&made.edit.old[..]));
            assert_ne!(&made.edit.applied(text), text);
        }
    }
}
