//! Memory: loads look through stores that are surely elsewhere, stores are sorted where their order
//! does not matter.
//!
//! Two addresses are *surely apart* if they differ by a constant that is large enough, or if they
//! are in different objects: computed from the addresses of two of them. The second leans on the
//! absence of undefined behaviour: whatever is computed from an object's address and is used to
//! access memory points into it.

use super::{Operator, Sort, SymbolId, SymbolKind, TermId, Terms, signed};

/// So many stores and choices a load looks through.
const MOST_STEPS: u32 = 64;

impl Terms {
    /// `bytes` bytes of a memory, the first the lowest.
    pub fn load(&mut self, memory: TermId, address: TermId, bytes: u32) -> TermId {
        let mut steps = MOST_STEPS;
        self.load_within(memory, address, bytes, &mut steps)
    }

    fn load_within(
        &mut self,
        mut memory: TermId,
        address: TermId,
        bytes: u32,
        steps: &mut u32,
    ) -> TermId {
        while *steps > 0 {
            *steps -= 1;
            let row = self.get(memory).clone();
            match row.operator {
                Operator::Store => {
                    let (before, at, value) =
                        (row.arguments[0], row.arguments[1], row.arguments[2]);
                    let stored = self.width(value) / 8;
                    if let Some(offset) = self.constant_difference(address, at)
                        && offset + u128::from(bytes) <= u128::from(stored)
                    {
                        return self.extract(value, offset as u32 * 8, bytes * 8);
                    }
                    if !self.surely_apart((address, bytes), (at, stored)) {
                        break;
                    }
                    memory = before;
                }
                Operator::IfThenElse => {
                    let (condition, left, right) =
                        (row.arguments[0], row.arguments[1], row.arguments[2]);
                    let left = self.load_within(left, address, bytes, steps);
                    let right = self.load_within(right, address, bytes, steps);
                    return self.if_then_else(condition, left, right);
                }
                _ => break,
            }
        }
        self.intern(Operator::Load, Sort::Bits(bytes * 8), [memory, address])
    }

    pub fn store(&mut self, memory: TermId, address: TermId, value: TermId) -> TermId {
        let bytes = self.width(value) / 8;
        let row = self.get(value);
        if row.operator == Operator::Load
            && row.arguments[0] == memory
            && row.arguments[1] == address
        {
            return memory;
        }
        let row = self.get(memory).clone();
        if row.operator == Operator::Store {
            let (before, at, other) = (row.arguments[0], row.arguments[1], row.arguments[2]);
            let stored = self.width(other) / 8;
            if at == address && stored <= bytes {
                return self.store(before, address, value);
            }
            if at > address && self.surely_apart((address, bytes), (at, stored)) {
                let first = self.store(before, address, value);
                return self.intern(Operator::Store, Sort::Memory, [first, at, other]);
            }
        }
        self.intern(Operator::Store, Sort::Memory, [memory, address, value])
    }

    /// No byte is in both ranges.
    pub fn surely_apart(&self, left: (TermId, u32), right: (TermId, u32)) -> bool {
        if let Some(offset) = self.constant_difference(left.0, right.0) {
            let offset = signed(64, offset);
            return offset >= i128::from(right.1) || -offset >= i128::from(left.1);
        }
        match (self.object_of(left.0), self.object_of(right.0)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        }
    }

    /// The object that an address is computed from, if it is one.
    pub fn object_of(&self, address: TermId) -> Option<SymbolId> {
        let sum = self.as_sum(address);
        let mut found = None;
        for (term, coefficient) in sum.parts {
            let Some(symbol) = self.as_symbol(term) else {
                continue;
            };
            if !matches!(self.symbol_of(symbol).kind, SymbolKind::Object { .. }) {
                continue;
            }
            // A difference of addresses, or several, says nothing.
            if coefficient != 1 || found.is_some() {
                return None;
            }
            found = Some(symbol);
        }
        found
    }
}
