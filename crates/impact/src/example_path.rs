//! **Question.** What is one example of why a function may execute after another?
//!
//! **Source.** The walks of [`crate::execute_after`]: each node was met from another one.
//!
//! **Rules.** A path of the order graph goes up from callee to caller and then down from caller
//! to callee; steps inside one procedure are left out, and so are the pseudo procedures that only
//! choose one of several targets. Each step names the call where it stands.
//!
//! **Cost.** The length of the path, and for each step the call sites of one procedure.

use crate::Procedure;
use crate::component_graph::{ComponentGraph, ComponentId, ComponentKind};
use crate::execute_after::{Direction, Reason, Related, RelatedFunctions};
use crate::order_graph::{OrderGraph, OrderNode, Position};
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_program::FunctionId;

/// How a procedure of a path is related with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The one before calls this one.
    Calls,
    /// The one before is called by this one.
    IsCalledBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub link: Link,
    pub procedure: Procedure,
    /// The call; `None` where the outside calls.
    pub site: Option<CallSiteId>,
}

/// From the function that was asked about to a member of its set. Empty for a member that runs at
/// any time.
pub fn example_path(
    found: &RelatedFunctions,
    member: Related,
    components: &ComponentGraph,
    order: &OrderGraph,
    calls: &CallGraph,
) -> Vec<Step> {
    let walks = &found.walks;
    let other = member.function.index();
    let way = match member.reason {
        Reason::Calls => walks.calls.way_back(order.entry(member.function)),
        Reason::ReturnsInto => walks.returns[other].map_or(Vec::new(), |at| walks.up.way_back(at)),
        Reason::Follows => walks.follows[other].map_or(Vec::new(), |at| {
            let mut way = walks.turned.way_back(at);
            let rest = match (way.last(), found.direction) {
                (Some(turn), Direction::After) => walks.up.way_back(*turn),
                (Some(turn), Direction::Before) if *turn != order.entry(found.asked) => {
                    walks.calls.way_back(*turn)
                }
                _ => Vec::new(),
            };
            way.extend(rest.into_iter().skip(1));
            way
        }),
        Reason::Interleaves => Vec::new(),
    };
    let tracer = Tracer {
        components,
        order,
        calls,
    };
    match found.direction {
        Direction::After => {
            let forward: Vec<OrderNode> = way.into_iter().rev().collect();
            tracer.steps(&forward)
        }
        Direction::Before => turned_round(found.asked, &tracer.steps(&way), member.function),
    }
}

/// The same path seen from its other end.
fn turned_round(asked: Procedure, steps: &[Step], member: Procedure) -> Vec<Step> {
    let before_each = std::iter::once(member).chain(steps.iter().map(|step| step.procedure));
    debug_assert!(steps.last().is_none_or(|step| step.procedure == asked));
    let mut turned: Vec<Step> = before_each
        .zip(steps)
        .map(|(procedure, step)| Step {
            link: match step.link {
                Link::Calls => Link::IsCalledBy,
                Link::IsCalledBy => Link::Calls,
            },
            procedure,
            site: step.site,
        })
        .collect();
    turned.reverse();
    turned
}

struct Tracer<'a> {
    components: &'a ComponentGraph,
    order: &'a OrderGraph,
    calls: &'a CallGraph,
}

impl Tracer<'_> {
    /// The procedures that a path of the order graph enters and returns into.
    fn steps(&self, path: &[OrderNode]) -> Vec<Step> {
        let Some(first) = path.first() else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        let mut last = self.procedure(*first);
        // Where a call through a choice began: its site names the function itself.
        let mut from = *first;
        for pair in path.windows(2) {
            let (at, next) = (pair[0], pair[1]);
            let procedure = self.procedure(next);
            let link = match (self.order.position(at), self.order.position(next)) {
                (Position::Component(at), Position::Component(_)) => {
                    if !matches!(self.components.kinds[at.index()], ComponentKind::End(_)) {
                        continue;
                    }
                    Link::IsCalledBy
                }
                _ => Link::Calls,
            };
            if link == Link::IsCalledBy || !self.is_choice(self.procedure(at)) {
                from = at;
            }
            if self.is_choice(procedure) {
                continue;
            }
            let site = match link {
                Link::Calls => self.call_from(from, procedure),
                Link::IsCalledBy => self.call_returned_to(next, last),
            };
            steps.push(Step {
                link,
                procedure,
                site,
            });
            last = procedure;
        }
        steps
    }

    fn procedure(&self, node: OrderNode) -> Procedure {
        match self.order.position(node) {
            Position::Component(component) => self.components.procedure_of(component),
            Position::Entry(procedure) => procedure,
        }
    }

    fn is_choice(&self, procedure: Procedure) -> bool {
        procedure.index() >= self.components.first_choice
    }

    fn call_from(&self, node: OrderNode, callee: Procedure) -> Option<CallSiteId> {
        match self.order.position(node) {
            Position::Component(component) => self.site_in(component, callee),
            Position::Entry(caller) => self
                .components
                .components_of(caller)
                .find_map(|component| self.site_in(component, callee)),
        }
    }

    /// The call of `callee` after which control came to `node`: in that component when it is a
    /// loop, else directly in front of it.
    fn call_returned_to(&self, node: OrderNode, callee: Procedure) -> Option<CallSiteId> {
        let Position::Component(component) = self.order.position(node) else {
            return None;
        };
        let caller = self.components.procedure_of(component);
        let leads_there = |from: &ComponentId| {
            let loops = *from == component && self.components.loops.contains(from.index());
            loops || self.components.successors.of(*from).contains(&component)
        };
        let among = || self.components.components_of(caller);
        among()
            .filter(leads_there)
            .find_map(|from| self.site_in(from, callee))
            .or_else(|| among().find_map(|from| self.site_in(from, callee)))
    }

    fn site_in(&self, component: ComponentId, callee: Procedure) -> Option<CallSiteId> {
        let may_call = |site: &CallSiteId| {
            if callee.index() >= self.components.function_count {
                return self.calls.site(*site).exits;
            }
            let function = FunctionId(callee.0);
            self.calls
                .targets
                .of(*site)
                .binary_search(&function)
                .is_ok()
                || self
                    .calls
                    .callbacks
                    .of(*site)
                    .binary_search(&function)
                    .is_ok()
        };
        let sites = self.components.sites.of(component);
        sites.iter().copied().find(may_call)
    }
}

#[cfg(test)]
mod tests;
