//! The objects that functions have before any rule was applied: their parameters, and what comes to
//! them from outside of the program's calls.

use super::allocations::Allocation;
use super::carriers::constant_integer;
use super::cells::Cell;
use super::rules::{body_rules, pointer_type};
use super::solving::{FunctionCells, Solver};
use crate::call_graph::CallGraph;
use crate::points_to::PointsTo;
use knockon_library::facts::Sharing;
use knockon_library::library;
use knockon_program::{FunctionId, ParameterAttributes, Program, Type};
use rayon::prelude::*;

/// Some call may map a file so that what is written to the one is in the other.
pub(crate) fn maps_files(program: &Program, calls: &CallGraph) -> bool {
    const SHARED: i64 = 0x01;
    const ANONYMOUS: i64 = 0x20;
    calls.sites.iter().enumerate().any(|(index, site)| {
        let mut externals = calls.externals.of(index).iter();
        let Some(body) = program.function(site.caller).body.as_deref() else {
            return false;
        };
        externals.any(|external| {
            let facts = library().facts(program.function_name(*external));
            let Some(Sharing::ByFlags(at)) = facts.shares_memory else {
                return false;
            };
            let flags = body.arguments(site.instruction).get(usize::from(at));
            let flags = flags.and_then(|flags| constant_integer(program, *flags));
            flags.is_none_or(|flags| flags & SHARED != 0 && flags & ANONYMOUS == 0)
        })
    })
}

impl Solver<'_> {
    pub(crate) fn prepare(&mut self, points_to: Option<&PointsTo>) {
        let program = self.program;
        let pointer = pointer_type(program);
        self.functions = program
            .functions
            .par_iter()
            .enumerate()
            .map(|(index, function)| match &function.body {
                None => FunctionCells::default(),
                Some(body) => {
                    let rules = body_rules(program, pointer, function, body, |operand| {
                        let function = FunctionId::from_index(index);
                        points_to.is_none_or(|found| !found.of(function, operand).is_empty())
                    });
                    FunctionCells::new(rules, body.instructions.len())
                }
            })
            .collect();
        for (id, function, _) in program.defined_functions() {
            let mut arguments = Vec::with_capacity(function.parameters.len());
            for (number, parameter) in function.parameters.iter().enumerate() {
                arguments.push(
                    if self.functions[id.index()].rules.wanted_arguments[number] {
                        let object = self.objects.fresh();
                        if parameter.attributes.has(ParameterAttributes::BY_VALUE) {
                            self.allocate(object, Allocation::Parameter(id, number as u32));
                        }
                        Cell::start_of(object)
                    } else {
                        Cell::NONE
                    },
                );
            }
            let is_variadic = matches!(
                program.type_of(function.type_id),
                Type::Function { variadic: true, .. }
            );
            if is_variadic {
                let object = self.objects.fresh();
                let number = function.parameters.len() as u32;
                self.allocate(object, Allocation::Parameter(id, number));
                self.functions[id.index()].variadics = Some(object);
            }
            self.functions[id.index()].starts = arguments.clone();
            self.functions[id.index()].arguments = arguments;
        }
        self.hand_over_from_outside();
        self.hand_over_to_main();
        self.share_at_pointer_calls();
        for (id, _, _) in program.defined_functions() {
            self.summarise(id);
        }
    }

    /// Functions that run at any time, without a call that takes note of them, are called by code
    /// that is not seen.
    fn hand_over_from_outside(&mut self) {
        let mut noted = vec![false; self.functions.len()];
        for site in 0..self.registered.row_count() {
            for function in self.registered.of(site) {
                noted[function.index()] = true;
            }
        }
        let outside = self.objects.outside_cell();
        for id in &self.calls.entries.anytime {
            if !noted[id.index()] {
                for cell in self.functions[id.index()].arguments.clone() {
                    self.objects.unify(cell, outside);
                }
            }
        }
    }

    /// What `main` is given, variables of the library lead to as well: the environment, and, where
    /// the program names such a variable, the arguments. `optarg` gets them from whoever sets it.
    fn hand_over_to_main(&mut self) {
        let names_arguments = self.program.globals.iter().any(|global| {
            let variable = self.library.variable(self.program.name(global.name));
            variable.is_some_and(|variable| {
                let holds = variable.holds.contains(&"arguments") && variable.name != "optarg";
                holds && global.initialiser.is_none()
            })
        });
        let arguments = names_arguments.then_some((1, "arguments"));
        for main in &self.calls.entries.mains {
            for (number, name) in arguments.into_iter().chain([(2, "environment")]) {
                if let Some(given) = self.functions[main.index()].arguments.get(number).copied() {
                    self.objects.unify(given, self.constants.library(name));
                }
            }
        }
    }
}
