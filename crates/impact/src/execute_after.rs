//! **Question.** Which functions may execute after (or before) a given one, and why?
//!
//! **Source.** [sea] §3: SEA = CALL ∪ SEQ ∪ RET and its dual SEB; Fig. 4, the algorithm for one
//! procedure.
//!
//! **Rules**, for procedures f, g, h:
//! - CALL: f (transitively) calls g.
//! - RET: f (transitively) returns into g.
//! - SEQ: f (transitively) returns into h, and after that h (transitively) calls g.
//!
//! SEB is the inverse. Being left is an event of a procedure too (footnote 4), also by an
//! exception or a `longjmp`.
//!
//! **Departures.** Fig. 4, line 5, as printed, colours the *successors* of a component that control
//! returns into and so misses that calls inside one loop component follow each other; here control
//! resumes at the loop itself, which is the definition. The identity is left to the caller: a
//! function is in its own set only where two of its executions follow each other or it is
//! recursive. What may run at any time (signal handlers, threads) is related with everything.
//!
//! **Soundness.** As [`crate::order_graph`] says, paths of that graph are runs. The tests compare
//! with runs on all small and on random programs.
//!
//! **Cost.** Linear: three walks over the order graph (its reverse for SEB), each node once.

use crate::Procedure;
use crate::component_graph::{ComponentGraph, ComponentKind};
use crate::order_graph::{OrderGraph, OrderNode, Position};
use crate::walk::{StepKind, Walk};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    After,
    Before,
}

/// Why `later` may execute after `earlier`. If there are several reasons, the first of these is
/// told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// CALL: earlier calls later.
    Calls,
    /// RET: earlier returns into later.
    ReturnsInto,
    /// SEQ: both are called by a third, one after the other.
    Follows,
    /// One of them may run at any time.
    Interleaves,
}

/// A member of the set of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Related {
    pub function: Procedure,
    pub reason: Reason,
}

/// The set of one function, by number, and what an example of each reason is made from.
pub struct RelatedFunctions {
    pub related: Vec<Related>,
    pub(crate) direction: Direction,
    pub(crate) asked: Procedure,
    pub(crate) walks: Walks,
}

/// `order` is the graph itself for [`Direction::After`], its reverse for [`Direction::Before`].
pub fn execute_after(
    components: &ComponentGraph,
    order: &OrderGraph,
    function: Procedure,
    direction: Direction,
) -> RelatedFunctions {
    let walks = match direction {
        Direction::After => walks_after(components, order, function),
        Direction::Before => walks_before(components, order, function),
    };
    let asked_at_any_time = components.anytime.contains(function.index());
    let mut related = Vec::new();
    for other in components.functions() {
        let reason = if walks.calls.is_met(order.entry(other)) {
            Reason::Calls
        } else if walks.returns[other.index()].is_some() {
            Reason::ReturnsInto
        } else if walks.follows[other.index()].is_some() {
            Reason::Follows
        } else if asked_at_any_time || components.anytime.contains(other.index()) {
            Reason::Interleaves
        } else {
            continue;
        };
        related.push(Related {
            function: other,
            reason,
        });
    }
    RelatedFunctions {
        related,
        direction,
        asked: function,
        walks,
    }
}

/// The walks from one function, and for each procedure the node that shows the relation.
pub(crate) struct Walks {
    /// Over entries: CALL.
    pub calls: Walk,
    /// Over components: RET.
    pub up: Walk,
    pub returns: Vec<Option<OrderNode>>,
    /// Over entries and components: SEQ.
    pub turned: Walk,
    pub follows: Vec<Option<OrderNode>>,
}

/// A walk over entries alone.
fn call_step(order: &OrderGraph) -> impl Fn(OrderNode, OrderNode) -> StepKind {
    |_, to| match order.is_entry(to) {
        true => StepKind::CallOrReturn,
        false => StepKind::Leave,
    }
}

/// A walk over components alone; `end` is the node of the step from which or to which returns go.
fn return_step(components: &ComponentGraph, order: &OrderGraph, end: OrderNode) -> StepKind {
    match order.position(end) {
        Position::Entry(_) => StepKind::Leave,
        Position::Component(component) => match components.kinds[component.index()] {
            ComponentKind::End(_) => StepKind::CallOrReturn,
            ComponentKind::Calls | ComponentKind::Joint => StepKind::Inside,
        },
    }
}

/// CALL from the entry, RET from the ends up, SEQ from there down.
fn walks_after(components: &ComponentGraph, order: &OrderGraph, function: Procedure) -> Walks {
    let mut calls = Walk::new(order);
    calls.start(order.entry(function));
    calls.run(order, call_step(order));

    let mut up = Walk::new(order);
    for (end, _) in components.ends_of(function) {
        up.start(order.node_of(end));
    }
    let mut turned = Walk::new(order);
    let mut returns = vec![None; components.procedure_count()];
    up.run(order, |from, to| {
        let Position::Component(into) = order.position(to) else {
            turned.meet(from, to);
            return StepKind::Leave;
        };
        let step = return_step(components, order, from);
        if let StepKind::CallOrReturn = step {
            let slot = &mut returns[components.procedure_of(into).index()];
            *slot = slot.or(Some(to));
        }
        step
    });
    turned.run(order, call_step(order));
    let mut follows = vec![None; components.procedure_count()];
    for procedure in components.functions() {
        let entry = order.entry(procedure);
        follows[procedure.index()] = turned.is_met(entry).then_some(entry);
    }
    Walks {
        calls,
        up,
        returns,
        turned,
        follows,
    }
}

/// The same against the edges: callers from the entry; from the components of the function down
/// to the ends of what it called; and from the callers' components to the ends of what came
/// before.
fn walks_before(components: &ComponentGraph, order: &OrderGraph, function: Procedure) -> Walks {
    let mut calls = Walk::new(order);
    calls.start(order.entry(function));
    calls.run(order, call_step(order));

    let mut up = Walk::new(order);
    for component in components.components_of(function) {
        up.start(order.node_of(component));
    }
    up.run(order, |_, to| return_step(components, order, to));

    let mut turned = Walk::new(order);
    for entry in &calls.order {
        for component in order.edges.of(*entry) {
            if !order.is_entry(*component) {
                turned.meet(*entry, *component);
            }
        }
    }
    turned.run(order, |_, to| return_step(components, order, to));

    let mut returns = vec![None; components.procedure_count()];
    let mut follows = vec![None; components.procedure_count()];
    for procedure in components.functions() {
        for (end, _) in components.ends_of(procedure) {
            let end = order.node_of(end);
            let (row, found) = (procedure.index(), Some(end));
            returns[row] = returns[row].or(found.filter(|_| up.is_met(end)));
            follows[row] = follows[row].or(found.filter(|_| turned.is_met(end)));
        }
    }
    Walks {
        calls,
        up,
        returns,
        turned,
        follows,
    }
}

#[cfg(test)]
mod tests;
