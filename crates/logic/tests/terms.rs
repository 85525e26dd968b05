//! The law of the terms: a constructor may simplify as it likes, but the term that it gives means
//! what the plain operation means, under every valuation.
//!
//! Random expressions are built twice, step by step: as terms, and as a list of plain operations
//! over earlier steps that nothing simplifies. A second, naive evaluator gives the list its meaning.

mod plain;

use knockon_logic::solver::{Answer, Limits, SolverOptions, SolverProgram, Solvers};
use knockon_logic::terms::evaluation::{Bytes, Valuation, Value, evaluate};
use knockon_logic::terms::mentions::Mentions;
use knockon_logic::terms::{FunctionSymbolId, Operator, Sort, SymbolId, SymbolKind, TermId, Terms};
use plain::{Operation, Plain, Step, meaning};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// xorshift64*, so that a failing seed can be run again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Often an edge, a small number or a single bit.
    fn value(&mut self, width: u32) -> u128 {
        let ones = u128::MAX >> (128 - width);
        let any = (u128::from(self.next()) << 64) | u128::from(self.next());
        let value = match self.below(10) {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => 1 << (width - 1),
            4 => ones >> 1,
            5 => 1 << self.below(width as usize),
            6 => (1 << self.below(width as usize)) - 1,
            7 => any % 17,
            8 => (any % 17).wrapping_neg(),
            _ => any,
        };
        value & ones
    }

    fn width(&mut self) -> u32 {
        match self.below(8) {
            0 => 1 + self.below(64) as u32,
            1 => 1,
            2 => 128,
            3 => 8,
            4 => 16,
            5 => 64,
            _ => 32,
        }
    }
}

/// An expression under construction: what each step is, twice.
struct Sample {
    terms: Terms,
    steps: Vec<Step>,
    built: Vec<TermId>,
}

impl Sample {
    fn random(seed: u64, most: usize) -> (Random, Sample) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut sample = Sample {
            terms: Terms::new(),
            steps: Vec::new(),
            built: Vec::new(),
        };
        sample.push_symbol(Sort::Bits(32), SymbolKind::Plain);
        sample.push_symbol(Sort::Bits(64), SymbolKind::Plain);
        sample.push_symbol(Sort::Memory, SymbolKind::Plain);
        for _ in 0..8 + random.below(most) {
            sample.grow(&mut random);
        }
        (random, sample)
    }

    fn push(&mut self, operation: Operation, arguments: Vec<usize>, sort: Sort) -> usize {
        let of: Vec<TermId> = arguments.iter().map(|at| self.built[*at]).collect();
        let terms = &mut self.terms;
        let width = match sort {
            Sort::Bits(width) => width,
            _ => 0,
        };
        let term = match operation {
            Operation::Symbol { .. } => unreachable!("symbols are made apart"),
            Operation::Truth(value) => terms.boolean(value),
            Operation::Number(value) => terms.bits(width, value),
            Operation::Not => terms.not(of[0]),
            Operation::And => terms.and(of.iter().copied()),
            Operation::Or => terms.or(of.iter().copied()),
            Operation::Implies => terms.implies(of[0], of[1]),
            Operation::Equal => terms.equal(of[0], of[1]),
            Operation::IfThenElse => terms.if_then_else(of[0], of[1], of[2]),
            Operation::Add => terms.add(of[0], of[1]),
            Operation::Subtract => terms.subtract(of[0], of[1]),
            Operation::Scale(factor) => terms.scale(of[0], factor),
            Operation::Multiply => terms.multiply(of[0], of[1]),
            Operation::UnsignedDivide => terms.unsigned_divide(of[0], of[1]),
            Operation::SignedDivide => terms.signed_divide(of[0], of[1]),
            Operation::UnsignedRemainder => terms.unsigned_remainder(of[0], of[1]),
            Operation::SignedRemainder => terms.signed_remainder(of[0], of[1]),
            Operation::ShiftLeft => terms.shift_left(of[0], of[1]),
            Operation::LogicalShiftRight => terms.logical_shift_right(of[0], of[1]),
            Operation::ArithmeticShiftRight => terms.arithmetic_shift_right(of[0], of[1]),
            Operation::BitNot => terms.bit_not(of[0]),
            Operation::BitAnd => terms.bit_and(of[0], of[1]),
            Operation::BitOr => terms.bit_or(of[0], of[1]),
            Operation::BitXor => terms.bit_xor(of[0], of[1]),
            Operation::Concatenate => terms.concatenate(of[0], of[1]),
            Operation::Extract { low } => terms.extract(of[0], low, width),
            Operation::ZeroExtend => terms.zero_extend(of[0], width),
            Operation::SignExtend => terms.sign_extend(of[0], width),
            Operation::NumberOf => terms.number_of(of[0], width),
            Operation::UnsignedLess => terms.unsigned_less(of[0], of[1]),
            Operation::SignedLess => terms.signed_less(of[0], of[1]),
            Operation::UnsignedLessOrEqual => terms.unsigned_less_or_equal(of[0], of[1]),
            Operation::SignedLessOrEqual => terms.signed_less_or_equal(of[0], of[1]),
            Operation::Load => terms.load(of[0], of[1], width / 8),
            Operation::Store => terms.store(of[0], of[1], of[2]),
            Operation::Apply { name } => terms.apply(format!("f{name}"), &of, sort),
        };
        assert_eq!(terms.sort(term), sort, "{operation:?} of {arguments:?}");
        self.built.push(term);
        self.steps.push(Step {
            operation,
            arguments,
            sort,
        });
        self.steps.len() - 1
    }

    fn push_symbol(&mut self, sort: Sort, kind: SymbolKind) -> usize {
        let term = self.terms.symbol_of_kind("x", sort, kind);
        let symbol = self.terms.as_symbol(term).unwrap();
        self.built.push(term);
        self.steps.push(Step {
            operation: Operation::Symbol { at: symbol.0 },
            arguments: Vec::new(),
            sort,
        });
        self.steps.len() - 1
    }

    /// A step of a sort: mostly one of the last, sometimes a new constant or symbol.
    fn pick(&mut self, random: &mut Random, sort: Sort) -> usize {
        let fits: Vec<usize> = (0..self.steps.len())
            .filter(|at| self.steps[*at].sort == sort)
            .collect();
        if fits.is_empty() || random.one_in(6) {
            return match sort {
                Sort::Memory => self.push_symbol(sort, SymbolKind::Plain),
                Sort::Boolean if random.one_in(4) => {
                    let value = random.one_in(2);
                    self.push(Operation::Truth(value), vec![], sort)
                }
                Sort::Bits(width) if random.below(4) > 0 => {
                    let value = random.value(width);
                    self.push(Operation::Number(value), vec![], sort)
                }
                _ => self.push_symbol(sort, SymbolKind::Plain),
            };
        }
        let recent = fits.len().min(1 + random.below(6));
        fits[fits.len() - 1 - random.below(recent)]
    }

    /// Addresses that often lie a few bytes from one another.
    fn pick_address(&mut self, random: &mut Random) -> usize {
        let base = self.pick(random, Sort::Bits(64));
        if random.one_in(3) {
            return base;
        }
        let offset = (random.below(24) as u128).wrapping_sub(8) & u128::from(u64::MAX);
        let offset = self.push(Operation::Number(offset), vec![], Sort::Bits(64));
        self.push(Operation::Add, vec![base, offset], Sort::Bits(64))
    }

    fn grow(&mut self, random: &mut Random) {
        let width = match random.one_in(3) {
            true => random.width(),
            // Of a width that is there already, so that operations meet.
            false => match self.steps[random.below(self.steps.len())].sort {
                Sort::Bits(width) => width,
                _ => 32,
            },
        };
        let bits = Sort::Bits(width);
        match random.below(12) {
            0 | 1 => {
                let operation =
                    [Operation::And, Operation::Or, Operation::Implies][random.below(3)];
                let count = match operation {
                    Operation::Implies => 2,
                    _ => 1 + random.below(4),
                };
                let of = (0..count)
                    .map(|_| self.pick(random, Sort::Boolean))
                    .collect();
                self.push(operation, of, Sort::Boolean);
            }
            2 => {
                let of = vec![self.pick(random, Sort::Boolean)];
                match random.one_in(2) {
                    true => self.push(Operation::Not, of, Sort::Boolean),
                    false => self.push(Operation::NumberOf, of, bits),
                };
            }
            3 => {
                let sort = [Sort::Boolean, bits, bits, Sort::Memory][random.below(4)];
                let condition = self.pick(random, Sort::Boolean);
                let of = vec![condition, self.pick(random, sort), self.pick(random, sort)];
                self.push(Operation::IfThenElse, of, sort);
            }
            4 | 5 => {
                let comparisons = [
                    Operation::Equal,
                    Operation::Equal,
                    Operation::UnsignedLess,
                    Operation::SignedLess,
                    Operation::UnsignedLessOrEqual,
                    Operation::SignedLessOrEqual,
                ];
                let operation = comparisons[random.below(comparisons.len())];
                let sort = match operation {
                    Operation::Equal => [Sort::Boolean, bits, bits, Sort::Memory][random.below(4)],
                    _ => bits,
                };
                let of = vec![self.pick(random, sort), self.pick(random, sort)];
                self.push(operation, of, Sort::Boolean);
            }
            6 | 7 => {
                let operations = [
                    Operation::Add,
                    Operation::Add,
                    Operation::Subtract,
                    Operation::Multiply,
                    Operation::UnsignedDivide,
                    Operation::SignedDivide,
                    Operation::UnsignedRemainder,
                    Operation::SignedRemainder,
                    Operation::ShiftLeft,
                    Operation::LogicalShiftRight,
                    Operation::ArithmeticShiftRight,
                    Operation::BitAnd,
                    Operation::BitAnd,
                    Operation::BitOr,
                    Operation::BitOr,
                    Operation::BitXor,
                ];
                let operation = operations[random.below(operations.len())];
                let left = self.pick(random, bits);
                let is_shift = matches!(
                    operation,
                    Operation::ShiftLeft
                        | Operation::LogicalShiftRight
                        | Operation::ArithmeticShiftRight
                );
                let right = match is_shift && random.below(3) > 0 {
                    true => {
                        let by = random.below(width as usize + 2) as u128;
                        let by = by & (u128::MAX >> (128 - width));
                        self.push(Operation::Number(by), vec![], bits)
                    }
                    false => self.pick(random, bits),
                };
                self.push(operation, vec![left, right], bits);
            }
            8 => {
                let of = vec![self.pick(random, bits)];
                match random.one_in(2) {
                    true => self.push(Operation::BitNot, of, bits),
                    false => {
                        let factor = random.value(width);
                        self.push(Operation::Scale(factor), of, bits)
                    }
                };
            }
            9 => self.grow_width(random, width),
            10 => {
                let bytes = [1, 1, 2, 4, 8, 16, 3][random.below(7)];
                let value = Sort::Bits(bytes * 8);
                let memory = self.pick(random, Sort::Memory);
                let address = self.pick_address(random);
                match random.one_in(2) {
                    true => self.push(Operation::Load, vec![memory, address], value),
                    false => {
                        let of = vec![memory, address, self.pick(random, value)];
                        self.push(Operation::Store, of, Sort::Memory)
                    }
                };
            }
            _ => {
                let sorts = [Sort::Boolean, bits, Sort::Memory];
                let of = (0..random.below(3))
                    .map(|_| {
                        let sort = sorts[random.below(3)];
                        self.pick(random, sort)
                    })
                    .collect();
                let name = random.below(2) as u32;
                let result = sorts[random.below(3)];
                self.push(Operation::Apply { name }, of, result);
            }
        }
    }

    fn grow_width(&mut self, random: &mut Random, width: u32) {
        let of = self.pick(random, Sort::Bits(width));
        match random.below(4) {
            0 if width < 128 => {
                let low = self.pick_width(random, 128 - width);
                let sum = Sort::Bits(width + self.width(low));
                self.push(Operation::Concatenate, vec![of, low], sum);
            }
            1 | 2 if width < 128 => {
                let wide = match width < 64 && random.one_in(2) {
                    true => 64,
                    false => width + random.below((129 - width) as usize) as u32,
                };
                let operation = [Operation::ZeroExtend, Operation::SignExtend][random.below(2)];
                self.push(operation, vec![of], Sort::Bits(wide));
            }
            _ => {
                let low = match random.one_in(2) {
                    true => 0,
                    false => random.below(width as usize) as u32,
                };
                let count = 1 + random.below((width - low) as usize) as u32;
                self.push(Operation::Extract { low }, vec![of], Sort::Bits(count));
            }
        }
    }

    fn width(&self, at: usize) -> u32 {
        match self.steps[at].sort {
            Sort::Bits(width) => width,
            _ => 0,
        }
    }

    fn pick_width(&mut self, random: &mut Random, most: u32) -> usize {
        let found: Vec<usize> = (0..self.steps.len())
            .filter(|at| (1..=most).contains(&self.width(*at)))
            .collect();
        match found.is_empty() {
            true => self.pick(random, Sort::Bits(1)),
            false => found[random.below(found.len())],
        }
    }
}

/// A function of the symbol's number, or of the function and the arguments: nothing is stored.
struct Scattered<'a> {
    seed: u64,
    /// Where objects are.
    objects: &'a [(SymbolId, u64)],
}

impl Scattered<'_> {
    fn value(&self, sort: Sort, of: u64) -> Value {
        let mut random = Random(self.seed ^ (of + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.next();
        match sort {
            Sort::Boolean => Value::Boolean(random.one_in(2)),
            Sort::Bits(width) => Value::Bits(random.value(width)),
            Sort::Memory => {
                let rest = random.next() as u8;
                let mut others = std::collections::BTreeMap::new();
                for _ in 0..random.below(4) {
                    let byte = random.next() as u8;
                    let address = random.value(64) as u64;
                    if byte != rest {
                        others.insert(address, byte);
                    }
                }
                Value::Memory(Bytes { rest, others })
            }
        }
    }
}

impl Valuation for Scattered<'_> {
    fn symbol(&mut self, terms: &Terms, symbol: SymbolId) -> Value {
        match self.objects.iter().find(|object| object.0 == symbol) {
            Some((_, address)) => Value::Bits(u128::from(*address)),
            None => self.value(terms.symbol_of(symbol).sort, u64::from(symbol.0)),
        }
    }

    fn apply(&mut self, terms: &Terms, function: FunctionSymbolId, arguments: &[Value]) -> Value {
        use std::hash::{BuildHasher, BuildHasherDefault};
        let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
        let function = terms.function(function);
        // Only what a solver may tell apart as well: name, signature and arguments.
        let of = hasher.hash_one((function, arguments));
        self.value(function.result, of | 1 << 40)
    }
}

fn holds(sample: &Sample, valuation: &mut Scattered<'_>, seed: u64) {
    let mut plain: Vec<Plain> = Vec::new();
    for (at, step) in sample.steps.iter().enumerate() {
        let value = meaning(step, &plain, &sample.terms, valuation);
        let given = evaluate(&sample.terms, sample.built[at], valuation);
        assert!(
            value.is(&given),
            "seed {seed}, step {at}: {step:?} of {:?}\nis {value:?}, its term {given:?}\nterm {:?}",
            step.arguments
                .iter()
                .map(|at| (&sample.steps[*at], &plain[*at]))
                .collect::<Vec<_>>(),
            sample.terms.get(sample.built[at]),
        );
        plain.push(value);
    }
}

#[test]
fn a_simplified_term_means_what_the_plain_operations_mean() {
    for seed in 1..=4000u64 {
        let (mut random, sample) = Sample::random(seed, 24);
        for _ in 0..3 {
            let mut valuation = Scattered {
                seed: random.next(),
                objects: &[],
            };
            holds(&sample, &mut valuation, seed);
        }
    }
}

/// Stores and loads inside of three objects that are apart.
#[test]
fn memory_of_objects_that_are_apart_means_what_bytes_mean() {
    const SIZE: u64 = 16;
    for seed in 1..=2000u64 {
        let mut random = Random(seed.wrapping_mul(0xD1B5_4A32_D192_ED03));
        let mut sample = Sample {
            terms: Terms::new(),
            steps: Vec::new(),
            built: Vec::new(),
        };
        let kind = SymbolKind::Object { size: Some(SIZE) };
        let objects: Vec<usize> = (0..3)
            .map(|_| sample.push_symbol(Sort::Bits(64), kind))
            .collect();
        let mut memory = sample.push_symbol(Sort::Memory, SymbolKind::Plain);
        let index = sample.push_symbol(Sort::Bits(64), SymbolKind::Plain);
        let eight = sample.push(Operation::Number(7), vec![], Sort::Bits(64));
        // 0 to 7, unknown.
        let index = sample.push(Operation::BitAnd, vec![index, eight], Sort::Bits(64));
        let mut loaded = Vec::new();
        for _ in 0..12 {
            let mut address = objects[random.below(3)];
            if random.one_in(2) {
                address = sample.push(Operation::Add, vec![address, index], Sort::Bits(64));
            }
            let bytes = [1, 2, 4][random.below(3)];
            let offset = random.below(5) as u128;
            let offset = sample.push(Operation::Number(offset), vec![], Sort::Bits(64));
            address = sample.push(Operation::Add, vec![address, offset], Sort::Bits(64));
            let sort = Sort::Bits(bytes * 8);
            if random.one_in(3) {
                let value = sample.push(Operation::Load, vec![memory, address], sort);
                loaded.push(value);
            } else {
                let value = sample.pick(&mut random, sort);
                let of = vec![memory, address, value];
                memory = sample.push(Operation::Store, of, Sort::Memory);
            }
        }
        let mut places = [0x1000, 0x1000 + SIZE, 0x9000];
        places.rotate_left(random.below(3));
        let places: Vec<(SymbolId, u64)> = objects
            .iter()
            .map(|at| sample.terms.as_symbol(sample.built[*at]).unwrap())
            .zip(places)
            .collect();
        let mut valuation = Scattered {
            seed: random.next(),
            objects: &places,
        };
        holds(&sample, &mut valuation, seed);
    }
}

fn z3() -> Solvers<'static> {
    Solvers::new(SolverOptions {
        programs: vec![SolverProgram::named("z3").expect("z3 is installed")],
        ..SolverOptions::default()
    })
    .unwrap()
}

const SOME_EFFORT: Limits = Limits {
    effort: 300_000,
    time: Duration::from_secs(20),
};

/// What is true under a valuation, memories and functions included, is satisfiable: a solver that
/// reads the printed query must not deny it, and the model that it gives must be read and hold.
#[test]
fn a_query_that_is_true_somewhere_is_not_unsatisfiable() {
    let mut solvers = z3();
    let mut found = 0;
    for seed in 1..=120u64 {
        let (mut random, mut sample) = Sample::random(seed, 12);
        let mut valuation = Scattered {
            seed: random.next(),
            objects: &[],
        };
        let mut assertions = Vec::new();
        for at in 0..sample.steps.len() {
            if sample.steps[at].sort == Sort::Boolean {
                let term = sample.built[at];
                let value = evaluate(&sample.terms, term, &mut valuation);
                assertions.push(match value {
                    Value::Boolean(true) => term,
                    _ => sample.terms.not(term),
                });
            }
        }
        match solvers.check(&sample.terms, &assertions, SOME_EFFORT) {
            Answer::Satisfiable(_) => found += 1,
            Answer::Unsatisfiable => panic!("seed {seed}: denied"),
            Answer::Unknown(why) => assert!(why.ends_with("gave up"), "seed {seed}: {why}"),
        }
    }
    assert!(found > 90, "{found}");
}

/// Where all that a term is computed from is given, no other value than its own is possible.
#[test]
fn a_query_with_known_inputs_has_one_result() {
    let mut solvers = z3();
    let mut asked = 0;
    for seed in 1..=120u64 {
        let (mut random, mut sample) = Sample::random(seed, 24);
        let mut valuation = Scattered {
            seed: random.next(),
            objects: &[],
        };
        let mut inputs = BTreeSet::new();
        let mut differences = Vec::new();
        for at in 0..sample.steps.len() {
            let term = sample.built[at];
            let Some(symbols) = numbers_below(&sample.terms, term) else {
                continue;
            };
            let value = evaluate(&sample.terms, term, &mut valuation);
            let (Value::Bits(value), Sort::Bits(width)) = (value, sample.steps[at].sort) else {
                continue;
            };
            inputs.extend(symbols);
            let constant = sample.terms.bits(width, value);
            let equal = sample.terms.equal(term, constant);
            differences.push(sample.terms.not(equal));
        }
        let mut assertions = vec![sample.terms.or(differences)];
        for input in inputs {
            let value = evaluate(&sample.terms, input, &mut valuation);
            let constant = match sample.terms.sort(input) {
                Sort::Bits(width) => sample.terms.bits(width, value.bits()),
                _ => sample.terms.boolean(value == Value::Boolean(true)),
            };
            assertions.push(sample.terms.equal(input, constant));
        }
        match solvers.check(&sample.terms, &assertions, SOME_EFFORT) {
            Answer::Unsatisfiable => asked += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(asked > 100, "{asked}");
}

/// The symbols that a term is computed from, unless there are memories or functions.
fn numbers_below(terms: &Terms, term: TermId) -> Option<BTreeSet<TermId>> {
    let mut symbols = BTreeSet::new();
    let mut seen = BTreeSet::from([term]);
    let mut open = vec![term];
    while let Some(next) = open.pop() {
        let row = terms.get(next);
        match row.operator {
            Operator::Apply(_) => return None,
            _ if row.sort == Sort::Memory => return None,
            Operator::Symbol(_) => {
                symbols.insert(next);
            }
            _ => open.extend(row.arguments.iter().filter(|id| seen.insert(**id))),
        }
    }
    Some(symbols)
}

#[test]
fn what_a_term_mentions_is_what_a_walk_meets() {
    let mut met = [0; 2];
    for seed in 1..=400u64 {
        let (mut random, sample) = Sample::random(seed, 24);
        let any = |random: &mut Random| sample.built[random.below(sample.built.len())];
        let wanted: Vec<TermId> = (0..random.below(3)).map(|_| any(&mut random)).collect();
        let mut mentions = Mentions::of(&wanted);
        for _ in 0..8 {
            let term = any(&mut random);
            let mut seen = BTreeSet::from([term]);
            let mut open = vec![term];
            while let Some(next) = open.pop() {
                let arguments = sample.terms.get(next).arguments.iter();
                open.extend(arguments.filter(|id| seen.insert(**id)));
            }
            let is_met = wanted.iter().any(|id| seen.contains(id));
            assert_eq!(mentions.is_in(&sample.terms, term), is_met, "seed {seed}");
            met[usize::from(is_met)] += 1;
        }
    }
    assert!(met.into_iter().all(|count| count > 100), "{met:?}");
}

/// Hash functions and checksums use each value twice: what goes inside of terms must not walk the
/// tree.
#[test]
fn constructors_do_not_walk_shared_terms_again_and_again() {
    let begin = Instant::now();
    let mut terms = Terms::new();
    let mut value = terms.symbol("x", Sort::Bits(64));
    let mut condition = terms.symbol("c", Sort::Boolean);
    let mut memory = terms.symbol("m", Sort::Memory);
    for step in 0..60 {
        let by = terms.bits(64, 7);
        let shifted = terms.logical_shift_right(value, by);
        value = terms.bit_xor(value, shifted);
        let other = terms.symbol("d", Sort::Boolean);
        let both = terms.and([condition, other]);
        let either = terms.or([condition, other]);
        let same = terms.equal(both, either);
        let first = terms.or([both, same]);
        condition = terms.and([first, either]);
        let low = terms.truncate(value, 8);
        value = terms.if_then_else(condition, value, shifted);
        let address = terms.symbol("p", Sort::Bits(64));
        let stored = terms.store(memory, address, low);
        memory = terms.if_then_else(condition, stored, memory);
        terms.load(memory, address, 4);
        assert!(begin.elapsed() < Duration::from_secs(5), "step {step}");
    }
    assert!(terms.len() < 200_000, "{}", terms.len());
}

/// Two versions that choose by the same conditions, from values that are used twice each.
#[test]
fn choices_from_shared_terms_are_compared_once() {
    let begin = Instant::now();
    let mut terms = Terms::new();
    let mut versions =
        [["a", "b"], ["c", "d"]].map(|names| names.map(|name| terms.symbol(name, Sort::Bits(32))));
    for step in 0..60 {
        let one = terms.symbol(format!("one {step}"), Sort::Boolean);
        let two = terms.symbol(format!("two {step}"), Sort::Boolean);
        for [left, right] in &mut versions {
            let first = terms.if_then_else(one, *left, *right);
            let second = terms.if_then_else(two, *right, *left);
            (*left, *right) = (first, second);
        }
        terms.equal(versions[0][0], versions[1][0]);
        assert!(begin.elapsed() < Duration::from_secs(5), "step {step}");
    }
    assert!(terms.len() < 200_000, "{}", terms.len());
}
