//! **Question.** What does a term say of plain integers?
//!
//! **Source.** DESIGN.md §6: an integer reading of the same terms, for Horn proofs.
//!
//! **Rules.** A bit vector of up to 64 bits is an integer in the range of its width, signed or
//! unsigned as most of what is done with it and its like ([`signs`]). Sums, choices,
//! comparisons, extensions, and divisions by constants have an integer form. Where a sum or a
//! truncation of 32 bits or more would wrap around, nothing is said: that it does not is an assumption
//! of its own ([`Integers::assumptions`]). Narrower ones are remainders, since there runs do wrap.
//! Whatever has no integer form (other products, operations on bits, loads, applied functions) is
//! one unknown for each term, so what is the same stays the same.
//!
//! **Soundness.** Where the assumptions below a term hold, its reading is its value; a law holds the
//! reading to that on random terms. Unknowns forget how they hang together, and the assumptions
//! are not shown: what is concluded from a reading is a guess, to be shown of the terms themselves
//! ([`crate::horn`]).
//!
//! **Cost.** Linear in the terms that are read.

mod evaluation;
mod signs;

use crate::terms::{Operator, Sort, TermId, Terms, mask, signed};
use rustc_hash::{FxHashMap, FxHashSet};
use signs::Signs;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

/// A term that has no integer form of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UnknownId(pub u32);

/// A statement about integers, or an integer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Truth(bool),
    Number(i128),
    Unknown(UnknownId),
    Not(NodeId),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Equal(NodeId, NodeId),
    Less(NodeId, NodeId),
    Choice(NodeId, NodeId, NodeId),
    Sum {
        constant: i128,
        parts: Vec<(i128, NodeId)>,
    },
    /// By a positive number, rounded down.
    Divide(NodeId, i128),
    /// What that leaves.
    Remainder(NodeId, i128),
}

/// Wider terms are unknowns of any size.
const WIDEST: u32 = 64;
/// Narrower sums wrap around.
const NARROWEST_WITHOUT_WRAP: u32 = 32;

/// The integer reading of some terms.
pub struct Integers<'t> {
    terms: &'t Terms,
    signs: Signs,
    nodes: Vec<Node>,
    node_of: FxHashMap<Node, NodeId>,
    read: FxHashMap<TermId, NodeId>,
    unknowns: Vec<TermId>,
    unknown_of: FxHashMap<TermId, UnknownId>,
    /// What is taken for granted of a term.
    assumed: FxHashMap<TermId, NodeId>,
}

impl<'t> Integers<'t> {
    /// For terms below some, of which pairs are read alike.
    pub fn new(terms: &'t Terms, roots: &[TermId], alike: &[(TermId, TermId)]) -> Integers<'t> {
        Integers {
            terms,
            signs: Signs::new(terms, roots, alike),
            nodes: Vec::new(),
            node_of: FxHashMap::default(),
            read: FxHashMap::default(),
            unknowns: Vec::new(),
            unknown_of: FxHashMap::default(),
            assumed: FxHashMap::default(),
        }
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// A term is read as a signed number.
    pub fn is_signed(&self, term: TermId) -> bool {
        self.signs.is_signed(term)
    }

    /// A term that was read, as something is that is signed or not.
    pub fn read_as(&mut self, term: TermId, is_signed: bool) -> NodeId {
        let node = self.read(term);
        let width = self.terms.width(term);
        match (self.terms.sort(term), self.terms.as_bits(term)) {
            (Sort::Bits(..=WIDEST), Some(value)) => {
                let value = value_of_bits(width, is_signed, value);
                self.add(Node::Number(value))
            }
            (Sort::Bits(..=WIDEST), None) if self.is_signed(term) != is_signed => match is_signed {
                true => self.unsigned_as(node, width, true),
                false => self.signed_as(node, width, false),
            },
            _ => node,
        }
    }

    /// The term that an unknown stands for.
    pub fn unknown(&self, id: UnknownId) -> TermId {
        self.unknowns[id.0 as usize]
    }

    pub fn unknown_ids(&self) -> impl Iterator<Item = UnknownId> + use<> {
        (0..self.unknowns.len() as u32).map(UnknownId)
    }

    /// What a bit vector or a Boolean is; of a memory only that it is an unknown.
    pub fn read(&mut self, term: TermId) -> NodeId {
        let mut work = vec![term];
        while let Some(next) = work.last().copied() {
            if self.read.contains_key(&next) {
                work.pop();
                continue;
            }
            let before = work.len();
            if !self.is_unknown(next) {
                let arguments = self.terms.get(next).arguments.iter().copied();
                work.extend(arguments.filter(|id| !self.read.contains_key(id)));
            }
            if work.len() > before {
                continue;
            }
            let node = self.reading(next);
            self.read.insert(next, node);
            work.pop();
        }
        self.read[&term]
    }

    /// What is taken for granted where some terms are read: unknowns are in the range of their width, and
    /// nothing wraps around.
    pub fn assumptions(&self, roots: &[TermId]) -> Vec<NodeId> {
        let below = self.below(roots).into_iter();
        let mut found: Vec<NodeId> = below
            .filter_map(|id| self.assumed.get(&id).copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The unknowns below terms that were read, ascending.
    pub fn unknowns_of(&self, roots: &[TermId]) -> Vec<UnknownId> {
        let below = self.below(roots).into_iter();
        let mut found: Vec<UnknownId> = below
            .filter_map(|id| self.unknown_of.get(&id).copied())
            .collect();
        found.sort_unstable();
        found
    }

    /// The terms that the reading of some looks at.
    fn below(&self, roots: &[TermId]) -> FxHashSet<TermId> {
        let mut seen = FxHashSet::default();
        let mut work = roots.to_vec();
        while let Some(next) = work.pop() {
            if !seen.insert(next) || self.is_unknown(next) {
                continue;
            }
            let row = self.terms.get(next);
            match self.assumed.contains_key(&next) && row.operator == Operator::Equal {
                // Of sums that are compared only the difference is looked at.
                true => {
                    for argument in &row.arguments {
                        match self.terms.get(*argument) {
                            sum if matches!(sum.operator, Operator::Sum { .. }) => {
                                work.extend(&sum.arguments);
                            }
                            _ => work.push(*argument),
                        }
                    }
                }
                false => work.extend(&row.arguments),
            }
        }
        seen
    }

    /// A term that has no integer form.
    fn is_unknown(&self, term: TermId) -> bool {
        let row = self.terms.get(term);
        let is_wide = |id: &TermId| match self.terms.sort(*id) {
            Sort::Bits(width) => width > WIDEST,
            Sort::Boolean => false,
            Sort::Memory => true,
        };
        let divides = |id: TermId| self.terms.as_bits(id).is_some_and(|value| value != 0);
        match row.operator {
            _ if is_wide(&term) || row.arguments.iter().any(is_wide) => true,
            Operator::Symbol(_)
            | Operator::Multiply
            | Operator::ShiftLeft
            | Operator::LogicalShiftRight
            | Operator::ArithmeticShiftRight
            | Operator::BitAnd
            | Operator::BitOr
            | Operator::BitXor
            | Operator::Load
            | Operator::Store
            | Operator::Apply(_) => true,
            Operator::UnsignedDivide | Operator::UnsignedRemainder => !divides(row.arguments[1]),
            // Of the most negative number by -1 the result is out of range.
            Operator::SignedDivide | Operator::SignedRemainder => {
                let by = row.arguments[1];
                !divides(by) || self.signed_constant(by) <= 0
            }
            _ => false,
        }
    }

    fn signed_constant(&self, term: TermId) -> i128 {
        let value = self.terms.as_bits(term).unwrap_or(0);
        signed(self.terms.width(term), value)
    }

    /// One rule for each operator; the arguments are read.
    fn reading(&mut self, term: TermId) -> NodeId {
        if self.is_unknown(term) {
            return self.new_unknown(term);
        }
        let row = self.terms.get(term).clone();
        let width = self.terms.width(term);
        let is_signed = self.is_signed(term);
        let of: Vec<NodeId> = row.arguments.iter().map(|id| self.read[id]).collect();
        let inner = |at: usize| self.terms.width(row.arguments[at]);
        match row.operator {
            Operator::Boolean(value) => self.add(Node::Truth(value)),
            Operator::Bits(value) => self.add(Node::Number(value_of_bits(width, is_signed, value))),
            Operator::Not => self.add(Node::Not(of[0])),
            Operator::And => self.add(Node::And(of)),
            Operator::Or => self.add(Node::Or(of)),
            Operator::Equal => self.equality(term, &row.arguments),
            Operator::IfThenElse => {
                let left = self.read_as(row.arguments[1], is_signed);
                let right = self.read_as(row.arguments[2], is_signed);
                self.add(Node::Choice(of[0], left, right))
            }
            Operator::Sum {
                constant,
                coefficients,
            } => {
                let factors = coefficients.iter().map(|row| signed(width, *row));
                let sum = Node::Sum {
                    constant: signed(width, constant),
                    parts: factors.zip(of).collect(),
                };
                let sum = self.add(sum);
                self.fitted(term, sum)
            }
            Operator::UnsignedDivide | Operator::UnsignedRemainder => {
                let by = self.terms.as_bits(row.arguments[1]).unwrap_or(1) as i128;
                let left = self.read_as(row.arguments[0], false);
                let found = match row.operator {
                    Operator::UnsignedDivide => self.add(Node::Divide(left, by)),
                    _ => self.add(Node::Remainder(left, by)),
                };
                self.unsigned_as(found, width, is_signed)
            }
            Operator::SignedDivide | Operator::SignedRemainder => {
                let by = self.signed_constant(row.arguments[1]);
                let left = self.read_as(row.arguments[0], true);
                let found = self.rounded_to_zero(left, by);
                let found = match row.operator {
                    Operator::SignedDivide => found,
                    _ => self.add(Node::Sum {
                        constant: 0,
                        parts: vec![(1, left), (-by, found)],
                    }),
                };
                self.signed_as(found, width, is_signed)
            }
            Operator::Concatenate => {
                let high = self.read_as(row.arguments[0], false);
                let low = self.read_as(row.arguments[1], false);
                let both = self.add(Node::Sum {
                    constant: 0,
                    parts: vec![(1 << inner(1), high), (1, low)],
                });
                self.unsigned_as(both, width, is_signed)
            }
            Operator::Extract { low } => {
                if width >= NARROWEST_WITHOUT_WRAP {
                    // The same modulo the width, signed or not.
                    let moved = match low {
                        0 => of[0],
                        _ => self.add(Node::Divide(of[0], 1 << low)),
                    };
                    return self.fitted(term, moved);
                }
                let whole = self.read_as(row.arguments[0], false);
                let moved = match low {
                    0 => whole,
                    _ => self.add(Node::Divide(whole, 1 << low)),
                };
                let part = match low + width == inner(0) {
                    true => moved,
                    false => self.add(Node::Remainder(moved, 1 << width)),
                };
                self.unsigned_as(part, width, is_signed)
            }
            // Less than half of what the width holds, in either reading.
            Operator::ZeroExtend => self.read_as(row.arguments[0], false),
            Operator::SignExtend => {
                let narrow = self.read_as(row.arguments[0], true);
                self.signed_as(narrow, width, is_signed)
            }
            Operator::UnsignedLess | Operator::SignedLess => {
                let is_signed = row.operator == Operator::SignedLess;
                let left = self.read_as(row.arguments[0], is_signed);
                let right = self.read_as(row.arguments[1], is_signed);
                self.add(Node::Less(left, right))
            }
            _ => self.new_unknown(term),
        }
    }

    /// Two sums are equal if their difference is 0, which may wrap around later than each of them.
    fn equality(&mut self, term: TermId, arguments: &[TermId]) -> NodeId {
        let width = self.terms.width(arguments[0]);
        let is_sum = |id: &TermId| matches!(self.terms.get(*id).operator, Operator::Sum { .. });
        if width < NARROWEST_WITHOUT_WRAP || !arguments.iter().any(is_sum) {
            // A constant is read as the other is.
            let is_signed = match self.terms.as_bits(arguments[0]) {
                Some(_) => self.is_signed(arguments[1]),
                None => self.is_signed(arguments[0]),
            };
            let left = self.read_as(arguments[0], is_signed);
            let right = self.read_as(arguments[1], is_signed);
            return self.add(Node::Equal(left, right));
        }
        let mut total = 0;
        let mut parts: Vec<(i128, NodeId)> = Vec::new();
        for (argument, sign) in arguments.iter().zip([1, -1]) {
            let row = self.terms.get(*argument);
            match &row.operator {
                Operator::Bits(value) => total += sign * signed(width, *value),
                Operator::Sum {
                    constant,
                    coefficients,
                } => {
                    total += sign * signed(width, *constant);
                    for (part, coefficient) in row.arguments.iter().zip(coefficients) {
                        parts.push((sign * signed(width, *coefficient), self.read[part]));
                    }
                }
                _ => parts.push((sign, self.read[argument])),
            }
        }
        let difference = self.add(Node::Sum {
            constant: total,
            parts,
        });
        let turn = 1 << width;
        let below = self.add(Node::Number(-turn));
        let above = self.add(Node::Number(turn));
        let is_above = self.add(Node::Less(below, difference));
        let is_below = self.add(Node::Less(difference, above));
        let assumed = self.add(Node::And(vec![is_above, is_below]));
        self.assumed.insert(term, assumed);
        let zero = self.add(Node::Number(0));
        self.add(Node::Equal(difference, zero))
    }

    fn new_unknown(&mut self, term: TermId) -> NodeId {
        let id = UnknownId(self.unknowns.len() as u32);
        self.unknowns.push(term);
        self.unknown_of.insert(term, id);
        let node = self.add(Node::Unknown(id));
        if matches!(self.terms.sort(term), Sort::Bits(..=WIDEST)) {
            let assumed = self.is_in_range(node, term);
            self.assumed.insert(term, assumed);
        }
        node
    }

    fn add(&mut self, node: Node) -> NodeId {
        if let Some(known) = self.node_of.get(&node) {
            return *known;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.node_of.insert(node, id);
        id
    }

    /// A value that the term can have.
    fn is_in_range(&mut self, node: NodeId, term: TermId) -> NodeId {
        let width = self.terms.width(term);
        let least = match self.is_signed(term) {
            true => -(1 << (width - 1)),
            false => 0,
        };
        let below = self.add(Node::Number(least - 1));
        let above = self.add(Node::Number(least + (1 << width)));
        let is_above = self.add(Node::Less(below, node));
        let is_below = self.add(Node::Less(node, above));
        self.add(Node::And(vec![is_above, is_below]))
    }

    /// Any integer as the value of a term: it is one, or what is left of it.
    fn fitted(&mut self, term: TermId, node: NodeId) -> NodeId {
        let width = self.terms.width(term);
        if width >= NARROWEST_WITHOUT_WRAP {
            let assumed = self.is_in_range(node, term);
            self.assumed.insert(term, assumed);
            return node;
        }
        let left = self.add(Node::Remainder(node, 1 << width));
        self.unsigned_as(left, width, self.is_signed(term))
    }

    /// A value from 0 on, signed if need be.
    fn unsigned_as(&mut self, node: NodeId, width: u32, is_signed: bool) -> NodeId {
        let is_small = matches!(self.node(node), Node::Remainder(_, by) if *by <= 1 << (width - 1));
        if !is_signed || is_small {
            return node;
        }
        let half = self.add(Node::Number(1 << (width - 1)));
        self.moved_if(node, half, false, -(1 << width))
    }

    /// A signed value, from 0 on if need be.
    fn signed_as(&mut self, node: NodeId, width: u32, is_signed: bool) -> NodeId {
        if is_signed {
            return node;
        }
        let zero = self.add(Node::Number(0));
        self.moved_if(node, zero, true, 1 << width)
    }

    /// With something added if it is less than a border, or if it is not.
    fn moved_if(&mut self, node: NodeId, border: NodeId, if_less: bool, by: i128) -> NodeId {
        let moved = self.add(Node::Sum {
            constant: by,
            parts: vec![(1, node)],
        });
        let is_less = self.add(Node::Less(node, border));
        match if_less {
            true => self.add(Node::Choice(is_less, moved, node)),
            false => self.add(Node::Choice(is_less, node, moved)),
        }
    }

    /// As C divides, by a positive number.
    fn rounded_to_zero(&mut self, node: NodeId, by: i128) -> NodeId {
        let zero = self.add(Node::Number(0));
        let is_negative = self.add(Node::Less(node, zero));
        let down = self.add(Node::Divide(node, by));
        let negated = self.add(Node::Sum {
            constant: 0,
            parts: vec![(-1, node)],
        });
        let divided = self.add(Node::Divide(negated, by));
        let up = self.add(Node::Sum {
            constant: 0,
            parts: vec![(-1, divided)],
        });
        self.add(Node::Choice(is_negative, up, down))
    }
}

/// A value of a width as it is read.
pub fn value_of_bits(width: u32, is_signed: bool, value: u128) -> i128 {
    match is_signed {
        true => signed(width, value),
        false => (value & mask(width)) as i128,
    }
}
