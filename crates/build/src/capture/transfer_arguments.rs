//! **Question.** Which files does a command move, copy or delete?
//!
//! Builds rename objects between compiling and linking (zlib: `gcc -c -o objs/x.o x.c`, then
//! `mv objs/x.o x.lo`). Only files that a step made matter, so the values of options need not be
//! told from files: no step made a file called `755`.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferArguments {
    pub kind: TransferKind,
    pub sources: Vec<String>,
    /// Empty when files are deleted.
    pub destination: String,
    pub into_directory: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferKind {
    Move,
    Copy,
    Delete,
}

impl TransferArguments {
    /// Reads a command, without the program itself; nothing if it names no file.
    pub fn read(arguments: &[String], kind: TransferKind) -> Option<TransferArguments> {
        let mut files = Vec::new();
        let mut target_directory = None;
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "-t" || argument == "--target-directory" {
                target_directory = rest.next().cloned();
            } else if let Some(directory) = argument.strip_prefix("--target-directory=") {
                target_directory = Some(directory.to_owned());
            } else if argument == "--" {
                files.extend(rest.by_ref().cloned());
            } else if !argument.starts_with('-') {
                files.push(argument.clone());
            }
        }
        let into_directory = target_directory.is_some();
        let destination = match (kind, target_directory) {
            (TransferKind::Delete, _) => String::new(),
            (_, Some(directory)) => directory,
            (_, None) => files.pop()?,
        };
        (!files.is_empty()).then_some(TransferArguments {
            kind,
            sources: files,
            destination,
            into_directory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destination_is_last_or_named() {
        let read = |command: &str| {
            let arguments: Vec<String> = command.split(' ').map(str::to_owned).collect();
            TransferArguments::read(&arguments, TransferKind::Move).unwrap()
        };
        assert_eq!(read("-f a.o b.o").destination, "b.o");
        assert_eq!(read("-f -- a.o -b.o").destination, "-b.o");
        let named = read("-t dir a.o b.o");
        assert_eq!(
            (named.destination.as_str(), named.into_directory),
            ("dir", true)
        );
        assert_eq!(named.sources, ["a.o", "b.o"]);
    }
}
