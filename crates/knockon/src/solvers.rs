//! Solvers that remember what was asked in earlier runs.

use knockon_build::cache::default_cache_directory;
use knockon_logic::solver::{SolverError, SolverOptions, Solvers};
use std::path::PathBuf;

/// Where what was said of queries is kept.
pub fn decided_queries(no_cache: bool) -> Option<PathBuf> {
    let directory = (!no_cache).then(default_cache_directory).flatten();
    directory.map(|directory| directory.join("proofs"))
}

/// Nothing is believed that others may have written, and proofs work without: where the directory of
/// earlier answers cannot be used, they are found again.
pub fn remembering<'t>(mut options: SolverOptions<'t>) -> Result<Solvers<'t>, SolverError> {
    match Solvers::new(options.clone()) {
        Err(SolverError::SharedDirectory(directory) | SolverError::Directory { directory, .. })
            if options.cache.as_ref() == Some(&directory) =>
        {
            options.cache = None;
            Solvers::new(options)
        }
        other => other,
    }
}
