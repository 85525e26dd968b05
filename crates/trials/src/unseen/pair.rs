//! Two versions of a project, line by line, and their text as a fixture of `unseen_fixtures`.

use std::collections::{BTreeMap, BTreeSet};

/// A line of a file; `None` in the version that lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub old: Option<String>,
    pub new: Option<String>,
}

impl Line {
    pub fn same(text: &str) -> Line {
        Line {
            old: Some(text.to_owned()),
            new: Some(text.to_owned()),
        }
    }

    pub fn differs(&self) -> bool {
        self.old != self.new
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Old,
    New,
}

/// Which kind of file an edit is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Kind {
    /// A unit in C that is linked as an object.
    Unit,
    /// A unit in C that goes into a static archive.
    ArchiveMember,
    /// A header of units in C.
    Header,
    /// A unit in C of a shared library of the same build.
    SharedLibrary,
    /// A unit in C of a plug-in of the same build.
    PlugIn,
    /// A unit in C that only gcc takes.
    Refused,
    /// A unit in assembly.
    Assembly,
    /// A unit in assembly that a compiler made.
    CompiledAssembly,
    /// A file that assembly includes.
    IncludedBytes,
    /// A file that the linker makes an object of.
    LinkedBytes,
    /// An object that is kept beside the sources.
    PrebuiltObject,
    PrebuiltArchive,
    PrebuiltSharedLibrary,
    PrebuiltPlugIn,
    /// What a header is generated from.
    Template,
    /// A script that names what is linked.
    LinkerScript,
    Documentation,
    /// No edit.
    Nothing,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Unit => "unit in C",
            Kind::ArchiveMember => "member of an archive",
            Kind::Header => "header",
            Kind::SharedLibrary => "shared library of the build",
            Kind::PlugIn => "plug-in of the build",
            Kind::Refused => "unit that clang refuses",
            Kind::Assembly => "unit in assembly",
            Kind::CompiledAssembly => "unit in compiled assembly",
            Kind::IncludedBytes => "file included by assembly",
            Kind::LinkedBytes => "file made an object by the linker",
            Kind::PrebuiltObject => "prebuilt object",
            Kind::PrebuiltArchive => "prebuilt archive",
            Kind::PrebuiltSharedLibrary => "prebuilt shared library",
            Kind::PrebuiltPlugIn => "prebuilt plug-in",
            Kind::Template => "template of a header",
            Kind::LinkerScript => "linker script",
            Kind::Documentation => "documentation",
            Kind::Nothing => "nothing",
        }
    }

    /// Whether nothing may be reported of such an edit.
    pub fn is_without_effect(self) -> bool {
        matches!(self, Kind::Documentation | Kind::Nothing)
    }
}

/// Both versions of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Commands that make what is kept beside the sources, in each version's tree.
    pub prepare: Vec<String>,
    pub files: BTreeMap<String, Vec<Line>>,
    /// The kinds of files that are edited.
    pub kinds: BTreeSet<Kind>,
}

impl Pair {
    pub fn texts(&self, version: Version) -> BTreeMap<String, String> {
        let text = |lines: &Vec<Line>| {
            let mut text = String::new();
            for line in lines {
                let line = match version {
                    Version::Old => &line.old,
                    Version::New => &line.new,
                };
                if let Some(line) = line {
                    text += line;
                    text.push('\n');
                }
            }
            text
        };
        let files = self.files.iter();
        files
            .map(|(name, lines)| (name.clone(), text(lines)))
            .collect()
    }

    pub fn is_changed(&self) -> bool {
        self.files.values().flatten().any(Line::differs)
    }

    /// Where each word is printed in the new version: file and line.
    pub fn words(&self) -> BTreeMap<String, (String, u32)> {
        let mut words = BTreeMap::new();
        for (file, text) in self.texts(Version::New) {
            for (number, line) in (1..).zip(text.lines()) {
                if let Some(word) = printed_word(line) {
                    words.insert(word.to_owned(), (file.clone(), number));
                }
            }
        }
        words
    }

    /// The text of a fixture; the lines of these words are marked.
    pub fn fixture(&self, differing: &BTreeSet<String>) -> String {
        let mut fixture = String::new();
        if self.uses_assembly() {
            fixture += "//- needs x86_64\n";
        }
        for command in &self.prepare {
            fixture += &format!("//- prepare {command}\n");
        }
        for (name, lines) in &self.files {
            fixture += &format!("//- /{name}\n");
            // Nothing is said of the lines of a source that is not kept.
            let is_kept = !self.prepare.iter().any(|command| command.contains(name));
            let none = BTreeSet::new();
            let marked = if is_kept { differing } else { &none };
            for line in lines {
                fixture += &fixture_line(line, marked);
                fixture.push('\n');
            }
        }
        fixture
    }

    fn uses_assembly(&self) -> bool {
        let texts = self.texts(Version::New);
        let has = |(name, text): (&String, &String)| {
            name.ends_with(".s") || text.contains("%rip") || text.contains("%%rip")
        };
        texts.iter().any(has)
    }
}

fn fixture_line(line: &Line, differing: &BTreeSet<String>) -> String {
    let Some(new) = &line.new else {
        return format!("// removed: {}", line.old.as_deref().unwrap_or_default());
    };
    let differs = printed_word(new).is_some_and(|word| differing.contains(word));
    let was = match &line.old {
        Some(old) if old != new => Some(format!("was: {}", old.trim_start())),
        Some(_) => None,
        None => Some("added".to_owned()),
    };
    match (differs, was) {
        // A mark is followed by what the line was, and by nothing else.
        (true, Some(was)) if line.old.is_some() => format!("{new}  // differs, {was}"),
        (true, _) => format!("{new}  // differs"),
        (false, Some(was)) => format!("{new}  // {was}"),
        (false, None) => new.clone(),
    }
}

/// `w17` of `printf("w17 %u\n", …)`.
pub fn printed_word(code: &str) -> Option<&str> {
    let text = code.split_once("printf(\"")?.1;
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric())?;
    (end > 0 && text[end..].starts_with(' ')).then(|| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_written_as_a_fixture() {
        let line = |old: &str, new: &str| Line {
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
        };
        let lines = vec![
            line("\tx = 1;", "\tx = 2;"),
            Line::same("\tprintf(\"w1 %u\\n\", x);"),
            Line {
                old: Some("gone();".to_owned()),
                new: None,
            },
        ];
        let pair = Pair {
            prepare: vec!["true".to_owned()],
            files: [("main.c".to_owned(), lines)].into(),
            kinds: [Kind::Unit].into(),
        };
        assert_eq!(
            pair.fixture(&["w1".to_owned()].into()),
            "//- prepare true\n//- /main.c\n\tx = 2;  // was: x = 1;\n\
             \tprintf(\"w1 %u\\n\", x);  // differs\n// removed: gone();\n"
        );
        assert_eq!(pair.words()["w1"], ("main.c".to_owned(), 2));
        assert_eq!(pair.texts(Version::Old)["main.c"].lines().count(), 3);
    }
}
