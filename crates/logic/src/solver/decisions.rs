//! What was said of queries before, by their whole text, so that nobody asks twice.
//!
//! **Soundness.** The key is a hash of all that a solver is told, hypotheses included. That a query is
//! unsatisfiable is entered only if it was confirmed. On disk an entry repeats its key and carries a
//! checksum (what does not agree is no entry), and the directory must be one that only the user can
//! write to. That a query was not shown to be unsatisfiable proves nothing, whoever entered it.
//!
//! **Determinism.** An entry says with how much effort it was made. What was decided counts for those
//! who would spend at least as much; what was given up, and only for want of effort, for those who
//! would spend at most as much: so it never answers otherwise than the solvers would. What was said
//! was said by certain programs, which the key names by their files: another version may do better,
//! and a program that is not believed any more leaves nothing behind.

use super::{SolverError, SolverProgram};
use crate::smt_lib::Query;
use blake3::Hash;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// To be changed with the meaning of queries.
const VERSION: &str = "knockon query 3";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Unsatisfiable,
    /// By a model that was checked.
    Satisfiable,
    GivenUp,
}

impl Decision {
    const ALL: [Decision; 3] = [
        Decision::Unsatisfiable,
        Decision::Satisfiable,
        Decision::GivenUp,
    ];

    fn name(self) -> &'static str {
        match self {
            Decision::Unsatisfiable => "unsatisfiable",
            Decision::Satisfiable => "satisfiable",
            Decision::GivenUp => "given up",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    decision: Decision,
    effort: u64,
}

impl Entry {
    fn counts_for(self, effort: u64) -> bool {
        match self.decision {
            Decision::Unsatisfiable | Decision::Satisfiable => self.effort <= effort,
            Decision::GivenUp => self.effort >= effort,
        }
    }
}

/// A query, and what is said of it by the programs at hand.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub query: Hash,
    said: Hash,
}

pub(super) struct Decisions {
    known: FxHashMap<Hash, Entry>,
    directory: Option<PathBuf>,
    programs: Hash,
}

impl Decisions {
    pub(super) fn open(
        directory: Option<PathBuf>,
        programs: &[SolverProgram],
    ) -> Result<Decisions, SolverError> {
        if let Some(directory) = &directory {
            let failed = |error| SolverError::Directory {
                directory: directory.clone(),
                error,
            };
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)
                .map_err(failed)?;
            let row = std::fs::metadata(directory).map_err(failed)?;
            let is_own = row.uid() == rustix::process::geteuid().as_raw();
            if !is_own || row.mode() & 0o022 != 0 {
                return Err(SolverError::SharedDirectory(directory.clone()));
            }
        }
        Ok(Decisions {
            known: FxHashMap::default(),
            directory,
            programs: identity(programs),
        })
    }

    pub(super) fn key(&self, query: &Query) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in [VERSION, "\n", query.logic, "\n", &query.text] {
            hasher.update(part.as_bytes());
        }
        let query = hasher.finalize();
        hasher.update(self.programs.as_bytes());
        let said = hasher.finalize();
        Key { query, said }
    }

    pub(super) fn proved(&mut self, key: &Key, effort: u64) -> bool {
        self.any(key, effort) == Some(Decision::Unsatisfiable)
    }

    /// Where no model is wanted: also that there is one, or that it was given up.
    pub(super) fn any(&mut self, key: &Key, effort: u64) -> Option<Decision> {
        let key = &key.said;
        let known = self.known.get(key).copied();
        if let Some(entry) = known.filter(|entry| entry.counts_for(effort)) {
            return Some(entry.decision);
        }
        let stored = read(self.directory.as_ref()?, key)?;
        if !stored.counts_for(effort) {
            return None;
        }
        self.known.insert(*key, stored);
        Some(stored.decision)
    }

    /// The disk is a convenience: an entry that cannot be written is found again next time.
    pub(super) fn add(&mut self, key: &Key, decision: Decision, effort: u64) {
        let key = key.said;
        let entry = Entry { decision, effort };
        self.known.insert(key, entry);
        if let Some(directory) = &self.directory {
            write(directory, &key, entry).ok();
        }
    }
}

/// The files that the programs are, as far as the file system tells.
fn identity(programs: &[SolverProgram]) -> Hash {
    let mut hasher = blake3::Hasher::new();
    for program in programs {
        let path = &program.path;
        hasher.update(path.as_os_str().as_encoded_bytes());
        if let Ok(row) = std::fs::metadata(path) {
            for number in [row.len(), row.mtime() as u64, row.mtime_nsec() as u64] {
                hasher.update(&number.to_le_bytes());
            }
        }
        hasher.update(b"\n");
    }
    hasher.finalize()
}

/// In shards, as the tables of the cache are, which counts and evicts these files too.
fn path_of(directory: &Path, key: &Hash) -> PathBuf {
    let name = key.to_hex();
    directory.join(&name[..2]).join(format!("{name}.query"))
}

fn text_of(key: &Hash, entry: Entry) -> String {
    let Entry { decision, effort } = entry;
    let content = format!(
        "{VERSION}\n{}\n{}\n{effort}\n",
        key.to_hex(),
        decision.name()
    );
    let checksum = blake3::hash(content.as_bytes());
    format!("{content}{}\n", checksum.to_hex())
}

fn read(directory: &Path, key: &Hash) -> Option<Entry> {
    let text = std::fs::read_to_string(path_of(directory, key)).ok()?;
    let mut lines = text.lines().skip(2);
    let name = lines.next()?;
    let decision = Decision::ALL.into_iter().find(|one| one.name() == name)?;
    let effort = lines.next()?.parse().ok()?;
    let entry = Entry { decision, effort };
    (text == text_of(key, entry)).then_some(entry)
}

fn write(directory: &Path, key: &Hash, entry: Entry) -> std::io::Result<()> {
    let path = path_of(directory, key);
    let shard = path.parent().unwrap_or(directory);
    std::fs::create_dir_all(shard)?;
    let mut file = tempfile::NamedTempFile::new_in(shard)?;
    file.write_all(text_of(key, entry).as_bytes())?;
    file.persist(&path)?;
    Ok(())
}
