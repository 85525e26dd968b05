//! Which files does the assembly of a unit include, and what do they say?
//!
//! Assembly stands in the IR as text that only the assembler reads: module-level assembly, and the
//! templates of inline assembly. `.incbin` and `.include` bring in files that the IR does not have,
//! so two versions of a unit may be equal but for these. Here their content becomes part of the
//! text: for `.incbin` a comment with its hash, for `.include` the text itself, too.
//!
//! **Rules.** A file is looked for as the assembler does: from the directory of the compilation, then
//! below the directories of `-I` and its kin, and of `-Wa,-I`. Compilers differ in which of them they
//! hand on, so every file that is there counts, and not the first alone. Included text is read in
//! the same way. What `.incbin` skips of a file counts, too.
//!
//! **Soundness.** Where the file is not found, or its name or the directive itself may be put together
//! by macros or operands, any file of the tree may be meant: the hash is that of the whole tree, and
//! a caveat says so. Files outside of the tree are the same for both versions, which are compiled at
//! the same moment. Directives are found wherever they stand, also in comments.
//!
//! **Cost.** One search in each assembly text; nothing else where there is no such directive. It is
//! done after the cache, whose keys do not see these files.

use crate::unit::{RootMap, UnitCommand, normalised};
use knockon_program::{Caveat, CaveatKind, Constant, ConstantId, Name, PlaceId, Program};
use std::path::{Path, PathBuf};

/// Included files may include others up to this depth,
const MAX_DEPTH: usize = 32;
/// and together be so long.
const MAX_INCLUDED_BYTES: u64 = 256 << 20;
/// A tree with more files, or more in them, is unlike every other.
const MAX_TREE_FILES: usize = 200_000;
const MAX_TREE_BYTES: u64 = 4 << 30;

/// Puts what is included into the assembly of the program, and returns the files that were read.
pub(crate) fn include_files(unit: &UnitCommand, program: &mut Program) -> Vec<PathBuf> {
    let mut reading = Reading {
        unit,
        directories: directories(unit),
        read: Vec::new(),
        left: MAX_INCLUDED_BYTES,
        is_open: false,
        tree: None,
    };
    for at in 0..program.units.len() {
        let text = program.name(program.units[at].assembly);
        if let Some(text) = reading.with_files(text) {
            program.units[at].assembly = program.names.intern(&text);
        }
    }
    for at in 0..program.constants.len() {
        let id = ConstantId::from_index(at);
        let Constant::Assembly {
            template,
            constraints,
        } = *program.constant(id)
        else {
            continue;
        };
        if let Some(text) = reading.with_files(program.name(template)) {
            let template = program.names.intern(&text);
            let changed = Constant::Assembly {
                template,
                constraints,
            };
            program.constants.replace(id, changed);
        }
    }
    if reading.is_open {
        program.caveats.push(Caveat {
            kind: CaveatKind::InlineAssembly,
            function: Name(0),
            place: PlaceId(0),
            message: format!(
                "a file that assembly of {} includes is not known: it counts as changed where any file of the tree is",
                unit.display_path().display()
            ),
        });
    }
    reading.read.sort();
    reading.read.dedup();
    reading.read
}

struct Reading<'u> {
    unit: &'u UnitCommand,
    directories: Vec<PathBuf>,
    read: Vec<PathBuf>,
    /// Bytes that may still be read.
    left: u64,
    /// Some file is not known.
    is_open: bool,
    /// The hash of all files of the tree, once it was asked for.
    tree: Option<String>,
}

/// A directive and the file that it names, if that can be told.
#[derive(Debug, PartialEq, Eq)]
struct Directive<'t> {
    is_text: bool,
    file: Option<&'t str>,
}

impl Reading<'_> {
    /// The text with what it includes behind it; `None` if it includes nothing.
    fn with_files(&mut self, text: &str) -> Option<String> {
        let found = directives(text);
        if found.is_empty() {
            return None;
        }
        let mut whole = text.to_owned();
        for directive in found {
            self.append(&directive, 0, &mut whole);
        }
        Some(whole)
    }

    fn append(&mut self, directive: &Directive<'_>, depth: usize, whole: &mut String) {
        let files = match directive.file {
            Some(name) if depth < MAX_DEPTH => self.content(name),
            _ => Vec::new(),
        };
        if files.is_empty() {
            self.is_open = true;
            let tree = match &self.tree {
                Some(known) => known.clone(),
                None => tree_hash(&self.unit.root),
            };
            whole.push_str(&format!("\n#:{tree}"));
            self.tree = Some(tree);
            return;
        }
        for bytes in files {
            whole.push_str(&format!("\n#:{}\n", blake3::hash(&bytes).to_hex()));
            if directive.is_text {
                let text = String::from_utf8_lossy(&bytes);
                whole.push_str(&text);
                for inner in directives(&text) {
                    self.append(&inner, depth + 1, whole);
                }
            }
        }
    }

    /// What every file holds that may be meant.
    fn content(&mut self, name: &str) -> Vec<Vec<u8>> {
        let mut found: Vec<PathBuf> = Vec::new();
        for directory in &self.directories {
            let path = normalised(&directory.join(name));
            let is_file = std::fs::metadata(&path).is_ok_and(|data| {
                // A pipe or a device would be another thing each time.
                data.is_file() && data.len() <= self.left
            });
            if is_file && !found.contains(&path) {
                found.push(path);
            }
        }
        let mut contents = Vec::new();
        for path in found {
            let Ok(bytes) = std::fs::read(&path) else {
                return Vec::new();
            };
            let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
                return Vec::new();
            };
            self.left = left;
            self.read.push(path);
            contents.push(bytes);
        }
        contents
    }
}

/// Where the assembler may look for a file.
fn directories(unit: &UnitCommand) -> Vec<PathBuf> {
    const SEPARATE: [&str; 6] = [
        "-I",
        "-iquote",
        "-isystem",
        "-idirafter",
        "-isystem-after",
        "-cxx-isystem",
    ];
    let mut found = vec![unit.directory.clone()];
    let mut rest = unit.flags.iter();
    while let Some(flag) = rest.next() {
        let directory = match flag.strip_prefix("-Wa,-I") {
            Some(directory) => Some(directory),
            None if SEPARATE.contains(&flag.as_str()) => rest.next().map(String::as_str),
            None => None,
        };
        found.extend(directory.map(|directory| unit.directory.join(directory)));
    }
    for (_, value) in &unit.environment {
        let paths = std::env::split_paths(value);
        found.extend(paths.map(|directory| unit.directory.join(directory)));
    }
    found
}

const WORDS: [&str; 2] = ["incbin", "include"];

/// The directives of a text, in order.
fn directives(text: &str) -> Vec<Directive<'_>> {
    // Lower case of ASCII alone keeps the positions.
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let is_composed = lower.contains(".i") || lower.contains(".\\");
    if !is_composed && !WORDS.iter().any(|word| lower.contains(word)) {
        return found;
    }
    let has_macros = text.contains('\\') || lower.contains(".irp") || lower.contains(".altmacro");
    let mut at = 0;
    while let Some(start) = lower[at..].find(['i', '.']).map(|offset| at + offset) {
        at = start + 1;
        let rest = &lower[start..];
        if let Some(composed) = rest.strip_prefix('.') {
            // `.inc\what`, or `.\what`
            let end = composed.find(|letter: char| !letter.is_ascii_lowercase());
            let (word, behind) = composed.split_at(end.unwrap_or(composed.len()));
            let is_begun = WORDS.iter().any(|known| known.starts_with(word));
            if is_begun && behind.starts_with(['\\', '$']) {
                found.push(Directive {
                    is_text: false,
                    file: None,
                });
            }
            continue;
        }
        let Some(word) = WORDS.iter().find(|word| rest.starts_with(**word)) else {
            continue;
        };
        let before = text[..start].chars().next_back();
        let behind = &text[start + word.len()..];
        let is_whole = !behind.starts_with(is_part);
        match before {
            Some('.') if is_whole => found.push(Directive {
                is_text: *word == "include",
                file: file_name(behind),
            }),
            // A word that a macro may make a directive of.
            before if is_whole && has_macros && !before.is_some_and(is_part) => {
                found.push(Directive {
                    is_text: false,
                    file: None,
                });
            }
            _ => {}
        }
        at = start + word.len();
    }
    found
}

/// The name in quotes behind a directive, if it stands for itself.
fn file_name(behind: &str) -> Option<&str> {
    let rest = behind.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let (name, _) = rest.split_once('"')?;
    let is_plain = !name.is_empty() && !name.contains(['\\', '$', '&', '\n', '{', '}']);
    is_plain.then_some(name)
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$')
}

/// The hash of the names and contents of all files below the root, but for what git keeps.
fn tree_hash(root: &Path) -> String {
    let unlike_others = || format!("tree {}", blake3::hash(root.as_os_str().as_encoded_bytes()));
    let mut hasher = blake3::Hasher::new();
    let mut left = MAX_TREE_BYTES;
    let (mut files, mut pending) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            return unlike_others();
        };
        for entry in entries {
            let Some((entry, kind)) = entry.ok().and_then(|entry| {
                let kind = entry.file_type().ok()?;
                Some((entry, kind))
            }) else {
                return unlike_others();
            };
            match kind.is_dir() {
                true if entry.file_name() == ".git" => {}
                true => pending.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
        if files.len() > MAX_TREE_FILES {
            return unlike_others();
        }
    }
    files.sort();
    let map = RootMap::new(root);
    for path in files {
        let name = map.inside(&path).unwrap_or(&path).as_os_str();
        let is_file = std::fs::metadata(&path).is_ok_and(|data| data.is_file());
        let bytes = match is_file {
            // What is no file cannot be included, and a link that leads nowhere neither.
            false => Vec::new(),
            true => match std::fs::read(&path) {
                Ok(bytes) => bytes,
                Err(_) => return unlike_others(),
            },
        };
        let Some(rest) = left.checked_sub(bytes.len() as u64) else {
            return unlike_others();
        };
        left = rest;
        for field in [name.as_encoded_bytes(), &bytes] {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(bool, Option<&str>)> {
        let found = directives(text).into_iter();
        found.map(|row| (row.is_text, row.file)).collect()
    }

    #[test]
    fn directives_are_found_in_any_case_and_after_labels() {
        let text = "a: .incbin \"a.bin\", 4\n\t.Include\t\"b.inc\"; .INCBIN\"c\"";
        let found = [
            (false, Some("a.bin")),
            (true, Some("b.inc")),
            (false, Some("c")),
        ];
        assert_eq!(named(text), found);
    }

    #[test]
    fn names_that_macros_or_operands_make_are_not_known() {
        for text in [
            ".incbin \"\\name\"",
            ".incbin \"${0:c}\"",
            ".incbin name",
            ".macro m d\n.inc\\d \"a\"\n.endm",
            ".macro m d\n.\\d \"a\"\n.endm\nm incbin",
        ] {
            let found = named(text);
            assert!(!found.is_empty(), "{text}");
            assert!(found.iter().any(|row| row.1.is_none()), "{text}");
        }
    }

    #[test]
    fn assembly_that_includes_nothing_has_no_directives() {
        for text in [
            "",
            ".int 4",
            "call my_include_fn",
            "incl %eax",
            ".init_array",
        ] {
            assert_eq!(named(text), [], "{text}");
        }
    }

    #[test]
    fn equal_trees_have_equal_hashes_wherever_they_are() {
        let trees = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let hash = |at: usize| tree_hash(trees[at].path());
        for tree in &trees {
            std::fs::create_dir(tree.path().join("data")).unwrap();
            std::fs::write(tree.path().join("data/a.bin"), [0, 1, 2]).unwrap();
        }
        assert_eq!(hash(0), hash(1));
        std::fs::write(trees[1].path().join("data/a.bin"), [0, 1, 3]).unwrap();
        assert_ne!(hash(0), hash(1));
    }
}
