//! Which functions may execute after, or before, the given ones?

use super::programs::ReadProgram;
use crate::error::Result;
use crate::events::Caller;
use crate::options::ProgramOptions;
use crate::read::account::reported;
use crate::read::function_names::display_names;
use crate::read::named_function::find_function;
use knockon_impact::all_pairs::execute_after_all;
use knockon_impact::component_graph::{ComponentGraph, component_graph};
use knockon_impact::example_path::{Link, Step, example_path};
use knockon_impact::execute_after::{Direction, Reason, execute_after};
use knockon_impact::order_graph::{OrderGraph, order_graph};
use knockon_impact::{Procedure, call_flow, exit};
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{Place, Program, TimeLimit};
use knockon_report::{AfterReport, PathLink, PathStep, Relation, Why};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct AfterRequest {
    pub program: ProgramOptions,
    pub functions: Functions,
    /// What executes after them, or before.
    pub relation: Relation,
    /// One reason and one example path for each.
    pub why: bool,
    /// Each function is related with itself, as in a slice.
    pub identity: bool,
}

#[derive(Clone, Debug)]
pub enum Functions {
    All,
    /// By name; `FILE:NAME` where a name exists twice.
    Named(Vec<String>),
}

/// Reads the program and finds what executes after, or before.
pub fn after(request: &AfterRequest, caller: Caller<'_>) -> Result<AfterReport> {
    let read = ReadProgram::of(&request.program, caller)?;
    after_in(&read, request, caller)
}

/// The same, of a program that is read.
pub fn after_in(
    read: &ReadProgram,
    request: &AfterRequest,
    caller: Caller<'_>,
) -> Result<AfterReport> {
    let (program, account) = (&read.executable.program, &read.account);
    let until_cancelled = TimeLimit::new(None, caller.cancellation.flag());
    let (calls, _) = precise_call_graph(program, until_cancelled)?;
    let components = component_graph(&call_flow(program, &calls));
    let order = order_graph(&components);
    let asked: Vec<Procedure> = match &request.functions {
        Functions::All => components.functions().collect(),
        Functions::Named(names) => {
            let found = names.iter().map(|name| find_function(program, name));
            found
                .map(|function| function.map(Procedure::from))
                .collect::<Result<_>>()?
        }
    };
    let view = View {
        program,
        calls: &calls,
        components: &components,
        names: display_names(program),
        direction: match request.relation {
            Relation::After => Direction::After,
            Relation::Before => Direction::Before,
        },
        identity: request.identity,
    };
    let mut report = AfterReport {
        schema: "knockon.after/1",
        complete: account.complete(),
        program: read.executable.name.clone(),
        configuration: account.configuration.clone(),
        direction: request.relation,
        relation: BTreeMap::new(),
        why: None,
        caveats: account
            .caveats
            .iter()
            .chain(&program.caveats)
            .chain(&calls.caveats)
            .map(|caveat| reported(caveat, program))
            .collect(),
    };
    match (&request.functions, request.why) {
        (Functions::All, false) => view.all(&order, &asked, &mut report),
        (_, why) => view.one_by_one(order, &asked, why, &mut report),
    }
    Ok(report)
}

struct View<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    components: &'a ComponentGraph,
    names: Vec<String>,
    direction: Direction,
    identity: bool,
}

impl View<'_> {
    /// [sea] Fig. 5.
    fn all(&self, order: &OrderGraph, asked: &[Procedure], report: &mut AfterReport) {
        let after = execute_after_all(self.components, order);
        let relation = match self.direction {
            Direction::After => after,
            Direction::Before => after.inverse(),
        };
        for function in asked {
            let mut related = relation.related(*function);
            if self.identity
                && let Err(place) = related.binary_search(function)
            {
                related.insert(place, *function);
            }
            let related = related.iter().map(|other| self.name(*other)).collect();
            report.relation.insert(self.name(*function), related);
        }
    }

    /// [sea] Fig. 4 for each.
    fn one_by_one(
        &self,
        order: OrderGraph,
        asked: &[Procedure],
        why: bool,
        report: &mut AfterReport,
    ) {
        let order = match self.direction {
            Direction::After => order,
            Direction::Before => order.reversed(),
        };
        let mut reasons = BTreeMap::new();
        for function in asked {
            let found = execute_after(self.components, &order, *function, self.direction);
            let mut members: BTreeMap<Procedure, Why> = BTreeMap::new();
            for member in &found.related {
                let path = match why {
                    true => example_path(&found, *member, self.components, &order, self.calls),
                    false => Vec::new(),
                };
                let reason = Why {
                    kind: kind(member.reason, self.direction),
                    path: path.iter().map(|step| self.step(step)).collect(),
                };
                members.insert(member.function, reason);
            }
            if self.identity {
                members.entry(*function).or_insert(Why {
                    kind: "is itself",
                    path: Vec::new(),
                });
            }
            let related = members.keys().map(|other| self.name(*other)).collect();
            report.relation.insert(self.name(*function), related);
            let members = members.into_iter();
            let members = members
                .map(|(other, why)| (self.name(other), why))
                .collect();
            reasons.insert(self.name(*function), members);
        }
        report.why = why.then_some(reasons);
    }

    fn name(&self, procedure: Procedure) -> String {
        match self.names.get(procedure.index()) {
            Some(name) => name.clone(),
            None if procedure == exit(self.program) => "(exit)".to_owned(),
            None => "(program)".to_owned(),
        }
    }

    fn step(&self, step: &Step) -> PathStep {
        let place = step.site.map_or(Place::UNKNOWN, |site| self.place(site));
        PathStep {
            link: match step.link {
                Link::Calls => PathLink::Calls,
                Link::IsCalledBy => PathLink::CalledBy,
            },
            function: self.name(step.procedure),
            file: match place.is_known() {
                true => self.program.file_path(place.file).to_owned(),
                false => String::new(),
            },
            line: place.line,
        }
    }

    fn place(&self, site: CallSiteId) -> Place {
        let site = self.calls.site(site);
        match &self.program.function(site.caller).body {
            Some(body) => self.program.place(body.instruction(site.instruction).place),
            None => Place::UNKNOWN,
        }
    }
}

fn kind(reason: Reason, direction: Direction) -> &'static str {
    match (reason, direction) {
        (Reason::Calls, Direction::After) => "calls",
        (Reason::Calls, Direction::Before) => "is called from",
        (Reason::ReturnsInto, Direction::After) => "returns into",
        (Reason::ReturnsInto, Direction::Before) => "calls",
        (Reason::Follows, Direction::After) => "follows",
        (Reason::Follows, Direction::Before) => "precedes",
        (Reason::Interleaves, _) => "interleaves",
    }
}
