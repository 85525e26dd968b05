//! **Question.** What does `objcopy` or `strip` change of an object?
//!
//! What is removed of debug information, comments and local symbols changes nothing of a program.
//! Edits of symbols are read; every other option is kept as one that may do anything. Lists of
//! symbols in files are read when the command line is.

use std::path::Path;

use crate::recorded_build::SymbolEdit;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditArguments {
    pub files: Vec<EditedFile>,
    pub changes: Vec<SymbolEdit>,
    /// The input becomes a section as it is.
    pub from_data: bool,
    /// What is written holds debug information and no code.
    pub only_debug: bool,
    /// Files with symbols that could not be read.
    pub unread: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    pub input: String,
    /// Nothing if the input is edited in place.
    pub output: Option<String>,
}

/// An option's name, and the change that its value makes.
type SymbolOption = (&'static str, fn(&str) -> SymbolEdit);

/// Options with a value that change symbols.
const SYMBOL_OPTIONS: &[SymbolOption] = &[
    ("--redefine-sym", redefine),
    ("-W", weaken),
    ("--weaken-symbol", weaken),
    ("-L", localize),
    ("--localize-symbol", localize),
    ("--globalize-symbol", globalize),
    ("-G", keep_global),
    ("--keep-global-symbol", keep_global),
    ("--prefix-symbols", prefix),
];

/// The same with a file that holds one symbol in a line.
const SYMBOL_FILE_OPTIONS: &[SymbolOption] = &[
    ("--redefine-syms", redefine),
    ("--weaken-symbols", weaken),
    ("--localize-symbols", localize),
    ("--globalize-symbols", globalize),
    ("--keep-global-symbols", keep_global),
];

#[rustfmt::skip]
const WITHOUT_MEANING: &[&str] = &[
    "-g", "-S", "-d", "-x", "-X", "-p", "-D", "-U", "-v", "--strip-all", "--strip-debug", "--strip-unneeded",
    "--strip-dwo", "--discard-all", "--discard-locals", "--preserve-dates", "--verbose", "--merge-notes",
    "--no-merge-notes", "--enable-deterministic-archives", "--disable-deterministic-archives",
    "--compress-debug-sections", "--decompress-debug-sections", "--only-keep-debug", "-s", "-M",
    "--keep-file-symbols", "--keep-section-symbols",
];

/// Options with a value and without a meaning: formats, debug links, symbols to be kept.
#[rustfmt::skip]
const VALUE_WITHOUT_MEANING: &[&str] = &[
    "-K", "--keep-symbol", "--keep-symbols", "-F", "--target", "-B", "--binary-architecture", "--add-gnu-debuglink",
    "--compress-debug-sections", "-o",
];

/// Options with a value that may do anything.
#[rustfmt::skip]
const VALUE_UNKNOWN: &[&str] = &[
    "-j", "--only-section", "-N", "--strip-symbol", "--strip-symbols", "--add-symbol", "--add-section",
    "--update-section", "--dump-section", "--rename-section", "--set-section-flags", "--set-section-alignment",
    "--change-section-address", "--change-section-lma", "--change-section-vma", "--change-addresses", "--set-start",
    "--change-start", "--adjust-start", "--adjust-vma", "--gap-fill", "--pad-to", "--alt-machine-code",
    "--prefix-sections", "--prefix-alloc-sections", "--new-symbol-visibility", "--remove-relocations",
    "--strip-unneeded-symbol", "--strip-unneeded-symbols", "--file-alignment", "--heap", "--stack", "--image-base",
    "--section-alignment", "--subsystem", "-b", "--byte", "-i", "--interleave", "--interleave-width", "--srec-len",
    "--reverse-bytes",
];

impl EditArguments {
    /// Reads a command, without the program itself; nothing if it names no file.
    pub fn read(arguments: &[String], is_strip: bool, directory: &Path) -> Option<EditArguments> {
        let mut edit = EditArguments {
            files: Vec::new(),
            changes: Vec::new(),
            from_data: false,
            only_debug: false,
            unread: Vec::new(),
        };
        let mut files = Vec::new();
        let mut output = None;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "--" {
                files.extend(rest.by_ref().cloned());
                break;
            }
            if !argument.starts_with('-') {
                files.push(argument.clone());
                continue;
            }
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (argument.as_str(), None),
            };
            // The short options of one letter may have their value behind them.
            let (name, joined) = match name.get(..2) {
                Some(short) if !name.starts_with("--") && name.len() > 2 && takes_value(short) => {
                    (short, Some(&name[2..]))
                }
                _ => (name, joined),
            };
            if !takes_value(name) {
                edit.flag(argument);
                continue;
            }
            // `--compress-debug-sections` has its value behind `=` or none.
            let value = match joined {
                Some(value) => value.to_owned(),
                None if WITHOUT_MEANING.contains(&name) => continue,
                None => match rest.next() {
                    Some(value) => value.clone(),
                    None => continue,
                },
            };
            if is_strip && name == "-o" {
                output = Some(value);
            } else {
                edit.value(name, &value, directory);
            }
        }
        edit.files = match (is_strip, files.as_slice()) {
            (_, []) => return None,
            (true, inputs) => inputs
                .iter()
                .map(|input| EditedFile {
                    input: input.clone(),
                    output: output.clone(),
                })
                .collect(),
            (false, [input, rest @ ..]) => vec![EditedFile {
                input: input.clone(),
                output: rest.first().cloned(),
            }],
        };
        Some(edit)
    }

    fn flag(&mut self, argument: &str) {
        match argument {
            "--weaken" => self.changes.push(SymbolEdit::WeakenAll),
            "--localize-hidden" => self.changes.push(SymbolEdit::LocalizeHidden),
            "--only-keep-debug" => self.only_debug = true,
            _ if WITHOUT_MEANING.contains(&argument) => {}
            _ => self.changes.push(SymbolEdit::Unknown(argument.to_owned())),
        }
    }

    fn value(&mut self, name: &str, value: &str, directory: &Path) {
        let maker = |options: &[SymbolOption]| {
            let found = options.iter().find(|(option, _)| *option == name);
            found.map(|(_, make)| *make)
        };
        if let Some(make) = maker(SYMBOL_OPTIONS) {
            self.changes.push(make(value));
        } else if let Some(make) = maker(SYMBOL_FILE_OPTIONS) {
            match std::fs::read_to_string(directory.join(value)) {
                Ok(text) => self.changes.extend(symbol_lines(&text).map(make)),
                Err(_) => {
                    self.unread.push(value.to_owned());
                    self.changes
                        .push(SymbolEdit::Unknown(format!("{name}={value}")));
                }
            }
        } else if matches!(name, "-I" | "--input-target") {
            self.from_data |= value == "binary";
        } else if matches!(name, "-O" | "--output-target") {
            if !value.starts_with("elf") {
                self.changes
                    .push(SymbolEdit::Unknown(format!("{name} {value}")));
            }
        } else if matches!(name, "-R" | "--remove-section") {
            let is_harmless = [".comment", ".note", ".debug", ".gnu.lto_", ".gnu.debuglto_"]
                .iter()
                .any(|section| value.starts_with(section));
            if !is_harmless {
                self.changes
                    .push(SymbolEdit::Unknown(format!("{name} {value}")));
            }
        } else if !VALUE_WITHOUT_MEANING.contains(&name) {
            self.changes
                .push(SymbolEdit::Unknown(format!("{name} {value}")));
        }
    }
}

fn takes_value(name: &str) -> bool {
    let names_symbols =
        |options: &[SymbolOption]| options.iter().any(|(option, _)| *option == name);
    names_symbols(SYMBOL_OPTIONS)
        || names_symbols(SYMBOL_FILE_OPTIONS)
        || VALUE_WITHOUT_MEANING.contains(&name)
        || VALUE_UNKNOWN.contains(&name)
        || ["-I", "--input-target", "-O", "--output-target"].contains(&name)
        || ["-R", "--remove-section"].contains(&name)
}

/// One symbol, or an old and a new name, in each line; `#` begins a comment.
fn symbol_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or(line).trim())
        .filter(|line| !line.is_empty())
}

/// `old=new` on a command line, `old new` in a file.
fn redefine(text: &str) -> SymbolEdit {
    let parts = text
        .split_once('=')
        .or_else(|| text.split_once(char::is_whitespace));
    match parts {
        Some((from, to)) => SymbolEdit::Redefine {
            from: from.trim().to_owned(),
            to: to.trim().to_owned(),
        },
        None => SymbolEdit::Unknown(format!("--redefine-sym {text}")),
    }
}

fn weaken(text: &str) -> SymbolEdit {
    plain("--weaken-symbol", text, SymbolEdit::Weaken)
}

fn localize(text: &str) -> SymbolEdit {
    plain("--localize-symbol", text, SymbolEdit::Localize)
}

fn globalize(text: &str) -> SymbolEdit {
    plain("--globalize-symbol", text, SymbolEdit::Globalize)
}

fn keep_global(text: &str) -> SymbolEdit {
    plain("--keep-global-symbol", text, SymbolEdit::KeepGlobal)
}

fn prefix(text: &str) -> SymbolEdit {
    SymbolEdit::Prefix(text.to_owned())
}

/// With `--wildcard` a name may be a pattern, which is not followed.
fn plain(option: &str, text: &str, make: fn(String) -> SymbolEdit) -> SymbolEdit {
    match text.contains(['*', '?', '[', '\\', '!']) {
        true => SymbolEdit::Unknown(format!("{option} {text}")),
        false => make(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, is_strip: bool) -> EditArguments {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        EditArguments::read(&arguments, is_strip, Path::new("/")).unwrap()
    }

    #[test]
    fn edits_of_symbols_are_read() {
        let edit = read(
            "--redefine-sym f=g -W h --weaken -L a -Gb --globalize-symbol=c --prefix-symbols=p_ a.o b.o",
            false,
        );
        assert_eq!(
            edit.changes,
            [
                SymbolEdit::Redefine {
                    from: "f".into(),
                    to: "g".into()
                },
                SymbolEdit::Weaken("h".into()),
                SymbolEdit::WeakenAll,
                SymbolEdit::Localize("a".into()),
                SymbolEdit::KeepGlobal("b".into()),
                SymbolEdit::Globalize("c".into()),
                SymbolEdit::Prefix("p_".into()),
            ]
        );
        assert_eq!(edit.files[0].input, "a.o");
        assert_eq!(edit.files[0].output.as_deref(), Some("b.o"));
    }

    #[test]
    fn names_in_a_file_are_read_with_it() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(
            directory.path().join("names"),
            "# all\nf g\n\nh  i # last\n",
        )
        .unwrap();
        let arguments =
            ["--redefine-syms=names", "--weaken-symbols=gone", "a.o"].map(str::to_owned);
        let edit = EditArguments::read(&arguments, false, directory.path()).unwrap();
        assert_eq!(edit.changes.len(), 3);
        assert_eq!(
            edit.changes[1],
            SymbolEdit::Redefine {
                from: "h".into(),
                to: "i".into()
            }
        );
        assert!(matches!(edit.changes[2], SymbolEdit::Unknown(_)));
        assert_eq!(edit.unread, ["gone"]);
    }

    #[test]
    fn what_removes_debug_information_changes_nothing() {
        assert!(read("-g a.o", true).changes.is_empty());
        assert!(
            read("--strip-unneeded -R .comment -p -o b a", true)
                .changes
                .is_empty()
        );
        assert!(
            read("-S --add-gnu-debuglink=x.debug a.o", false)
                .changes
                .is_empty()
        );
        assert!(read("--only-keep-debug a a.debug", false).only_debug);
        assert_eq!(read("-o b a", true).files[0].output.as_deref(), Some("b"));
        assert_eq!(read("a b c", true).files.len(), 3);
    }

    #[test]
    fn other_options_may_do_anything() {
        for command in [
            "--add-symbol x=.text:0 a.o",
            "-N f a.o",
            "-R .data a.o",
            "--strange a.o",
            "-O binary a.o",
            "-W f* a.o",
        ] {
            let edit = read(command, false);
            assert!(
                matches!(edit.changes[0], SymbolEdit::Unknown(_)),
                "{command}"
            );
            assert_eq!(edit.files[0].input, "a.o", "{command}");
        }
        assert!(read("-I binary -O elf64-x86-64 -B i386 data.txt d.o", false).from_data);
    }
}
