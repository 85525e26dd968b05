//! **Question.** What does a linker command read, and what does it write?
//!
//! Reads the arguments of GNU ld, gold, lld and mold; a compiler's `-Wl,` and `-Xlinker` arguments
//! pass through the same reader, one at a time, because an option and its value may stand in two
//! of them (`-Wl,-soname -Wl,libx.so.1`). Of the options that take a separate value all must be
//! known, else the value is taken for an input; joined options need no table.

use crate::recorded_build::LinkKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkerArguments {
    pub output: Option<String>,
    pub kind: LinkKind,
    /// In the order of the command line.
    pub items: Vec<LinkItem>,
    /// `-L` directories; they serve all `-l` options, whatever the order.
    pub directories: Vec<String>,
    archives_only: bool,
    saved_archives_only: Vec<bool>,
    binary_data: bool,
    awaits: Option<Awaited>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkItem {
    File(String),
    /// The source with this number in the same compiler command.
    Source(usize),
    /// `-lNAME`, or `-l:FILE` with the colon kept.
    Library {
        name: String,
        archives_only: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Output,
    Library,
    Directory,
    Format,
    Ignored,
}

/// Options of GNU-compatible linkers with a value in the next argument, without their dashes.
const WITH_VALUE: &[&str] = &[
    "A",
    "F",
    "G",
    "I",
    "MF",
    "Map",
    "R",
    "T",
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
    "defsym",
    "default-script",
    "dT",
    "depaudit",
    "dependency-file",
    "dynamic-linker",
    "dynamic-list",
    "e",
    "entry",
    "exclude-libs",
    "export-dynamic-symbol",
    "export-dynamic-symbol-list",
    "f",
    "filter",
    "fini",
    "gpsize",
    "h",
    "init",
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
    "script",
    "section-start",
    "soname",
    "sort-section",
    "trace-symbol",
    "u",
    "undefined",
    "unresolved-symbols",
    "version-script",
    "wrap",
    "y",
    "z",
];

impl LinkerArguments {
    pub fn new() -> LinkerArguments {
        LinkerArguments {
            output: None,
            kind: LinkKind::Executable,
            items: Vec::new(),
            directories: Vec::new(),
            archives_only: false,
            saved_archives_only: Vec::new(),
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
        self.items.push(LinkItem::Library {
            name: name.to_owned(),
            archives_only: self.archives_only,
        });
    }

    /// From here on `-l` finds archives only (`-Bstatic`), or shared libraries too.
    pub fn set_archives_only(&mut self, archives_only: bool) {
        self.archives_only = archives_only;
    }

    /// Reads the next argument.
    pub fn take(&mut self, argument: &str) {
        if let Some(awaited) = self.awaits.take() {
            self.take_value(awaited, argument);
            return;
        }
        let Some(option) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            // Data that becomes a section (`-b binary`) is no code.
            if !self.binary_data {
                self.items.push(LinkItem::File(argument.to_owned()));
            }
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
        match (name, value) {
            ("r" | "i" | "Ur" | "relocatable", None) => self.kind = LinkKind::Relocatable,
            ("shared" | "Bshareable", None) => self.kind = LinkKind::Shared,
            ("Bstatic" | "dn" | "non_shared" | "static", None) => self.archives_only = true,
            ("Bdynamic" | "dy" | "call_shared", None) => self.archives_only = false,
            ("push-state", None) => self.saved_archives_only.push(self.archives_only),
            ("pop-state", None) => {
                self.archives_only = self.saved_archives_only.pop().unwrap_or(false);
            }
            ("o" | "output", None) => self.awaits = Some(Awaited::Output),
            ("l" | "library", None) => self.awaits = Some(Awaited::Library),
            ("L" | "library-path", None) => self.awaits = Some(Awaited::Directory),
            ("b" | "format", None) => self.awaits = Some(Awaited::Format),
            ("output", Some(value)) => self.take_value(Awaited::Output, value),
            ("library", Some(value)) => self.take_value(Awaited::Library, value),
            ("library-path", Some(value)) => self.take_value(Awaited::Directory, value),
            ("format", Some(value)) => self.take_value(Awaited::Format, value),
            (name, None) if WITH_VALUE.contains(&name) => self.awaits = Some(Awaited::Ignored),
            _ if double_dash => {}
            _ => {
                if let Some(joined) = option.strip_prefix('l') {
                    self.add_library(joined);
                } else if let Some(joined) = option.strip_prefix('L') {
                    self.take_value(Awaited::Directory, joined);
                } else if let Some(joined) = option.strip_prefix('o') {
                    self.take_value(Awaited::Output, joined);
                }
            }
        }
    }

    fn take_value(&mut self, awaited: Awaited, value: &str) {
        match awaited {
            Awaited::Output => self.output = Some(value.to_owned()),
            Awaited::Library => self.add_library(value),
            Awaited::Directory => self.directories.push(value.to_owned()),
            Awaited::Format => self.binary_data = value == "binary",
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
            .filter_map(|item| match item {
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
            .filter_map(|item| match item {
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
    fn embedded_data_is_no_input() {
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
