//! **Question.** What value does a piece of code compute, as a formula over what it is given?
//!
//! A [`TermId`] names a formula in an arena; equal formulas have equal ids (hash-consing), so two
//! pieces of code that build the same term compute the same. Each constructor simplifies on the way,
//! towards one form for what programmers write in several: sums are kept as linear combinations,
//! shifts by constants as products and extracted bits, conditions with negations inside.
//!
//! **Meaning.** A term of sort [`Sort::Bits`] is a bit vector, exact. [`Sort::Memory`] maps 64-bit
//! addresses to bytes, little endian. Floating-point operations, and what callees do, are applied
//! function symbols: equal arguments, equal results, and nothing else is known.
//!
//! **Soundness.** Each simplification keeps the meaning under every valuation;
//! [`evaluation`] states the meaning, and a law holds the constructors to it on random terms. The
//! two exceptions lean on the absence of undefined behaviour and say so: addresses in different
//! objects ([`memory`]), and narrow counters that do not overflow ([`Terms::declare_exact`]).
//!
//! **Cost.** A constructor looks at its arguments and their arguments; memory at a bounded number
//! of stores. Negations and extracted bits go further inside, once for each term that they meet.

mod bit_operations;
mod booleans;
mod comparisons;
mod context;
pub mod evaluation;
mod memory;
pub mod mentions;
mod roots;
mod substitution;
mod sums;
mod widths;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TermId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SymbolId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionSymbolId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    Boolean,
    /// Width in bits, 1 to 128.
    Bits(u32),
    Memory,
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    /// Any value.
    Plain,
    /// The address of an object, with its size where it is known. Objects do not overlap.
    Object { size: Option<u64> },
    /// A sort's value that one object holds from the start and for ever.
    ConstantMemory,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub sort: Sort,
    pub kind: SymbolKind,
}

/// A function of which only this is known: equal arguments give equal results.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionSymbol {
    pub name: String,
    pub parameters: Vec<Sort>,
    pub result: Sort,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    Boolean(bool),
    Bits(u128),
    Symbol(SymbolId),
    /// Of what is no negation, conjunction, disjunction or constant.
    Not,
    /// Two or more, ascending, none a conjunction.
    And,
    /// Two or more, ascending, none a disjunction.
    Or,
    /// Of Booleans, bits or memories.
    Equal,
    IfThenElse,
    /// `constant + Σ coefficient · argument`, arguments ascending, coefficients not 0.
    Sum {
        constant: u128,
        coefficients: Box<[u128]>,
    },
    Multiply,
    UnsignedDivide,
    SignedDivide,
    UnsignedRemainder,
    SignedRemainder,
    ShiftLeft,
    LogicalShiftRight,
    ArithmeticShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// The high part, the low part.
    Concatenate,
    /// Bits from `low` on, as many as the sort has.
    Extract {
        low: u32,
    },
    ZeroExtend,
    SignExtend,
    UnsignedLess,
    SignedLess,
    /// Of a memory at an address: as many bytes as the sort has.
    Load,
    /// Of a memory at an address the bytes of a value.
    Store,
    Apply(FunctionSymbolId),
}

pub type Arguments = SmallVec<[TermId; 3]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    pub operator: Operator,
    pub sort: Sort,
    pub arguments: Arguments,
}

/// The arena.
#[derive(Default)]
pub struct Terms {
    terms: Vec<Term>,
    known: FxHashMap<Term, TermId>,
    symbols: Vec<Symbol>,
    functions: Vec<FunctionSymbol>,
    function_of: FxHashMap<FunctionSymbol, FunctionSymbolId>,
    /// Narrow terms whose sign extension is known; see [`Terms::declare_exact`].
    exact: FxHashMap<TermId, TermId>,
    /// What goes inside of terms is done once for each, since terms are shared: negations of
    /// conjunctions and disjunctions, and bits taken out (term, low, width).
    negations: FxHashMap<TermId, TermId>,
    /// Whether two choices on one condition are equal.
    equal_choices: FxHashMap<(TermId, TermId), TermId>,
    /// Conjunctions and disjunctions of two; `true` for conjunctions.
    junctions: FxHashMap<(TermId, TermId, bool), TermId>,
    extracts: FxHashMap<(TermId, u32, u32), TermId>,
    /// Objects that no address leads to but what is computed from their own.
    unseen: FxHashSet<SymbolId>,
    /// The function symbol of copies of memory; see [`Terms::copied`].
    copying: Option<FunctionSymbolId>,
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn get(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    pub fn sort(&self, id: TermId) -> Sort {
        self.get(id).sort
    }

    pub fn symbol_of(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    pub fn function(&self, id: FunctionSymbolId) -> &FunctionSymbol {
        &self.functions[id.0 as usize]
    }

    /// The width of a bit vector; 1 for a Boolean.
    pub fn width(&self, id: TermId) -> u32 {
        match self.sort(id) {
            Sort::Bits(width) => width,
            Sort::Boolean => 1,
            Sort::Memory => 0,
        }
    }

    fn intern(
        &mut self,
        operator: Operator,
        sort: Sort,
        arguments: impl IntoIterator<Item = TermId>,
    ) -> TermId {
        let term = Term {
            operator,
            sort,
            arguments: arguments.into_iter().collect(),
        };
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term.clone());
        self.known.insert(term, id);
        id
    }

    /// A value of which nothing is known, another one at each call.
    pub fn symbol(&mut self, name: impl Into<String>, sort: Sort) -> TermId {
        self.symbol_of_kind(name, sort, SymbolKind::Plain)
    }

    pub fn symbol_of_kind(
        &mut self,
        name: impl Into<String>,
        sort: Sort,
        kind: SymbolKind,
    ) -> TermId {
        let id = SymbolId(self.symbols.len() as u32);
        self.symbols.push(Symbol {
            name: name.into(),
            sort,
            kind,
        });
        self.intern(Operator::Symbol(id), sort, [])
    }

    /// The same function at each call with the same signature.
    pub fn function_symbol(
        &mut self,
        name: impl Into<String>,
        parameters: Vec<Sort>,
        result: Sort,
    ) -> FunctionSymbolId {
        let function = FunctionSymbol {
            name: name.into(),
            parameters,
            result,
        };
        if let Some(id) = self.function_of.get(&function) {
            return *id;
        }
        let id = FunctionSymbolId(self.functions.len() as u32);
        self.functions.push(function.clone());
        self.function_of.insert(function, id);
        id
    }

    /// A function symbol, named and typed by its arguments, applied to them.
    pub fn apply(&mut self, name: impl Into<String>, arguments: &[TermId], result: Sort) -> TermId {
        let parameters = arguments.iter().map(|id| self.sort(*id)).collect();
        let function = self.function_symbol(name, parameters, result);
        self.intern(Operator::Apply(function), result, arguments.iter().copied())
    }

    pub fn boolean(&mut self, value: bool) -> TermId {
        self.intern(Operator::Boolean(value), Sort::Boolean, [])
    }

    pub fn bits(&mut self, width: u32, value: u128) -> TermId {
        let value = value & mask(width);
        self.intern(Operator::Bits(value), Sort::Bits(width), [])
    }

    pub fn as_boolean(&self, id: TermId) -> Option<bool> {
        match self.get(id).operator {
            Operator::Boolean(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_bits(&self, id: TermId) -> Option<u128> {
        match self.get(id).operator {
            Operator::Bits(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_symbol(&self, id: TermId) -> Option<SymbolId> {
        match self.get(id).operator {
            Operator::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// `condition ? left : right`, of equal sorts.
    pub fn if_then_else(&mut self, condition: TermId, left: TermId, right: TermId) -> TermId {
        if let Some(value) = self.as_boolean(condition) {
            return if value { left } else { right };
        }
        if left == right {
            return left;
        }
        if self.sort(left) == Sort::Boolean {
            let negated = self.not(condition);
            let first = self.and([condition, left]);
            let second = self.and([negated, right]);
            return self.or([first, second]);
        }
        if self.get(condition).operator == Operator::Not {
            let inner = self.get(condition).arguments[0];
            return self.if_then_else(inner, right, left);
        }
        let left = self.branch_of(left, condition, true);
        let right = self.branch_of(right, condition, false);
        if left == right {
            return left;
        }
        // The smaller or larger of two, whichever is asked about first.
        let row = self.get(condition);
        if matches!(row.operator, Operator::UnsignedLess | Operator::SignedLess) {
            let (first, second) = (row.arguments[0], row.arguments[1]);
            let chooses = (left, right) == (first, second) || (left, right) == (second, first);
            if chooses && second < first {
                let is_signed = row.operator == Operator::SignedLess;
                let swapped = match is_signed {
                    true => self.signed_less(second, first),
                    false => self.unsigned_less(second, first),
                };
                if self.get(swapped).operator == self.get(condition).operator {
                    let sort = self.sort(left);
                    return self.intern(Operator::IfThenElse, sort, [swapped, right, left]);
                }
            }
        }
        let sort = self.sort(left);
        self.intern(Operator::IfThenElse, sort, [condition, left, right])
    }

    /// What a choice is where its condition is known.
    fn branch_of(&self, mut term: TermId, condition: TermId, value: bool) -> TermId {
        while self.get(term).operator == Operator::IfThenElse {
            let [decides, left, right] = self.get(term).arguments[..] else {
                break;
            };
            if decides != condition {
                break;
            }
            term = if value { left } else { right };
        }
        term
    }

    /// From now on no address leads into an object but what is computed from its own: the caller
    /// knows that it is used for nothing but accesses.
    pub fn declare_unseen(&mut self, object: TermId) {
        if let Some(symbol) = self.as_symbol(object) {
            self.unseen.insert(symbol);
        }
    }

    /// From now on the sign extension of `narrow` is the low bits of `wide`, a term of 64 bits: the
    /// caller knows that `narrow` counts without overflow on every run that has no undefined
    /// behaviour. Returns that as a condition, for whoever does not know.
    pub fn declare_exact(&mut self, narrow: TermId, wide: TermId) -> TermId {
        self.exact.insert(narrow, wide);
        let width = self.width(wide);
        let extended = self.intern(Operator::SignExtend, Sort::Bits(width), [narrow]);
        self.equal(extended, wide)
    }
}

/// The bits of a width.
pub fn mask(width: u32) -> u128 {
    match width {
        128.. => u128::MAX,
        _ => (1 << width) - 1,
    }
}

/// A value of a width, read as signed.
pub fn signed(width: u32, value: u128) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    ((value << shift) as i128) >> shift
}
