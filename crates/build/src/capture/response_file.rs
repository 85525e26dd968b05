//! **Question.** Which arguments does a response file (`@file`) stand for?
//!
//! The rules are those of GNU `buildargv`, which gcc, binutils and clang on Unix share: white
//! space separates, single and double quotes group, a backslash takes the next byte as it is,
//! inside quotes too. An argument `@name` whose file cannot be read is an ordinary argument.

/// Splits the text of a response file into arguments.
pub fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let mut arguments = Vec::new();
    let mut current: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => current
                .get_or_insert_default()
                .push(bytes.next().unwrap_or(b'\\')),
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => current.get_or_insert_default().push(byte),
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                current.get_or_insert_default();
            }
            (None, _) if byte.is_ascii_whitespace() || byte == 0x0b => {
                arguments.extend(current.take());
            }
            (None, _) => current.get_or_insert_default().push(byte),
        }
    }
    arguments.extend(current);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        split(text.as_bytes())
            .into_iter()
            .map(|argument| String::from_utf8(argument).unwrap())
            .collect()
    }

    #[test]
    fn quotes_group_and_backslashes_escape() {
        assert_eq!(texts("a  b\n\tc"), ["a", "b", "c"]);
        assert_eq!(
            texts(r#"-DX="a b" 'c "d"' e\ f "g\"h""#),
            ["-DX=a b", "c \"d\"", "e f", "g\"h"]
        );
        assert_eq!(texts("'' a\"\"b \"\""), ["", "ab", ""]);
        assert_eq!(texts(""), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn quoting_every_byte_gives_the_arguments_back(
            arguments in proptest::collection::vec(proptest::collection::vec(1_u8.., 1..9), 0..5)
        ) {
            let mut text = Vec::new();
            for argument in &arguments {
                text.extend(argument.iter().flat_map(|&byte| [b'\\', byte]));
                text.push(b'\n');
            }
            proptest::prop_assert_eq!(split(&text), arguments);
        }

        #[test]
        fn any_text_is_split(text in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            let length: usize = split(&text).iter().map(Vec::len).sum();
            proptest::prop_assert!(length <= text.len());
        }
    }
}
