//! **Question.** What does an archiver command put into an archive, or take out of one?
//!
//! Reads the spellings of GNU ar and llvm-ar: the operation with or without a dash (`cr`, `-rcs`,
//! `-r -c`), modifiers that take a position or a count, long options between them.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiverArguments {
    pub operation: Operation,
    pub archive: String,
    pub members: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Members of the same file name are replaced.
    Replace,
    /// Members are added at the end, whatever is there.
    Append,
    Delete,
    /// Members (all, if none is named) are written to the current directory.
    Extract,
    /// The commands come from standard input and are not known.
    Script,
}

const LONG_WITH_VALUE: &[&str] = &["--plugin", "--target", "--output", "--format"];

impl ArchiverArguments {
    /// Reads an archiver command, without the program itself; nothing if it changes no archive.
    pub fn read(arguments: &[String]) -> Option<ArchiverArguments> {
        let mut letters = String::new();
        let mut names = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if LONG_WITH_VALUE.contains(&argument.as_str()) {
                rest.next();
            } else if argument.starts_with("--") || argument.starts_with("-X") {
                // `--thin`, `--plugin=…`, and `-X32_64`, which AIX scripts pass to any ar.
            } else if let Some(cluster) = argument
                .strip_prefix('-')
                .filter(|cluster| !cluster.is_empty() && names.is_empty())
            {
                letters.push_str(cluster);
            } else if letters.is_empty() && names.is_empty() {
                letters.push_str(argument);
            } else {
                names.push(argument.clone());
            }
        }
        let has = |letter: char| letters.contains(letter);
        if has('M') {
            return Some(ArchiverArguments {
                operation: Operation::Script,
                archive: String::new(),
                members: Vec::new(),
            });
        }
        let operation = letters.chars().find_map(|letter| match letter {
            'r' => Some(Operation::Replace),
            'q' => Some(Operation::Append),
            'd' => Some(Operation::Delete),
            'x' => Some(Operation::Extract),
            _ => None,
        })?;
        let mut names = names.into_iter();
        // With `m` these letters mean the same, but `m` alone changes no membership.
        if operation == Operation::Replace && (has('a') || has('b') || has('i')) {
            names.next();
        }
        if has('N') {
            names.next();
        }
        Some(ArchiverArguments {
            operation,
            archive: names.next()?,
            members: names.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str) -> Option<ArchiverArguments> {
        let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
        ArchiverArguments::read(&arguments)
    }

    #[test]
    fn every_spelling_adds_the_same_members() {
        for command in [
            "cr lib.a a.o b.o",
            "rcs lib.a a.o b.o",
            "-rcs lib.a a.o b.o",
            "-r -c lib.a a.o b.o",
            "--plugin /x/liblto.so rcs lib.a a.o b.o",
            "-X32_64 cru lib.a a.o b.o",
            "rb old.o lib.a a.o b.o",
            "--thin -rc lib.a a.o b.o",
        ] {
            let call = read(command).unwrap();
            assert_eq!(call.operation, Operation::Replace, "{command}");
            assert_eq!(call.archive, "lib.a", "{command}");
            assert_eq!(call.members, ["a.o", "b.o"], "{command}");
        }
        assert_eq!(read("-q lib.a a.o").unwrap().operation, Operation::Append);
        assert_eq!(read("dN 2 lib.a a.o").unwrap().members, ["a.o"]);
        assert_eq!(read("x ../lib.a").unwrap().operation, Operation::Extract);
        assert_eq!(read("-M").unwrap().operation, Operation::Script);
    }

    #[test]
    fn listing_changes_nothing() {
        for command in [
            "t lib.a",
            "-tv lib.a",
            "s lib.a",
            "--version",
            "p lib.a a.o",
        ] {
            assert_eq!(read(command), None, "{command}");
        }
    }
}
