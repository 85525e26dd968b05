//! A running hash of 128 bits: what observations and the names of objects are told apart by. Two
//! different sequences of words agree with a chance that no number of runs will meet.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hash(u128);

impl Hash {
    pub(crate) const START: Hash = Hash(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    pub(crate) fn add(&mut self, word: u64) {
        const FACTOR: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
        let mixed = (self.0 ^ u128::from(word)).wrapping_mul(FACTOR);
        self.0 = mixed ^ mixed >> 67;
    }

    pub(crate) fn value(self) -> u128 {
        self.0
    }

    pub(crate) fn of_words(words: impl IntoIterator<Item = u64>) -> u64 {
        let mut hash = Hash::START;
        for word in words {
            hash.add(word);
        }
        hash.0 as u64
    }

    pub(crate) fn of_text(text: &str) -> u64 {
        Hash::of_words(text.bytes().map(u64::from))
    }
}
