//! Keys: BLAKE3 over fields with their lengths, so that no two lists of fields meet.

/// What the format version and the code that decodes units are called in keys.
const DECODER: &str = env!("KNOCKON_DECODER");

pub(crate) struct KeyBuilder {
    hasher: blake3::Hasher,
}

impl KeyBuilder {
    pub(crate) fn new(purpose: &str) -> KeyBuilder {
        let mut key = KeyBuilder {
            hasher: blake3::Hasher::new(),
        };
        key.field(purpose.as_bytes());
        key.field(&super::FORMAT_VERSION.to_le_bytes());
        key.field(DECODER.as_bytes());
        key
    }

    pub(crate) fn field(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_between_fields_count() {
        let key = |fields: &[&str]| {
            let mut key = KeyBuilder::new("test");
            for field in fields {
                key.field(field.as_bytes());
            }
            key.finish()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_ne!(key(&["a"]), key(&["a", ""]));
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
    }
}
