//! Whether bytes are there to be accessed.
//!
//! **Rules.** For an address inside a known object that is plain, but for the alignment: where the
//! object's own does not give it, it is an unknown condition. A variable of a function that has
//! returned is not there. For other addresses all of it is an
//! unknown condition, the same for equal addresses, sizes and alignments, of which this is known: where
//! bytes are, the address behind them is one too, and none of them is at 0. An address that is computed
//! from a pointer within bounds is in the object that the pointer points to: with the bytes at a distance from the
//! pointer, all bytes from the pointer up to them are there. Of two accesses at constant distances from
//! one address, the one may so be inside of what is known of the other; its alignment must be, too.
//!
//! A structure that is copied as a whole needs the alignment that its size allows, of which no more is
//! known afterwards.
//!
//! **Soundness.** Equal sums are of one object: what is computed from an address stays in its object, or
//! the access has no defined behaviour.

use super::frame::Frame;
use super::{Evaluator, LIFETIMES, State, Value};
use knockon_change::Side;
use knockon_logic::terms::{Sort, SymbolKind, TermId};
use knockon_program::{Flags, Opcode, Operand};

/// So many accesses at distances from one address are compared with each other.
const MOST_ACCESSES: usize = 12;

/// Bytes that are accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub at: TermId,
    pub size: u32,
    /// The pointer that the address was computed from within bounds, if it was.
    pub pointer: Option<TermId>,
    /// The access has this alignment if it is defined,
    pub alignment: u32,
    /// and is defined if it has this one.
    pub needed: u32,
}

impl Access {
    pub fn of_copy(at: TermId, size: u32) -> Access {
        Access {
            at,
            size,
            pointer: None,
            alignment: 1,
            needed: 1 << size.trailing_zeros().min(3),
        }
    }
}

/// An access of which something is known, at a distance from an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownAccess {
    lifetimes: TermId,
    base: TermId,
    offset: i128,
    until: i128,
    /// The bytes from here on are there, too, if it is made and is defined.
    from: i128,
    is_made: TermId,
    alignment: u32,
    needed: u32,
    valid: TermId,
}

impl KnownAccess {
    /// If this one is defined, and so are the bytes from some place on, the other one is defined.
    fn covers(&self, from: i128, other: &KnownAccess) -> bool {
        let needed = i128::from(other.needed);
        from <= other.offset
            && other.until <= self.until
            && other.needed <= self.alignment
            && (self.offset - other.offset) % needed == 0
    }
}

impl<'a> Evaluator<'a, '_> {
    /// A load or a store at what an operand says.
    pub(super) fn access(
        &mut self,
        frame: &Frame<'a>,
        address: Operand,
        at: TermId,
        size: u32,
        alignment: u32,
    ) -> Access {
        let mut pointer = address;
        let mut is_within = false;
        while let Operand::Instruction(id) = pointer
            && frame.body.instruction(id).opcode == Opcode::GetElementPointer
            && frame.body.instruction(id).flags.has(Flags::IN_BOUNDS)
        {
            pointer = frame.body.operands(id)[0];
            is_within = true;
        }
        let pointer = match is_within.then(|| self.operand(frame, pointer)) {
            Some(Ok(Value::Term(term))) => Some(term),
            _ => None,
        };
        Access {
            at,
            size,
            pointer,
            alignment,
            needed: alignment,
        }
    }

    /// Behaviour is undefined unless the bytes are there.
    pub(super) fn needs_valid(&mut self, state: &State, access: Access) {
        let Access { at, size, .. } = access;
        if let Some(object) = self.object_term(at)
            && let Some(symbol) = self.terms.as_symbol(object)
            && let SymbolKind::Object { size: Some(whole) } = self.terms.symbol_of(symbol).kind
        {
            let offset = self.terms.subtract(at, object);
            let inside = match whole.checked_sub(u64::from(size)) {
                None => self.terms.boolean(false),
                Some(last) => {
                    let last = self.terms.bits(64, u128::from(last));
                    self.terms.unsigned_less_or_equal(offset, last)
                }
            };
            let outside = match self.ended.contains(&object) {
                true => self.terms.boolean(true),
                false => self.terms.not(inside),
            };
            self.is_undefined_if(state.condition, outside);
            self.needs_aligned(state, object, offset, access);
            return;
        }
        let lifetimes = state.world[LIFETIMES];
        let name = match access.needed == access.alignment {
            true => format!("valid.{size}.{}", access.needed),
            false => format!("valid.{size}.copy"),
        };
        let valid = self.terms.apply(name, &[lifetimes, at], Sort::Boolean);
        let invalid = self.terms.not(valid);
        self.is_undefined_if(state.condition, invalid);
        let one = self.terms.bits(64, 1);
        let last = self.terms.bits(64, u128::from(u64::MAX - u64::from(size)));
        let before = self.terms.subtract(at, one);
        let is_somewhere = self.terms.unsigned_less(before, last);
        let fact = self.terms.implies(valid, is_somewhere);
        self.holds(&[], fact);
        let is_made = self.reached(state.condition);
        self.compare_accesses(lifetimes, access, valid, is_made);
    }

    /// Behaviour is undefined unless an access inside of a known object has its alignment. Where the
    /// object's suffices, constant distances decide, and others are taken for multiples.
    fn needs_aligned(&mut self, state: &State, object: TermId, offset: TermId, access: Access) {
        if access.needed != access.alignment || access.needed == 1 {
            return;
        }
        let needed = u128::from(access.needed);
        let is_enough = self.names.alignment_of(object) >= access.needed;
        let at = match self.terms.as_bits(offset).map(|offset| offset % needed) {
            None | Some(0) if is_enough => return,
            None => access.at,
            Some(rest) => {
                let rest = self.terms.bits(64, rest);
                self.terms.add(object, rest)
            }
        };
        let name = format!("aligned.{needed}");
        let is_aligned = self.terms.apply(name, &[at], Sort::Boolean);
        let is_not = self.terms.not(is_aligned);
        self.is_undefined_if(state.condition, is_not);
    }

    /// What follows of it for the accesses that were seen so far, and of them for it.
    fn compare_accesses(
        &mut self,
        lifetimes: TermId,
        access: Access,
        valid: TermId,
        is_made: TermId,
    ) {
        let (base, offset) = self.terms.without_constant(access.at);
        let mut from = offset;
        // The old version's run is given as a whole; of the new one only what was done is known.
        if let Some(pointer) = access.pointer
            && self.side == Side::Old
        {
            let (start, at) = self.terms.without_constant(pointer);
            if start == base && at < offset {
                from = at;
            }
        }
        let own = KnownAccess {
            lifetimes,
            base,
            offset,
            until: offset + i128::from(access.size),
            from,
            is_made,
            alignment: access.alignment,
            needed: access.needed,
            valid,
        };
        if self.names.accesses.contains(&own) {
            return;
        }
        let others = self.names.accesses.iter();
        let others: Vec<KnownAccess> = others
            .filter(|other| other.lifetimes == lifetimes && other.base == base)
            .copied()
            .collect();
        if others.len() >= MOST_ACCESSES {
            return;
        }
        for other in others.into_iter().filter(|other| other.valid != valid) {
            for (one, two) in [(&own, &other), (&other, &own)] {
                let known = match one {
                    one if one.covers(one.offset, two) => one.valid,
                    one if one.covers(one.from, two) => self.terms.and([one.is_made, one.valid]),
                    _ => continue,
                };
                let fact = self.terms.implies(known, two.valid);
                self.names.about_accesses.push(fact);
            }
        }
        self.names.accesses.push(own);
    }
}
