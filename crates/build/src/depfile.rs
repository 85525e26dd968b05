//! Which files did the compiler read?
//!
//! Reads what clang writes for `-MD -MF FILE -MT unit`: a make rule. The quoting is
//! that of clang's `DependencyFile.cpp`: `$` is doubled, `#` has a backslash, a space
//! has a backslash and doubles the backslashes in front of it, any other backslash
//! stands for itself. What it cannot express: a name with a line break comes out as a
//! file that does not exist, and clang writes a slash for a backslash in a name. Units
//! with such names are not remembered by the cache.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The target that [`parse_depfile`] expects: pass it to clang with `-MT`.
pub const DEPFILE_TARGET: &str = "unit";

/// The files of the rule, in clang's order: the source file first. `None` when the
/// text is not such a rule.
pub fn parse_depfile(text: &[u8]) -> Option<Vec<PathBuf>> {
    let rest = text
        .strip_prefix(DEPFILE_TARGET.as_bytes())?
        .strip_prefix(b":")?;
    let mut files = Vec::new();
    let mut name = Vec::new();
    let mut finish = |name: &mut Vec<u8>| {
        if !name.is_empty() {
            files.push(PathBuf::from(OsString::from_vec(std::mem::take(name))));
        }
    };
    let mut at = 0;
    while at < rest.len() {
        let backslashes = rest[at..].iter().take_while(|byte| **byte == b'\\').count();
        at += backslashes;
        match rest.get(at) {
            Some(b' ') if backslashes % 2 == 1 => {
                name.extend(std::iter::repeat_n(b'\\', backslashes / 2));
                name.push(b' ');
                at += 1;
            }
            Some(b'#') if backslashes > 0 => {
                name.extend(std::iter::repeat_n(b'\\', backslashes - 1));
                name.push(b'#');
                at += 1;
            }
            Some(b'\n') if backslashes > 0 => {
                name.extend(std::iter::repeat_n(b'\\', backslashes - 1));
                finish(&mut name);
                at += 1;
            }
            _ if backslashes > 0 => name.extend(std::iter::repeat_n(b'\\', backslashes)),
            Some(b'$') => {
                name.push(b'$');
                at += if rest.get(at + 1) == Some(&b'$') {
                    2
                } else {
                    1
                };
            }
            Some(b' ') => {
                finish(&mut name);
                at += 1;
            }
            Some(b'\n') | None => {
                finish(&mut name);
                return Some(files);
            }
            Some(byte) => {
                name.push(*byte);
                at += 1;
            }
        }
    }
    finish(&mut name);
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<String> {
        parse_depfile(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|path| path.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn continued_lines_are_one_rule() {
        assert_eq!(
            parsed("unit: a.c b.h \\\n  /usr/c.h\n"),
            ["a.c", "b.h", "/usr/c.h"]
        );
        assert_eq!(parsed("unit: a.c\n\nb.h:\n"), ["a.c"]);
        assert_eq!(parsed("unit: \\\n  a.c"), ["a.c"]);
    }

    #[test]
    fn quoted_names_are_read_back() {
        assert_eq!(parsed(r"unit: a\ b.c c$$d\#e\f"), ["a b.c", r"c$d#e\f"]);
        assert_eq!(parsed(r"unit: a\\\ b.c"), [r"a\ b.c"]);
    }

    /// As clang's `DependencyFile.cpp` writes it.
    fn quoted(name: &str) -> String {
        name.replace('$', "$$")
            .replace('#', "\\#")
            .replace(' ', "\\ ")
    }

    proptest::proptest! {
        #[test]
        fn names_are_read_as_they_were_written(
            names in proptest::collection::vec("[a-z$#. /é:]{1,12}", 1..8),
            breaks in proptest::collection::vec(proptest::bool::ANY, 8),
        ) {
            let mut text = format!("{DEPFILE_TARGET}:");
            for (name, broken) in names.iter().zip(breaks) {
                text.push_str(if broken { " \\\n  " } else { " " });
                text.push_str(&quoted(name));
            }
            proptest::prop_assert_eq!(parsed(&format!("{text}\n")), names);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in proptest::collection::vec(0u8..=255, 0..64)) {
            parse_depfile(&[DEPFILE_TARGET.as_bytes(), b":", &text].concat());
            parse_depfile(&text);
        }
    }

    #[test]
    fn other_text_is_no_rule() {
        assert!(parse_depfile(b"").is_none());
        assert!(parse_depfile(b"other: a.c").is_none());
    }
}
