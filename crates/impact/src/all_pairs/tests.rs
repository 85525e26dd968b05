use super::*;
use crate::component_graph::component_graph;
use crate::execute_after::{Direction, execute_after};
use crate::order_graph::order_graph;
use crate::small_flows::{ProcedureShape, build, random};
use knockon_graphs::Components;

fn graphs(seed: u64, procedures: usize, nodes: usize) -> (ComponentGraph, OrderGraph) {
    let (shapes, anytime) = random(seed, procedures, nodes);
    let components = component_graph(&build(&shapes, &anytime));
    let order = order_graph(&components);
    (components, order)
}

#[test]
fn both_algorithms_agree_on_random_programs() {
    for seed in 0..1000 {
        let (components, order) = graphs(seed, 30, 6);
        let relation = execute_after_all(&components, &order);
        for function in components.functions() {
            let one = execute_after(&components, &order, function, Direction::After);
            let one: Vec<Procedure> = one.related.iter().map(|one| one.function).collect();
            assert_eq!(relation.related(function), one, "seed {seed}");
        }
    }
}

#[test]
fn the_width_of_a_block_does_not_matter() {
    let mut several_blocks = 0;
    for seed in 0..20 {
        let mut shapes = random(seed, 400, 3).0;
        for (number, shape) in shapes.iter_mut().enumerate() {
            for node in &mut shape.nodes {
                node.targets.retain(|target| *target > number);
            }
        }
        let components = component_graph(&build(&shapes, &[]));
        let order = order_graph(&components);
        let whole = execute_after_all(&components, &order);
        let narrow = execute_after_all_in_blocks(&components, &order, 1);
        several_blocks += usize::from(whole.words > 1);
        assert_eq!(whole.bits, narrow.bits, "seed {seed}");
    }
    assert!(several_blocks > 10);
}

#[test]
fn the_inverse_turns_every_pair_round_and_pairs_are_counted() {
    for seed in 0..300 {
        let (components, order) = graphs(seed, 20, 4);
        let relation = execute_after_all(&components, &order);
        let inverse = relation.inverse();
        let mut pairs = 0;
        for left in components.functions() {
            for right in components.functions() {
                let related = relation.contains(left, right);
                assert_eq!(related, inverse.contains(right, left), "seed {seed}");
                pairs += u64::from(related);
            }
        }
        assert_eq!(relation.pair_count(), pairs, "seed {seed}");
        assert_eq!(inverse.pair_count(), pairs, "seed {seed}");
    }
}

/// The same program in which every call may be passed and every node may return.
fn always_returning(mut shapes: Vec<ProcedureShape>) -> Vec<ProcedureShape> {
    for shape in &mut shapes {
        let count = shape.nodes.len();
        for node in &mut shape.nodes {
            node.goes_on = [true, false, false];
            node.successors.retain(|next| *next <= count);
            node.successors.push(count);
            node.catches = None;
        }
    }
    shapes
}

fn call_groups(components: &ComponentGraph) -> Components<Procedure> {
    let mut calls = Rows::default();
    for procedure in (0..components.procedure_count()).map(Procedure::from) {
        let parts = components.components_of(procedure);
        calls.push_row(parts.flat_map(|part| components.targets.of(part).iter().copied()));
    }
    knockon_graphs::components(&calls)
}

/// Lemma 1.
#[test]
fn where_every_call_returns_rows_and_columns_are_the_recursive_groups() {
    for seed in 0..1000 {
        let shapes = always_returning(random(seed, 12, 3).0);
        let components = component_graph(&build(&shapes, &[]));
        let order = order_graph(&components);
        let relation = execute_after_all(&components, &order);
        let groups = call_groups(&components);
        for left in components.functions() {
            for right in components.functions() {
                let together =
                    groups.component_of[left.index()] == groups.component_of[right.index()];
                for classes in [&relation.rows, &relation.columns] {
                    let same = classes.class_of(left) == classes.class_of(right);
                    assert_eq!(same, together, "seed {seed}");
                }
            }
        }
    }
}

/// SEA = CALL ∪ SEQ ∪ RET as printed, from all pairs of calls with a path between them.
#[test]
fn where_every_call_returns_it_is_the_printed_definition() {
    for seed in 0..1000 {
        let shapes = always_returning(random(seed, 8, 5).0);
        let count = shapes.len();
        let components = component_graph(&build(&shapes, &[]));
        let order = order_graph(&components);
        let relation = execute_after_all(&components, &order);
        let expected = printed_definition(&shapes);
        for left in 0..count {
            for right in 0..count {
                let related = relation.contains(Procedure::from(left), Procedure::from(right));
                assert_eq!(
                    related, expected[left][right],
                    "seed {seed}: {left} {right}"
                );
            }
        }
    }
}

fn transitive(mut relation: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    for middle in 0..relation.len() {
        for from in 0..relation.len() {
            for to in 0..relation.len() {
                relation[from][to] |= relation[from][middle] && relation[middle][to];
            }
        }
    }
    relation
}

fn printed_definition(shapes: &[ProcedureShape]) -> Vec<Vec<bool>> {
    let count = shapes.len();
    let reached: Vec<Vec<Vec<bool>>> = shapes
        .iter()
        .map(|shape| {
            let nodes = shape.nodes.len();
            let mut flow = vec![vec![false; nodes]; nodes];
            for (from, node) in shape.nodes.iter().enumerate() {
                for to in node.successors.iter().filter(|to| **to < nodes) {
                    flow[from][*to] = true;
                }
            }
            transitive(flow)
        })
        .collect();
    let executes = |procedure: usize, node: usize| node == 0 || reached[procedure][0][node];
    let mut call = vec![vec![false; count]; count];
    for (caller, shape) in shapes.iter().enumerate() {
        for (number, node) in shape.nodes.iter().enumerate() {
            for target in node.targets.iter().filter(|_| executes(caller, number)) {
                call[caller][*target] = true;
            }
        }
    }
    let call = transitive(call);
    let calls_or_is = |from: usize, to: usize| from == to || call[from][to];
    let mut relation = vec![vec![false; count]; count];
    for left in 0..count {
        for right in 0..count {
            relation[left][right] = call[left][right] || call[right][left];
        }
    }
    for (caller, shape) in shapes.iter().enumerate() {
        for (first, node) in shape.nodes.iter().enumerate() {
            for (second, other) in shape.nodes.iter().enumerate() {
                if !executes(caller, first) || !reached[caller][first][second] {
                    continue;
                }
                for (from, to) in node
                    .targets
                    .iter()
                    .flat_map(|from| other.targets.iter().map(move |to| (*from, *to)))
                {
                    for left in 0..count {
                        for right in 0..count {
                            relation[left][right] |=
                                calls_or_is(from, left) && calls_or_is(to, right);
                        }
                    }
                }
            }
        }
    }
    relation
}
