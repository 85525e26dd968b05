//! Instructions, one by one.

use super::frame::Frame;
use super::regions::flatten;
use super::scalars::{Scalar, with_fast_math};
use super::{Evaluator, State, Undecided, Value};
use knockon_logic::terms::TermId;
use knockon_program::{BlockId, Constant, Flags, InstructionId, Operand, TypeId, View};

impl<'a> Evaluator<'a, '_> {
    /// The value of an operand, as it is where control comes to [`Evaluator::here`].
    pub(super) fn operand(
        &mut self,
        frame: &Frame<'a>,
        operand: Operand,
    ) -> Result<Value, Undecided> {
        match operand {
            Operand::Instruction(id) => match &frame.values[id.index()] {
                Some(Value::Term(term)) => Ok(Value::Term(self.terms.under(self.here, *term))),
                Some(value) => Ok(value.clone()),
                None => Err(self.construct("a value that was not computed", None)),
            },
            Operand::Argument(number) => frame
                .arguments
                .get(number as usize)
                .cloned()
                .ok_or_else(|| self.construct("a missing argument", None)),
            Operand::Constant(id) => self.constant(id),
            Operand::Block(_) | Operand::Index(_) => {
                Err(self.construct("an operand that is no value", None))
            }
        }
    }

    pub(super) fn single(
        &mut self,
        frame: &Frame<'a>,
        operand: Operand,
    ) -> Result<TermId, Undecided> {
        match self.operand(frame, operand)? {
            Value::Term(term) => Ok(term),
            Value::Aggregate(_) => Err(self.construct("an aggregate as a number", None)),
        }
    }

    pub(super) fn construct_at(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
        construct: impl Into<String>,
    ) -> Undecided {
        let place = frame.body.instruction(id).place;
        self.construct(construct, Some(self.version().program.place(place)))
    }

    pub(super) fn instruction(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        state: &mut State,
    ) -> Result<(), Undecided> {
        let row = *frame.body.instruction(id);
        let body = frame.body;
        self.place = Some(row.place);
        self.here = state.condition;
        let view = body.view(id);
        let is_plain = matches!(view, View::Load { .. } | View::Store { .. });
        if row.flags.has(Flags::ATOMIC) || row.flags.has(Flags::VOLATILE) && !is_plain {
            return Err(self.construct_at(frame, id, "an atomic access"));
        }
        let mut observed: Vec<Value> = Vec::new();
        let value = match view {
            View::Alloca { count, content } => {
                // Each time it runs it makes another object.
                let block = frame.body.blocks.partition_point(|block| block.end <= id);
                let block = BlockId::from_index(block);
                if frame.forest.innermost(block).is_some() {
                    return Err(self.construct_at(frame, id, "a variable that is made in a loop"));
                }
                let count = self.single(frame, count)?;
                let Some(count) = self.terms.as_bits(count) else {
                    return Err(self.construct_at(frame, id, "an array of variable length"));
                };
                let size = self.layouts.size_of(content) * count as u64;
                let address = self.variable(frame, id, Some(size));
                let alignment = 1 << u32::from(row.detail).min(31);
                self.names.note_alignment(address, alignment);
                Some(Value::Term(address))
            }
            View::Load { address } => {
                let at = self.single(frame, address)?;
                observed.push(Value::Term(at));
                let alignment = 1 << u32::from(row.detail).min(31);
                let left = self.load(frame, state, address, at, row.type_id, alignment)?;
                Some(match self.is_seen_event(frame, id) {
                    false => left,
                    true => self.seen(state, at, &left, row.type_id)?,
                })
            }
            View::Store {
                value: stored,
                address,
            } => {
                let value = self.operand(frame, stored)?;
                let at = self.single(frame, address)?;
                observed.extend([value.clone(), Value::Term(at)]);
                let type_id = self.type_of_aggregate(frame, stored);
                let alignment = 1 << u32::from(row.detail).min(31);
                self.store(frame, state, address, (at, alignment), &value, type_id)?;
                if self.is_shown_event(frame, id) {
                    let mut parts = vec![at];
                    flatten(&value, &mut parts);
                    self.note_event(state, "store", &parts);
                }
                None
            }
            View::GetElementPointer { element, .. } => {
                let operands = body.operands(id);
                let values: Result<Vec<Value>, Undecided> = operands
                    .iter()
                    .map(|operand| self.index_operand(frame, *operand))
                    .collect();
                let values = values?;
                observed.extend(values.iter().cloned());
                let Value::Term(base) = values[0] else {
                    return Err(self.construct_at(frame, id, "a vector of addresses"));
                };
                let program = self.version().program;
                let address =
                    self.element_address(program, base, element, operands, &values)?;
                Some(Value::Term(address))
            }
            View::ExtractValue { aggregate, indices } => {
                let mut value = self.operand(frame, aggregate)?;
                observed.push(value.clone());
                for index in indices {
                    value = match (value, index) {
                        (Value::Aggregate(values), Operand::Index(at)) => values
                            .into_iter()
                            .nth(*at as usize)
                            .ok_or_else(|| self.construct("an element out of range", None))?,
                        _ => return Err(self.construct("an element of a number", None)),
                    };
                }
                Some(value)
            }
            View::InsertValue {
                aggregate,
                value,
                indices,
            } => {
                let mut whole = self.operand(frame, aggregate)?;
                let part = self.operand(frame, value)?;
                observed.extend([whole.clone(), part.clone()]);
                let mut at = &mut whole;
                for index in indices {
                    at = match (at, index) {
                        (Value::Aggregate(values), Operand::Index(number)) => {
                            match values.get_mut(*number as usize) {
                                Some(value) => value,
                                None => {
                                    return Err(self.construct("an element out of range", None));
                                }
                            }
                        }
                        _ => return Err(self.construct("an element of a number", None)),
                    };
                }
                *at = part;
                Some(whole)
            }
            View::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.single(frame, condition)?;
                let left = self.operand(frame, then)?;
                let right = self.operand(frame, otherwise)?;
                observed.extend([Value::Term(condition), left.clone(), right.clone()]);
                match (row.flags.fast_math(), left, right) {
                    (Flags::NONE, left, right) => Some(self.choice(condition, &left, &right)),
                    (flags, Value::Term(left), Value::Term(right)) => {
                        let (name, sort) = (with_fast_math("select", flags), self.terms.sort(left));
                        let chosen = self.terms.apply(name, &[condition, left, right], sort);
                        Some(Value::Term(chosen))
                    }
                    _ => return Err(self.construct_at(frame, id, "a choice of vectors")),
                }
            }
            View::Freeze { value } => Some(self.operand(frame, value)?),
            View::Call(_) => return self.call(frame, id, state),
            View::Binary { operation, .. } => {
                let scalar = Scalar::Binary(operation);
                Some(self.scalar_of(frame, id, scalar, &mut observed, state)?)
            }
            View::Cast { operation, .. } => {
                let scalar = Scalar::Cast(operation);
                Some(self.scalar_of(frame, id, scalar, &mut observed, state)?)
            }
            View::FloatNegate { .. } => {
                Some(self.scalar_of(frame, id, Scalar::FloatNegate, &mut observed, state)?)
            }
            View::IntegerCompare { .. } => {
                Some(self.scalar_of(frame, id, Scalar::IntegerCompare, &mut observed, state)?)
            }
            View::FloatCompare { .. } => {
                Some(self.scalar_of(frame, id, Scalar::FloatCompare, &mut observed, state)?)
            }
            View::CompareExchange { .. }
            | View::AtomicReadModifyWrite { .. }
            | View::Fence
            | View::ExtractElement { .. }
            | View::InsertElement { .. }
            | View::ShuffleVector { .. }
            | View::VariadicArgument { .. }
            | View::LandingPad { .. }
            | View::Pad { .. }
            | View::Opaque { .. }
            // Phis and what ends a block have been evaluated elsewhere.
            | View::Phi { .. }
            | View::Return { .. }
            | View::Jump { .. }
            | View::Branch { .. }
            | View::Switch { .. }
            | View::IndirectBranch { .. }
            | View::Resume { .. }
            | View::Unreachable
            | View::CatchSwitch { .. }
            | View::CatchReturn { .. }
            | View::CleanupReturn { .. } => {
                self.singles(frame, id)?;
                self.sort_of(row.type_id)?;
                let construct = format!("the instruction {}", row.opcode.mnemonic());
                return Err(self.construct_at(frame, id, construct));
            }
        };
        // Its partner may compute something else from the same.
        observed.extend(value.clone());
        self.observe(frame, id, state, &observed);
        frame.values[id.index()] = value;
        Ok(())
    }

    fn scalar_of(
        &mut self,
        frame: &mut Frame<'a>,
        id: InstructionId,
        scalar: Scalar,
        observed: &mut Vec<Value>,
        state: &State,
    ) -> Result<Value, Undecided> {
        let values = self.singles(frame, id)?;
        observed.extend(values.iter().map(|value| Value::Term(*value)));
        Ok(Value::Term(self.scalar(frame, id, scalar, &values, state)?))
    }

    fn singles(&mut self, frame: &Frame<'a>, id: InstructionId) -> Result<Vec<TermId>, Undecided> {
        let operands = frame.body.operands(id).iter();
        operands
            .map(|operand| self.single(frame, *operand))
            .collect()
    }

    /// An index, with what is known of its exact value.
    fn index_operand(&mut self, frame: &Frame<'a>, operand: Operand) -> Result<Value, Undecided> {
        let value = self.operand(frame, operand)?;
        if let (Operand::Instruction(id), Value::Term(_)) = (operand, &value)
            && let Some(wide) = frame.wide.get(&id)
        {
            return Ok(Value::Term(*wide));
        }
        Ok(value)
    }

    /// The type of an operand that may be an aggregate.
    fn type_of_aggregate(&self, frame: &Frame<'a>, operand: Operand) -> Option<TypeId> {
        let program = self.version().program;
        match operand {
            Operand::Instruction(id) => Some(frame.body.instruction(id).type_id),
            Operand::Argument(number) => {
                let parameters = &program.function(frame.function).parameters;
                parameters.get(number as usize).map(|row| row.type_id)
            }
            Operand::Constant(id) => match program.constant(id) {
                Constant::Zero(type_id)
                | Constant::Undefined(type_id)
                | Constant::Poison(type_id)
                | Constant::Aggregate { type_id, .. } => Some(*type_id),
                _ => None,
            },
            _ => None,
        }
    }
}
