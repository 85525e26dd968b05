//! Linking: many translation units become one program.
//!
//! **Question.** Which definition does each symbol of each unit denote?
//!
//! **Rules**, as a static linker's: local symbols meet nobody; of the external
//! symbols of one name a strong definition wins over a weak one, a weak one
//! over one that is only available for inlining, and that over a declaration;
//! of two common definitions the larger wins. Two strong definitions are a
//! caveat and the first is used. A declaration may be resolved to a symbol of
//! another kind (a function declared here, an alias there), so units refer to
//! symbols through constants, and those are what gets rewritten.
//!
//! **Cost.** Linear in the size of the units; rows are moved, not copied.

mod library_entry;
mod symbols;
mod tables;
mod unit_symbols;
mod unseen;

pub(crate) use library_entry::LIBRARY_ENTRY;
pub use unit_symbols::{
    UnitSymbols, relink_symbols, rename_symbols, undefined_symbols, unit_symbols,
};
pub use unseen::UNSEEN_CODE;

use crate::{
    Body, Constant, ConstantId, InitialiserEntry, Name, Opcode, Operand, PlaceId, Program, Runs,
    Symbols, TypeId, Unit, UnitId, UnseenCode,
};
use symbols::{Kind, Resolution};
use tables::Maps;

/// What linking must be told of the functions of the C library.
#[derive(Clone, Copy)]
pub struct LibraryNames<'a> {
    /// The library calls the function of this name where the program defines it.
    pub is_replaceable: &'a dyn Fn(&str) -> bool,
    /// What code that mentions these symbols may have registered itself for.
    pub registered_runs: &'a dyn Fn(&Symbols) -> Runs,
}

impl LibraryNames<'_> {
    /// Of a program without the library.
    pub fn none() -> LibraryNames<'static> {
        LibraryNames {
            is_replaceable: &|_| false,
            registered_runs: &|_| Runs::default(),
        }
    }
}

/// Links units in the given order; the result does not depend on anything else.
pub fn link(units: Vec<Program>) -> Program {
    link_with(units, &[], LibraryNames::none())
}

/// The same, of a program that has code besides these units.
pub fn link_with(units: Vec<Program>, unseen: &[UnseenCode], library: LibraryNames<'_>) -> Program {
    let mut program = Program::new();
    if let Some(first) = units.first() {
        program.layout = first.layout.clone();
    }
    let mut first_symbol = 0;
    let mut maps: Vec<Maps> = Vec::with_capacity(units.len());
    for unit in &units {
        maps.push(Maps::of_plain_tables(&mut program, unit, first_symbol));
        first_symbol += unit.globals.len() + unit.functions.len() + unit.aliases.len();
    }
    let resolution = symbols::resolve(&mut program, &units, &maps);
    for (unit, maps) in units.iter().zip(&mut maps) {
        maps.add_constants(&mut program, unit, &resolution);
    }
    let mut merge = Merge {
        program,
        resolution,
    };
    for (unit, maps) in units.into_iter().zip(&maps) {
        merge.add(unit, maps);
    }
    let Merge { mut program, .. } = merge;
    program.constructors.sort_by_key(|entry| entry.priority);
    // Destructors run in the opposite order of priority.
    program
        .destructors
        .sort_by_key(|entry| std::cmp::Reverse(entry.priority));
    // Rows that belong to no unit that was read need one.
    if program.units.is_empty() {
        program.units.push(Unit::default());
    }
    unseen::add_unseen_code(&mut program, unseen, library);
    program
}

struct Merge {
    program: Program,
    resolution: Resolution,
}

impl Merge {
    fn add(&mut self, unit: Program, maps: &Maps) {
        let unit_offset = self.program.units.len() as u32;
        let in_program = |id: UnitId| UnitId(id.0 + unit_offset);

        for (index, mut global) in unit.globals.into_iter().enumerate() {
            let symbol = maps.first_symbol + index;
            if let Some(Kind::Global(id)) = self.resolution.winner_row(symbol) {
                global.name = maps.name(global.name);
                global.source_name = maps.name(global.source_name);
                global.unit = in_program(global.unit);
                global.value_type = maps.type_id(global.value_type);
                global.initialiser = global.initialiser.map(|id| maps.constant(id));
                global.section = maps.name(global.section);
                global.place = maps.place(global.place);
                self.program.globals[id.index()] = global;
            }
        }
        for (index, mut function) in unit.functions.into_iter().enumerate() {
            let symbol = maps.first_symbol + maps.globals + index;
            if let Some(Kind::Function(id)) = self.resolution.winner_row(symbol) {
                function.name = maps.name(function.name);
                function.source_name = maps.name(function.source_name);
                function.unit = in_program(function.unit);
                function.type_id = maps.type_id(function.type_id);
                function.meaning.arithmetic = maps.name(function.meaning.arithmetic);
                function.meaning.code = maps.name(function.meaning.code);
                function.place = maps.place(function.place);
                for parameter in &mut function.parameters {
                    parameter.name = maps.name(parameter.name);
                    parameter.type_id = maps.type_id(parameter.type_id);
                    parameter.pointee = maps.type_id(parameter.pointee);
                }
                if let Some(body) = &mut function.body {
                    rewrite_body(body, maps);
                }
                self.program.functions[id.index()] = function;
            }
        }
        for (index, mut alias) in unit.aliases.into_iter().enumerate() {
            let symbol = maps.first_symbol + maps.globals + maps.functions + index;
            if let Some(Kind::Alias(id)) = self.resolution.winner_row(symbol) {
                alias.name = maps.name(alias.name);
                alias.unit = in_program(alias.unit);
                alias.value_type = maps.type_id(alias.value_type);
                alias.aliasee = maps.constant(alias.aliasee);
                self.program.aliases[id.index()] = alias;
            }
        }
        let entry = |entry: InitialiserEntry| {
            let symbol = maps.first_symbol + maps.globals + entry.function.index();
            match self.resolution.target(symbol) {
                Kind::Function(function) => Some(InitialiserEntry { function, ..entry }),
                _ => None,
            }
        };
        self.program
            .constructors
            .extend(unit.constructors.into_iter().filter_map(entry));
        self.program
            .destructors
            .extend(unit.destructors.into_iter().filter_map(entry));
        self.program
            .units
            .extend(unit.units.into_iter().map(|mut unit| {
                unit.source = maps.name(unit.source);
                unit.target_triple = maps.name(unit.target_triple);
                unit.producer = maps.name(unit.producer);
                unit.assembly = maps.name(unit.assembly);
                unit.unread_flags = maps.name(unit.unread_flags);
                for hidden in &mut unit.hidden {
                    *hidden = maps.name(*hidden);
                }
                unit
            }));
        self.program
            .caveats
            .extend(unit.caveats.into_iter().map(|mut caveat| {
                caveat.function = maps.name(caveat.function);
                caveat.place = maps.place(caveat.place);
                caveat
            }));
    }
}

/// Rewrites every id that a body holds to the linked program's tables.
fn rewrite_body(body: &mut Body, maps: &Maps) {
    for block in &mut body.blocks {
        block.name = maps.name(block.name);
    }
    for row in &mut body.instructions {
        row.type_id = maps.type_id(row.type_id);
        row.place = maps.place(row.place);
        match row.opcode {
            Opcode::Alloca
            | Opcode::GetElementPointer
            | Opcode::Call
            | Opcode::Invoke
            | Opcode::CallBr => row.extra = maps.type_id(TypeId(row.extra)).0,
            Opcode::Opaque => row.extra = maps.name(Name(row.extra)).0,
            _ => {}
        }
    }
    for operand in &mut body.operands {
        rewrite_operand(operand, maps);
    }
    for variable in &mut body.variables {
        variable.name = maps.name(variable.name);
        variable.place = maps.place(variable.place);
    }
    for location in &mut body.variable_locations {
        rewrite_operand(&mut location.value, maps);
    }
    for argument in &mut body.by_value_arguments {
        argument.pointee = maps.type_id(argument.pointee);
    }
}

fn rewrite_operand(operand: &mut Operand, maps: &Maps) {
    if let Operand::Constant(constant) = operand {
        *constant = maps.constant(*constant);
    }
}

#[cfg(test)]
mod tests;
