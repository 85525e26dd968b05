//! How are a frame's registers read and written?

use crate::code::{Code, Edge, Slot};
use crate::machine::Machine;
use crate::pointers;
use crate::stop::Outcome;
use crate::value::{Scalar, Value, sign_extend};

/// Where a frame's registers start in the two files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bases {
    pub(crate) scalar: usize,
    pub(crate) other: usize,
}

impl Machine<'_> {
    /// The innermost frame's registers.
    pub(crate) fn bases(&self) -> Bases {
        self.frames.last().map_or(
            Bases {
                scalar: 0,
                other: 0,
            },
            |frame| Bases {
                scalar: frame.scalar_base,
                other: frame.other_base,
            },
        )
    }

    #[inline(always)]
    pub(crate) fn scalar(&self, code: &Code, bases: Bases, slot: Slot) -> Scalar {
        if slot.is_constant() {
            code.scalar_constants[slot.index()]
        } else {
            self.scalars[bases.scalar + slot.index()]
        }
    }

    /// A value of any kind.
    pub(crate) fn read(&self, code: &Code, bases: Bases, slot: Slot) -> Value {
        match (slot.is_scalar(), slot.is_constant()) {
            (true, _) => Value::Scalar(self.scalar(code, bases, slot)),
            (false, true) => code
                .other_constants
                .get(slot.index())
                .cloned()
                .unwrap_or_else(Value::nothing),
            (false, false) => self.others[bases.other + slot.index()].clone(),
        }
    }

    /// Writes to a register of the innermost frame.
    pub(crate) fn write_result(&mut self, slot: Slot, value: Value) {
        if slot == Slot::NONE {
            return;
        }
        let bases = self.bases();
        if slot.is_scalar() {
            self.scalars[bases.scalar + slot.index()] = match value {
                Value::Scalar(scalar) => scalar,
                _ => Scalar::undefined(64),
            };
        } else {
            self.others[bases.other + slot.index()] = value;
        }
    }

    /// Makes the phi moves of an edge; the target's first action.
    #[inline(always)]
    pub(crate) fn take_edge<const OBSERVE: bool>(
        &mut self,
        code: &Code,
        bases: Bases,
        edge: &Edge,
    ) -> usize {
        if edge.moves.is_empty() {
            return edge.target as usize;
        }
        if OBSERVE {
            for row in &edge.moves {
                self.observe_phi(code, bases, row.phi, row.from);
                self.memory.record_step(row.phi);
            }
        }
        self.steps += edge.moves.len() as u64;
        if edge.parallel {
            let values: Vec<Value> = edge
                .moves
                .iter()
                .map(|row| self.read(code, bases, row.from))
                .collect();
            for (row, value) in edge.moves.iter().zip(values) {
                self.write_result(row.to, value);
            }
        } else {
            for row in &edge.moves {
                if row.to.is_scalar() {
                    let value = self.scalar(code, bases, row.from);
                    self.scalars[bases.scalar + row.to.index()] = value;
                } else {
                    let value = self.read(code, bases, row.from);
                    self.others[bases.other + row.to.index()] = value;
                }
            }
        }
        edge.target as usize
    }

    /// Where a `getelementptr` of several indices leads.
    pub(crate) fn follow(
        &self,
        code: &Code,
        bases: Bases,
        base: Slot,
        path: u32,
    ) -> Outcome<Scalar> {
        let base = self.scalar(code, bases, base);
        let path = &code.paths[path as usize];
        let mut offset = path.constant;
        for term in &path.terms {
            let index = self.scalar(code, bases, term.index);
            if index.undefined != 0 {
                return Ok(Scalar::undefined(64));
            }
            let width = u32::from(term.width);
            if let Some(bound) = term.bound {
                bound.check(sign_extend(index.bits, width))?;
            }
            offset = offset.wrapping_add(pointers::distance(index, width, term.scale)?);
        }
        pointers::advance(base, offset, path.in_bounds, path.member)
    }
}
