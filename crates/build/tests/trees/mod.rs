//! Source trees in temporary directories, and runs over them.

use knockon_build::build::{Compiled, compile_units};
use knockon_build::cache::{Cache, DEFAULT_CACHE_LIMIT};
use knockon_build::clang::{Clang, find_clang};
use knockon_build::compile::{CompileOptions, DEFAULT_UNIT_TIME_LIMIT, Origin};
use knockon_build::unit::UnitCommand;
use knockon_program::Program;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A directory with source files.
pub struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let tree = Tree {
            directory: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            tree.write(name, text);
        }
        tree
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A unit compiled in the root, with `ROOT` in the flags replaced by the root.
    pub fn unit(&self, file: &str, flags: &[&str]) -> UnitCommand {
        let root = self.root().to_str().unwrap();
        UnitCommand {
            flags: flags
                .iter()
                .map(|flag| flag.replace("ROOT", root))
                .collect(),
            ..UnitCommand::bare(self.root(), Path::new(file))
        }
    }
}

/// A clang that writes a line to a file whenever it is run.
pub struct CountedClang {
    directory: tempfile::TempDir,
    pub clang: Clang,
}

impl CountedClang {
    /// `after` is a shell command run after each compilation, with its result in `$status`.
    pub fn new(after: &str) -> CountedClang {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("clang");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = '-###' ] && exec '{1}' \"$@\"\necho run >> '{0}/runs'\n'{1}' \"$@\"\nstatus=$?\n{after}\nexit $status\n",
            directory.path().display(),
            find_clang(None).unwrap().path.display(),
        );
        write_program(&path, &script);
        let clang = Clang::at(&path, None).unwrap();
        CountedClang { directory, clang }
    }

    /// How often it was run since the last question.
    pub fn runs(&self) -> usize {
        let path = self.directory.path().join("runs");
        let runs = std::fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        std::fs::remove_file(path).ok();
        runs
    }
}

pub fn cache_in(directory: &Path) -> Cache {
    Cache::open(&directory.join("cache"), DEFAULT_CACHE_LIMIT)
}

pub fn compile(clang: &Clang, cache: Option<&Cache>, units: &[UnitCommand]) -> Compiled {
    compile_with_jobs(clang, cache, units, 2)
}

pub fn compile_with_jobs(
    clang: &Clang,
    cache: Option<&Cache>,
    units: &[UnitCommand],
    jobs: usize,
) -> Compiled {
    let options = CompileOptions {
        clang,
        cache,
        jobs,
        time_limit: DEFAULT_UNIT_TIME_LIMIT,
        interrupted: &AtomicBool::new(false),
    };
    compile_units(units, &options, &|_| {}).unwrap()
}

/// Every unit compiled, and where each came from.
pub fn origins(compiled: &Compiled) -> Vec<Origin> {
    assert_eq!(compiled.failures, []);
    compiled.units.iter().map(|unit| unit.origin).collect()
}

/// A hash of each program as a whole, to compare them.
pub fn programs(compiled: &Compiled) -> Vec<blake3::Hash> {
    let bytes = |program: &Program| postcard::to_stdvec(program).unwrap();
    compiled
        .units
        .iter()
        .map(|unit| blake3::hash(&bytes(&unit.program)))
        .collect()
}

/// Writes a script that can be run at once. Another process does it: a file that this one has open
/// for writing is inherited by whatever a test beside it starts, and is busy for that moment.
pub fn write_program(path: &Path, script: &str) {
    let status = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(script)
        .status()
        .unwrap();
    assert!(status.success());
}
