//! **Question.** May the program connect a standard stream to something else, so that what it prints
//! may be read back, or what it reads be a file?
//!
//! **Rules.** It may if some call that redirects may do so with descriptor 0, 1 or 2, or with a
//! standard stream, or if a text of the program names a file that is such a descriptor
//! (`/dev/stdout`, `/dev/fd/1`), or if it may start itself again. A descriptor is none of those where all that it may be are other constants and
//! what functions gave that open something, followed through parameters, results and choices; what
//! was loaded from memory may be any.
//!
//! **Soundness.** What is opened gets the lowest number that is free. The three are in use when the
//! program starts (`docs/soundness.md`), and as long as nothing redirects them they stay so.
//!
//! **Cost.** Each value is followed once for each call that redirects.

use crate::call_graph::{CallGraph, CallSiteId};
use crate::processes::starting_calls;
use crate::regions::{Regions, constant_integer};
use knockon_library::{Channel, Connection, Library, Value};
use knockon_program::{Body, Constant, FunctionId, InstructionId, Opcode, Operand, Program};
use rustc_hash::FxHashSet;

pub(crate) fn redirects_standard_streams(
    program: &Program,
    calls: &CallGraph,
    library: &Library,
    regions: &Regions,
) -> bool {
    // Of a program that is started again, the standard streams may be pipes.
    if names_standard_streams(program) || !starting_calls(program, calls).is_empty() {
        return true;
    }
    let sites = (0..calls.sites.len()).map(CallSiteId::from);
    let mut redirecting = sites.filter_map(|site| {
        let externals = calls.externals.of(site).iter();
        let mut effects = externals.filter_map(|id| library.of(program.function_name(*id)));
        let effect = effects.find(|effect| effect.redirects)?;
        Some((*calls.site(site), effect.channel))
    });
    redirecting.any(|(site, channel)| {
        if regions.connection(site.caller, site.instruction) != Connection::Unknown {
            return true;
        }
        let body = program.function(site.caller).body.as_deref();
        let (Some(body), Some(Channel::Descriptor(Value::Argument(number)))) = (body, channel)
        else {
            return true;
        };
        let mut values = Values {
            program,
            calls,
            library,
            known: FxHashSet::default(),
        };
        match body.arguments(site.instruction).get(usize::from(number)) {
            Some(descriptor) => values.may_be_standard(site.caller, body, *descriptor),
            None => true,
        }
    })
}

/// What is opened or looked at by such a name is what is printed to, or read from.
fn names_standard_streams(program: &Program) -> bool {
    const NAMES: [&[u8]; 3] = [b"/dev/std", b"/dev/fd", b"/proc/"];
    let is_name = |bytes: &[u8]| NAMES.iter().any(|name| bytes.starts_with(name));
    let mut constants = program.constants.rows().iter();
    constants.any(|constant| match constant {
        Constant::Bytes { bytes, .. } => is_name(bytes),
        _ => false,
    })
}

struct Values<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    library: &'a Library,
    /// Values that were looked at, or are being looked at: they add nothing.
    known: FxHashSet<(FunctionId, Operand)>,
}

impl Values<'_> {
    fn may_be_standard(&mut self, function: FunctionId, body: &Body, value: Operand) -> bool {
        if !self.known.insert((function, value)) {
            return false;
        }
        match value {
            Operand::Constant(_) => {
                constant_integer(self.program, value).is_none_or(|value| (0..=2).contains(&value))
            }
            Operand::Argument(number) => self.given_may_be_standard(function, number),
            Operand::Instruction(id) => {
                let operands = body.operands(id);
                match body.instruction(id).opcode {
                    Opcode::Phi => {
                        let is_value = |operand: &&Operand| !matches!(operand, Operand::Block(_));
                        let mut values = operands.iter().filter(is_value);
                        values.any(|value| self.may_be_standard(function, body, *value))
                    }
                    Opcode::Select => operands[1..]
                        .iter()
                        .any(|value| self.may_be_standard(function, body, *value)),
                    Opcode::Freeze => self.may_be_standard(function, body, operands[0]),
                    opcode if opcode.is_call() => self.result_may_be_standard(function, id),
                    _ => true,
                }
            }
            Operand::Block(_) | Operand::Index(_) => true,
        }
    }

    fn result_may_be_standard(&mut self, function: FunctionId, call: InstructionId) -> bool {
        let Some(site) = self.calls.site_of(function, call) else {
            return true;
        };
        let targets = self.calls.targets.of(site);
        let externals = self.calls.externals.of(site);
        let opens = |external: &FunctionId| {
            let name = self.program.function_name(*external);
            self.library.facts(name).opens_descriptor
        };
        let is_unknown = targets.is_empty() && externals.is_empty();
        if is_unknown || self.calls.site(site).calls_unmodelled || !externals.iter().all(opens) {
            return true;
        }
        targets.iter().any(|target| {
            let Some(body) = self.program.function(*target).body.as_deref() else {
                return true;
            };
            body.block_ids().any(|block| {
                let end = body.terminator(block);
                body.instruction(end).opcode == Opcode::Return
                    && body
                        .operands(end)
                        .iter()
                        .any(|value| self.may_be_standard(*target, body, *value))
            })
        })
    }

    fn given_may_be_standard(&mut self, function: FunctionId, number: u32) -> bool {
        let entries = &self.calls.entries;
        let from_outside = [
            &entries.mains,
            &entries.library,
            &entries.anytime,
            &entries.exit_handlers,
        ];
        if from_outside.iter().any(|list| list.contains(&function)) {
            return true;
        }
        (0..self.calls.sites.len()).any(|index| {
            let site = CallSiteId::from(index);
            if self.calls.callbacks.of(site).contains(&function) {
                return true;
            }
            if !self.calls.targets.of(site).contains(&function) {
                return false;
            }
            let row = *self.calls.site(site);
            let Some(body) = self.program.function(row.caller).body.as_deref() else {
                return true;
            };
            match body.arguments(row.instruction).get(number as usize) {
                Some(value) => self.may_be_standard(row.caller, body, *value),
                None => true,
            }
        })
    }
}
