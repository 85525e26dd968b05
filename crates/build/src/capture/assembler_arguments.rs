//! **Question.** Which source does an assembler command read, and which object does it write?
//!
//! For GNU as, nasm and yasm when a build runs them itself. Their code has no C source: recording
//! it lets a link say that a unit is assembly, where it would else be code of unknown origin.

use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblerArguments {
    pub source: String,
    pub output: String,
}

const WITH_VALUE: &[&str] = &[
    "-I",
    "-G",
    "-f",
    "-l",
    "-p",
    "-P",
    "-d",
    "-D",
    "-i",
    "-u",
    "-U",
    "-w",
    "-a",
    "-m",
    "-r",
    "-L",
    "-X",
    "-Z",
    "-MD",
    "-MF",
    "-MT",
    "-MQ",
    "--MD",
    "--defsym",
    "--debug-prefix-map",
    "--listing-lhs-width",
];

/// Options of the above that take no separate value in GNU as.
const JOINED_IN_GNU_AS: &[&str] = &["-f", "-L", "-w", "-a", "-r", "-X", "-Z", "-D", "-m"];

impl AssemblerArguments {
    /// Reads an assembler command, without the program itself; `gnu` says that it is GNU as.
    pub fn read(arguments: &[String], gnu: bool) -> Option<AssemblerArguments> {
        let mut source = None;
        let mut output = None;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "-o" {
                output = rest.next().cloned();
            } else if let Some(joined) = argument.strip_prefix("-o") {
                output = Some(joined.to_owned());
            } else if WITH_VALUE.contains(&argument.as_str())
                && !(gnu && JOINED_IN_GNU_AS.contains(&argument.as_str()))
            {
                rest.next();
            } else if !argument.starts_with('-') || argument == "-" {
                source = Some(argument.clone());
            }
        }
        let source = source?;
        let output = match output {
            Some(output) => output,
            None if gnu => "a.out".to_owned(),
            None => format!("{}.o", Path::new(&source).file_stem()?.to_str()?),
        };
        (output != "/dev/null").then_some(AssemblerArguments { source, output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, gnu: bool) -> Option<AssemblerArguments> {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        AssemblerArguments::read(&arguments, gnu)
    }

    #[test]
    fn source_and_object_are_told_from_option_values() {
        let gnu = read("--64 -I inc --defsym A=1 -D -o x.o x.s", true).unwrap();
        assert_eq!((gnu.source.as_str(), gnu.output.as_str()), ("x.s", "x.o"));
        let nasm = read("-f elf64 -D X y.asm", false).unwrap();
        assert_eq!(
            (nasm.source.as_str(), nasm.output.as_str()),
            ("y.asm", "y.o")
        );
        assert_eq!(read("--version", true), None);
    }
}
