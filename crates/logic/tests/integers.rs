//! The law of the integer reading: where what it takes for granted holds, it is the value of the term.

use knockon_logic::integers::{Integers, UnknownId, value_of_bits};
use knockon_logic::terms::evaluation::{Valuation, Value, evaluate};
use knockon_logic::terms::{FunctionSymbolId, Sort, SymbolId, TermId, Terms};

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

    /// Often small, so that sums rarely wrap around; or an edge.
    fn value(&mut self, width: u32) -> u128 {
        let ones = u128::MAX >> (128 - width);
        let value = match self.below(6) {
            0 => 0,
            1 => 1 << (width - 1),
            2 => u128::from(self.next()),
            3 => u128::from(self.next() % 50).wrapping_neg(),
            _ => u128::from(self.next() % 50),
        };
        value & ones
    }
}

const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];

struct Values(Vec<u128>);

impl Valuation for Values {
    fn symbol(&mut self, terms: &Terms, symbol: SymbolId) -> Value {
        let value = self.0[symbol.0 as usize];
        match terms.symbol_of(symbol).sort {
            Sort::Boolean => Value::Boolean(value & 1 == 1),
            Sort::Bits(width) => Value::Bits(value & (u128::MAX >> (128 - width))),
            Sort::Memory => Value::of_nothing(Sort::Memory),
        }
    }

    fn apply(&mut self, _: &Terms, _: FunctionSymbolId, _: &[Value]) -> Value {
        Value::Bits(7)
    }
}

/// Terms of all sorts, each made of earlier ones.
fn sample(random: &mut Random) -> (Terms, Vec<TermId>) {
    let mut terms = Terms::new();
    let mut made: Vec<TermId> = Vec::new();
    for width in WIDTHS {
        for _ in 0..2 {
            made.push(terms.symbol("number", Sort::Bits(width)));
        }
    }
    made.push(terms.symbol("truth", Sort::Boolean));
    let memory = terms.symbol("memory", Sort::Memory);
    for _ in 0..6 + random.below(24) {
        let width = WIDTHS[random.below(WIDTHS.len())];
        let mut pick = |terms: &Terms, sort: Sort| {
            let fitting: Vec<TermId> = made
                .iter()
                .copied()
                .filter(|id| terms.sort(*id) == sort)
                .collect();
            fitting[random.below(fitting.len())]
        };
        let bits = Sort::Bits(width);
        let (left, right) = (pick(&terms, bits), pick(&terms, bits));
        let truth = pick(&terms, Sort::Boolean);
        let address = pick(&terms, Sort::Bits(64));
        let constant = random.value(width);
        let positive = terms.bits(width, constant | 1);
        made.push(match random.below(20) {
            0 | 1 => terms.add(left, right),
            2 => terms.subtract(left, right),
            3 => terms.scale(left, constant),
            4 => terms.bits(width, constant),
            5 => terms.multiply(left, right),
            6 => terms.if_then_else(truth, left, right),
            7 => terms.unsigned_less(left, right),
            8 => terms.signed_less(left, right),
            9 => terms.equal(left, right),
            10 => {
                let is_less = terms.signed_less(left, right);
                let other = terms.not(truth);
                terms.or([is_less, other])
            }
            11 => terms.unsigned_divide(left, positive),
            12 => terms.unsigned_remainder(left, positive),
            13 => terms.signed_divide(left, positive),
            14 => terms.signed_remainder(left, positive),
            15 if width < 64 => terms.zero_extend(left, 64),
            16 if width < 64 => terms.sign_extend(left, 64),
            17 if width > 8 => terms.extract(left, random.below(width as usize - 8) as u32, 8),
            18 if width == 64 => terms.extract(left, random.below(33) as u32, 32),
            19 => terms.load(memory, address, 4),
            _ => terms.bit_xor(left, right),
        });
    }
    (terms, made)
}

#[test]
fn the_reading_is_the_value_where_nothing_wraps_around() {
    let mut judged = 0;
    for seed in 1..3000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (terms, made) = sample(&mut random);
        let mut integers = Integers::new(&terms, &made, &[]);
        let nodes: Vec<_> = made.iter().map(|id| integers.read(*id)).collect();
        for _ in 0..4 {
            let values: Vec<u128> = (0..20).map(|_| random.value(64)).collect();
            let value_of = |term: TermId| {
                let value = evaluate(&terms, term, &mut Values(values.clone()));
                match terms.sort(term) {
                    Sort::Bits(width) => {
                        value_of_bits(width, integers.is_signed(term), value.bits())
                    }
                    _ => value.bits() as i128,
                }
            };
            let unknown = |id: UnknownId| value_of(integers.unknown(id));
            for (term, node) in made.iter().zip(&nodes) {
                let assumptions = integers.assumptions(&[*term]);
                let holds = |node| integers.value(node, &unknown) == Some(1);
                if assumptions.into_iter().all(holds) {
                    let read = integers.value(*node, &unknown);
                    assert_eq!(read, Some(value_of(*term)), "seed {seed}, {term:?}");
                    judged += 1;
                }
            }
        }
    }
    assert!(judged > 100_000, "{judged}");
}

#[test]
fn one_term_is_one_unknown() {
    let mut terms = Terms::new();
    let left = terms.symbol("left", Sort::Bits(32));
    let right = terms.symbol("right", Sort::Bits(32));
    let product = terms.multiply(left, right);
    let twice = terms.add(product, product);
    let more = terms.add(twice, left);
    let mut integers = Integers::new(&terms, &[more], &[]);
    integers.read(more);
    let unknowns: Vec<TermId> = integers
        .unknown_ids()
        .map(|id| integers.unknown(id))
        .collect();
    assert_eq!(unknowns.len(), 2);
    assert!(unknowns.contains(&product) && unknowns.contains(&left));
}
