//! Pairs of programs that differ in something outside of the IR, and what must be said of them.
//!
//! A pair is one text file. `//- WORD …` is an instruction, `//- /PATH` begins a file:
//!
//! - `//- /PATH`: the lines up to the next `//- ` are the file in both versions;
//!   `//- /PATH old` and `//- /PATH new` are the file in one version;
//! - `//- prepare COMMAND`: run in each version's tree before it is committed. Makes what a project
//!   keeps beside its sources: prebuilt objects, archives, data;
//! - `//- build COMMAND`: builds the program and is what is captured; without one, `make -s`;
//! - `//- run COMMAND`: runs it; without one, `./prog`;
//! - `//- diff ARGUMENT`: one more argument for `diff`, `why` and `equiv`;
//! - `//- committed`: the new tree is committed too, and `HEAD~1 HEAD` is asked as well;
//! - `//- equiv FUNCTION`: the function does something else than before;
//! - `//- may stop`: Knockon may refuse to say anything at all, of the program or of a line;
//! - `//- needs WORD`: only on this machine (`x86_64`), or on processors with this flag (`fma`).
//!
//! Marks at the ends of lines, in every file:
//!
//! - `// was: TEXT`: the line reads TEXT in the old version, `// added`: it is not in the old version;
//!   `// removed: TEXT`, alone on a line: a line of the old version only;
//! - `// differs`: what the line observes differs between the runs. It is never `unaffected`;
//! - `// same`: the line must stay `unaffected`. A mark may precede `was`: `// differs, was: TEXT`.
//!
//! A marked line with a call such as `printf("name %d\n", …)` names what it prints: the lines of the
//! output that begin with that word must differ between both runs (`differs`) or be equal (`same`).

pub mod trees;
pub mod verdicts;

use std::collections::BTreeMap;

/// Texts by path.
pub type Files = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Differs,
    Same,
}

/// A marked line of the new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedLine {
    pub file: String,
    pub line: u32,
    pub mark: Mark,
    /// The word that begins what it prints.
    pub word: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Pair {
    pub old: Files,
    pub new: Files,
    pub prepare: Vec<String>,
    pub build: Option<String>,
    pub run: Option<String>,
    pub arguments: Vec<String>,
    pub committed: bool,
    pub different_functions: Vec<String>,
    pub may_stop: bool,
    pub needs: Vec<String>,
    pub marks: Vec<MarkedLine>,
}

/// What the comment at the end of a line says.
#[derive(Default)]
struct Comment<'a> {
    mark: Option<Mark>,
    was: Option<&'a str>,
    added: bool,
    removed: Option<&'a str>,
}

fn comment(text: &str) -> Option<Comment<'_>> {
    let (mark, rest) = [("differs", Mark::Differs), ("same", Mark::Same)]
        .into_iter()
        .find_map(|(word, mark)| Some((Some(mark), text.strip_prefix(word)?)))
        .unwrap_or((None, text));
    let rest = if mark.is_some() && !rest.is_empty() {
        rest.strip_prefix(", ")?
    } else {
        rest
    };
    let mut found = Comment {
        mark,
        ..Comment::default()
    };
    if let Some(was) = rest.strip_prefix("was: ") {
        found.was = Some(was);
    } else if let Some(removed) = rest.strip_prefix("removed: ") {
        found.removed = Some(removed);
    } else if rest == "added" {
        found.added = true;
    } else if !rest.is_empty() || mark.is_none() {
        return None;
    }
    Some(found)
}

/// The code in front of a line's mark, and the mark.
fn split(text: &str) -> (&str, Comment<'_>) {
    text.match_indices("// ")
        .find_map(|(place, _)| Some((text[..place].trim_end(), comment(&text[place + 3..])?)))
        .unwrap_or((text, Comment::default()))
}

/// The word that begins what a line prints: `name` of `printf("name %d\n", …)`.
fn printed_word(code: &str) -> Option<String> {
    let text = code.split_once("printf(\"")?.1;
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric())?;
    (end > 0 && text[end..].starts_with(' ')).then(|| text[..end].to_string())
}

impl Pair {
    pub fn parse(text: &str) -> Pair {
        let mut pair = Pair::default();
        let (mut path, mut in_old, mut in_new) = (String::new(), true, true);
        let mut number = 0;
        for text in text.lines() {
            if let Some(instruction) = text.strip_prefix("//- ") {
                if let Some(header) = instruction.strip_prefix('/') {
                    let (name, version) = header.split_once(' ').unwrap_or((header, ""));
                    (in_old, in_new) = (version != "new", version != "old");
                    (path, number) = (name.to_string(), 0);
                    for (files, holds) in [(&mut pair.old, in_old), (&mut pair.new, in_new)] {
                        if holds {
                            files.insert(path.clone(), String::new());
                        }
                    }
                } else {
                    pair.instruct(instruction);
                }
                continue;
            }
            let (code, comment) = split(text);
            let indent = &code[..code.len() - code.trim_start().len()];
            let old = match (comment.was, comment.removed) {
                (Some(other), _) => Some(format!("{indent}{other}")),
                (None, Some(other)) => Some(other.to_string()),
                (None, None) => (!comment.added).then(|| code.to_string()),
            };
            let new = comment.removed.is_none().then_some(code);
            if let (Some(file), Some(old)) = (pair.old.get_mut(&path), &old)
                && in_old
            {
                *file += &format!("{old}\n");
            }
            if let (Some(file), Some(new)) = (pair.new.get_mut(&path), new)
                && in_new
            {
                *file += &format!("{new}\n");
                number += 1;
                pair.marks.extend(comment.mark.map(|mark| MarkedLine {
                    file: path.clone(),
                    line: number,
                    mark,
                    word: printed_word(code),
                }));
            }
        }
        pair
    }

    fn instruct(&mut self, instruction: &str) {
        let (word, rest) = instruction.split_once(' ').unwrap_or((instruction, ""));
        let rest = rest.to_string();
        match word {
            "prepare" => self.prepare.push(rest),
            "build" => self.build = Some(rest),
            "run" => self.run = Some(rest),
            "diff" => self.arguments.push(rest),
            "committed" => self.committed = true,
            "equiv" => self.different_functions.push(rest),
            "needs" => self.needs.push(rest),
            "may" if rest == "stop" => self.may_stop = true,
            _ => panic!("no such instruction: //- {instruction}"),
        }
    }

    /// Whether this machine can run it.
    pub fn can_run(&self) -> bool {
        let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let has = |word: &String| {
            word == std::env::consts::ARCH || flags.split_whitespace().any(|flag| flag == word)
        };
        self.needs.iter().all(has)
    }

    /// The lines that must not be `unaffected`.
    pub fn differing(&self) -> impl Iterator<Item = &MarkedLine> {
        self.marks.iter().filter(|line| line.mark == Mark::Differs)
    }
}
