//! One unit: from its command to its program, through the cache.
//!
//! ```text
//! manifest holds ──────────────────────────► entry            (Origin::Manifest)
//!       └─ else: clang ─► IR text ─► known ─► entry           (Origin::Entry)
//!                             └─ else: read, and store both   (Origin::Text)
//! ```
//!
//! A damaged or missing entry is a miss at any of these steps. What comes out is the
//! same on every way: an entry is what the reader made of the same text. What the IR does not
//! show of the unit is added after the cache: files that its assembly includes, and flags that
//! no clang was given.

use crate::assembly_files::include_files;
use crate::cache::files::Files;
use crate::cache::manifest::Slot;
use crate::cache::{Cache, ContentId};
use crate::clang::Clang;
use crate::clang::child::ChildError;
use crate::clang::emission::{Emission, EmissionError, emit_ir};
use crate::moved_plan::seen_from_root;
use crate::scratch::scratch_directory;
use crate::unit::{Route, UnitCommand, normalised};
use crate::unread_attributes::UnreadAttributes;
use crate::unseen_units::preprocessed;
use knockon_llvm::{ReadError, read_unit};
use knockon_program::Program;
use rustix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Enough for the largest known single unit in C, on a slow machine.
pub const DEFAULT_UNIT_TIME_LIMIT: Duration = Duration::from_secs(300);

#[derive(Clone, Copy)]
pub struct CompileOptions<'a> {
    pub clang: &'a Clang,
    pub cache: Option<&'a Cache>,
    /// Units compiled at once; 0 means one for each processor.
    pub jobs: usize,
    /// For each unit.
    pub time_limit: Duration,
    /// Once set, no unit is begun and running compilers are ended.
    pub interrupted: &'a AtomicBool,
}

/// Where a program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// From the cache, without running clang.
    Manifest,
    /// The IR, from clang or from a file, had been read before.
    Entry,
    /// The IR was read.
    Text,
}

#[derive(Clone, Debug)]
pub struct CompiledUnit {
    /// The unit's position among those given.
    pub index: usize,
    pub program: Program,
    /// The files of its tree that it was made from, relative to the root.
    pub files: Vec<PathBuf>,
    /// The other files that it was made from, absolute.
    pub files_elsewhere: Vec<PathBuf>,
    /// Equal for units of equal name and IR, also between trees. It knows nothing of the files that
    /// assembly includes.
    pub content: ContentId,
    pub origin: Origin,
    /// CPU time of clang; zero where it was not run.
    pub clang_time: Duration,
    /// CPU time of reading the IR, or of loading the entry instead.
    pub read_time: Duration,
}

/// Why a unit has no program.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("{message}")]
    Rejected {
        /// clang's own words.
        message: String,
        clang_time: Duration,
    },
    #[error("{0} is not analysed")]
    NotAnalysed(String),
    #[error("cannot be read: {0}")]
    Unreadable(std::io::Error),
    #[error("the IR cannot be read: {0}")]
    Reader(ReadError),
    #[error("clang {0}")]
    Clang(String),
    #[error("interrupted")]
    Interrupted,
}

/// What the units of one run share.
pub(crate) struct Run<'a> {
    options: CompileOptions<'a>,
    files: Files,
    scratch: tempfile::TempDir,
    next: AtomicU64,
}

impl<'a> Run<'a> {
    pub(crate) fn new(options: CompileOptions<'a>) -> std::io::Result<Run<'a>> {
        Ok(Run {
            options,
            files: Files::new(),
            scratch: scratch_directory()?,
            next: AtomicU64::new(0),
        })
    }

    pub(crate) fn compile(
        &self,
        index: usize,
        unit: &UnitCommand,
    ) -> Result<CompiledUnit, CompileError> {
        let mut compiled = match unit.route() {
            Route::NotAnalysed(language) => return Err(CompileError::NotAnalysed(language)),
            Route::LlvmText => {
                let text = std::fs::read(unit.source_path()).map_err(CompileError::Unreadable)?;
                self.decode(
                    index,
                    unit,
                    &text,
                    &UnreadAttributes::default(),
                    Duration::ZERO,
                )?
            }
            // The directory in which a build ran its compiler is no part of the program.
            Route::Clang => self.compile_source(index, &seen_from_root(unit))?,
        };
        let included = include_files(unit, &mut compiled.program);
        let (below, elsewhere) = by_place(unit, &included);
        compiled.files.extend(below);
        compiled.files_elsewhere.extend(elsewhere);
        note_unread_flags(unit, &mut compiled.program);
        Ok(compiled)
    }

    fn compile_source(
        &self,
        index: usize,
        unit: &UnitCommand,
    ) -> Result<CompiledUnit, CompileError> {
        let clang = self.options.clang;
        let slot = self
            .options
            .cache
            .and_then(|cache| Slot::of(cache, &self.files, clang, unit));
        if let (Some(slot), Some(cache)) = (&slot, self.options.cache) {
            let before = thread_time();
            if let Some((content, files)) = slot.find()
                && let Some(program) = cache.load(content)
            {
                let (files, files_elsewhere) = by_place(unit, &files);
                return Ok(CompiledUnit {
                    index,
                    program,
                    files,
                    files_elsewhere,
                    content,
                    origin: Origin::Manifest,
                    clang_time: Duration::ZERO,
                    read_time: thread_time() - before,
                });
            }
        }
        let start = slot.as_ref().map(|_| self.files.start_of_compilation());
        let emission = self.emit(unit)?;
        let unread = match &emission.warned {
            None => UnreadAttributes::default(),
            Some(warned) => match preprocessed(clang, unit, self.options.interrupted) {
                Some(text) => UnreadAttributes::in_text(warned, &text),
                None => UnreadAttributes::of_warnings(warned),
            },
        };
        let (text, time) = (&emission.text, emission.cpu_time);
        let mut compiled = self.decode(index, unit, text, &unread, time)?;
        let dependencies = emission.dependencies.as_deref().unwrap_or_default();
        (compiled.files, compiled.files_elsewhere) = by_place(unit, dependencies);
        if let (Some(slot), Some(start)) = (slot, start) {
            slot.remember(start, &emission, compiled.content);
        }
        Ok(compiled)
    }

    fn emit(&self, unit: &UnitCommand) -> Result<Emission, CompileError> {
        emit_ir(
            self.options.clang,
            unit,
            &self.unused_path(),
            self.options.time_limit,
            self.options.interrupted,
        )
        .map_err(|error| match error {
            EmissionError::Diagnostics {
                message,
                cpu_time: clang_time,
            } => CompileError::Rejected {
                message,
                clang_time,
            },
            EmissionError::Child(ChildError::Interrupted) => CompileError::Interrupted,
            EmissionError::Child(error) => CompileError::Clang(error.to_string()),
        })
    }

    /// The program of this IR, from the cache or by reading it.
    fn decode(
        &self,
        index: usize,
        unit: &UnitCommand,
        text: &[u8],
        unread: &UnreadAttributes,
        clang_time: Duration,
    ) -> Result<CompiledUnit, CompileError> {
        let name = unit.display_path();
        let name = name.to_string_lossy();
        let content = match unread.is_empty() {
            true => ContentId::of_ir(text, &name),
            false => ContentId::of_ir(&[text, unread.text().as_bytes()].concat(), &name),
        };
        let before = thread_time();
        let known = self.options.cache.and_then(|cache| cache.load(content));
        let (program, origin) = match known {
            Some(program) => (program, Origin::Entry),
            None => {
                let mut program = read_unit(text, &name).map_err(CompileError::Reader)?;
                unread.apply(&mut program);
                (program, Origin::Text)
            }
        };
        let read_time = thread_time() - before;
        if let (Origin::Text, Some(cache)) = (origin, self.options.cache) {
            cache.store(content, &program);
        }
        Ok(CompiledUnit {
            index,
            program,
            files: Vec::new(),
            files_elsewhere: Vec::new(),
            content,
            origin,
            clang_time,
            read_time,
        })
    }

    fn unused_path(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.scratch.path().join(format!("{number}.d"))
    }
}

/// Flags of the build that may change the meaning of the program, and that clang was not given, are
/// part of the meaning of all functions: a version with others may do something else.
fn note_unread_flags(unit: &UnitCommand, program: &mut Program) {
    if unit.unread_flags.is_empty() {
        return;
    }
    let flags = program.names.intern(&unit.unread_flags.join("\n"));
    for row in &mut program.units {
        row.unread_flags = flags;
    }
    let flags = unit.unread_flags.join("\nflag ");
    for at in 0..program.functions.len() {
        if program.functions[at].body.is_some() {
            let own = program.name(program.functions[at].meaning.code);
            let text = format!("{own}\nflag {flags}");
            program.functions[at].meaning.code = program.names.intern(&text);
        }
    }
}

/// The files in the unit's tree, relative to its root, and the others.
fn by_place(unit: &UnitCommand, files: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut below, mut elsewhere) = (Vec::new(), Vec::new());
    for path in files {
        let path = normalised(&unit.directory.join(path));
        match path.strip_prefix(&unit.root) {
            Ok(inside) => below.push(inside.to_owned()),
            Err(_) => elsewhere.push(path),
        }
    }
    (below, elsewhere)
}

/// The IR that clang prints for a unit, for those who hold it against LLVM's own tools.
#[derive(Clone, Debug)]
pub struct EmittedText {
    pub text: Vec<u8>,
    /// CPU time of clang.
    pub cpu_time: Duration,
}

/// Runs clang on one unit, past the cache.
pub fn emit_text(
    clang: &Clang,
    unit: &UnitCommand,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<EmittedText, CompileError> {
    let options = CompileOptions {
        clang,
        cache: None,
        jobs: 1,
        time_limit,
        interrupted,
    };
    let run = Run::new(options).map_err(CompileError::Unreadable)?;
    let emission = run.emit(unit)?;
    Ok(EmittedText {
        text: emission.text,
        cpu_time: emission.cpu_time,
    })
}

/// CPU time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
