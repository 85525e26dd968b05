//! How was each unit of this build compiled?
//!
//! Reads a JSON compilation database (`compile_commands.json`), as CMake, Meson, Bear and
//! `ninja -t compdb` write it. Source: the "JSON Compilation Database Format Specification" of clang.
//! The database is data: no command in it is ever run, and what it says about flags still has to
//! pass [`crate::flags::accept_flags`].
//!
//! A `command` is split into words by the POSIX quoting rules and nothing more: no variable, glob
//! or substitution is expanded. `directory` is taken relative to the directory of the database,
//! `file` and `output` stay relative to `directory`. Several entries for one file are several
//! compilations, kept in order.
//!
//! Cost: linear in the file, in time and memory. Unknown fields are skipped without being built
//! and without recursion, a broken entry ends the reading at once, and a file above
//! [`LARGEST_DATABASE`] or with more than `MOST_ARGUMENTS` arguments is refused, so no input
//! exhausts stack or memory.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A quarter of a million units at 2 KB each.
pub const LARGEST_DATABASE: u64 = 512 << 20;

/// In the whole database: a hundred for each of these units. An argument costs 24 bytes even when
/// it is empty, so this bounds what a database of nothing but quotes can take.
const MOST_ARGUMENTS: usize = 1 << 25;

/// One compilation of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileCommand {
    /// Where the compiler ran; all relative paths in the other fields start here.
    pub directory: PathBuf,
    /// The source file, as the database spells it.
    pub file: PathBuf,
    /// The whole command line, the compiler first.
    pub arguments: Vec<String>,
    pub output: Option<PathBuf>,
}

impl CompileCommand {
    /// The source file's place in the file system. It begins with neither `-` nor `@`, whatever the
    /// database says, so it is safe as an argument.
    pub fn source_path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum CompileCommandsError {
    #[error("{}: cannot read the compilation database: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: not a regular file; name a compile_commands.json", path.display())]
    NotAFile { path: PathBuf },
    #[error(
        "{}: larger than {} MiB; split the database or name the files to analyse",
        path.display(),
        LARGEST_DATABASE >> 20
    )]
    TooLarge { path: PathBuf },
    #[error("{}:{line}:{column}: {message}", path.display())]
    Malformed {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },
}

/// Reads the database at `path`.
pub fn read_compile_commands(path: &Path) -> Result<Vec<CompileCommand>, CompileCommandsError> {
    let unreadable = |source| CompileCommandsError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // A named pipe or a device could block or never end.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(CompileCommandsError::NotAFile {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LARGEST_DATABASE + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_DATABASE {
        return Err(CompileCommandsError::TooLarge {
            path: path.to_owned(),
        });
    }
    parse_compile_commands(&bytes, path)
}

/// Reads the database in `bytes`, which was found at `path`.
pub fn parse_compile_commands(
    bytes: &[u8],
    path: &Path,
) -> Result<Vec<CompileCommand>, CompileCommandsError> {
    let malformed = |line, column, message| CompileCommandsError::Malformed {
        path: path.to_owned(),
        line,
        column,
        message,
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let message = "the compilation database is empty; run the build that writes it".to_owned();
        return Err(malformed(1, 1, message));
    }
    let parent = path.parent().unwrap_or(Path::new(""));
    let base = match parent.as_os_str().as_encoded_bytes().first() {
        None => PathBuf::from("."),
        Some(b'-' | b'@') => Path::new(".").join(parent),
        Some(_) => parent.to_owned(),
    };
    let place = Place {
        entry: Cell::new(None),
        file: RefCell::new(None),
        arguments_left: Cell::new(MOST_ARGUMENTS),
    };
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    Database {
        base: &base,
        place: &place,
    }
    .deserialize(&mut deserializer)
    .and_then(|commands| deserializer.end().map(|()| commands))
    .map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let mut message = error.to_string();
        // serde_json appends the position that our error names in front.
        if let Some(end) = message.rfind(" at line ") {
            message.truncate(end);
        }
        malformed(line.max(1), column.max(1), format!("{place}{message}"))
    })
}

/// How far the reading has come.
struct Place {
    /// The entry being read, for error messages.
    entry: Cell<Option<usize>>,
    file: RefCell<Option<String>>,
    arguments_left: Cell<usize>,
}

impl Place {
    fn count_argument<E: de::Error>(&self) -> Result<(), E> {
        match self.arguments_left.get().checked_sub(1) {
            Some(left) => {
                self.arguments_left.set(left);
                Ok(())
            }
            None => Err(E::custom(
                "the database has too many arguments in all; split it",
            )),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match (self.entry.get(), &*self.file.borrow()) {
            (Some(entry), Some(file)) => write!(formatter, "entry {entry} (file {file:?}): "),
            (Some(entry), None) => write!(formatter, "entry {entry}: "),
            (None, _) => Ok(()),
        }
    }
}

/// The whole database: a list of entries.
struct Database<'a> {
    base: &'a Path,
    place: &'a Place,
}

impl<'de> DeserializeSeed<'de> for Database<'_> {
    type Value = Vec<CompileCommand>;

    fn deserialize<D: de::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Database<'_> {
    type Value = Vec<CompileCommand>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list of compile commands")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut commands = Vec::new();
        while let Some(command) = entries.next_element_seed(Entry {
            base: self.base,
            place: self.place,
            index: commands.len(),
        })? {
            commands.push(command);
            self.place.entry.set(None);
        }
        Ok(commands)
    }
}

/// The entry number `index`, from 0.
struct Entry<'a> {
    base: &'a Path,
    place: &'a Place,
    index: usize,
}

impl<'de> DeserializeSeed<'de> for Entry<'_> {
    type Value = CompileCommand;

    fn deserialize<D: de::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        self.place.entry.set(Some(self.index));
        self.place.file.replace(None);
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Entry<'_> {
    type Value = CompileCommand;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object with `directory`, `file` and `arguments` or `command`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<CompileCommand, A::Error> {
        let (mut directory, mut output) = (None::<String>, None::<String>);
        let (mut arguments, mut command) = (None::<Vec<String>>, None::<String>);
        while let Some(field) = fields.next_key::<String>()? {
            match field.as_str() {
                "directory" => directory = Some(fields.next_value()?),
                "file" => *self.place.file.borrow_mut() = Some(fields.next_value()?),
                "output" => output = fields.next_value()?,
                "command" => command = Some(fields.next_value()?),
                "arguments" => {
                    arguments = Some(fields.next_value_seed(Arguments { place: self.place })?)
                }
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        let broken = |what: &str| Err(de::Error::custom(what));
        let arguments = match (arguments, command) {
            // As in clang, `arguments` wins where both are given: it needs no unquoting.
            (Some(arguments), _) => arguments,
            (None, Some(command)) => {
                let mut words = shlex::Shlex::new(&command);
                let mut arguments = Vec::new();
                for word in words.by_ref() {
                    self.place.count_argument()?;
                    arguments.push(word);
                }
                if words.had_error {
                    return broken("`command` has an unclosed quote or ends in a backslash");
                }
                arguments
            }
            (None, None) => return broken("neither `arguments` nor `command`"),
        };
        if arguments.is_empty() {
            return broken("the command is empty");
        }
        let Some(directory) = directory else {
            return broken("no `directory`; add the directory in which the compiler ran");
        };
        let file = self.place.file.borrow().clone().unwrap_or_default();
        if file.is_empty() {
            return broken("no `file`; add the name of the source file");
        }
        if file.contains('\0') || directory.contains('\0') {
            return broken("a NUL character in a path");
        }
        Ok(CompileCommand {
            directory: self.base.join(directory),
            file: PathBuf::from(file),
            arguments,
            output: output.map(PathBuf::from),
        })
    }
}

/// The words of a command line.
struct Arguments<'a> {
    place: &'a Place,
}

impl<'de> DeserializeSeed<'de> for Arguments<'_> {
    type Value = Vec<String>;

    fn deserialize<D: de::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Arguments<'_> {
    type Value = Vec<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("`arguments` to be a list of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Self::Value, A::Error> {
        let mut arguments = Vec::new();
        while let Some(word) = words.next_element::<String>()? {
            self.place.count_argument()?;
            arguments.push(word);
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_counted_over_the_whole_database() {
        let place = Place {
            entry: Cell::new(None),
            file: RefCell::new(None),
            arguments_left: Cell::new(5),
        };
        let text = r#"[{"directory": "/", "file": "a.c", "arguments": ["cc", "-c", "a.c"]},
                       {"directory": "/", "file": "b.c", "command": "cc -c b.c"}]"#;
        let database = Database {
            base: Path::new("."),
            place: &place,
        };
        let read = database.deserialize(&mut serde_json::Deserializer::from_str(text));
        assert!(
            read.expect_err("six arguments")
                .to_string()
                .starts_with("the database has too many")
        );
        assert_eq!(place.entry.get(), Some(1));
    }
}
