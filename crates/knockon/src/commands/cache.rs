//! `knockon cache`.

use crate::arguments::CacheArguments;
use crate::{Outcome, exit_code};
use anyhow::{Context, Result, bail};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT, default_cache_directory};

pub fn run(arguments: &CacheArguments) -> Result<Outcome> {
    let Some(directory) = default_cache_directory() else {
        bail!(
            "no place for a cache: set KNOCKON_CACHE_DIR, XDG_CACHE_HOME or HOME to an absolute path"
        );
    };
    let cache = Cache::open(&directory, DEFAULT_CACHE_LIMIT);
    if let Some(problem) = cache.problem() {
        bail!("the cache cannot be used: {problem}");
    }
    let text = if arguments.clear {
        cache.clear().context("the cache could not be emptied")?;
        format!("{} is empty\n", directory.display())
    } else {
        let statistics = cache.statistics();
        format!(
            "{}\n  {} units, {:.1} MB of at most {:.0} MB\n",
            directory.display(),
            statistics.entries,
            statistics.total_bytes as f64 / 1e6,
            statistics.limit as f64 / 1e6
        )
    };
    Ok(Outcome {
        text,
        code: exit_code::FINISHED,
    })
}
