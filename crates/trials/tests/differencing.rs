//! The laws of two versions on fixed pairs; `knockon-trials soak diff` takes fresh ones by the
//! thousand.

use knockon_change::{
    Change, Edits, FunctionPair, NodeMap, PairId, PairStatus, Side, Sides, Version,
};
use knockon_report::Verdict;
use knockon_trials::against_clang::Input;
use knockon_trials::against_clang::interpreted::Interpreter;
use knockon_trials::differencing::claims::{Analysis, KNOCKON, dataflow_claims};
use knockon_trials::differencing::reported::command_report;
use knockon_trials::differencing::soak::{STEP_LIMIT, Summary};
use knockon_trials::differencing::subject::{Outcome, examine};
use knockon_trials::differencing::{Claims, DIFFERING, Law, SEEN};
use knockon_trials::edits::textual::textual_pair;
use knockon_trials::edits::{PairProgram, own_pair};
use knockon_trials::soak::{Bench, csmith};
use std::sync::atomic::{AtomicUsize, Ordering};

fn interpreter() -> Interpreter {
    Interpreter {
        step_limit: STEP_LIMIT,
        ..Bench::find().unwrap().interpreter
    }
}

fn examined(interpreter: &Interpreter, analysis: Analysis, pair: &PairProgram) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    examine(interpreter, analysis, pair, &[], scratch.path()).unwrap()
}

/// Pairs functions by name and nodes by number wherever the kinds of all nodes agree, and claims
/// that nothing differs: true of versions that are the same, and wrong of all others.
fn no_difference(versions: Sides<Version<'_>>, _: &Edits) -> Claims {
    let (old, new) = (versions.old.program, versions.new.program);
    let mut change = Change::default();
    change.pair_of.old = vec![None; old.functions.len()];
    change.pair_of.new = vec![None; new.functions.len()];
    for (id, _, body) in new.defined_functions() {
        let named = old.functions_named(new.function_name(id));
        let Some(partner) = named.first().copied() else {
            continue;
        };
        let Some(other) = &old.function(partner).body else {
            continue;
        };
        let kinds = |body: &knockon_program::Body| -> Vec<_> {
            body.instructions.iter().map(|row| row.opcode).collect()
        };
        if kinds(body) != kinds(other) {
            continue;
        }
        let pair = PairId(change.pairs.len() as u32);
        change.pair_of.old[partner.index()] = Some(pair);
        change.pair_of.new[id.index()] = Some(pair);
        let parameters = 0..new.function(id).parameters.len() as u32;
        change.pairs.push(FunctionPair {
            functions: Sides {
                old: partner,
                new: id,
            },
            status: PairStatus::Same,
            nodes: NodeMap::Identity,
            parameters: parameters.map(Some).collect(),
            same_interface: true,
        });
    }
    Claims {
        change,
        ..Claims::default()
    }
}

/// The same, and claims that everything may differ.
fn all_differences(versions: Sides<Version<'_>>, edits: &Edits) -> Claims {
    let mut claims = no_difference(versions, edits);
    for side in Side::BOTH {
        let functions = &versions.of(side).program.functions;
        let rows = functions.iter().map(|function| {
            let length = function
                .body
                .as_ref()
                .map_or(0, |body| body.instructions.len());
            let mut row = fixedbitset::FixedBitSet::with_capacity(length);
            row.insert_range(..);
            row
        });
        *claims.impacted.of_mut(side) = rows.collect();
    }
    claims
}

fn nothing_differs() -> Analysis {
    Analysis {
        claims: no_difference,
        report: None,
    }
}

fn everything_differs() -> Analysis {
    Analysis {
        claims: all_differences,
        report: None,
    }
}

/// All outcomes of pairs `0..count`, on two threads; every violation fails.
fn held(
    count: usize,
    pair: impl Fn(usize) -> (String, PairProgram, Vec<String>) + Sync,
) -> Summary {
    let (interpreter, next) = (interpreter(), AtomicUsize::new(0));
    let work = || {
        let mut outcomes = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return outcomes;
            }
            let (name, pair, flags) = pair(index);
            let scratch = tempfile::tempdir().unwrap();
            let outcome = examine(&interpreter, KNOCKON, &pair, &flags, scratch.path());
            outcomes.push((format!("{name} {:?}", pair.edits), outcome.unwrap()));
        }
    };
    let outcomes: Vec<(String, Outcome)> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        let joined = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let mut summary = Summary::default();
    for (name, outcome) in outcomes {
        if let Outcome::Checked { findings, .. } = &outcome {
            let broken = findings.violations.iter().map(ToString::to_string);
            let broken: Vec<String> = broken.collect();
            assert!(broken.is_empty(), "{name}:\n{}", broken.join("\n"));
        }
        summary.add(outcome);
    }
    summary
}

#[test]
fn all_laws_hold_on_random_pairs() {
    let summary = held(100, |index| {
        let (seed, pair) = own_pair(3, index);
        (format!("pair {index} (seed {seed})"), pair, Vec::new())
    });
    assert!(summary.evidence >= 75, "{summary}");
    assert!(summary.findings.tallied(DIFFERING) >= 30, "{summary}");
    for law in [
        Law::Oracle,
        Law::Lines,
        Law::NoChange,
        Law::Pairing,
        Law::ExecuteAfter,
        Law::Levels,
        Law::Hunks,
        Law::Jobs,
        Law::Duality,
    ] {
        assert!(summary.findings.checked[&law] > 500, "{law}: {summary}");
    }
}

#[test]
fn all_laws_hold_on_edited_programs_of_csmith() {
    let flags = vec![format!(
        "-I{}",
        csmith::header_directory().unwrap().display()
    )];
    let summary = held(2, |index| {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("program.c");
        csmith::write_program(index as u64, &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let pair = textual_pair(&text, index as u64);
        (format!("csmith {index}"), pair, flags.clone())
    });
    assert!(summary.checked >= 1, "{summary}");
}

/// The assertion that fails stands on the line on which another one stood, and is a new node.
#[test]
fn a_number_of_a_line_that_moved_is_no_other_output() {
    let version = |test: &str| {
        format!(
            "#include <assert.h>\n#include <stdio.h>\nint main(int argc, char **argv) {{\n\
             int x = argc;\n{test}\nprintf(\"one\\n\");\n}}\n\
             assert(x > 5 && \"first\");\nassert(x > 7 && \"second\");\nreturn 0;\n}}\n"
        )
    };
    let summary = held(1, |_| {
        let pair = PairProgram {
            old: version("if (x == 1) {"),
            new: version("if (!(x == 1)) {\n} else {"),
            inputs: vec![Input::default()],
            edits: vec!["condition written otherwise".to_owned()],
        };
        ("a moved line".to_owned(), pair, Vec::new())
    });
    assert_eq!(summary.evidence, 1, "{summary}");
    assert_eq!(summary.findings.checked[&Law::Output], 1, "{summary}");
}

/// It is the number of a line close behind it by chance, and the same in both versions.
#[test]
fn a_number_that_both_versions_pass_is_no_line_that_moved() {
    let version = |above: &str| {
        format!(
            "{above}#include <assert.h>\n#include <stdio.h>\n\
             static int twice(int n) {{ return n * 2; }}\nint main(int argc, char **argv) {{\n\
             int x = twice(9);\nassert(x > 5);\nprintf(\"%d\\n\", x);\nreturn 0;\n}}\n"
        )
    };
    let summary = held(1, |_| {
        let pair = PairProgram {
            old: version(""),
            new: version("/*\nabove\n*/\n"),
            inputs: vec![Input::default()],
            edits: vec!["lines added".to_owned()],
        };
        ("a number".to_owned(), pair, Vec::new())
    });
    assert_eq!(summary.evidence, 1, "{summary}");
}

/// The oracle needs what propagation finds: sources alone do not cover what differs.
#[test]
fn sources_alone_break_the_oracle() {
    fn sources_only(versions: Sides<Version<'_>>, edits: &Edits) -> Claims {
        Claims {
            impacted: Sides::default(),
            ..dataflow_claims(versions, edits)
        }
    }
    let sources_only = Analysis {
        claims: sources_only,
        report: None,
    };
    let interpreter = interpreter();
    let (mut differing, mut broken) = (0, 0);
    for index in 0..12 {
        let (_, pair) = own_pair(8, index);
        if let Outcome::Checked { findings, .. } = examined(&interpreter, sources_only, &pair) {
            differing += usize::from(findings.tallied(SEEN) > 0);
            broken += usize::from(findings.breaks(Law::Oracle));
        }
    }
    assert!(differing >= 3, "{differing}");
    assert!(broken * 2 > differing, "{broken} of {differing}");
}

#[test]
fn versions_that_are_the_same_observe_the_same() {
    let interpreter = interpreter();
    let mut summary = Summary::default();
    for index in 0..8 {
        let (seed, mut pair) = own_pair(5, index);
        pair.new = pair.old.clone();
        pair.edits.clear();
        let outcome = examined(&interpreter, nothing_differs(), &pair);
        if let Outcome::Checked { findings, .. } = &outcome {
            assert_eq!(findings.violations, [], "pair {index} (seed {seed})");
            assert_eq!(findings.tallied(SEEN), 0);
        }
        summary.add(outcome);
    }
    assert!(summary.evidence >= 6, "{summary}");
}

#[test]
fn no_pair_differs_where_everything_may() {
    let interpreter = interpreter();
    let mut summary = Summary::default();
    for index in 0..30 {
        let (seed, pair) = own_pair(6, index);
        let outcome = examined(&interpreter, everything_differs(), &pair);
        if let Outcome::Checked { findings, .. } = &outcome {
            let oracle = findings
                .violations
                .iter()
                .find(|one| one.law == Law::Oracle);
            assert_eq!(oracle, None, "pair {index} (seed {seed})");
        }
        summary.add(outcome);
    }
    assert!(summary.checked >= 20, "{summary}");
    assert!(summary.evidence >= 15, "{summary}");
    assert!(summary.findings.tallied(DIFFERING) >= 8, "{summary}");
}

/// Two versions allocate in another order, and yet a program that copies addresses byte by byte
/// sees the same bytes.
#[test]
fn bytes_of_the_address_of_a_paired_object_are_the_same() {
    let old = "#include <stdlib.h>
static void copy(char *to, const char *from, int length) {
    for (int i = 0; i < length; i++)
        to[i] = from[i];
}
int main(int argc, char **argv) {
    void *extra = malloc(16);
    int *cell = malloc(sizeof *cell), *same;
    *cell = 3;
    copy((char *)&same, (char *)&cell, sizeof cell);
    int result = *same - 3;
    free(cell);
    free(extra);
    return result;
}
";
    let pair = PairProgram {
        old: old.to_string(),
        new: old
            .replace("    void *extra = malloc(16);\n", "")
            .replace("    free(extra);\n", ""),
        inputs: vec![Input::default()],
        edits: vec!["allocation removed".to_string()],
    };
    nothing_that_is_left_differs(&pair);
}

#[test]
fn a_constant_that_names_a_renamed_function_is_the_same() {
    let old = "struct command { const char *name; int (*run)(int); };
static int count(int x) { return x + 1; }
int main(int argc, char **argv) {
    struct command commands[2] = {{\"count\", count}, {\"again\", count}};
    return commands[argc > 5].run(1) - 2;
}
";
    nothing_that_is_left_differs(&PairProgram {
        old: old.to_string(),
        new: old
            .replace(" count(int", " counted(int")
            .replace(", count}", ", counted}"),
        inputs: vec![Input::default()],
        edits: vec!["function renamed".to_string()],
    });
}

fn nothing_that_is_left_differs(pair: &PairProgram) {
    let outcome = examined(&interpreter(), KNOCKON, pair);
    let Outcome::Checked {
        findings,
        no_evidence,
    } = outcome
    else {
        panic!("both versions compile");
    };
    assert_eq!(no_evidence, Vec::<String>::new());
    assert_eq!(findings.violations, []);
    assert_eq!(findings.tallied(SEEN), 0, "nothing that is left differs");
}

/// The laws are able to fail.
#[test]
fn each_law_is_broken_by_claims_that_are_wrong() {
    let interpreter = interpreter();
    let broken = |analysis: Analysis, old: &str, new: &str, edits: Vec<String>| -> Vec<Law> {
        let pair = PairProgram {
            old: old.to_string(),
            new: new.to_string(),
            inputs: vec![Input::default()],
            edits,
        };
        let Outcome::Checked {
            findings,
            no_evidence,
        } = examined(&interpreter, analysis, &pair)
        else {
            panic!("both versions compile");
        };
        assert_eq!(no_evidence, Vec::<String>::new());
        let mut laws: Vec<Law> = findings.violations.iter().map(|one| one.law).collect();
        laws.dedup();
        laws
    };
    let old = "static int twice(int x) { return x * 2; }
int main(void) {
    return twice(3) - 6;
}
";
    let new = old.replace("twice(3)", "twice(4)");
    let changed = vec!["constant".to_string()];
    assert_eq!(
        broken(nothing_differs(), old, &new, changed.clone()),
        [Law::Oracle],
        "the argument, and the product, differ"
    );
    assert_eq!(
        broken(everything_differs(), old, old, Vec::new()),
        [Law::NoChange]
    );
    let lines_are_unaffected = Analysis {
        report: Some(|versions, level| {
            let mut report = command_report(versions, level)?;
            for row in &mut report.lines {
                row.verdict = Verdict::Unaffected;
            }
            Ok(report)
        }),
        ..KNOCKON
    };
    assert_eq!(
        broken(lines_are_unaffected, old, &new, changed.clone()),
        [Law::Lines]
    );
    let lines_are_possible = Analysis {
        report: Some(|versions, level| {
            let mut report = command_report(versions, level)?;
            for row in &mut report.lines {
                row.verdict = Verdict::Possible;
            }
            Ok(report)
        }),
        ..KNOCKON
    };
    assert_eq!(
        broken(lines_are_possible, old, old, Vec::new()),
        [Law::NoChange]
    );
    let no_hunk_reaches = Analysis {
        report: Some(|versions, level| {
            let mut report = command_report(versions, level)?;
            for row in &mut report.lines {
                row.hunks.clear();
            }
            Ok(report)
        }),
        ..KNOCKON
    };
    assert_eq!(broken(no_hunk_reaches, old, &new, changed), [Law::Hunks]);
    let functions_are_possible = Analysis {
        report: Some(|versions, level| {
            let mut report = command_report(versions, level)?;
            for row in &mut report.functions {
                row.verdict = Verdict::Possible;
            }
            Ok(report)
        }),
        ..KNOCKON
    };
    let old = "static int first(void) { return 1; }
static int then(void) { return 2; }
int main(void) {
    return first() + then() - 3;
}
";
    let new = old.replace("return 2", "return 3");
    assert_eq!(
        broken(
            functions_are_possible,
            old,
            &new,
            vec!["constant".to_string()]
        ),
        [Law::ExecuteAfter],
        "first comes before the change"
    );
}
