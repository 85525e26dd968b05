//! Two versions of C text, compiled, promoted, analysed and paired.

#![allow(dead_code)]

use knockon_change::{Change, Edits, Side, Sides, Version, pair, text_hunks};
use knockon_memory::memory_model::{MemoryModel, memory_model};
use knockon_program::{Program, TimeLimit, link};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

pub struct OneVersion {
    pub program: Program,
    pub memory: MemoryModel,
}

/// Both versions; a version is its files, each a name and a text.
pub struct TwoVersions {
    pub versions: Sides<OneVersion>,
    pub texts: Sides<Vec<(String, String)>>,
    pub edits: Edits,
    pub change: Change,
}

fn compiled(name: &str, text: &str) -> Program {
    // The text comes with a line marker, so that places name the file and not the pipe.
    let mut child = Command::new("clang-19")
        .args(["-w", "-S", "-emit-llvm", "-g", "-O1"])
        .args(["-Xclang", "-disable-llvm-passes"])
        .args(["-Xclang", "-disable-lifetime-markers"])
        .args(["-fno-discard-value-names", "-o", "-", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clang-19 is installed");
    let mut input = child.stdin.take().expect("a pipe");
    let marked = format!("# 1 \"/{name}\" 1\n{text}");
    input.write_all(marked.as_bytes()).expect("clang reads");
    drop(input);
    let output = child.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "clang refuses the program");
    let mut program = knockon_llvm::read_unit(&output.stdout, name).expect("the IR is read");
    let source = program.names.intern(&format!("/{name}"));
    for unit in &mut program.units {
        unit.source = source;
    }
    program
}

pub fn version(files: &[(&str, &str)]) -> OneVersion {
    let units = files.iter().filter(|(name, _)| name.ends_with(".c"));
    let expand = |text: &str| -> String {
        // Headers are put in by hand, with line markers.
        let lines = text.lines().enumerate().map(|(at, line)| {
            let header = line
                .strip_prefix("#include \"")
                .and_then(|rest| rest.strip_suffix('"'))
                .and_then(|name| files.iter().find(|(other, _)| *other == name));
            match header {
                None => format!("{line}\n"),
                Some((name, header)) => {
                    format!("# 1 \"/{name}\" 1\n{header}\n# {} \"/UNIT\" 2\n", at + 2)
                }
            }
        });
        lines.collect()
    };
    let units = units.map(|(name, text)| {
        let text = expand(text).replace("\"/UNIT\"", &format!("\"/{name}\""));
        compiled(name, &text)
    });
    let mut program = link(units.collect());
    knockon_graphs::promote(&mut program);
    let memory = memory_model(&program, TimeLimit::NONE).expect("there is no limit");
    OneVersion { program, memory }
}

pub fn paired_files(old: &[(&str, &str)], new: &[(&str, &str)]) -> TwoVersions {
    let mut edits = Edits {
        others_are_unedited: true,
        ..Edits::default()
    };
    let find = |files: &[(&str, &str)], name: &str| {
        let found = files.iter().find(|(other, _)| *other == name);
        found.map_or(String::new(), |(_, text)| (*text).to_owned())
    };
    for (name, _) in old.iter().chain(new) {
        let hunks = text_hunks(&find(old, name), &find(new, name));
        if !hunks.is_empty() {
            edits.files.insert(format!("/{name}"), hunks);
        }
    }
    paired_with(old, new, edits)
}

pub fn paired_with(old: &[(&str, &str)], new: &[(&str, &str)], edits: Edits) -> TwoVersions {
    let versions = Sides {
        old: version(old),
        new: version(new),
    };
    let change = pair(both(&versions), &edits);
    let texts = |files: &[(&str, &str)]| {
        let rows = files.iter();
        rows.map(|(name, text)| (format!("/{name}"), (*text).to_owned()))
            .collect()
    };
    TwoVersions {
        change,
        versions,
        texts: Sides {
            old: texts(old),
            new: texts(new),
        },
        edits,
    }
}

pub fn paired(old: &str, new: &str) -> TwoVersions {
    paired_files(&[("a.c", old)], &[("a.c", new)])
}

pub fn both(versions: &Sides<OneVersion>) -> Sides<Version<'_>> {
    Sides {
        old: Version {
            program: &versions.old.program,
            memory: &versions.old.memory,
        },
        new: Version {
            program: &versions.new.program,
            memory: &versions.new.memory,
        },
    }
}

impl TwoVersions {
    pub fn is_empty(&self) -> bool {
        self.change.is_empty(both(&self.versions))
    }

    /// The lines of the new version that hold sources or stores that are reordered, as `line`, and of
    /// the old one, as `-line`.
    pub fn source_lines(&self) -> BTreeSet<i64> {
        let mut lines = BTreeSet::new();
        for side in Side::BOTH {
            let program = &self.versions.of(side).program;
            let sign = if side == Side::Old { -1 } else { 1 };
            for (id, _, body) in program.defined_functions() {
                for node in body.instruction_ids() {
                    let place = program.place(body.instruction(node).place);
                    let pair = self.change.pair(side, id);
                    let is_reordered = pair.is_some_and(|pair| pair.is_reordered(side, node));
                    let is_source = self.change.is_source(side, id, node) || is_reordered;
                    if is_source && place.is_known() {
                        lines.insert(sign * i64::from(place.line));
                    }
                }
            }
        }
        lines
    }

    /// No source in any function; globals may differ.
    pub fn has_no_source_node(&self) -> bool {
        self.source_lines().is_empty()
    }
}
