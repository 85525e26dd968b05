//! C text as a program, and its regions by the tags on its lines.

use knockon_memory::call_graph::CallGraph;
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::effects::library;
use knockon_memory::regions::{RegionId, Regions, dump_regions, regions};
use knockon_program::{FunctionId, Program, TimeLimit};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub struct Compiled {
    pub source: String,
    pub program: Program,
    pub calls: CallGraph,
    pub regions: Regions,
}

fn clang() -> Command {
    let mut command = Command::new("clang-19");
    command
        .args(["-w", "-S", "-emit-llvm", "-g", "-O1"])
        .args(["-Xclang", "-disable-llvm-passes"])
        .args(["-Xclang", "-disable-lifetime-markers"])
        .args(["-fno-discard-value-names", "-o", "-"]);
    command
}

/// Not promoted.
pub fn program_of_file(source: &Path) -> Program {
    let output = clang().arg(source).output().expect("clang-19 is installed");
    assert!(
        output.status.success(),
        "clang refuses {}",
        source.display()
    );
    let name = source.to_string_lossy();
    knockon_llvm::read_unit(&output.stdout, &name).expect("the IR is read")
}

pub fn program_of(source: &str) -> Program {
    let mut child = clang()
        .args(["-xc", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("clang-19 is installed");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("clang reads");
    drop(input);
    let output = child.wait_with_output().expect("clang ends");
    assert!(output.status.success(), "clang refuses the program");
    let mut program = knockon_llvm::read_unit(&output.stdout, "test.c").expect("the IR is read");
    knockon_graphs::promote(&mut program);
    program
}

pub fn compile(source: &str) -> Compiled {
    let program = program_of(source);
    let calls = coarse_call_graph(&program);
    let regions = regions(&program, &calls, library(), TimeLimit::NONE).expect("there is no limit");
    Compiled {
        source: source.to_owned(),
        program,
        calls,
        regions,
    }
}

impl Compiled {
    fn line(&self, tag: &str) -> u32 {
        let end = format!("// {tag}");
        let mut lines = self.source.lines().zip(1..);
        let found = lines.find(|(line, _)| line.trim_end().ends_with(&end));
        found.unwrap_or_else(|| panic!("no line is tagged {tag}")).1
    }

    /// The regions that accesses on the tagged line touch.
    pub fn touched(&self, tag: &str) -> BTreeSet<RegionId> {
        let line = self.line(tag);
        let mut found = BTreeSet::new();
        for (id, _, body) in self.program.defined_functions() {
            let own = self.regions.function(id);
            for instruction in body.instruction_ids() {
                let place = self.program.place(body.instruction(instruction).place);
                if place.line == line {
                    found.extend(own.may_read(instruction));
                    found.extend(own.may_write(instruction));
                }
            }
        }
        assert!(
            !found.is_empty(),
            "nothing is touched at {tag}\n{}",
            self.dump()
        );
        found
    }

    #[track_caller]
    pub fn assert_apart(&self, left: &str, right: &str) {
        let (ours, theirs) = (self.touched(left), self.touched(right));
        assert!(
            ours.is_disjoint(&theirs),
            "{left} meets {right}\n{}",
            self.dump()
        );
    }

    #[track_caller]
    pub fn assert_together(&self, left: &str, right: &str) {
        let (ours, theirs) = (self.touched(left), self.touched(right));
        assert!(
            !ours.is_disjoint(&theirs),
            "{left} misses {right}\n{}",
            self.dump()
        );
    }

    pub fn function(&self, name: &str) -> FunctionId {
        self.program.functions_named(name)[0]
    }

    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (id, _, _) in self.program.defined_functions() {
            text.push_str(self.program.function_name(id));
            text.push_str(":\n");
            text.push_str(&dump_regions(&self.program, &self.regions, id));
        }
        text
    }
}
