//! The points-to sets of one function as text.

use super::{ANY, LocationId, LocationSet, ObjectId, ObjectKind, PointsTo};
use knockon_program::{FunctionId, InstructionId, Operand, Place, Program};
use std::fmt::Write as _;

/// One line for each parameter and each instruction whose value may point somewhere.
pub fn dump_points_to(program: &Program, points_to: &PointsTo, function: FunctionId) -> String {
    let mut text = String::new();
    let row = program.function(function);
    let Some(body) = &row.body else {
        return text;
    };
    for (number, parameter) in row.parameters.iter().enumerate() {
        let set = points_to.of(function, Operand::Argument(number as u32));
        if !set.is_empty() {
            let name = program.name(parameter.name);
            let places = locations(program, points_to, set);
            let _ = writeln!(text, "      %{name} -> {places}");
        }
    }
    for id in body.instruction_ids() {
        let set = points_to.of(function, Operand::Instruction(id));
        if set.is_empty() {
            continue;
        }
        let instruction = body.instruction(id);
        let line = program.place(instruction.place).line;
        let places = locations(program, points_to, set);
        let mnemonic = instruction.opcode.mnemonic();
        let _ = writeln!(text, "{line:>5} {mnemonic} %{} -> {places}", id.0);
    }
    text
}

/// How many locations are named; of more, the rest is counted.
const MOST_NAMED: usize = 12;

fn locations(program: &Program, points_to: &PointsTo, set: &LocationSet) -> String {
    let named: Vec<String> = set
        .iter()
        .take(MOST_NAMED)
        .map(|location| {
            let (object, offset) = points_to.location(LocationId(location));
            let name = points_to.object_name(program, object);
            match offset {
                0 => name,
                ANY => format!("{name}+?"),
                offset => format!("{name}+{offset}"),
            }
        })
        .collect();
    let rest = set.len() - named.len();
    match rest {
        0 => named.join(", "),
        rest => format!("{}, and {rest} more", named.join(", ")),
    }
}

impl PointsTo {
    /// How an object is called in output.
    pub fn object_name(&self, program: &Program, object: ObjectId) -> String {
        match self.object(object).kind {
            ObjectKind::Outside => "(outside)".to_string(),
            ObjectKind::ConstantData => "(constant data)".to_string(),
            ObjectKind::Mixed => "(mixed)".to_string(),
            ObjectKind::Global(id) => {
                let global = &program.globals[id.index()];
                program.name(global.name).to_string()
            }
            ObjectKind::Function(id) => format!("{}()", program.function_name(id)),
            ObjectKind::Local(function, id) => {
                format!("local@{}", place(program, function, id))
            }
            ObjectKind::Heap(function, id) => format!("heap@{}", place(program, function, id)),
            ObjectKind::ByValue(function, number) => {
                format!(
                    "copy of argument {number} of {}",
                    program.function_name(function)
                )
            }
            ObjectKind::Variadic(function) => format!("...@{}", program.function_name(function)),
            ObjectKind::ArgumentVector => "argv".to_string(),
            ObjectKind::ArgumentString => "argv[]".to_string(),
            ObjectKind::Library(name) => format!("libc {name}"),
        }
    }
}

fn place(program: &Program, function: FunctionId, id: InstructionId) -> String {
    let name = program.function_name(function);
    let place = program
        .function(function)
        .body
        .as_ref()
        .map(|body| program.place(body.instruction(id).place))
        .filter(|place| *place != Place::UNKNOWN);
    match place {
        Some(place) => format!("{}:{}", program.file_path(place.file), place.line),
        None => format!("{name}#{}", id.0),
    }
}
