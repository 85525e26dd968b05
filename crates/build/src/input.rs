//! What does an argument OLD, NEW or PROGRAM on the command line mean?
//!
//! A path (C file, `.ll` file, directory, compilation database) or a git revision. What is both is
//! an error, because a guess would analyse something else than the user meant; `path:` and `rev:`
//! decide. An argument that begins with `/`, `./` or `../` can only be a path.

use std::path::{Path, PathBuf};

use crate::git::{self, GitError, Repository, Revision};
use crate::nearest_name::{did_you_mean, nearest_names};

/// One version of a program, as the user named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A C or C++ source file.
    SourceFile(PathBuf),
    /// A file of LLVM IR text.
    LlvmFile(PathBuf),
    Directory(PathBuf),
    /// A compilation database.
    CompileCommands(PathBuf),
    Revision(Revision),
    /// The index of the repository.
    Staged,
    /// The repository's files as they are, at this root.
    WorkingTree(PathBuf),
}

/// Two versions, and the repository if one of them lives there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    pub old: Input,
    pub new: Input,
    pub repository: Option<Repository>,
}

#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error(
        "`{argument}` is both a path and a revision; write `path:{argument}` or `rev:{argument}`"
    )]
    Ambiguous { argument: String },
    #[error("`{argument}` is neither a path nor a revision{}", did_you_mean(near))]
    Nothing { argument: String, near: Vec<String> },
    #[error("there is no file or directory `{argument}`{}", did_you_mean(near))]
    NoSuchPath { argument: String, near: Vec<String> },
    #[error("`{argument}` cannot be read as a program: {advice}")]
    UnsupportedFile {
        argument: String,
        advice: &'static str,
    },
    #[error("`{argument}` names two versions, and one is wanted here")]
    RangeForOne { argument: String },
    #[error("`{argument}` names two versions already; leave the other one and --staged out")]
    RangeAndMore { argument: String },
    #[error("the old version `{argument}` is a path; name the new version too")]
    NewVersionMissing { argument: String },
    #[error("--staged is the new version; leave `{argument}` out")]
    StagedAndNew { argument: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

/// What PROGRAM means; without one it is the current directory.
pub fn program(
    argument: Option<&str>,
    current_directory: &Path,
) -> Result<(Input, Option<Repository>), InputError> {
    let Some(argument) = argument else {
        return Ok((Input::Directory(current_directory.to_owned()), None));
    };
    match read_argument(argument, current_directory)? {
        Meaning::One(input, repository) => Ok((input, repository)),
        Meaning::Range(..) => Err(InputError::RangeForOne {
            argument: argument.to_owned(),
        }),
    }
}

/// What OLD, NEW and `--staged` mean together; by default `HEAD` and the working tree.
pub fn versions(
    old: Option<&str>,
    new: Option<&str>,
    staged: bool,
    current_directory: &Path,
) -> Result<Versions, InputError> {
    let owned = |argument: &str| argument.to_owned();
    if let (Some(argument), true) = (new, staged) {
        return Err(InputError::StagedAndNew {
            argument: owned(argument),
        });
    }
    let (old_argument, meaning) = match old {
        Some(argument) => (argument, read_argument(argument, current_directory)?),
        None => {
            let repository = git::discover(current_directory)?;
            let head = git::resolve(&repository, "HEAD")?;
            (
                "HEAD",
                Meaning::One(Input::Revision(head), Some(repository)),
            )
        }
    };
    let (old, repository) = match meaning {
        Meaning::Range(old, new_side, repository) => {
            if new.is_some() || staged {
                return Err(InputError::RangeAndMore {
                    argument: owned(old_argument),
                });
            }
            let (old, new) = (Input::Revision(old), Input::Revision(new_side));
            return Ok(Versions {
                old,
                new,
                repository: Some(repository),
            });
        }
        Meaning::One(input, repository) => (input, repository),
    };
    if let Some(new_argument) = new {
        return match read_argument(new_argument, current_directory)? {
            Meaning::Range(..) => Err(InputError::RangeForOne {
                argument: owned(new_argument),
            }),
            Meaning::One(new, new_repository) => Ok(Versions {
                old,
                new,
                repository: repository.or(new_repository),
            }),
        };
    }
    if staged {
        let repository = match repository {
            Some(repository) => repository,
            None => git::discover(current_directory)?,
        };
        return Ok(Versions {
            old,
            new: Input::Staged,
            repository: Some(repository),
        });
    }
    let Some(repository) = repository else {
        return Err(InputError::NewVersionMissing {
            argument: owned(old_argument),
        });
    };
    let Some(root) = repository.working_tree.clone() else {
        return Err(GitError::NoWorkingTree {
            path: repository.git_directory,
        }
        .into());
    };
    Ok(Versions {
        old,
        new: Input::WorkingTree(root),
        repository: Some(repository),
    })
}

/// What one argument means on its own.
enum Meaning {
    One(Input, Option<Repository>),
    Range(Revision, Revision, Repository),
}

fn read_argument(argument: &str, current_directory: &Path) -> Result<Meaning, InputError> {
    if let Some(path) = argument.strip_prefix("path:") {
        return Ok(Meaning::One(read_path(path, current_directory)?, None));
    }
    if let Some(revision) = argument.strip_prefix("rev:") {
        let repository = git::discover(current_directory)?;
        return Ok(read_revision(revision, &repository)?);
    }
    let only_a_path = ["/", "./", "../"]
        .iter()
        .any(|start| argument.starts_with(start))
        || [".", "..", ""].contains(&argument);
    if only_a_path {
        return Ok(Meaning::One(read_path(argument, current_directory)?, None));
    }
    let exists = current_directory.join(argument).exists();
    let revision = git::discover(current_directory)
        .and_then(|repository| read_revision(argument, &repository));
    match (exists, revision) {
        (true, Ok(_)) => Err(InputError::Ambiguous {
            argument: argument.to_owned(),
        }),
        // Whatever git has to say, it has no revision of this name, and the path is there.
        (true, Err(_)) => Ok(Meaning::One(read_path(argument, current_directory)?, None)),
        (false, Ok(meaning)) => Ok(meaning),
        (
            false,
            Err(GitError::UnknownRevision {
                name,
                near,
                shallow: false,
                ..
            }),
        ) if name == argument => {
            let mut near_names = near_paths(argument, current_directory);
            near_names.extend(near);
            near_names.truncate(3);
            Err(InputError::Nothing {
                argument: argument.to_owned(),
                near: near_names,
            })
        }
        (false, Err(GitError::NotARepository { .. } | GitError::GitMissing)) => {
            let near = near_paths(argument, current_directory);
            Err(InputError::NoSuchPath {
                argument: argument.to_owned(),
                near,
            })
        }
        (false, Err(error)) => Err(error.into()),
    }
}

fn read_revision(text: &str, repository: &Repository) -> Result<Meaning, GitError> {
    match git::resolve_range(repository, text)? {
        Some((old, new)) => Ok(Meaning::Range(old, new, repository.clone())),
        None => Ok(Meaning::One(
            Input::Revision(git::resolve(repository, text)?),
            Some(repository.clone()),
        )),
    }
}

fn read_path(argument: &str, current_directory: &Path) -> Result<Input, InputError> {
    let path = current_directory.join(argument);
    let Ok(metadata) = std::fs::metadata(&path) else {
        let near = near_paths(argument, current_directory);
        return Err(InputError::NoSuchPath {
            argument: argument.to_owned(),
            near,
        });
    };
    if metadata.is_dir() {
        return Ok(Input::Directory(path));
    }
    let unsupported = |advice| {
        Err(InputError::UnsupportedFile {
            argument: argument.to_owned(),
            advice,
        })
    };
    if !metadata.is_file() {
        return unsupported("it is not a regular file");
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "C" | "ii") => {
            Ok(Input::SourceFile(path))
        }
        Some("ll") => Ok(Input::LlvmFile(path)),
        Some("json") => Ok(Input::CompileCommands(path)),
        Some("bc") => {
            unsupported("turn the bitcode into text with `llvm-dis` and name the .ll file")
        }
        Some("rs") => {
            unsupported("compile it with `rustc --emit=llvm-ir -g` and name the .ll file")
        }
        Some("o" | "a" | "so") => unsupported("name the source, not what was built from it"),
        Some("h" | "hh" | "hpp" | "hxx") => {
            unsupported("a header is not a program; name a file that includes it")
        }
        _ => unsupported(
            "name a C or C++ file, an LLVM .ll file, a directory or a compile_commands.json",
        ),
    }
}

/// Names beside the one that does not exist, spelt like the argument.
fn near_paths(argument: &str, current_directory: &Path) -> Vec<String> {
    let path = Path::new(argument);
    let wanted = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let parent = path.parent().unwrap_or(Path::new(""));
    let Ok(entries) = std::fs::read_dir(current_directory.join(parent)) else {
        return Vec::new();
    };
    let names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    nearest_names(&wanted, names.iter().map(String::as_str), 2)
        .into_iter()
        .map(|name| parent.join(name).to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests;
