use super::*;
use crate::call_flow::{CallFlowBuilder, NodeRow};
use crate::small_flows::{ProcedureShape, Shape, build, random};

/// A node that calls one procedure and leads to others; beyond the last node stands the return.
fn call(target: usize, successors: &[usize]) -> Shape {
    Shape {
        targets: vec![target],
        goes_on: [false; 3],
        successors: successors.to_vec(),
        ..Shape::default()
    }
}

fn joint(successors: &[usize]) -> Shape {
    Shape {
        goes_on: [true, false, false],
        successors: successors.to_vec(),
        ..Shape::default()
    }
}

fn procedure(nodes: Vec<Shape>) -> ProcedureShape {
    ProcedureShape {
        nodes,
        landing: None,
    }
}

/// A procedure that only returns.
fn leaf() -> ProcedureShape {
    procedure(vec![joint(&[1])])
}

fn kinds(graph: &ComponentGraph, procedure: usize) -> Vec<ComponentKind> {
    graph
        .components_of(Procedure::from(procedure))
        .map(|component| graph.kinds[component.index()])
        .collect()
}

const RETURN: ComponentKind = ComponentKind::End(Way::Return);

#[test]
fn calls_of_one_loop_are_one_component() {
    // do { f(); g(); } while (…);
    let shapes = [
        procedure(vec![call(1, &[1]), call(2, &[0, 2])]),
        leaf(),
        leaf(),
    ];
    let graph = component_graph(&build(&shapes, &[]));
    assert_eq!(kinds(&graph, 0), [ComponentKind::Calls, RETURN]);
    assert_eq!(graph.targets.of(0usize), [Procedure(1), Procedure(2)]);
    assert!(graph.loops.contains(0));
    // f and g both come back to the loop.
    assert_eq!(graph.resumes[0].of(1usize), [ComponentId(0)]);
    assert_eq!(graph.resumes[0].of(2usize), [ComponentId(0)]);
}

#[test]
fn branches_without_calls_leave_no_trace() {
    // f(); if (…) … else …; g();
    let shapes = [
        procedure(vec![
            call(1, &[1]),
            joint(&[2, 3]),
            joint(&[4]),
            joint(&[4]),
            call(2, &[5]),
        ]),
        leaf(),
        leaf(),
    ];
    let graph = component_graph(&build(&shapes, &[]));
    let calls = ComponentKind::Calls;
    assert_eq!(kinds(&graph, 0), [calls, calls, RETURN]);
    assert_eq!(graph.successors.of(0usize), [ComponentId(1)]);
}

#[test]
fn what_follows_a_call_that_never_returns_is_left_out() {
    // f() { for (;;) ; }  main() { f(); g(); }
    let shapes = [
        procedure(vec![call(1, &[1]), call(2, &[2])]),
        procedure(vec![joint(&[0])]),
        leaf(),
    ];
    let graph = component_graph(&build(&shapes, &[]));
    assert_eq!(kinds(&graph, 0), [ComponentKind::Calls]);
    assert_eq!(graph.targets.of(0usize), [Procedure(1)]);
    assert!(graph.resumes[0].of(1usize).is_empty());
}

#[test]
fn recursion_without_an_end_never_returns_and_with_one_it_does() {
    let endless = component_graph(&build(&[procedure(vec![call(0, &[1])])], &[]));
    assert_eq!(kinds(&endless, 0), [ComponentKind::Calls]);
    let ends = procedure(vec![joint(&[1, 2]), call(0, &[2])]);
    let graph = component_graph(&build(&[ends], &[]));
    assert_eq!(kinds(&graph, 0), [ComponentKind::Calls, RETURN]);
    assert_eq!(graph.resumes[0].of(0usize), [ComponentId(1)]);
}

/// Ten thousand branches that meet in one point and part again are joined there.
#[test]
fn edges_stay_linear() {
    let width = 10_000;
    let mut builder = CallFlowBuilder::default();
    builder.begin_procedure();
    let entry = builder.node(NodeRow::default());
    let middle = builder.node(NodeRow::default());
    let end = builder.node(NodeRow::end(Way::Return));
    for _ in 0..width {
        let before = builder.call(NodeRow::call(None), &[Procedure(1)]);
        let after = builder.call(NodeRow::call(None), &[Procedure(1)]);
        builder.edge(entry, before);
        builder.edge(before, middle);
        builder.edge(middle, after);
        builder.edge(after, end);
    }
    builder.begin_procedure();
    builder.node(NodeRow::end(Way::Return));
    let graph = component_graph(&builder.finish(2, 2, Vec::new()));
    let size = graph.size();
    assert_eq!((size.components, size.joints), (2 * width, 2));
    assert_eq!(graph.successors.item_count(), 4 * width);
}

#[test]
fn components_are_in_topological_order_and_lead_to_a_sink() {
    for seed in 0..2000 {
        let (shapes, anytime) = random(seed, 6, 6);
        let graph = component_graph(&build(&shapes, &anytime));
        for procedure in (0..graph.procedure_count()).map(Procedure::from) {
            for component in graph.components_of(procedure) {
                assert_eq!(graph.procedure_of(component), procedure);
                for next in graph.successors.of(component) {
                    assert!(component < *next, "seed {seed}");
                    assert_eq!(graph.procedure_of(*next), procedure, "seed {seed}");
                }
                if let ComponentKind::End(way) = graph.kinds[component.index()] {
                    assert!(graph.successors.of(component).is_empty(), "seed {seed}");
                    let ends: Vec<_> = graph.ends_of(procedure).collect();
                    assert!(ends.contains(&(component, way)), "seed {seed}");
                }
            }
        }
    }
}
