//! **Question.** When does the library call functions that the program defines in its place, besides
//! in calls of the library?
//!
//! **Rule.** Before `main`, when the program is loaded, and at the end, when streams are closed. A
//! function without lines stands for that: it calls each of them any number of times, in any order,
//! and comes back. It runs where unseen code does that runs then.
//!
//! **Soundness.** What they are given is not known: it stands in a variable that code outside knows,
//! so each call of code outside may write it.
//!
//! **Cost.** One look at each symbol.

use super::unseen::{add_entries, add_function};
use crate::{
    Body, Constant, Flags, FunctionId, GlobalId, GlobalVariable, InstructionRow, Linkage, Name,
    Opcode, Operand, Parameter, ParameterAttributes, PlaceId, Program, Runs, Type, TypeId, UnitId,
};

/// Names of such functions begin with this, which begins with [`super::UNSEEN_CODE`].
pub(crate) const LIBRARY_ENTRY: &str = "unseen code: the C library";

/// `is_replaceable` says which names the library calls by name.
pub(super) fn add_library_entry(program: &mut Program, is_replaceable: impl Fn(&str) -> bool) {
    let called = replacements(program, is_replaceable);
    let has_main = program.functions_named("main").into_iter();
    let mut has_main = has_main.filter(|id| program.function(*id).body.is_some());
    if called.is_empty() || has_main.next().is_none() {
        return;
    }
    let void = program.types.intern(Type::Void);
    let choice = program.types.intern(Type::Integer(32));
    let type_id = program.types.intern(Type::Function {
        result: void,
        parameters: Box::new([choice]),
        variadic: false,
    });
    let held = what_is_held(program);
    let body = calling_any(program, &called, held, void, choice);
    let runs = Runs {
        at_start: true,
        at_end: true,
        any_time: false,
    };
    add_entries(program, LIBRARY_ENTRY, runs, |program, name| {
        let function = add_function(program, name, type_id, Some(Box::new(body.clone())));
        program.functions[function.index()].parameters = Box::new([Parameter {
            name: Name(0),
            type_id: choice,
            attributes: ParameterAttributes::default(),
            pointee: void,
        }]);
        function
    });
}

fn replacements(program: &Program, is_replaceable: impl Fn(&str) -> bool) -> Vec<FunctionId> {
    let is_seen = |linkage: Linkage, name: Name| {
        !linkage.is_local()
            && linkage != Linkage::AvailableExternally
            && is_replaceable(program.name(name))
    };
    let own = program
        .defined_functions()
        .filter(|(_, row, _)| is_seen(row.linkage, row.name))
        .map(|(id, ..)| id);
    let aliases = program
        .aliases
        .iter()
        .filter(|row| is_seen(row.linkage, row.name))
        .filter_map(|row| program.called_function(row.aliasee))
        .filter(|id| program.function(*id).body.is_some());
    let mut found: Vec<FunctionId> = own.chain(aliases).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A variable that nothing defines, so that code outside knows it.
fn what_is_held(program: &mut Program) -> Operand {
    let pointer = program.types.intern(Type::Pointer(0));
    let name = program.names.intern("what the C library holds");
    let id = GlobalId::from_index(program.globals.len());
    program.globals.push(GlobalVariable {
        name,
        source_name: Name(0),
        unit: UnitId(0),
        linkage: Linkage::External,
        value_type: pointer,
        initialiser: None,
        is_constant: false,
        is_thread_local: false,
        alignment: 8,
        section: Name(0),
        place: PlaceId(0),
    });
    Operand::Constant(program.constants.intern(Constant::Global(id)))
}

/// A loop around a `switch`, with a call in each case.
fn calling_any(
    program: &mut Program,
    called: &[FunctionId],
    held: Operand,
    void: TypeId,
    choice: TypeId,
) -> Body {
    let block = |number: usize| Operand::Block(crate::BlockId::from_index(number));
    let row = |opcode: Opcode, type_id: TypeId, extra: u32| InstructionRow {
        opcode,
        detail: 0,
        flags: Flags::NONE,
        type_id,
        extra,
        place: PlaceId(0),
    };
    let (head, end) = (block(1), block(2));
    let mut body = Body::default();
    body.begin_block(Name(0));
    body.push(row(Opcode::Branch, void, 0), [head]);
    body.begin_block(Name(0));
    let mut cases = vec![Operand::Argument(0), end];
    for number in 0..called.len() {
        let bits = number as u128;
        let value = Constant::Integer {
            type_id: choice,
            bits,
        };
        cases.push(Operand::Constant(program.constants.intern(value)));
        cases.push(block(3 + number));
    }
    body.push(row(Opcode::Switch, void, 0), cases);
    body.begin_block(Name(0));
    body.push(row(Opcode::Return, void, 0), []);
    for function in called {
        body.begin_block(Name(0));
        let type_id = program.function(*function).type_id;
        let (result, parameters) = match program.type_of(type_id) {
            Type::Function {
                result, parameters, ..
            } => (*result, parameters.to_vec()),
            _ => (void, Vec::new()),
        };
        let callee = program.constants.intern(Constant::Function(*function));
        let mut operands = vec![Operand::Constant(callee)];
        for parameter in parameters {
            let fits = match program.type_of(parameter) {
                Type::Pointer(_) => true,
                Type::Integer(bits) => *bits <= 64,
                _ => false,
            };
            operands.push(match fits {
                true => Operand::Instruction(body.push(row(Opcode::Load, parameter, 0), [held])),
                false => {
                    Operand::Constant(program.constants.intern(Constant::Undefined(parameter)))
                }
            });
        }
        body.push(row(Opcode::Call, result, type_id.0), operands);
        body.push(row(Opcode::Branch, void, 0), [head]);
    }
    body
}
