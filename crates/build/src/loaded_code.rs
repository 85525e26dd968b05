//! **Question.** Does a program load other code at run time than the plug-ins of its own build?
//!
//! **Rule.** It does not if all that it calls to load code is `dlopen`, each time by name, with a
//! constant relative path that ends in the name of such a plug-in, or with none, for the program
//! itself.
//!
//! **Soundness.** A plug-in of that name is the build's. Where the address of a loading function is
//! taken, anything may be loaded.
//!
//! **Cost.** One walk over operands and constants.

use knockon_library::library;
use knockon_program::{Body, Constant, ConstantId, Function, Operand, Program};
use std::path::Path;

/// `plug_ins` are the file names of those of the build.
pub(crate) fn loads_only(unit: &Program, plug_ins: &[&str]) -> bool {
    let is_loading = |function: &Function| {
        function.body.is_none() && library().facts(unit.name(function.name)).loads_code
    };
    let names_loading = |constant: &ConstantId| match unit.constant(*constant) {
        Constant::Function(id) => is_loading(unit.function(*id)),
        _ => false,
    };
    let is_held = |constant: &Constant| match constant {
        Constant::Aggregate { elements, .. } => elements.iter().any(names_loading),
        Constant::Expression(expression) => expression.operands.iter().any(names_loading),
        _ => false,
    };
    let is_initial = unit
        .globals
        .iter()
        .any(|row| row.initialiser.iter().any(names_loading));
    let is_alias = unit.aliases.iter().any(|row| names_loading(&row.aliasee));
    if is_initial || is_alias || unit.constants.rows().iter().any(is_held) {
        return false;
    }
    unit.defined_functions().all(|(.., body)| {
        body.instruction_ids().all(|id| {
            let callee = body.callee(id);
            let mut others = body.operands(id).iter().skip(usize::from(callee.is_some()));
            let is_passed =
                others.any(|operand| matches!(operand, Operand::Constant(id) if names_loading(id)));
            let is_call = matches!(callee, Some(Operand::Constant(id)) if names_loading(&id));
            !is_passed && (!is_call || loads_plug_in(unit, body, id, plug_ins))
        })
    })
}

fn loads_plug_in(
    unit: &Program,
    body: &Body,
    call: knockon_program::InstructionId,
    plug_ins: &[&str],
) -> bool {
    let callee = match body.callee(call) {
        Some(Operand::Constant(callee)) => unit.called_function(callee),
        Some(_) | None => None,
    };
    if callee.map(|id| unit.function_name(id)) != Some("dlopen") {
        return false;
    }
    match body.arguments(call).first() {
        Some(Operand::Constant(path)) => match unit.constant(*path) {
            Constant::Null(_) => true,
            Constant::Global(id) => {
                let global = &unit.globals[id.index()];
                let text = global.initialiser.map(|id| unit.constant(id));
                global.is_constant
                    && matches!(text, Some(Constant::Bytes { bytes, .. }) if is_of_build(bytes, plug_ins))
            }
            _ => false,
        },
        Some(_) | None => false,
    }
}

/// The text of a path, with its zero behind.
fn is_of_build(text: &[u8], plug_ins: &[&str]) -> bool {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let Ok(path) = std::str::from_utf8(text) else {
        return false;
    };
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    // Without a directory the loader searches its own.
    path.contains('/')
        && !path.starts_with('/')
        && name.is_some_and(|name| plug_ins.contains(&name))
}
