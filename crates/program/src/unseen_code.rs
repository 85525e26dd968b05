//! Code of a program that is not in its IR: assembly, prebuilt objects, units that did not compile,
//! libraries, plug-ins.
//!
//! **Question.** Which symbols may such code read, write and call, and when may it run?
//!
//! **Rules.** Its *interface* is the symbols it mentions and those it defines: read exactly out of an
//! object's symbol table, taken for the words of a text where there is only text, and all symbols
//! where nothing can be read. What is mentioned is known to unknown code ([`crate::link_with`]): it is
//! read, written and called whenever unknown code runs. Besides the calls that the program makes,
//! the code may run by itself: see [`Runs`].
//!
//! **Soundness.** Code reaches another unit's symbols only by their names, by pointers that it was
//! given, or by a look-up at run time, which counts as mentioning all symbols. The content tells
//! versions apart: what is not the same content is other code.

use std::collections::BTreeSet;

/// A set of symbols by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbols {
    These(BTreeSet<String>),
    /// Whatever has external linkage.
    All,
}

impl Symbols {
    pub fn none() -> Symbols {
        Symbols::These(BTreeSet::new())
    }

    pub fn contains(&self, name: &str) -> bool {
        match self {
            Symbols::These(names) => names.contains(plain(name)),
            Symbols::All => true,
        }
    }
}

/// When the code runs without being called by the program's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Before `main`: constructors, resolvers of `ifunc`s.
    pub at_start: bool,
    /// After `main`: destructors, exit handlers.
    pub at_end: bool,
    /// Between any two instructions: handlers of signals, threads.
    pub any_time: bool,
}

/// One piece of code that is not in the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnseenCode {
    /// As reports name it: `helper.o`, `libx.a(m.o)`.
    pub name: String,
    /// What tells it from another version of it: its text, or a digest.
    pub content: Vec<u8>,
    pub mentions: Symbols,
    /// Functions among these that the IR only declares are this code.
    pub defines: Symbols,
    pub runs: Runs,
    /// It touches nothing of the world and returns to where it was called from, as far as the
    /// program's own functions do that it calls back.
    pub is_confined: bool,
}

impl Runs {
    pub const ALWAYS: Runs = Runs {
        at_start: true,
        at_end: true,
        any_time: true,
    };

    #[must_use]
    pub fn or(self, other: Runs) -> Runs {
        Runs {
            at_start: self.at_start || other.at_start,
            at_end: self.at_end || other.at_end,
            any_time: self.any_time || other.any_time,
        }
    }

    pub fn is_never(self) -> bool {
        self == Runs::default()
    }
}

impl UnseenCode {
    /// The code runs then, too: what functions of the library that it mentions may have registered it
    /// for.
    #[must_use]
    pub fn registered(self, registered_runs: impl Fn(&Symbols) -> Runs) -> UnseenCode {
        let runs = self.runs.or(registered_runs(&self.mentions));
        UnseenCode { runs, ..self }
    }

    /// Code in assembly of which there is only the text.
    pub fn of_assembly(name: &str, text: &str) -> UnseenCode {
        let words = Words::of_assembly(text);
        let mentions = words.all_names();
        let has = |section: &str| text.contains(section);
        let runs = Runs {
            at_start: has(".init") || has(".preinit") || has(".ctors") || has("indirect_function"),
            at_end: has(".fini") || has(".dtors"),
            any_time: false,
        };
        UnseenCode {
            name: name.to_owned(),
            content: text.as_bytes().to_vec(),
            defines: words.labels(),
            runs,
            mentions,
            is_confined: false,
        }
    }

    /// A unit of C that did not compile, of which there is only the text after preprocessing. Lines
    /// that come from headers of the system, outside of the tree at `root`, define nothing and call
    /// nothing; yet they are a part of its content.
    pub fn of_preprocessed(name: &str, text: &str, root: &str) -> UnseenCode {
        let (own, system) = split_by_origin(text, root);
        let mut mentions = BTreeSet::new();
        let mut defines = BTreeSet::new();
        let mut depth = 0i64;
        let mut rest = own.as_str();
        while let Some(first) = rest.chars().next() {
            if first.is_alphabetic() || first == '_' {
                let end = rest.find(|c| !is_identifier_part(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                mentions.insert(word.to_owned());
                let next = after.trim_start().chars().next();
                if depth == 0 && matches!(next, Some('(' | '=' | ';' | '[' | ',')) {
                    defines.insert(word.to_owned());
                }
                rest = after;
                continue;
            }
            depth += match first {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            rest = &rest[first.len_utf8()..];
        }
        let mentions = Symbols::These(mentions);
        let runs = Runs {
            at_start: mentions.contains("constructor") || mentions.contains("__constructor__"),
            at_end: mentions.contains("destructor") || mentions.contains("__destructor__"),
            any_time: false,
        };
        let mut content = own.into_bytes();
        content.extend(digest_of(system.as_bytes()).to_le_bytes());
        UnseenCode {
            name: name.to_owned(),
            content,
            defines: Symbols::These(defines),
            runs,
            mentions,
            is_confined: false,
        }
    }

    /// Code of which nothing can be read but its content.
    pub fn of_unreadable(name: &str, content: &[u8]) -> UnseenCode {
        UnseenCode {
            name: name.to_owned(),
            content: content.to_vec(),
            mentions: Symbols::All,
            defines: Symbols::All,
            runs: Runs::ALWAYS,
            is_confined: false,
        }
    }

    /// A short sign of the content, the same on every machine.
    pub fn digest(&self) -> u64 {
        digest_of(&self.content)
    }
}

fn digest_of(bytes: &[u8]) -> u64 {
    // FNV-1a.
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The lines of preprocessed text without the marks of lines: the program's own, and those that come
/// from headers of the system. A header of the tree is the program's, whatever the build calls it.
fn split_by_origin(text: &str, root: &str) -> (String, String) {
    let (mut own, mut system) = (String::new(), String::new());
    let mut is_system = false;
    for line in text.lines() {
        if let Some(mark) = line.strip_prefix("# ") {
            let mut parts = mark.rsplitn(2, '"');
            let flags = parts.next().unwrap_or("");
            let path = parts.next().and_then(|rest| rest.split_once('"'));
            let path = path.map_or("", |(_, path)| path);
            let is_outside = path.starts_with('/') && (root.is_empty() || !path.starts_with(root));
            is_system = is_outside && flags.split(' ').any(|flag| flag == "3");
        } else if !line.trim().is_empty() {
            let lines = if is_system { &mut system } else { &mut own };
            lines.push_str(line);
            lines.push('\n');
        }
    }
    (own, system)
}

fn is_identifier_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of an assembly text.
pub(crate) struct Words<'t> {
    all: BTreeSet<&'t str>,
    /// Those that are made labels.
    labels: BTreeSet<&'t str>,
    /// Other words may be there: words may be put together by macros and escapes.
    is_open: bool,
}

impl<'t> Words<'t> {
    pub(crate) fn of_assembly(text: &'t str) -> Words<'t> {
        let mut words = Words {
            all: BTreeSet::new(),
            labels: BTreeSet::new(),
            is_open: false,
        };
        for line in text.split(['\n', ';']) {
            let has = |directives: &[&str]| directives.iter().any(|word| line.contains(word));
            // What stands in a string is data.
            let line = match has(&[".ascii", ".asciz", ".string"]) {
                true => line.split('"').next().unwrap_or(line),
                false => line,
            };
            words.is_open |=
                line.contains('\\') || has(&[".include", ".macro", ".altmacro", ".irp"]);
            let makes_symbols = has(&[".set", ".equ", ".comm", ".lcomm", ".symver", ".weakref"]);
            let mut rest = line;
            while let Some(start) = rest.find(is_part) {
                let from = &rest[start..];
                let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
                let word = &from[..end];
                rest = &from[end..];
                // `$g` is the address of `g`; in the text of inline assembly it is `$$g`.
                let symbol = word.trim_start_matches('$');
                let next = rest.trim_start_matches(['"', ' ', '\t']).chars().next();
                if makes_symbols || matches!(next, Some(':' | '=')) {
                    words.labels.extend([word, symbol]);
                }
                words.all.extend([word, symbol]);
            }
        }
        words
    }

    pub(crate) fn all_names(&self) -> Symbols {
        self.symbols(&self.all)
    }

    pub(crate) fn labels(&self) -> Symbols {
        self.symbols(&self.labels)
    }

    fn symbols(&self, words: &BTreeSet<&str>) -> Symbols {
        match self.is_open {
            true => Symbols::All,
            false => Symbols::These(words.iter().map(|word| (*word).to_owned()).collect()),
        }
    }
}

/// The symbols that an assembly text defines for other units, as far as it says them plainly.
pub(crate) fn published_labels(text: &str) -> BTreeSet<&str> {
    let (mut published, mut defined) = (BTreeSet::new(), BTreeSet::new());
    for statement in text.split(['\n', ';']) {
        let mut rest = statement.trim_start().trim_start_matches('"');
        while let Some((word, after)) = first_word(rest) {
            let next = after.trim_start_matches(['"', ' ', '\t']);
            let operands = || after.split(|c| !is_part(c)).filter(|word| !word.is_empty());
            match word {
                ".globl" | ".global" | ".weak" => published.extend(operands()),
                ".set" | ".equ" | ".equiv" => defined.extend(operands().next()),
                _ if next.starts_with([':', '=']) => {
                    defined.insert(word);
                }
                _ => {}
            }
            // Several labels may stand before an instruction.
            match next.strip_prefix(':') {
                Some(behind) => rest = behind.trim_start_matches([' ', '\t', '"']),
                None => break,
            }
        }
    }
    published.intersection(&defined).copied().collect()
}

fn first_word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// A character of a symbol.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Without clang's mark of a symbol that must not be prefixed by the target.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix('\u{1}').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_labels_are_told_from_data_and_macros() {
        let code = UnseenCode::of_assembly(
            "a",
            ".globl q\nq: call g; ret\n.set r, h\ns = 4\ntext: .string \"printf\\n\"\n\"odd\": nop",
        );
        for name in ["q", "g", "r", "h", "s", "text", "odd"] {
            assert!(code.mentions.contains(name), "{name}");
        }
        for name in ["q", "r", "s", "text", "odd"] {
            assert!(code.defines.contains(name), "{name}");
        }
        assert!(!code.defines.contains("g") && !code.mentions.contains("printf"));
        let open = UnseenCode::of_assembly("a", ".macro m n\n\\n: ret\n.endm");
        assert!(open.defines.contains("anything"));
    }

    #[test]
    fn other_units_see_the_labels_that_are_made_global() {
        let text = ".globl blob, alias\nblob: .incbin \"x\"\ninner: nop; .global f\ng: f: ret\n.set alias, other\n.globl other\n.weak w\nw = 4\n";
        let published: Vec<&str> = published_labels(text).into_iter().collect();
        assert_eq!(published, ["alias", "blob", "f", "w"]);
    }

    #[test]
    fn an_immediate_address_names_its_symbol() {
        for text in ["movl $g, %eax", "movl $$g, %eax", "movl $g+4, %eax"] {
            assert!(
                UnseenCode::of_assembly("a", text).mentions.contains("g"),
                "{text}"
            );
        }
    }

    #[test]
    fn preprocessed_text_defines_and_mentions_what_is_its_own() {
        let code = UnseenCode::of_preprocessed(
            "b.c",
            "# 1 \"/usr/include/stdio.h\" 1 3 4\nint puts(const char *s);\n# 2 \"b.c\" 2\nint limit = 3;\nint f(int a) { int inner(int x) { return x + g; } return inner(a); }\n",
            "/p",
        );
        for name in ["g", "f", "limit"] {
            assert!(code.mentions.contains(name), "{name}");
        }
        assert!(!code.mentions.contains("puts"));
        assert!(code.defines.contains("f") && code.defines.contains("limit"));
        assert!(!code.defines.contains("g") && !code.defines.contains("inner"));
    }

    /// `-isystem` does not make a header of the project another program's.
    #[test]
    fn a_header_of_the_tree_is_the_programs_own_whatever_the_build_calls_it() {
        let text = |path: &str, body: &str| {
            format!("# 1 \"{path}\" 1 3\nstatic void set(void) {{ {body}; }}\n# 2 \"b.c\" 2\n")
        };
        for path in ["lib/b.h", "/p/lib/b.h"] {
            let code = UnseenCode::of_preprocessed("b.c", &text(path, "g = 1"), "/p");
            assert!(code.mentions.contains("g"), "{path}");
        }
        let of_system = |body| UnseenCode::of_preprocessed("b.c", &text("/usr/b.h", body), "/p");
        assert!(!of_system("g = 1").mentions.contains("g"));
        assert_ne!(of_system("g = 1").digest(), of_system("g = 2").digest());
    }
}
