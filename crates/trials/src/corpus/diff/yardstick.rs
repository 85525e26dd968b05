//! clang's own time on all units of a version, measured once a version.

use anyhow::Result;
use knockon_build::clang::Clang;
use knockon_build::compile::emit_text;
use knockon_build::git::{Repository, discover, resolve};
use knockon_build::revision_build::{RevisionOptions, Snapshot, plan_of_snapshot};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub struct Yardstick<'a> {
    clang: &'a Clang,
    repository: Repository,
    cache: tempfile::TempDir,
    known: BTreeMap<String, Duration>,
}

impl<'a> Yardstick<'a> {
    pub fn new(root: &Path, clang: &'a Clang) -> Result<Yardstick<'a>> {
        Ok(Yardstick {
            clang,
            repository: discover(root)?,
            cache: tempfile::tempdir()?,
            known: BTreeMap::new(),
        })
    }

    pub fn time(&mut self, name: &str) -> Result<Duration> {
        let revision = resolve(&self.repository, name)?;
        if let Some(time) = self.known.get(revision.tree.as_str()) {
            return Ok(*time);
        }
        let options = RevisionOptions {
            cache_directory: self.cache.path(),
            is_kept: true,
            build_directory: None,
            allow_run: false,
            assume_same_build: true,
            compared_with: None,
        };
        let plan = plan_of_snapshot(&self.repository, Snapshot::Revision(&revision), &options)?;
        let limit = Duration::from_secs(600);
        let time = plan
            .units
            .par_iter()
            .map(|unit| {
                let emitted = emit_text(self.clang, unit, limit, &AtomicBool::new(false));
                // A unit that does not compile is the comparison's to report.
                emitted.map_or(Duration::ZERO, |emitted| emitted.cpu_time)
            })
            .sum();
        let tree = revision.tree.as_str().to_owned();
        self.known.insert(tree, time);
        Ok(time)
    }
}
