//! What does a call do?
//!
//! The callee is resolved once where it is a constant: a function with a body gets a frame, one
//! without is the machine's own (`llvm.*`, `setjmp`), the library's, or unknown, which ends the run.
//! Arguments go straight to the callee's parameter slots; where the call's function type differs
//! from the callee's they are converted as the registers would carry them, with a caveat.

use crate::callee::{Callee, resolve};
use crate::code::{Code, Slot};
use crate::library_call::LibraryCall;
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind, SiteId};
use crate::registers::Bases;
use crate::run::RunCaveat;
use crate::shapes::{scalar_width, undefined_value};
use crate::stop::{Outcome, undefined, unsupported};
use crate::trace::Origin;
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value, Wide};
use crate::variadics::VariadicArgument;
use knockon_program::{FunctionId, InstructionId, ParameterAttributes, Program, Type, TypeId};
use std::rc::Rc;

/// A call, invoke or callbr, resolved.
pub(crate) struct CallSite {
    pub(crate) instruction: InstructionId,
    pub(crate) callee: Callee,
    /// The arguments' range in the code's operands.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Of each argument; of one that is passed in memory what the pointer points to.
    pub(crate) types: Box<[TypeId]>,
    /// The arguments that are passed in memory, and their alignment there.
    pub(crate) in_memory: Box<[(usize, u64)]>,
    pub(crate) function_type: TypeId,
    pub(crate) result_type: TypeId,
    pub(crate) to: Slot,
    /// The call as a place that allocates.
    pub(crate) site: SiteId,
}

/// What a call left to do.
pub(crate) enum Called {
    /// A frame was pushed.
    Entered,
    /// The call is over and this is its result.
    Returned(Value),
}

impl Machine<'_> {
    /// Calls what a site names. The frame's next action must have been saved.
    pub(crate) fn call(
        &mut self,
        code: &Rc<Code>,
        bases: Bases,
        site: &CallSite,
    ) -> Outcome<Called> {
        let callee = match site.callee {
            Callee::Indirect(slot) => {
                let pointer = self.scalar(code, bases, slot);
                if !pointer.is_defined() {
                    return undefined(
                        UndefinedBehaviour::Uninitialised,
                        "a call through a pointer that is not initialised",
                    );
                }
                let function = self.function_at(pointer.bits)?;
                if self.program.function(function).type_id != site.function_type {
                    self.caveat(RunCaveat::FunctionType);
                }
                resolve(self.program, function)
            }
            callee => callee,
        };
        if let Callee::Defined(function) = callee {
            self.enter(code, bases, site, function)?;
            return Ok(Called::Entered);
        }
        let mut arguments = std::mem::take(&mut self.scratch);
        arguments.clear();
        for slot in &code.operands[site.first..site.first + site.count] {
            arguments.push(self.read(code, bases, *slot));
        }
        let observation = self.observe_call(code, bases, site.instruction);
        self.memory.record_library_call(match callee {
            Callee::Library(_, function) => Some(function),
            _ => None,
        });
        let outcome = self.call_bodyless(site, callee, &arguments);
        self.memory.record_registered(self.exit_handlers.len());
        if let Some(pending) = observation {
            self.observe_result(&pending, outcome.as_ref().ok());
        }
        self.scratch = arguments;
        outcome.map(Called::Returned)
    }

    fn call_bodyless(
        &mut self,
        site: &CallSite,
        callee: Callee,
        arguments: &[Value],
    ) -> Outcome<Value> {
        let program = self.program;
        match callee {
            Callee::Intrinsic(intrinsic) => self.intrinsic(intrinsic, site, arguments),
            Callee::Library(found, function) => {
                self.check_library_arguments(function, arguments)?;
                let call = LibraryCall {
                    program,
                    name: program.function_name(function),
                    arguments,
                    types: &site.types,
                    named: named_parameters(program, function, site.function_type),
                    site: site.site,
                };
                let result = found(self, &call)?;
                Ok(fitted(program, result, site.result_type))
            }
            Callee::SetJump => match arguments.first() {
                Some(Value::Scalar(buffer)) => self.set_jump(buffer.bits, site.to),
                _ => unsupported("setjmp without a buffer"),
            },
            Callee::LongJump => match arguments {
                [Value::Scalar(buffer), Value::Scalar(value), ..] => {
                    self.long_jump(buffer.bits, value.bits as i32)
                }
                _ => unsupported("longjmp without a buffer"),
            },
            Callee::EmptyAssembly => Ok(match site.to {
                Slot::NONE => Value::nothing(),
                // An operand that passes through the empty template unchanged.
                _ if arguments.len() == 1 => arguments[0].clone(),
                _ => return unsupported("inline assembly with results"),
            }),
            Callee::Assembly => unsupported("inline assembly"),
            Callee::Unknown(function) => unsupported(format!(
                "a call of {}, which is neither defined nor known to the library",
                program.function_name(function)
            )),
            Callee::Defined(_) | Callee::Indirect(_) => unsupported("a call that is not resolved"),
        }
    }

    /// What the declaration promises about its arguments.
    fn check_library_arguments(&self, id: FunctionId, arguments: &[Value]) -> Outcome<()> {
        let function = self.program.function(id);
        for (index, parameter) in function.parameters.iter().enumerate() {
            if parameter.attributes.has(ParameterAttributes::NON_NULL)
                && let Some(Value::Scalar(value)) = arguments.get(index)
                && value.is_defined()
                && value.bits == 0
            {
                return null_argument(self.program, id, index);
            }
        }
        Ok(())
    }

    /// Pushes a frame for a function with a body and fills its parameters from a call site.
    fn enter(
        &mut self,
        caller: &Rc<Code>,
        bases: Bases,
        site: &CallSite,
        function: FunctionId,
    ) -> Outcome<()> {
        let observation = self.observe_call(caller, bases, site.instruction);
        let callee = self.code(function)?;
        let program = self.program;
        let row = program.function(function);
        let same_type = row.type_id == site.function_type;
        self.push_frame(callee.clone(), site.to)?;
        let inner = self.bases();
        for (index, slot) in callee.parameters.iter().enumerate() {
            let parameter = &row.parameters[index];
            if index < site.count
                && same_type
                && slot.is_scalar()
                && !parameter.attributes.has(ParameterAttributes::BY_VALUE)
            {
                let value = self.scalar(caller, bases, caller.operands[site.first + index]);
                if value.undefined != 0 && parameter.attributes.has(ParameterAttributes::NO_UNDEF) {
                    return undefined_argument(program, function, index);
                }
                if value == Scalar::default()
                    && parameter.attributes.has(ParameterAttributes::NON_NULL)
                {
                    return null_argument(program, function, index);
                }
                self.scalars[inner.scalar + slot.index()] = value;
                continue;
            }
            let value = if index < site.count {
                let value = self.read(caller, bases, caller.operands[site.first + index]);
                if same_type {
                    value
                } else {
                    fitted(program, value, parameter.type_id)
                }
            } else {
                undefined_value(program, parameter.type_id)
            };
            self.pass(function, index, *slot, value, site.site)?;
        }
        let named = callee.parameters.len();
        if site.count > named && is_variadic(program, row.type_id) {
            let mut rows = Vec::with_capacity(site.count - named);
            for index in named..site.count {
                let value = self.read(caller, bases, caller.operands[site.first + index]);
                let type_id = site.types[index];
                let mut in_memory = site.in_memory.iter();
                rows.push(match in_memory.find(|(at, _)| *at == index) {
                    Some((_, alignment)) => VariadicArgument {
                        value: self.copied(&value, type_id, site.site, (function, None))?,
                        type_id,
                        in_memory: Some(*alignment),
                    },
                    None => VariadicArgument {
                        value,
                        type_id,
                        in_memory: None,
                    },
                });
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.variadic = Some(rows.into());
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.observation = observation;
            frame.result_type = (!same_type).then_some(site.result_type);
        }
        self.trace_entering();
        Ok(())
    }

    /// Writes one argument to its parameter, as the parameter's attributes ask.
    fn pass(
        &mut self,
        function: FunctionId,
        index: usize,
        slot: Slot,
        value: Value,
        site: SiteId,
    ) -> Outcome<()> {
        let program = self.program;
        let parameter = &program.function(function).parameters[index];
        if parameter.attributes.has(ParameterAttributes::NO_UNDEF) && !value.is_defined() {
            return undefined_argument(program, function, index);
        }
        let value = if parameter.attributes.has(ParameterAttributes::BY_VALUE) {
            self.copied(&value, parameter.pointee, site, (function, Some(index)))?
        } else {
            value
        };
        self.write_result(slot, value);
        Ok(())
    }

    /// The address of a copy of what stands at an address, in the newest frame: the argument is
    /// what stood there at the call, whatever the callee does to the original.
    fn copied(
        &mut self,
        address: &Value,
        pointee: TypeId,
        site: SiteId,
        (callee, parameter): (FunctionId, Option<usize>),
    ) -> Outcome<Value> {
        let Value::Scalar(address) = address else {
            return unsupported("an argument passed in memory that is no address");
        };
        let size = self.program.size_of(pointee);
        let copy = self.memory.allocate(Allocation {
            size,
            kind: ObjectKind::Stack,
            site,
            zeroed: false,
        })?;
        let copy = match parameter {
            Some(number) => self.memory.named_parameter(copy, callee, number as u32),
            None => copy,
        };
        self.stack_objects.push(copy);
        self.charge_stack(size)?;
        self.memory.name_origin(copy, || Origin::Passed {
            callee,
            parameter: parameter.map(|index| index as u32),
        });
        self.memory.copy(copy, address.bits, size)?;
        Ok(Value::integer(copy))
    }

    /// A call from the host: pushes a frame, or gives the result of a function without a body.
    pub(crate) fn enter_from_host(
        &mut self,
        function: FunctionId,
        arguments: &[Value],
    ) -> Outcome<Option<Value>> {
        let program = self.program;
        let row = program.function(function);
        let site = self.memory.site(crate::memory::Site::Function(function));
        match resolve(program, function) {
            Callee::Defined(function) => {
                let callee = self.code(function)?;
                self.push_frame(callee.clone(), Slot::NONE)?;
                for (index, slot) in callee.parameters.iter().enumerate() {
                    let type_id = row.parameters[index].type_id;
                    let value = match arguments.get(index) {
                        Some(value) => fitted(program, value.clone(), type_id),
                        None => undefined_value(program, type_id),
                    };
                    self.pass(function, index, *slot, value, site)?;
                }
                self.trace_entering();
                Ok(None)
            }
            Callee::Library(found, _) => {
                let types: Vec<TypeId> = row.parameters.iter().map(|row| row.type_id).collect();
                let named = types.len().min(arguments.len());
                let call = LibraryCall {
                    program,
                    name: program.function_name(function),
                    arguments: &arguments[..named],
                    types: &types[..named],
                    named,
                    site,
                };
                found(self, &call).map(Some)
            }
            _ => unsupported(format!(
                "a library function calls {} back, which has no body",
                program.function_name(function)
            )),
        }
    }
}

#[cold]
fn null_argument<T>(program: &Program, function: FunctionId, index: usize) -> Outcome<T> {
    undefined(
        UndefinedBehaviour::NullArgument,
        format!(
            "argument {} of {} must not be null",
            index + 1,
            program.function_name(function)
        ),
    )
}

fn undefined_argument<T>(program: &Program, function: FunctionId, index: usize) -> Outcome<T> {
    undefined(
        UndefinedBehaviour::Uninitialised,
        format!(
            "argument {} of {} is not initialised",
            index + 1,
            program.function_name(function)
        ),
    )
}

fn is_variadic(program: &Program, type_id: TypeId) -> bool {
    matches!(
        program.type_of(type_id),
        Type::Function { variadic: true, .. }
    )
}

/// How many arguments a library function's declaration names. An unprototyped declaration names
/// none, and then the call's own type decides.
fn named_parameters(program: &Program, function: FunctionId, call_type: TypeId) -> usize {
    let declared = program.function(function).parameters.len();
    match program.type_of(call_type) {
        Type::Function {
            parameters,
            variadic: true,
            ..
        } => parameters.len().max(declared),
        _ => declared,
    }
}

/// A value as the register that carries it is read by another type.
pub(crate) fn fitted(program: &Program, value: Value, type_id: TypeId) -> Value {
    match scalar_width(program, type_id) {
        Some(width) => {
            if width > 128 {
                return value;
            }
            let wide = value.to_wide().unwrap_or(Wide {
                bits: 0,
                undefined: u128::MAX,
            });
            Value::from_wide(wide, width)
        }
        None => match (&value, program.type_of(type_id)) {
            (_, Type::Void) | (Value::Aggregate(_), _) => value,
            _ => undefined_value(program, type_id),
        },
    }
}
