//! Memory: loads look through stores that are surely elsewhere, stores are sorted where their order
//! does not matter. Copies of a length that is not known are applied functions with a meaning: see
//! [`Terms::copied`].
//!
//! Two addresses are *surely apart* if they differ by a constant that is large enough, or if they
//! are in different objects: computed from the addresses of two of them, or one from that of an object
//! that nothing else leads to. The second leans on the
//! absence of undefined behaviour: whatever is computed from an object's address and is used to
//! access memory points into it.

use super::{Operator, Sort, SymbolId, SymbolKind, TermId, Terms, signed};

/// So many stores and choices a load looks through.
const MOST_STEPS: u32 = 64;
/// So many stores a copy is moved before.
const MOST_MOVED: u32 = 4;

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
                    if self.surely_apart((address, bytes), (at, stored)) {
                        memory = before;
                        continue;
                    }
                    // Bytes of several stores, one after the other.
                    if let Some(offset) = self.constant_difference(at, address) {
                        let from = signed(64, offset);
                        let until = from + i128::from(stored);
                        let border = match from > 0 {
                            true => from,
                            false => until,
                        };
                        if let Ok(border) = u32::try_from(border)
                            && border < bytes
                        {
                            let offset = self.bits(64, u128::from(border));
                            let next = self.add(address, offset);
                            let low = self.load_within(memory, address, border, steps);
                            let high = self.load_within(memory, next, bytes - border, steps);
                            return self.concatenate(high, low);
                        }
                    }
                    break;
                }
                Operator::IfThenElse => {
                    let (condition, left, right) =
                        (row.arguments[0], row.arguments[1], row.arguments[2]);
                    let left = self.load_within(left, address, bytes, steps);
                    let right = self.load_within(right, address, bytes, steps);
                    return self.if_then_else(condition, left, right);
                }
                Operator::Apply(function) if Some(function) == self.copying => {
                    // Bytes that are not among those copied are what they were.
                    let [before, to, _, _, size] = row.arguments[..] else {
                        break;
                    };
                    let kept = self.is_apart_from(address, bytes, to, size);
                    let there = match self.as_boolean(kept) {
                        Some(true) => {
                            memory = before;
                            continue;
                        }
                        Some(false) => break,
                        None => {
                            self.intern(Operator::Load, Sort::Bits(bytes * 8), [memory, address])
                        }
                    };
                    let other = self.load_within(before, address, bytes, steps);
                    return self.if_then_else(kept, other, there);
                }
                _ => break,
            }
        }
        self.intern(Operator::Load, Sort::Bits(bytes * 8), [memory, address])
    }

    /// So many bytes at an address, and `size` bytes at another, have none in common.
    fn is_apart_from(
        &mut self,
        address: TermId,
        bytes: u32,
        other: TermId,
        size: TermId,
    ) -> TermId {
        let behind = self.subtract(address, other);
        let before = self.subtract(other, address);
        let bytes = self.bits(64, u128::from(bytes));
        let is_behind = self.unsigned_less_or_equal(size, behind);
        let is_before = self.unsigned_less_or_equal(bytes, before);
        let zero = self.bits(64, 0);
        let is_nothing = self.equal(size, zero);
        let is_apart = self.and([is_behind, is_before]);
        self.or([is_nothing, is_apart])
    }

    /// A memory after `size` bytes at `from` of a source, as they were before, came to `to`. Nothing is
    /// copied if the size is 0; a store before it that touches neither range might as well come after
    /// it.
    pub fn copied(
        &mut self,
        memory: TermId,
        to: TermId,
        source: TermId,
        from: TermId,
        size: TermId,
    ) -> TermId {
        let copy = self.copied_within(memory, to, source, from, size, MOST_MOVED);
        let zero = self.bits(64, 0);
        let is_nothing = self.equal(size, zero);
        self.if_then_else(is_nothing, memory, copy)
    }

    fn copied_within(
        &mut self,
        memory: TermId,
        to: TermId,
        source: TermId,
        from: TermId,
        size: TermId,
        steps: u32,
    ) -> TermId {
        let sorts = vec![
            Sort::Memory,
            Sort::Bits(64),
            Sort::Memory,
            Sort::Bits(64),
            Sort::Bits(64),
        ];
        let function = self.function_symbol("copy memory", sorts, Sort::Memory);
        self.copying = Some(function);
        let copy = self.intern(
            Operator::Apply(function),
            Sort::Memory,
            [memory, to, source, from, size],
        );
        let row = self.get(memory).clone();
        if row.operator != Operator::Store || source != memory || steps == 0 {
            return copy;
        }
        let (before, at, value) = (row.arguments[0], row.arguments[1], row.arguments[2]);
        let bytes = self.width(value) / 8;
        let is_kept = self.is_apart_from(at, bytes, to, size);
        let is_unread = self.is_apart_from(at, bytes, from, size);
        let may_move = self.and([is_kept, is_unread]);
        if self.as_boolean(may_move) == Some(false) {
            return copy;
        }
        let earlier = self.copied_within(before, to, before, from, size, steps - 1);
        let moved = self.store(earlier, at, value);
        self.if_then_else(may_move, moved, copy)
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
            (Some(object), None) | (None, Some(object)) => self.unseen.contains(&object),
            (None, None) => false,
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
