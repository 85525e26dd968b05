//! When is something of one program the same as something of another?
//!
//! Ids are row numbers of one program. Content hashes are the same for equal content in any
//! program: 128 bits, so that an accidental collision is out of the question for programs of any
//! size (below 2⁻⁶⁰ for a billion rows). They are not made to withstand programs written to collide.
//!
//! **Cost.** Two multiplications a word.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContentHash(pub u128);

impl ContentHash {
    /// The low half, for sequences that are aligned and checked afterwards.
    pub(crate) fn token(self) -> u64 {
        self.0 as u64
    }
}

/// Gathers what makes up one content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer {
    low: u64,
    high: u64,
}

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ (product >> 64) as u64
}

impl Mixer {
    /// `kind` keeps contents of different kinds apart.
    pub(crate) fn new(kind: &str) -> Mixer {
        let start = Mixer {
            low: FIRST,
            high: SECOND,
        };
        start.text(kind)
    }

    #[must_use]
    pub(crate) fn word(mut self, word: u64) -> Mixer {
        self.low = folded(self.low ^ word, FIRST).wrapping_add(self.high);
        self.high = folded(self.high ^ word.rotate_left(32), SECOND) ^ self.low.rotate_left(17);
        self
    }

    #[must_use]
    pub(crate) fn content(self, hash: ContentHash) -> Mixer {
        self.word(hash.0 as u64).word((hash.0 >> 64) as u64)
    }

    #[must_use]
    pub(crate) fn bytes(self, bytes: &[u8]) -> Mixer {
        let mut mixer = self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            mixer = mixer.word(u64::from_le_bytes(word));
        }
        mixer
    }

    #[must_use]
    pub(crate) fn text(self, text: &str) -> Mixer {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn finish(self) -> ContentHash {
        let end = self.word(0x5bf0_3635);
        ContentHash(u128::from(end.high) << 64 | u128::from(end.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_kind_and_length_count() {
        let of = |kind: &str, words: &[u64]| {
            let mixer = words
                .iter()
                .fold(Mixer::new(kind), |mixer, word| mixer.word(*word));
            mixer.finish()
        };
        let all = [
            of("a", &[]),
            of("a", &[0]),
            of("a", &[0, 0]),
            of("a", &[0, 1]),
            of("a", &[1, 0]),
            of("b", &[1, 0]),
        ];
        for (at, left) in all.iter().enumerate() {
            for right in &all[at + 1..] {
                assert_ne!(left, right);
            }
        }
    }
}
