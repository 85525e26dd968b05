//! Where do the random choices come from? One SplitMix64 stream per program, so that a seed names
//! a program on every machine and for all time; no dependency may change it under us.

/// A deterministic stream of choices.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// The next 64 bits (SplitMix64: Steele, Lea, Flood 2014).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..limit`; 0 when `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 {
            return 0;
        }
        // Multiply-shift: its bias is below 2^-32 for every limit used here.
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = high.wrapping_sub(low) as usize + 1;
        low + self.below(width) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the choices. The slice must not be empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// A seed for an independent stream.
    pub fn fork(&mut self) -> Random {
        Random::new(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_stream_forever() {
        let mut random = Random::new(1);
        assert_eq!(random.bits(), 0x910a_2dec_8902_5cc1);
        assert_eq!(Random::new(7).bits(), Random::new(7).bits());
    }

    #[test]
    fn below_stays_below() {
        let mut random = Random::new(3);
        assert!((0..1000).all(|limit| random.below(limit) <= limit.saturating_sub(1)));
        assert!((0..1000).all(|_| (-3..=4).contains(&random.between(-3, 4))));
    }
}
