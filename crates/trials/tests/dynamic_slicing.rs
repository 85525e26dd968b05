//! Dynamic slices of random programs, held to what they must be: part of the static slice, the same
//! in both directions, and what the definition says. Fixtures show them by line.

mod occurrence_oracle;

use knockon_change::Side;
use knockon_impact::dependence::Vertex;
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::dynamic_slicing::{
    Direction, DynamicDependence, dynamic_dependence, dynamic_slice, line_occurrences,
};
use knockon_impact::propagation::Place;
use knockon_impact::slicing::{backward_slice, forward_slice};
use knockon_interpreter::{Exit, History, OccurrenceId, RunInput};
use knockon_memory::memory_model::{MemoryModel, memory_model};
use knockon_program::{Program, TimeLimit};
use knockon_trials::against_clang::interpreted::Interpreter;
use knockon_trials::soak::Bench;
use knockon_trials::soundness::soak::defined_program;
use occurrence_oracle::Oracle;
use std::collections::{BTreeMap, BTreeSet};

/// A run of a promoted program, and its dependences.
struct Sliced {
    program: Program,
    model: MemoryModel,
    history: History,
    graph: DynamicDependence,
}

fn interpreter(step_limit: u64) -> Interpreter {
    Interpreter {
        step_limit,
        ..Bench::find().unwrap().interpreter
    }
}

/// `None` for a run that does not end by its own will within the limit.
fn sliced(interpreter: &Interpreter, source: &str, input: &RunInput) -> Option<Sliced> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("program.c");
    std::fs::write(&path, source).unwrap();
    let mut program = interpreter.read(&path, &[]).unwrap().unwrap();
    knockon_graphs::promote(&mut program);
    let input = RunInput {
        history: true,
        step_limit: interpreter.step_limit,
        ..input.clone()
    };
    let run = knockon_interpreter::run(&program, &input);
    if matches!(
        run.exit,
        Exit::Undefined { .. } | Exit::StepLimit | Exit::Unsupported(_)
    ) {
        return None;
    }
    let history = run.history.unwrap();
    let model = memory_model(&program, TimeLimit::NONE).expect("there is no limit");
    let graph = dynamic_dependence(&program, &model, &history);
    Some(Sliced {
        program,
        model,
        history,
        graph,
    })
}

/// Runs of `count` random programs that end within the limit.
fn random_runs(soak: u64, count: usize, step_limit: u64, mut check: impl FnMut(&str, &Sliced)) {
    let interpreter = interpreter(step_limit);
    let mut checked = 0;
    for index in 0.. {
        if checked == count {
            return;
        }
        assert!(index < 40 * count, "only {checked} of {index} programs end");
        let (seed, origin) = defined_program(soak, index);
        let input = interpreter.run_input(&origin.input());
        if let Some(run) = sliced(&interpreter, &origin.source().unwrap(), &input) {
            check(&format!("program {index} (seed {seed})"), &run);
            checked += 1;
        }
    }
}

/// A few occurrences, spread over the run.
fn criteria(run: &Sliced, count: usize) -> impl Iterator<Item = OccurrenceId> + use<> {
    let all = run.history.occurrences.len();
    let step = (all / count).max(1);
    (0..all)
        .step_by(step)
        .map(|index| OccurrenceId(index as u32))
}

fn all_occurrences(run: &Sliced) -> impl Iterator<Item = OccurrenceId> + use<> {
    (0..run.history.occurrences.len() as u32).map(OccurrenceId)
}

#[test]
fn a_dynamic_slice_is_part_of_the_static_one() {
    random_runs(11, 40, 50_000, |name, run| {
        let whole = ProgramDependence::new(&run.program, &run.model);
        let mut seen = BTreeSet::new();
        for criterion in criteria(run, 12) {
            let node = run.history.node(criterion);
            if !seen.insert(node) {
                continue;
            }
            let walk = forward_slice(&whole, &[node], TimeLimit::NONE).expect("there is no limit");
            let back = backward_slice(&whole, &[node], TimeLimit::NONE).expect("there is no limit");
            let forward = dynamic_slice(&run.graph, &[criterion], Direction::Forward);
            let backward = dynamic_slice(&run.graph, &[criterion], Direction::Backward);
            for id in all_occurrences(run) {
                let (function, instruction) = run.history.node(id);
                let place = Place {
                    side: Side::New,
                    function,
                    vertex: Vertex(instruction.0),
                };
                let ways = |slice| way(run, slice, id);
                if forward.contains(id) {
                    let allowed = walk.is_reached(place);
                    assert!(allowed, "{name}: forward {}", ways(&forward));
                }
                if backward.contains(id) {
                    let allowed = back.contains(function, instruction);
                    assert!(allowed, "{name}: backward {}", ways(&backward));
                }
            }
        }
    });
}

/// The way to an occurrence, for a failure.
fn way(
    run: &Sliced,
    slice: &knockon_impact::dynamic_slicing::DynamicSlice<'_>,
    id: OccurrenceId,
) -> String {
    let mut text = String::new();
    for vertex in slice.way(id) {
        use knockon_impact::dynamic_slicing::DynamicVertexKind::*;
        let kind = run.graph.kind(vertex);
        let (Node(at) | Happens(at) | Does(at) | Returns(at) | World(at)) = kind;
        let (function, instruction) = run.history.node(at);
        let body = run.program.function(function).body.as_deref().unwrap();
        let row = body.instruction(instruction);
        let line = run.program.place(row.place).line;
        let name = run.program.function_name(function);
        text.push_str(&format!("\n{kind:?} {name} {line} {:?}", row.opcode));
    }
    text
}

#[test]
fn forward_and_backward_slices_of_a_run_are_dual() {
    random_runs(12, 20, 20_000, |name, run| {
        let chosen: Vec<OccurrenceId> = criteria(run, 40).collect();
        let slices = |direction| {
            let slices = chosen.iter();
            let slices = slices.map(|id| dynamic_slice(&run.graph, &[*id], direction));
            slices.collect::<Vec<_>>()
        };
        let (forward, backward) = (slices(Direction::Forward), slices(Direction::Backward));
        for (one, from) in chosen.iter().enumerate() {
            for (two, to) in chosen.iter().enumerate() {
                assert_eq!(
                    forward[one].contains(*to),
                    backward[two].contains(*from),
                    "{name}: {from:?} to {to:?}"
                );
            }
        }
    });
}

#[test]
fn slices_are_what_the_definition_says() {
    let mut held = 0;
    random_runs(13, 25, 3_000, |name, run| {
        let Some(oracle) = Oracle::of(&run.program, &run.model, &run.history) else {
            return;
        };
        held += 1;
        for criterion in criteria(run, 25) {
            let slice = dynamic_slice(&run.graph, &[criterion], Direction::Backward);
            let found: BTreeSet<OccurrenceId> = all_occurrences(run)
                .filter(|id| slice.contains(*id))
                .collect();
            let expected = oracle.backward(criterion);
            assert_eq!(found, expected, "{name}: {criterion:?}");
        }
    });
    assert!(held >= 8, "the oracle took only {held} runs");
}

/// Which occurrences of each line are in a slice. In the source, `// from N` is the criterion (the
/// Nth occurrence of the line) and `// in N …` are the occurrences that must be in its slice; lines
/// without a mark must not be in it.
fn check_marks(source: &str, direction: Direction) {
    let marks = |word: &str| -> BTreeMap<u32, Vec<u32>> {
        let lines = (1..).zip(source.lines());
        let marked = lines.filter_map(|(number, line)| {
            let (_, mark) = line.split_once("// ")?;
            let (_, after) = mark.split_once(word)?;
            let numbers = after.split([' ', ';']).map_while(|part| part.parse().ok());
            Some((number, numbers.collect()))
        });
        marked.collect()
    };
    let run = sliced(&interpreter(100_000), source, &RunInput::default()).expect("a run that ends");
    let lines = line_occurrences(&run.program, &run.history);
    let mut criterion = Vec::new();
    for (line, numbers) in marks("from ") {
        let found = lines
            .lines()
            .find(|row| row.2 == line)
            .expect("a line that ran");
        criterion.extend(lines.members(found.0, numbers.first().copied()));
    }
    assert!(!criterion.is_empty(), "nothing to slice from");
    let slice = dynamic_slice(&run.graph, &criterion, direction);
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for id in all_occurrences(&run).filter(|id| slice.contains(*id)) {
        if let Some(row) = lines.of(id) {
            let (_, _, line) = lines.lines().nth(row.line.0 as usize).unwrap();
            found.entry(line).or_default().insert(row.number);
        }
    }
    let found: BTreeMap<u32, Vec<u32>> = found
        .into_iter()
        .map(|(line, numbers)| (line, numbers.into_iter().collect()))
        .collect();
    assert_eq!(found, marks("in "));
}

/// [change-effects] Table 1: the dynamic slice from the first occurrence of statement 5.
#[test]
fn the_example_of_the_source_has_its_slice() {
    check_marks(
        "int a = 5, four = 4, two = 2, b[] = {1, -1, 0, 3};
int main(void) {
    int v = a, j = 0;
    for (int i = 0; i < 4; i++) {
        if (b[i] > 0)
            j = four + 1; // from 1; in 1
        else
            j = two + 1;
        v += j; // in 1 2 3 4
    }
    return v > -10; // in 1
}
",
        Direction::Forward,
    );
}

#[test]
fn only_the_third_turn_of_a_loop_matters() {
    check_marks(
        "int data[] = {1, 2, 3, 4}, out[4];
int main(void) {
    for (int i = 0; i < 4; i++) {
        int x = data[i] * 2; // from 3; in 3
        out[i] = x + 1; // in 3
    }
    int first = out[0] + 1;
    int third = out[2] + 1; // in 1
    return first * 0 + third; // in 1
}
",
        Direction::Forward,
    );
}

#[test]
fn an_overwritten_value_is_not_in_the_slice() {
    check_marks(
        "int g, one = 1;
int main(void) {
    g = one + 1; // from 1; in 1
    int early = g * 2; // in 1
    g = one + 2;
    int late = g * 3;
    return late + early * 0 == 9; // in 1
}
",
        Direction::Forward,
    );
}

#[test]
fn a_branch_that_is_not_taken_is_not_in_the_slice() {
    check_marks(
        "int c = 0, one = 1, g;
int main(void) {
    int x = one + 1;
    if (c + one > 1) // from 1; in 1
        g = x + 5;
    else
        g = x + 6; // in 1
    int y = x * 2;
    return y + g; // in 1
}
",
        Direction::Forward,
    );
}

#[test]
fn a_call_is_left_to_where_it_came_from() {
    check_marks(
        "int one = 1;
int twice(int x) {
    return x * 2; // in 2
}
int main(void) {
    int a = one + 1;
    int b = one + 2; // from 1; in 1
    int c = twice(a);
    int d = twice(b); // in 1
    int e = c + 1;
    int f = d + 1; // in 1
    return e * 0 + f; // in 1
}
",
        Direction::Forward,
    );
}

#[test]
fn what_decided_and_what_was_read_is_in_the_backward_slice() {
    check_marks(
        "int one = 1, two = 2, g;
static void set(int x) {
    g = x; // in 2
}
int main(void) {
    set(one + 5);
    if (two > one) // in 1
        set(two); // in 1
    return g + one; // from 1; in 1
}
",
        Direction::Backward,
    );
}

#[test]
fn the_library_hands_values_on() {
    check_marks(
        "#include <string.h>
#include <stdio.h>
char from[8], to[8], other[8], c = 'x';
int main(void) {
    from[0] = c + 1; // from 1; in 1
    other[0] = c;
    strcpy(to, from); // in 1
    printf(\"%zu\\n\", strlen(other));
    printf(\"%zu\\n\", strlen(to)); // in 1
    return 0;
}
",
        Direction::Forward,
    );
}

#[test]
fn what_follows_depends_on_a_call_that_might_have_left() {
    check_marks(
        "#include <stdlib.h>
int one = 1, g;
static void check(int x) {
    if (x > 5) // in 1
        exit(3);
} // in 1
int main(void) {
    int x = one + 1; // from 1; in 1
    g = 4;
    check(x); // in 1
    g = 5; // in 1
    return g; // in 1
}
",
        Direction::Forward,
    );
}
