use super::*;
use crate::call_flow::{CallFlow, FlowNode, Way};
use crate::component_graph::component_graph;
use crate::execute_after::execute_after;
use crate::order_graph::order_graph;
use crate::small_flows::{build, call_graph, random};

/// The node of a call site.
fn node_of(flow: &CallFlow, site: CallSiteId) -> FlowNode {
    let number = flow.nodes.iter().position(|row| row.site == Some(site));
    FlowNode::from(number.expect("the site's node"))
}

/// Control may come from behind one node to another one.
fn leads_on(flow: &CallFlow, from: FlowNode, to: FlowNode) -> bool {
    let next = |node: FlowNode| {
        Way::ALL
            .into_iter()
            .flat_map(move |way| flow.continues(node, way))
    };
    let mut reached: Vec<FlowNode> = Vec::new();
    let mut work: Vec<FlowNode> = next(from).copied().collect();
    while let Some(node) = work.pop() {
        if !reached.contains(&node) {
            reached.push(node);
            work.extend(next(node));
        }
    }
    reached.contains(&to)
}

/// A path is a chain of calls from the function asked about to the member, up and then down, and
/// the two calls where it turns follow each other.
fn check(
    flow: &CallFlow,
    calls: &CallGraph,
    asked: Procedure,
    steps: &[Step],
    member: Related,
    direction: Direction,
) {
    if member.reason == Reason::Interleaves {
        assert!(steps.is_empty());
        return;
    }
    let mut at = asked;
    for step in steps {
        let (caller, callee) = match step.link {
            Link::Calls => (at, step.procedure),
            Link::IsCalledBy => (step.procedure, at),
        };
        let site = step.site.expect("a call of the program");
        assert_eq!(Procedure::from(calls.site(site).caller), caller);
        assert!(calls.targets.of(site).contains(&FunctionId(callee.0)));
        at = step.procedure;
    }
    assert_eq!(at, member.function);
    let ups = steps
        .iter()
        .take_while(|step| step.link == Link::IsCalledBy)
        .count();
    let downs = steps.len() - ups;
    assert!(steps[ups..].iter().all(|step| step.link == Link::Calls));
    let goes_down = match direction {
        Direction::After => Reason::Calls,
        Direction::Before => Reason::ReturnsInto,
    };
    match member.reason {
        Reason::Follows => {
            assert!(ups > 0 && downs > 0);
            let turn = [steps[ups - 1].site, steps[ups].site].map(|site| site.expect("a call"));
            let [own, other] = turn.map(|site| node_of(flow, site));
            match direction {
                Direction::After => assert!(leads_on(flow, own, other)),
                Direction::Before => assert!(leads_on(flow, other, own)),
            }
        }
        reason if reason == goes_down => assert!(ups == 0 && downs > 0),
        _ => assert!(ups > 0 && downs == 0),
    }
}

#[test]
fn every_example_is_a_chain_of_calls_that_shows_its_reason() {
    for seed in 0..3000 {
        let (shapes, anytime) = random(seed, 6, 5);
        let flow = build(&shapes, &anytime);
        let calls = call_graph(&shapes);
        let components = component_graph(&flow);
        let forward = order_graph(&components);
        let backward = forward.reversed();
        for asked in components.functions() {
            for (direction, order) in [(Direction::After, &forward), (Direction::Before, &backward)]
            {
                let found = execute_after(&components, order, asked, direction);
                for member in &found.related {
                    let steps = example_path(&found, *member, &components, order, &calls);
                    check(&flow, &calls, asked, &steps, *member, direction);
                }
            }
        }
    }
}
