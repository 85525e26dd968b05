//! What happens when a function is found behind a called pointer, and when something escapes?

use super::objects::{LocationId, ObjectId, ObjectKind};
use super::solver::{NodeId, OUTSIDE, Solver};
use knockon_program::FunctionId;

impl Solver<'_> {
    pub(super) fn enter(&mut self, call: u32, object: ObjectId, is_callback: bool) {
        let function = match self.objects.get(object).kind {
            ObjectKind::Function(function) => function,
            ObjectKind::Outside => return self.enter_outside(call, is_callback),
            _ => return,
        };
        let table = match is_callback {
            true => &mut self.callbacks,
            false => &mut self.calls,
        };
        let row = &mut table[call as usize];
        if row.found.contains(&function) {
            return;
        }
        row.found.push(function);
        let (arguments, result) = (row.arguments.clone(), row.result);
        match is_callback || self.interfaces[function.index()].is_some() {
            true => self.bind(function, &arguments, result),
            false => self.found_externals.push((call, function)),
        }
    }

    /// A call of what came from outside: of every escaped function, or of unknown code.
    pub(super) fn enter_outside(&mut self, call: u32, is_callback: bool) {
        let row = match is_callback {
            true => &mut self.callbacks[call as usize],
            false => &mut self.calls[call as usize],
        };
        if std::mem::replace(&mut row.outside, true) {
            return;
        }
        let (arguments, result) = (row.arguments.clone(), row.result);
        for argument in arguments {
            self.copy(argument, OUTSIDE);
        }
        self.copy(OUTSIDE, result);
    }

    /// Arguments to parameters, result to result.
    pub fn bind(&mut self, function: FunctionId, arguments: &[NodeId], result: NodeId) {
        let Some(interface) = self.interfaces[function.index()].clone() else {
            return;
        };
        for (number, argument) in arguments.iter().enumerate() {
            match interface.parameters.get(number) {
                Some(parameter) => self.copy(*argument, *parameter),
                None => {
                    if let Some(variadic) = interface.variadic {
                        self.copy(*argument, variadic);
                    }
                }
            }
        }
        self.copy(interface.result, result);
    }

    pub(super) fn escape(&mut self, location: LocationId) {
        let (object, _) = self.objects.resolve(location);
        if !self.note_escape(object) {
            return;
        }
        if let ObjectKind::Function(function) = self.objects.get(object).kind {
            self.escaped_functions.push(function);
            if let Some(interface) = self.interfaces[function.index()].clone() {
                for parameter in interface.parameters.iter().chain(&interface.variadic) {
                    self.copy(OUTSIDE, *parameter);
                }
                self.copy(interface.result, OUTSIDE);
            }
            return;
        }
        if self.objects.get(object).holds_nothing() {
            return;
        }
        self.collapse(object);
        let word = self.word(object, 0);
        self.unify(OUTSIDE, word);
    }
}
