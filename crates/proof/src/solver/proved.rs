//! Queries that were proved unsatisfiable, by their whole text, so that nobody asks twice.
//!
//! **Soundness.** The key is a hash of all that a solver is told, hypotheses included; only answers
//! that were confirmed are entered. On disk an entry repeats its key and carries a checksum (what
//! does not agree is no entry), and the directory must be one that only the user can write to.
//!
//! **Determinism.** An entry says with how much effort it was proved, and counts for those who would
//! spend at least as much: it never answers where the solvers would have given up.

use super::SolverError;
use crate::smt_lib::Query;
use blake3::Hash;
use rustc_hash::FxHashMap;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// To be changed with the meaning of queries.
const VERSION: &str = "knockon proved query 1";

pub(super) struct Proved {
    /// The least effort that was enough.
    known: FxHashMap<Hash, u64>,
    directory: Option<PathBuf>,
}

impl Proved {
    pub(super) fn open(directory: Option<PathBuf>) -> Result<Proved, SolverError> {
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
        Ok(Proved {
            known: FxHashMap::default(),
            directory,
        })
    }

    pub(super) fn key(query: &Query) -> Hash {
        let mut hasher = blake3::Hasher::new();
        for part in [VERSION, "\n", query.logic, "\n", &query.text] {
            hasher.update(part.as_bytes());
        }
        hasher.finalize()
    }

    pub(super) fn holds(&mut self, key: &Hash, effort: u64) -> bool {
        if let Some(enough) = self.known.get(key)
            && *enough <= effort
        {
            return true;
        }
        let stored = self
            .directory
            .as_ref()
            .and_then(|directory| read(directory, key));
        let holds = stored.is_some_and(|enough| enough <= effort);
        if let Some(enough) = stored
            && holds
        {
            self.known.insert(*key, enough);
        }
        holds
    }

    /// The disk is a convenience: an entry that cannot be written is proved again next time.
    pub(super) fn add(&mut self, key: Hash, effort: u64) {
        self.known.insert(key, effort);
        if let Some(directory) = &self.directory {
            write(directory, &key, effort).ok();
        }
    }
}

fn path_of(directory: &Path, key: &Hash) -> PathBuf {
    directory.join(format!("{}.proved", key.to_hex()))
}

fn entry(key: &Hash, effort: u64) -> String {
    let content = format!("{VERSION}\n{}\n{effort}\n", key.to_hex());
    let checksum = blake3::hash(content.as_bytes());
    format!("{content}{}\n", checksum.to_hex())
}

fn read(directory: &Path, key: &Hash) -> Option<u64> {
    let text = std::fs::read_to_string(path_of(directory, key)).ok()?;
    let effort = text.lines().nth(2)?.parse().ok()?;
    (text == entry(key, effort)).then_some(effort)
}

fn write(directory: &Path, key: &Hash, effort: u64) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(entry(key, effort).as_bytes())?;
    file.persist(path_of(directory, key))?;
    Ok(())
}
