//! One walk with a bit for each group of sources finds what a walk for each group finds, also where
//! ways from sources stop at what is the same.

use knockon_change::{Change, Edits, Side, Sides, Version, pair, text_hunks};
use knockon_engine::comparison::{Models, dependences};
use knockon_impact::dataflow_impact::{
    DataflowImpact, Source, SourceMap, dataflow_impact, each_start,
};
use knockon_impact::dependence::program_graph::ProgramDependence;
use knockon_impact::grouped_walk::{Groups, impact_by_group};
use knockon_impact::propagation::{Propagation, SameVertices, Sameness};
use knockon_program::{FunctionId, InstructionId, OutOfTime, Program, TimeLimit};
use knockon_trials::against_clang::interpreted::Interpreter;
use knockon_trials::edits::{PairProgram, own_pair};
use knockon_trials::soak::Bench;
use std::cell::RefCell;
use std::time::{Duration, Instant};

const GROUPS: usize = 5;

/// Each source that is new gets the next group, round about.
fn group(known: &RefCell<Vec<Source>>, source: Source) -> usize {
    let mut known = known.borrow_mut();
    let at = known.iter().position(|row| *row == source);
    let at = at.unwrap_or_else(|| {
        known.push(source);
        known.len() - 1
    });
    at % GROUPS
}

/// Every third vertex, every fourth call and every fifth function are taken for the same: no proof
/// says so, and a walk does not ask.
fn some_sameness(graphs: &Sides<ProgramDependence<'_>>) -> Sameness {
    let mut sameness = Sameness::default();
    for side in Side::BOTH {
        let whole = graphs.of(side);
        for (function, ..) in whole.program.defined_functions() {
            let Some(graph) = whole.graph(function) else {
                continue;
            };
            let same = SameVertices {
                vertices: (0..graph.layout.vertex_count()).step_by(3).collect(),
                calls: (0..graph.layout.calls as usize).step_by(4).collect(),
                is_whole: function.index().is_multiple_of(5),
            };
            sameness.of_mut(side).insert(function, same);
        }
    }
    sameness
}

fn read(interpreter: &Interpreter, texts: &PairProgram) -> [Program; 2] {
    let scratch = tempfile::tempdir().unwrap();
    [("old.c", &texts.old), ("new.c", &texts.new)].map(|(name, text)| {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut program = interpreter.read(&path, &[]).unwrap().unwrap();
        knockon_graphs::promote(&mut program);
        program
    })
}

fn paired(versions: Sides<Version<'_>>, texts: &PairProgram) -> Change {
    let mut edits = Edits::default();
    let hunks = text_hunks(&texts.old, &texts.new);
    edits.files.insert("new.c".to_owned(), hunks);
    pair(versions, &edits)
}

/// What is found of summaries stays, and a later walk goes on from it.
#[test]
fn a_walk_that_was_given_up_leaves_graphs_that_say_the_same() {
    let interpreter = Bench::find().unwrap().interpreter;
    let mut given_up = 0;
    for index in 0..6 {
        let (seed, texts) = own_pair(12, index);
        let [old, new] = read(&interpreter, &texts);
        let programs = Sides {
            old: &old,
            new: &new,
        };
        let models = Models::of(programs, TimeLimit::NONE).expect("there is no limit");
        let versions = models.versions(programs);
        let change = paired(versions, &texts);
        let (graphs, fresh) = (dependences(versions), dependences(versions));
        let impact = |graphs: &'_ Sides<ProgramDependence<'_>>, limit| {
            dataflow_impact(&graphs.old, &graphs.new, &change, SourceMap::Coarse, limit)
                .map(|impact| reached_nodes(&impact, programs))
        };
        let mut time = Duration::from_micros(10);
        let late = loop {
            match impact(&graphs, TimeLimit::until(Instant::now() + time)) {
                Ok(found) => break found,
                Err(OutOfTime) => given_up += 1,
            }
            time = time * 3 / 2;
        };
        assert_eq!(Ok(late), impact(&fresh, TimeLimit::NONE), "seed {seed}");
    }
    assert!(given_up > 20, "{given_up} walks were given up");
}

fn reached_nodes(
    impact: &DataflowImpact<'_>,
    programs: Sides<&Program>,
) -> Vec<(Side, FunctionId, InstructionId)> {
    let mut found = Vec::new();
    for side in Side::BOTH {
        for (function, _, body) in programs.of(side).defined_functions() {
            let nodes = body.instruction_ids();
            let nodes = nodes.filter(|id| impact.is_impacted(side, function, *id));
            found.extend(nodes.map(|id| (side, function, id)));
        }
    }
    found
}

#[test]
fn what_groups_reach_together_is_what_each_reaches() {
    let interpreter = Bench::find().unwrap().interpreter;
    let mut nodes = 0;
    let mut apart = 0;
    for index in 0..12 {
        let (seed, texts) = own_pair(11, index);
        let [old, new] = read(&interpreter, &texts);
        let programs = Sides {
            old: &old,
            new: &new,
        };
        let models = Models::of(programs, TimeLimit::NONE).expect("there is no limit");
        let versions = models.versions(programs);
        let change = paired(versions, &texts);
        let graphs = dependences(versions);
        let some = some_sameness(&graphs);
        for sameness in [None, Some(&some)] {
            let known = RefCell::default();
            let of_source = |source: Source| Groups::one(group(&known, source));
            let (old, new) = (&graphs.old, &graphs.new);
            let how = (SourceMap::Coarse, sameness);
            let together = impact_by_group(old, new, &change, how, of_source, TimeLimit::NONE)
                .expect("there is no limit");
            for number in 0..GROUPS {
                let mut alone = Propagation::in_both(old, new, &change, sameness, TimeLimit::NONE);
                each_start((old, new), &change, SourceMap::Coarse, |source, start| {
                    if group(&known, source) == number {
                        alone.start(start);
                    }
                });
                alone.run().expect("there is no limit");
                for side in Side::BOTH {
                    let program = programs.of(side);
                    for (function, _, body) in program.defined_functions() {
                        for id in body.instruction_ids() {
                            let groups = together.groups(side, function, id);
                            let is_reached = alone.is_node_reached(side, function, id);
                            assert_eq!(
                                groups.contains(number),
                                is_reached,
                                "seed {seed}, group {number}: {side:?} {} {id:?}",
                                program.function_name(function)
                            );
                            nodes += 1;
                            apart += usize::from(!is_reached && groups != Groups::NONE);
                        }
                    }
                }
            }
        }
    }
    assert!(nodes > 10_000, "{nodes} nodes");
    assert!(
        apart > 500,
        "{apart} nodes that one group reaches and another does not"
    );
}
