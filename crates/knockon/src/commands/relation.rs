//! `knockon after` and `knockon before`.

use super::{deliver, format_and_style, tell_failures, until_interrupted};
use crate::Outcome;
use crate::account::reported;
use crate::arguments::RelationArguments;
use crate::function_names::display_names;
use crate::named_function::find_function;
use crate::pipeline::read_input;
use anyhow::Result;
use knockon_impact::all_pairs::execute_after_all;
use knockon_impact::component_graph::{ComponentGraph, component_graph};
use knockon_impact::example_path::{Link, Step, example_path};
use knockon_impact::execute_after::{Direction, Reason, execute_after};
use knockon_impact::order_graph::{OrderGraph, order_graph};
use knockon_impact::{Procedure, call_flow, exit};
use knockon_memory::call_graph::{CallGraph, CallSiteId};
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_program::{Place, Program};
use knockon_report::{AfterReport, PathLink, PathStep, Relation, Why};
use std::collections::BTreeMap;

pub fn after(arguments: &RelationArguments) -> Result<Outcome> {
    run(arguments, Direction::After)
}

pub fn before(arguments: &RelationArguments) -> Result<Outcome> {
    run(arguments, Direction::Before)
}

fn run(arguments: &RelationArguments, direction: Direction) -> Result<Outcome> {
    let (executable, account) = read_input(&arguments.program)?.only_executable()?;
    tell_failures(&account);
    let program = &executable.program;
    let (calls, _) = precise_call_graph(program, until_interrupted())?;
    let components = component_graph(&call_flow(program, &calls));
    let order = order_graph(&components);
    let asked: Vec<Procedure> = match arguments.all {
        true => components.functions().collect(),
        false => arguments
            .functions
            .iter()
            .map(|name| find_function(program, name).map(Procedure::from))
            .collect::<Result<_>>()?,
    };
    let view = View {
        program,
        calls: &calls,
        components: &components,
        names: display_names(program),
        direction,
        identity: arguments.identity,
    };
    let mut report = AfterReport {
        schema: "knockon.after/1",
        complete: account.complete(),
        program: executable.name.clone(),
        configuration: account.configuration.clone(),
        direction: match direction {
            Direction::After => Relation::After,
            Direction::Before => Relation::Before,
        },
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
    match (arguments.all, arguments.why) {
        (true, false) => view.all(&order, &asked, &mut report),
        (_, why) => view.one_by_one(order, &asked, why, &mut report),
    }
    let (format, style) = format_and_style(&arguments.output);
    let text = report.render(format, style)?;
    deliver(
        text,
        &arguments.output,
        account.exit_code(arguments.program.reading.allow_incomplete),
    )
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
