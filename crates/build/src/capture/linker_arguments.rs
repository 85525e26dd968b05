//! **Question.** What does a linker command read, and what does it write?
//!
//! Reads the arguments of GNU ld, gold, lld and mold; a compiler's `-Wl,` and `-Xlinker` arguments
//! pass through the same reader, one at a time, because an option and its value may stand in two
//! of them (`-Wl,-soname -Wl,libx.so.1`). Of the options that take a separate value all must be
//! known, else the value is taken for an input; joined options need no table. Which options have a
//! meaning beside their inputs is `linker_options.rs`'s.

use super::linker_options::{self, Valued};
use crate::recorded_build::{LinkKind, LinkOption};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkerArguments {
    pub output: Option<String>,
    pub kind: LinkKind,
    /// In the order of the command line.
    pub items: Vec<PlacedItem>,
    /// Those with a meaning, in the order of the command line, paths as written.
    pub options: Vec<LinkOption>,
    /// `-L` directories; they serve all `-l` options, whatever the order.
    pub directories: Vec<String>,
    region: Region,
    saved_regions: Vec<Region>,
    in_group: bool,
    binary_data: bool,
    awaits: Option<Awaited>,
}

/// What `--push-state` saves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    archives_only: bool,
    whole_archive: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedItem {
    pub item: LinkItem,
    /// Every member of an archive is taken.
    pub whole_archive: bool,
    pub in_group: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkItem {
    File(String),
    /// A file that becomes a section as it is (`-b binary`).
    Data(String),
    /// The source with this number in the same compiler command.
    Source(usize),
    /// `-lNAME`, or `-l:FILE` with the colon kept.
    Library {
        name: String,
        archives_only: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Awaited {
    Output,
    Library,
    Directory,
    Format,
    Option(Valued),
    /// Of an option that is not known, and its text.
    Unknown(String),
    Ignored,
}

/// Options of GNU-compatible linkers with a value in the next argument, without their dashes, beside
/// those that are followed.
const WITH_VALUE: &[&str] = &[
    "A",
    "F",
    "G",
    "I",
    "MF",
    "Map",
    "R",
    "Tbss",
    "Tdata",
    "Ttext",
    "Trodata-segment",
    "Ttext-segment",
    "Tldata-segment",
    "Y",
    "a",
    "architecture",
    "assert",
    "audit",
    "auxiliary",
    "c",
    "depaudit",
    "dependency-file",
    "dynamic-linker",
    "exclude-libs",
    "f",
    "filter",
    "gpsize",
    "h",
    "just-symbols",
    "m",
    "mri-script",
    "oformat",
    "P",
    "plugin",
    "plugin-opt",
    "retain-symbols-file",
    "rpath",
    "rpath-link",
    "section-start",
    "soname",
    "sort-section",
    "trace-symbol",
    "unresolved-symbols",
    "y",
];

impl LinkerArguments {
    pub fn new() -> LinkerArguments {
        LinkerArguments {
            output: None,
            kind: LinkKind::Executable,
            items: Vec::new(),
            directories: Vec::new(),
            options: Vec::new(),
            region: Region::default(),
            saved_regions: Vec::new(),
            in_group: false,
            binary_data: false,
            awaits: None,
        }
    }

    /// Reads a whole linker command, without the program itself.
    pub fn of_linker(arguments: &[String]) -> LinkerArguments {
        let mut linker = LinkerArguments::new();
        for argument in arguments {
            linker.take(argument);
        }
        linker
    }

    pub fn add_library(&mut self, name: &str) {
        self.push(LinkItem::Library {
            name: name.to_owned(),
            archives_only: self.region.archives_only,
        });
    }

    /// Adds an input where the command line has come to.
    pub fn push(&mut self, item: LinkItem) {
        self.items.push(PlacedItem {
            item,
            whole_archive: self.region.whole_archive,
            in_group: self.in_group,
        });
    }

    /// Whether a library behind everything else is looked for among archives only.
    pub fn ends_with_archives_only(&self) -> bool {
        self.region.archives_only
    }

    /// Reads the next argument.
    pub fn take(&mut self, argument: &str) {
        if let Some(awaited) = self.awaits.take() {
            self.take_value(awaited, argument);
            return;
        }
        let Some(option) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            self.push(match self.binary_data {
                true => LinkItem::Data(argument.to_owned()),
                false => LinkItem::File(argument.to_owned()),
            });
            return;
        };
        let (double_dash, option) = match option.strip_prefix('-') {
            Some(long) => (true, long),
            None => (false, option),
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        if self.take_region(name) {
            return;
        }
        match (name, value) {
            ("r" | "i" | "Ur" | "relocatable", None) => self.kind = LinkKind::Relocatable,
            ("o" | "output", None) => self.awaits = Some(Awaited::Output),
            ("l" | "library", None) => self.awaits = Some(Awaited::Library),
            ("L" | "library-path", None) => self.awaits = Some(Awaited::Directory),
            ("b" | "format", None) => self.awaits = Some(Awaited::Format),
            ("output", Some(value)) => self.take_value(Awaited::Output, value),
            ("library", Some(value)) => self.take_value(Awaited::Library, value),
            ("library-path", Some(value)) => self.take_value(Awaited::Directory, value),
            ("format", Some(value)) => self.take_value(Awaited::Format, value),
            (name, value) => match (linker_options::valued(name), value) {
                (Some(option), Some(value)) => self.take_value(Awaited::Option(option), value),
                (Some(option), None) => self.awaits = Some(Awaited::Option(option)),
                (None, value) => self.take_other(argument, name, value, double_dash),
            },
        }
    }

    /// Options that hold for the inputs behind them.
    fn take_region(&mut self, name: &str) -> bool {
        match name {
            "Bstatic" | "dn" | "non_shared" | "static" => self.region.archives_only = true,
            "Bdynamic" | "dy" | "call_shared" => self.region.archives_only = false,
            "whole-archive" => self.region.whole_archive = true,
            "no-whole-archive" => self.region.whole_archive = false,
            "start-group" | "(" => self.in_group = true,
            "end-group" | ")" => self.in_group = false,
            "push-state" => self.saved_regions.push(self.region),
            "pop-state" => self.region = self.saved_regions.pop().unwrap_or_default(),
            _ => return false,
        }
        if name == "static" {
            self.options.push(LinkOption::Static);
        }
        true
    }

    fn take_other(&mut self, argument: &str, name: &str, value: Option<&str>, double_dash: bool) {
        if matches!(name, "shared" | "Bshareable") {
            self.kind = LinkKind::Shared;
        }
        if let Some(option) = linker_options::flag(name) {
            self.options.push(option);
            return;
        }
        let has_meaning = !linker_options::is_without_meaning(name);
        if value.is_none() && WITH_VALUE.contains(&name) {
            self.awaits = Some(match has_meaning {
                true => Awaited::Unknown(argument.to_owned()),
                false => Awaited::Ignored,
            });
        } else if has_meaning && (double_dash || !self.take_joined(argument)) {
            self.options.push(LinkOption::Unknown(argument.to_owned()));
        }
    }

    /// One letter with its value behind it.
    fn take_joined(&mut self, argument: &str) -> bool {
        let option = argument.strip_prefix('-').unwrap_or(argument);
        let mut letters = option.chars();
        let Some(letter) = letters.next() else {
            return false;
        };
        let value = letters.as_str();
        match letter {
            'l' => self.add_library(value),
            'L' => self.take_value(Awaited::Directory, value),
            'o' => self.take_value(Awaited::Output, value),
            'u' => self.take_value(Awaited::Option(Valued::Undefined), value),
            'e' => self.take_value(Awaited::Option(Valued::Entry), value),
            'z' => self.take_value(Awaited::Option(Valued::Keyword), value),
            // `-Ttext=ADDRESS` and its like are about addresses.
            'T' if !["text", "data", "bss", "rodata", "ldata"]
                .iter()
                .any(|section| value.starts_with(section)) =>
            {
                self.take_value(Awaited::Option(Valued::Script), value);
            }
            // Machine, names of the output and of its loader.
            'm' | 'h' | 'I' | 'Y' | 'y' => {}
            _ => return false,
        }
        true
    }

    fn take_value(&mut self, awaited: Awaited, value: &str) {
        match awaited {
            Awaited::Output => self.output = Some(value.to_owned()),
            Awaited::Library => self.add_library(value),
            Awaited::Directory => self.directories.push(value.to_owned()),
            Awaited::Format => self.binary_data = value == "binary",
            Awaited::Option(option) => {
                self.options
                    .extend(linker_options::with_value(option, value));
            }
            Awaited::Unknown(text) => {
                self.options
                    .push(LinkOption::Unknown(format!("{text} {value}")));
            }
            Awaited::Ignored => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> LinkerArguments {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        LinkerArguments::of_linker(&arguments)
    }

    fn files(linker: &LinkerArguments) -> Vec<&str> {
        linker
            .items
            .iter()
            .filter_map(|placed| match &placed.item {
                LinkItem::File(path) => Some(path.as_str()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn partial_link_names_its_output_and_inputs() {
        let linker = read("-m elf_x86_64 -r -o all.o a.o --start-group b.o --end-group");
        assert_eq!(linker.kind, LinkKind::Relocatable);
        assert_eq!(linker.output.as_deref(), Some("all.o"));
        assert_eq!(files(&linker), ["a.o", "b.o"]);
    }

    #[test]
    fn values_of_options_are_no_inputs() {
        let linker = read(
            "-shared -soname libx.so.1 -rpath /lib --version-script x.map -T x.ld -z now -Map=m a.o -Ldir -L dir2 --library-path=dir3 --output=libx.so",
        );
        assert_eq!(linker.kind, LinkKind::Shared);
        assert_eq!(files(&linker), ["a.o"]);
        assert_eq!(linker.directories, ["dir", "dir2", "dir3"]);
        assert_eq!(linker.output.as_deref(), Some("libx.so"));
    }

    #[test]
    fn static_state_follows_the_command_line() {
        let linker = read("-la --push-state -Bstatic -lb --pop-state -l c -l:d.a");
        let libraries: Vec<(&str, bool)> = linker
            .items
            .iter()
            .filter_map(|placed| match &placed.item {
                LinkItem::Library {
                    name,
                    archives_only,
                } => Some((name.as_str(), *archives_only)),
                _ => None,
            })
            .collect();
        assert_eq!(
            libraries,
            [("a", false), ("b", true), ("c", false), (":d.a", false)]
        );
    }

    #[test]
    fn options_with_a_meaning_are_kept_and_others_are_not() {
        let linker = read(
            "-m elf_x86_64 --wrap f --wrap=g --defsym h=f+4 -z muldefs -znow -O1 --hash-style=gnu \
             --build-id -rpath /x -e start -ufirst --version-script=v.map -T x.ld --gc-sections \
             -Bsymbolic -E --icf=all --icf=none -plugin p.so -plugin-opt=x --strange --just-symbols s.o a.o",
        );
        assert_eq!(
            linker.options,
            [
                LinkOption::Wrap("f".into()),
                LinkOption::Wrap("g".into()),
                LinkOption::Defsym {
                    symbol: "h".into(),
                    expression: "f+4".into()
                },
                LinkOption::AllowMultipleDefinition,
                LinkOption::Entry("start".into()),
                LinkOption::Undefined("first".into()),
                LinkOption::VersionScript("v.map".into()),
                LinkOption::LinkerScript("x.ld".into()),
                LinkOption::GcSections,
                LinkOption::Symbolic,
                LinkOption::ExportDynamic,
                LinkOption::IdenticalCodeFolding,
                LinkOption::Unknown("--strange".into()),
                LinkOption::Unknown("--just-symbols s.o".into()),
            ]
        );
        assert_eq!(files(&linker), ["a.o"]);
    }

    #[test]
    fn regions_hold_for_the_inputs_inside_them() {
        let linker = read(
            "a.o --whole-archive b.a --push-state --no-whole-archive c.a --pop-state d.a \
             --no-whole-archive --start-group e.a -lf --end-group g.o",
        );
        let regions: Vec<(bool, bool)> = linker
            .items
            .iter()
            .map(|placed| (placed.whole_archive, placed.in_group))
            .collect();
        assert_eq!(
            regions,
            [
                (false, false),
                (true, false),
                (false, false),
                (true, false),
                (false, true),
                (false, true),
                (false, false)
            ]
        );
    }

    #[test]
    fn embedded_data_is_no_code() {
        assert_eq!(
            files(&read("-r -b binary -o d.o data.txt -b elf64-x86-64 a.o")),
            ["a.o"]
        );
        assert_eq!(
            files(&read("-r --format=binary data.txt -o d.o")),
            Vec::<&str>::new()
        );
    }
}
