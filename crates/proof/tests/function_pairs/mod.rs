//! Two C texts, compiled, paired and compared.

use knockon_change::{Edits, Side, Sides, Version, pair, text_hunks};
use knockon_logic::solver::{Limits, SolverOptions, SolverProgram, Solvers};
use knockon_logic::terms::{TermId, Terms};
use knockon_memory::memory_model::memory_model;
use knockon_program::{Program, TimeLimit, link};
use knockon_proof::function_pairs::{FunctionPairs, Status};
use knockon_proof::product::{Compared, Questions};
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn compiled(text: &str) -> Program {
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
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(format!("# 1 \"/a.c\" 1\n{text}").as_bytes())
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{text}");
    let mut program = knockon_llvm::read_unit(&output.stdout, "a.c").unwrap();
    let source = program.names.intern("/a.c");
    for unit in &mut program.units {
        unit.source = source;
    }
    let mut program = link(vec![program]);
    knockon_graphs::promote_with(&mut program, knockon_graphs::UndefinedReads::Kept);
    program
}

/// Who proposes invariants, given Horn clauses.
pub type Propose<'p> = dyn FnMut(&mut Solvers<'static>, &str) -> Option<String> + 'p;

struct Asking<'p> {
    solvers: Solvers<'static>,
    limits: Limits,
    propose: &'p mut Propose<'p>,
}

pub fn limits(effort: u64) -> Limits {
    Limits {
        effort,
        time: Duration::from_secs(20),
    }
}

impl Questions for Asking<'_> {
    fn refutes(&mut self, terms: &Terms, assertions: &[TermId]) -> bool {
        self.solvers.refutes(terms, assertions, self.limits)
    }

    fn proposes(&self) -> bool {
        true
    }

    fn invariant(&mut self, clauses: &str) -> Option<String> {
        (self.propose)(&mut self.solvers, clauses)
    }
}

/// With what two texts are compared.
pub struct Means<'p> {
    /// When comparing ends.
    pub end: Option<Instant>,
    pub programs: Vec<SolverProgram>,
    /// What a question may cost.
    pub effort: u64,
    pub propose: &'p mut Propose<'p>,
}

/// What is known of the functions `f` of two texts.
pub fn status_with<'p>(means: Means<'p>, old: &str, new: &str) -> Status {
    let Means {
        end,
        programs: asked,
        effort,
        propose,
    } = means;
    let programs = Sides {
        old: compiled(old),
        new: compiled(new),
    };
    let memory = Sides {
        old: memory_model(&programs.old, TimeLimit::NONE).expect("there is no limit"),
        new: memory_model(&programs.new, TimeLimit::NONE).expect("there is no limit"),
    };
    let versions = Sides {
        old: Version {
            program: &programs.old,
            memory: &memory.old,
        },
        new: Version {
            program: &programs.new,
            memory: &memory.new,
        },
    };
    let mut edits = Edits {
        others_are_unedited: true,
        ..Edits::default()
    };
    edits.files.insert("/a.c".into(), text_hunks(old, new));
    let change = pair(versions, &edits);
    let solvers = Solvers::new(SolverOptions {
        programs: asked,
        ..SolverOptions::default()
    })
    .expect("a solver is installed");
    let mut pairs = FunctionPairs::new(versions, &change, Compared::Functions);
    pairs.limit = end.map_or(TimeLimit::NONE, TimeLimit::until);
    let mut asking = Asking {
        solvers,
        limits: limits(effort),
        propose,
    };
    pairs.infer(|_| true, &mut asking);
    let function = programs.new.functions_named("f")[0];
    let number = change.pair_of.of(Side::New)[function.index()].expect("f is paired");
    pairs.statuses[number.0 as usize].clone()
}
