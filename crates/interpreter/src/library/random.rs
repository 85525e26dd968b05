//! Which numbers do `rand`, `rand_r` and `drand48` deliver?
//!
//! Programs that seed their generator are deterministic on one C library, so the interpreter must
//! deliver glibc's numbers: the additive feedback generator TYPE_3 of `random_r.c` (degree 31,
//! separation 3), the three-step congruence of `rand_r.c`, and the 48-bit congruence of `drand48`.

const DEGREE: usize = 31;
const SEPARATION: usize = 3;
/// Outputs that `srandom` throws away.
const DISCARDED: usize = 10 * DEGREE;

/// The state behind `rand`, `random`, `srand` and `srandom`.
#[derive(Clone, Debug)]
pub struct RandomState {
    words: [u32; DEGREE],
    front: usize,
    rear: usize,
}

impl RandomState {
    /// The state after `srand(seed)`; a program that never calls it starts with seed 1.
    pub fn seeded(seed: u32) -> RandomState {
        let mut words = [0; DEGREE];
        // Schrage's method, on signed numbers as glibc has it.
        let mut word = i64::from(if seed == 0 { 1 } else { seed as i32 });
        for slot in &mut words {
            *slot = word as u32;
            let (high, low) = (word / 127_773, word % 127_773);
            word = 16_807 * low - 2_836 * high;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut state = RandomState {
            words,
            front: SEPARATION,
            rear: 0,
        };
        for _ in 0..DISCARDED {
            state.next_number();
        }
        state
    }

    /// The next number, 0 to 2³¹ − 1.
    pub fn next_number(&mut self) -> i32 {
        let sum = self.words[self.front].wrapping_add(self.words[self.rear]);
        self.words[self.front] = sum;
        self.front = (self.front + 1) % DEGREE;
        self.rear = (self.rear + 1) % DEGREE;
        (sum >> 1) as i32
    }
}

/// `rand_r`: the number, and the seed for the next call.
pub fn next_from_seed(seed: u32) -> (i32, u32) {
    let mut state = seed;
    let mut step = |modulus: u32| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (state / 65_536) % modulus
    };
    let high = step(2_048);
    let middle = (high << 10) ^ step(1_024);
    let number = (middle << 10) ^ step(1_024);
    (number as i32, state)
}

/// The state behind `drand48` and its relatives; all zero until `srand48`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random48(u64);

impl Random48 {
    /// The state after `srand48(seed)`.
    pub fn seeded(seed: i64) -> Random48 {
        Random48((seed as u64 & 0xffff_ffff) << 16 | 0x330e)
    }

    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & 0xffff_ffff_ffff;
        self.0
    }

    /// `drand48`: a number in [0, 1).
    pub fn next_double(&mut self) -> f64 {
        self.step() as f64 / (1u64 << 48) as f64
    }

    /// `lrand48`: 0 to 2³¹ − 1.
    pub fn next_long(&mut self) -> i64 {
        (self.step() >> 17) as i64
    }

    /// `mrand48`: −2³¹ to 2³¹ − 1.
    pub fn next_signed(&mut self) -> i64 {
        i64::from((self.step() >> 16) as u32 as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_oracle::{Dice, assert_agreement};
    use super::*;

    #[test]
    fn every_seed_gives_the_hosts_sequence() {
        let mut dice = Dice(31);
        let seeds = [0, 1, 2, u32::MAX, 1 << 31]
            .into_iter()
            .chain((0..200).map(|_| dice.next() as u32));
        let cases: Vec<_> = seeds
            .map(|seed| {
                let (mut state, mut small, mut large) = (
                    RandomState::seeded(seed),
                    seed,
                    Random48::seeded(i64::from(seed)),
                );
                let mut ours = String::new();
                for _ in 0..100 {
                    let (number, next) = next_from_seed(small);
                    small = next;
                    ours += &format!(
                        "{} {number} {} {} {:x} ",
                        state.next_number(),
                        large.next_long(),
                        large.next_signed(),
                        large.next_double().to_bits()
                    );
                }
                (format!("random {seed} 100"), ours.trim_end().to_owned())
            })
            .collect();
        assert_agreement(&cases);
    }

    #[test]
    fn a_program_that_does_not_seed_starts_as_with_seed_one() {
        assert_eq!(RandomState::seeded(1).next_number(), 1_804_289_383);
        assert_eq!(Random48::default().next_long(), 0);
    }
}
