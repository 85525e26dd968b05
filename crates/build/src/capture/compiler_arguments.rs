//! **Question.** Which sources does a compiler command compile, in which language, into which
//! files, and what does it link?
//!
//! Reads the command lines of gcc and clang, and of what imitates them. All options that take a
//! separate value must be known, else the value is taken for an input; other options are left to
//! whoever uses the recorded arguments.

use std::path::Path;

use super::linker_arguments::{LinkItem, LinkerArguments};
use crate::recorded_build::{Language, LinkKind, LinkOption};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerArguments {
    pub goal: Goal,
    pub sources: Vec<Source>,
    pub output: Option<String>,
    pub linker: LinkerArguments,
    /// The program is a C++ compiler.
    pub is_cplusplus: bool,
    emits_llvm: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Preprocess, check or print only.
    Nothing,
    Assembly,
    Object,
    Link,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// As written; `-` is standard input.
    pub path: String,
    pub language: Language,
}

/// Options of gcc and clang with a value in the next argument, apart from those that the reader
/// itself needs. `-Xarch_…` and `-Xopenmp-target=…` are matched by prefix.
const WITH_VALUE: &[&str] = &[
    "--param",
    "--sysroot",
    "--serialize-diagnostics",
    "--dependent-lib",
    "--include",
    "--include-directory",
    "--define-macro",
    "--undefine-macro",
    "--imacros",
    "--prefix",
    "--std",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-allowable_client",
    "-arch",
    "-aux-info",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-client_name",
    "-compatibility_version",
    "-cxx-isystem",
    "-current_version",
    "-dependency-dot",
    "-dependency-file",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-exported_symbols_list",
    "-force_load",
    "-framework",
    "-gcc-toolchain",
    "-h",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultiarch",
    "-imultilib",
    "-include",
    "-include-pch",
    "-index-store-path",
    "-install_name",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-meabi",
    "-mllvm",
    "-module-dependency-dir",
    "-mthread-model",
    "-rpath",
    "-serialize-diagnostics",
    "-target",
    "-working-directory",
];

impl CompilerArguments {
    /// Reads a compiler command, without the program itself. `cplusplus` says that the program is
    /// a C++ compiler, which takes `.c` files for C++.
    pub fn read(arguments: &[String], cplusplus: bool) -> CompilerArguments {
        let mut reader = Reader {
            call: CompilerArguments {
                goal: Goal::Link,
                sources: Vec::new(),
                output: None,
                linker: LinkerArguments::new(),
                is_cplusplus: cplusplus,
                emits_llvm: false,
            },
            cplusplus,
            language: None,
            only_files: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            reader.take(argument, &mut rest);
        }
        let mut call = reader.call;
        // Discarding the result is how a build asks whether something compiles.
        if call.output.as_deref() == Some("/dev/null") {
            call.goal = Goal::Nothing;
        }
        call
    }

    /// The file that compiling `source` without linking writes.
    pub fn compiled_file(&self, source: &Source) -> Option<String> {
        let extension = match (self.goal, self.emits_llvm) {
            (Goal::Nothing | Goal::Link, _) => return None,
            (Goal::Assembly, false) => "s",
            (Goal::Assembly, true) => "ll",
            (Goal::Object, false) => "o",
            (Goal::Object, true) => "bc",
        };
        self.output.clone().or_else(|| {
            let stem = Path::new(&source.path).file_stem()?.to_str()?;
            Some(format!("{stem}.{extension}"))
        })
    }
}

enum LanguageChoice {
    Compiled(Language),
    /// A header to precompile.
    Header,
}

struct Reader {
    call: CompilerArguments,
    cplusplus: bool,
    /// What `-x` said, until `-x none`.
    language: Option<LanguageChoice>,
    only_files: bool,
}

impl Reader {
    fn take<'a>(&mut self, argument: &'a str, rest: &mut impl Iterator<Item = &'a String>) {
        if self.only_files || !argument.starts_with('-') || argument == "-" {
            self.file(argument);
            return;
        }
        match argument {
            "--" => self.only_files = true,
            "-c" | "--compile" => self.lower_goal(Goal::Object),
            "-S" | "--assemble" => self.lower_goal(Goal::Assembly),
            "-E"
            | "--preprocess"
            | "-M"
            | "--dependencies"
            | "-MM"
            | "--user-dependencies"
            | "-fsyntax-only"
            | "-###"
            | "--analyze"
            | "--precompile"
            | "-cc1"
            | "-cc1as" => {
                self.lower_goal(Goal::Nothing);
            }
            "-emit-llvm" => self.call.emits_llvm = true,
            "-shared" | "--shared" => self.call.linker.take("-shared"),
            "-r" => self.call.linker.kind = LinkKind::Relocatable,
            "-static" | "--static" => self.call.linker.take("-static"),
            "-static-pie" => {
                self.call.linker.take("-static");
                self.call.linker.take("-pie");
            }
            "-pie" | "--pie" => self.call.linker.take("-pie"),
            "-rdynamic" | "--rdynamic" => self.call.linker.take("--export-dynamic"),
            "-symbolic" => self.call.linker.take("-Bsymbolic"),
            "-nostdlib"
            | "--no-standard-libraries"
            | "-nodefaultlibs"
            | "-nostartfiles"
            | "-nolibc" => {
                self.option(LinkOption::NoStandardFiles(argument.to_owned()));
            }
            "-T" | "-e" | "-u" | "-z" => {
                self.call.linker.take(argument);
                if let Some(value) = rest.next() {
                    self.call.linker.take(value);
                }
            }
            "--specs" | "-specs" | "-wrapper" => {
                if let Some(value) = rest.next() {
                    self.option(LinkOption::Unknown(format!("{argument} {value}")));
                }
            }
            "-o" | "--output" => self.call.output = rest.next().cloned(),
            "-x" | "--language" => {
                if let Some(name) = rest.next() {
                    self.set_language(name);
                }
            }
            "-l" => {
                if let Some(name) = rest.next() {
                    self.call.linker.add_library(name);
                }
            }
            "-L" | "--library-directory" => {
                self.call.linker.directories.extend(rest.next().cloned());
            }
            "-Xlinker" | "--for-linker" => {
                if let Some(passed) = rest.next() {
                    self.call.linker.take(passed);
                }
            }
            _ if WITH_VALUE.contains(&argument) || argument.starts_with("-Xarch_") => {
                rest.next();
            }
            _ => self.joined(argument),
        }
    }

    fn joined(&mut self, argument: &str) {
        if let Some(passed) = argument.strip_prefix("-Wl,") {
            for part in passed.split(',') {
                self.call.linker.take(part);
            }
        } else if let Some(passed) = argument.strip_prefix("--for-linker=") {
            self.call.linker.take(passed);
        } else if let Some(output) = argument.strip_prefix("--output=") {
            self.call.output = Some(output.to_owned());
        } else if let Some(name) = argument.strip_prefix("--language=") {
            self.set_language(name);
        } else if argument.starts_with("-specs=") || argument.starts_with("--specs=") {
            self.option(LinkOption::Unknown(argument.to_owned()));
        } else if argument.starts_with("--") {
            // No other long option names an input.
        } else if let Some(output) = argument.strip_prefix("-o") {
            self.call.output = Some(output.to_owned());
        } else if let Some(name) = argument.strip_prefix("-x") {
            self.set_language(name);
        } else if let Some(name) = argument.strip_prefix("-l") {
            self.call.linker.add_library(name);
        } else if let Some(directory) = argument.strip_prefix("-L") {
            self.call.linker.directories.push(directory.to_owned());
        } else if ["-T", "-u", "-z"]
            .iter()
            .any(|name| argument.starts_with(name))
            && argument != "-undef"
        {
            self.call.linker.take(argument);
        }
    }

    fn option(&mut self, option: LinkOption) {
        self.call.linker.options.push(option);
    }

    /// `-E` prevails over `-S`, and `-S` over `-c`, wherever they stand.
    fn lower_goal(&mut self, goal: Goal) {
        if (goal as u8) < (self.call.goal as u8) {
            self.call.goal = goal;
        }
    }

    fn set_language(&mut self, name: &str) {
        self.language = match name {
            "none" => None,
            "c" | "cpp-output" => Some(LanguageChoice::Compiled(Language::C)),
            "c++" | "c++-cpp-output" => Some(LanguageChoice::Compiled(Language::CPlusPlus)),
            "assembler" | "assembler-with-cpp" => {
                Some(LanguageChoice::Compiled(Language::Assembly))
            }
            _ if name.ends_with("-header") => Some(LanguageChoice::Header),
            _ => Some(LanguageChoice::Compiled(Language::Other)),
        };
    }

    fn file(&mut self, path: &str) {
        let by_name;
        let choice = match &self.language {
            Some(choice) => Some(choice),
            None => {
                by_name = language_of(path, self.cplusplus);
                by_name.as_ref()
            }
        };
        match choice {
            Some(LanguageChoice::Compiled(language)) => {
                let number = self.call.sources.len();
                self.call.linker.push(LinkItem::Source(number));
                self.call.sources.push(Source {
                    path: path.to_owned(),
                    language: *language,
                });
            }
            Some(LanguageChoice::Header) => self.lower_goal(Goal::Nothing),
            None => self.call.linker.push(LinkItem::File(path.to_owned())),
        }
    }
}

/// By the file's extension; nothing for what goes to the linker.
fn language_of(path: &str, cplusplus: bool) -> Option<LanguageChoice> {
    let language = match Path::new(path).extension()?.to_str()? {
        "c" | "i" if cplusplus => Language::CPlusPlus,
        "c" | "i" => Language::C,
        "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "cppm" | "ixx" => {
            Language::CPlusPlus
        }
        "s" | "S" | "sx" | "asm" => Language::Assembly,
        "m" | "mi" | "mm" | "M" | "mii" | "f" | "for" | "ftn" | "F" | "FOR" | "fpp" | "FPP"
        | "FTN" | "f90" | "f95" | "f03" | "f08" | "F90" | "F95" | "F03" | "F08" | "go" | "d"
        | "adb" | "ads" | "cu" | "cl" | "ll" | "bc" => Language::Other,
        "h" | "hh" | "H" | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "tcc" => {
            return Some(LanguageChoice::Header);
        }
        _ => return None,
    };
    Some(LanguageChoice::Compiled(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> CompilerArguments {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        CompilerArguments::read(&arguments, false)
    }

    fn sources(call: &CompilerArguments) -> Vec<&str> {
        call.sources
            .iter()
            .map(|source| source.path.as_str())
            .collect()
    }

    #[test]
    fn object_is_named_after_the_source() {
        let call = read("-O2 -c src/a.c b.cc -DX -D Y.c");
        assert_eq!(call.goal, Goal::Object);
        assert_eq!(sources(&call), ["src/a.c", "b.cc"]);
        assert_eq!(call.compiled_file(&call.sources[0]).as_deref(), Some("a.o"));
        assert_eq!(call.compiled_file(&call.sources[1]).as_deref(), Some("b.o"));
        assert_eq!(call.sources[1].language, Language::CPlusPlus);
        let named = read("-c a.c -ob.lo");
        assert_eq!(
            named.compiled_file(&named.sources[0]).as_deref(),
            Some("b.lo")
        );
    }

    #[test]
    fn preprocessing_prevails_over_compiling() {
        for command in [
            "-c -E a.c",
            "-E -c a.c",
            "-MM a.c",
            "-fsyntax-only a.c",
            "-c a.c -o /dev/null",
            "-c a.h",
            "-x c-header all.h",
            "-cc1 -emit-obj a.c",
        ] {
            assert_eq!(read(command).goal, Goal::Nothing, "{command}");
        }
        assert_eq!(read("-c -S a.c").goal, Goal::Assembly);
        assert_eq!(read("-MD -MF a.d -c a.c").goal, Goal::Object);
    }

    #[test]
    fn values_of_options_are_no_sources() {
        let call = read(
            "-include x.c -isystem y.c -MF z.c -MT w.c -Xclang v.c -aux-info u.c --param p.c -c a.c",
        );
        assert_eq!(sources(&call), ["a.c"]);
        assert!(
            call.linker
                .items
                .iter()
                .all(|placed| matches!(placed.item, LinkItem::Source(_)))
        );
    }

    #[test]
    fn stated_language_prevails_over_the_extension() {
        let call = read("-x c a.txt -x none b.c -xassembler-with-cpp c.c -");
        assert_eq!(
            call.sources
                .iter()
                .map(|source| source.language)
                .collect::<Vec<_>>(),
            [
                Language::C,
                Language::C,
                Language::Assembly,
                Language::Assembly
            ]
        );
        let cplusplus = CompilerArguments::read(&["a.c".to_owned()], true);
        assert_eq!(cplusplus.sources[0].language, Language::CPlusPlus);
    }

    #[test]
    fn compiling_and_linking_at_once_keeps_the_order_of_inputs() {
        let call =
            read("a.c b.o -Wl,-soname -Wl,x.so.1 -Wl,-Bstatic,-lz c.c libx.a -L. -lm -o prog");
        assert_eq!(call.goal, Goal::Link);
        assert_eq!(call.output.as_deref(), Some("prog"));
        let library = |name: &str| LinkItem::Library {
            name: name.into(),
            archives_only: true,
        };
        let items: Vec<LinkItem> = call
            .linker
            .items
            .iter()
            .map(|placed| placed.item.clone())
            .collect();
        assert_eq!(
            items,
            [
                LinkItem::Source(0),
                LinkItem::File("b.o".into()),
                library("z"),
                LinkItem::Source(1),
                LinkItem::File("libx.a".into()),
                library("m"),
            ]
        );
    }
}
