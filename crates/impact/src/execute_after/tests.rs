//! Fig. 4, Fig. 5 and the definition agree, and SEB is the inverse of SEA.

use super::*;
use crate::all_pairs::execute_after_all;
use crate::call_flow::CallFlow;
use crate::component_graph::component_graph;
use crate::oracle;
use crate::order_graph::order_graph;
use crate::small_flows::{
    ProcedureShape, build, leaving_in_all_ways, leaving_in_all_ways_count, random, returning,
    returning_count,
};
use rayon::prelude::*;

/// `relation[f][g]` by Fig. 4 forward, by Fig. 4 backward, and by Fig. 5.
fn analysed(flow: &CallFlow) -> [Vec<Vec<bool>>; 3] {
    let components = component_graph(flow);
    let order = order_graph(&components);
    let reversed = order.reversed();
    let all = execute_after_all(&components, &order);
    let count = flow.procedure_count();
    let mut relations = [(); 3].map(|()| vec![vec![false; count]; count]);
    for asked in components.functions() {
        for one in execute_after(&components, &order, asked, Direction::After).related {
            relations[0][asked.index()][one.function.index()] = true;
        }
        for one in execute_after(&components, &reversed, asked, Direction::Before).related {
            relations[1][one.function.index()][asked.index()] = true;
        }
        for other in components.functions() {
            relations[2][asked.index()][other.index()] = all.contains(asked, other);
        }
    }
    relations
}

fn hold_against_runs(shapes: &[ProcedureShape], anytime: &[usize], name: impl Fn() -> String) {
    let flow = build(shapes, anytime);
    let expected = oracle::execute_after(&flow);
    for (way, relation) in ["after", "before", "all"].iter().zip(analysed(&flow)) {
        assert_eq!(relation, expected, "{way} of {}: {shapes:?}", name());
    }
}

fn all_returning(procedures: usize, nodes: usize) {
    (0..returning_count(procedures, nodes))
        .into_par_iter()
        .for_each(|number| {
            let shapes = returning(procedures, nodes, number);
            hold_against_runs(&shapes, &[], || format!("{procedures}, {nodes}, {number}"));
        });
}

#[test]
fn every_program_of_one_procedure_with_two_nodes_is_exact() {
    all_returning(1, 2);
}

#[test]
fn every_program_of_one_procedure_with_three_nodes_is_exact() {
    all_returning(1, 3);
}

#[test]
fn every_program_of_three_procedures_with_one_node_is_exact() {
    all_returning(3, 1);
}

#[test]
fn every_program_of_two_procedures_with_two_nodes_is_exact() {
    all_returning(2, 2);
}

#[test]
fn programs_of_two_nodes_that_are_left_in_any_way_are_exact() {
    (0..leaving_in_all_ways_count())
        .into_par_iter()
        .step_by(17)
        .for_each(|number| {
            hold_against_runs(&leaving_in_all_ways(number), &[], || number.to_string());
        });
}

#[test]
fn random_programs_are_exact() {
    (0..3000u64).into_par_iter().for_each(|seed| {
        let (shapes, anytime) = random(seed, 3, 4);
        hold_against_runs(&shapes, &anytime, || format!("seed {seed}"));
    });
}
