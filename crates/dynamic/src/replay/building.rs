//! Both versions of a function, the code that calls it and the runtime, as programs.

use super::missing::{self, Missing};
use super::modes::Mode;
use super::positions::Positions;
use super::{Replay, ReplayError, side_name};
use crate::bridge::{Bridge, Signature, callable_name};
use knockon_build::clang::executable::{CompileTextError, compile_object, link_program};
use knockon_build::unit::{MACRO_NAMES, UnitCommand};
use knockon_change::{Side, Sides};
use std::path::{Path, PathBuf};

/// So often a program is linked, each time with more of what is missing.
const MOST_LINKS: usize = 20;

const RUNTIME: &str = include_str!("../runtime/runtime.c");

impl Replay<'_> {
    pub(super) fn build(
        &mut self,
        mode: Mode,
        positions: Positions,
    ) -> Result<Sides<PathBuf>, ReplayError> {
        let runtime = self.runtime(mode)?;
        Ok(Sides {
            old: self.build_side(Side::Old, mode, positions, &runtime)?,
            new: self.build_side(Side::New, mode, positions, &runtime)?,
        })
    }

    /// The compiled runtime, from the cache where it is there.
    pub(super) fn runtime(&self, mode: Mode) -> Result<PathBuf, ReplayError> {
        let directory = self.directory.path();
        let source = directory.join("runtime.c");
        let made = directory.join(format!("runtime-{}.o", mode.name()));
        let flags = mode.runtime_flags(self.sanitizers);
        let kept = self.means.cache.map(|cache| {
            let mut key = blake3::Hasher::new();
            let clang = self.means.clang;
            let compiler = clang.path.to_string_lossy();
            for part in [RUNTIME, &clang.version, &compiler, &flags.join(" ")] {
                key.update(part.as_bytes()).update(&[0]);
            }
            cache.join(format!("runtime-{}.o", &key.finalize().to_hex()[..32]))
        });
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_file()) {
            return Ok(kept.clone());
        }
        std::fs::write(&source, RUNTIME)?;
        self.compile(None, &source, flags, &made)
            .map_err(ReplayError::Runtime)?;
        // What cannot be kept is made again.
        if let (Some(cache), Some(kept)) = (self.means.cache, kept)
            && std::fs::create_dir_all(cache).is_ok()
            && let Ok(file) = tempfile::NamedTempFile::new_in(cache)
            && std::fs::copy(&made, file.path()).is_ok()
        {
            file.persist(kept).ok();
        }
        Ok(made)
    }

    pub(super) fn build_side(
        &mut self,
        side: Side,
        mode: Mode,
        positions: Positions,
        runtime: &Path,
    ) -> Result<PathBuf, ReplayError> {
        let failed = |error: CompileTextError| ReplayError::Compile { side, error };
        let directory = self.directory.path().to_owned();
        let name = format!("{}-{}{}", side_name(side), mode.name(), positions.name());
        let units = self.subject.units.of(side);
        let mut objects = vec![runtime.to_owned()];
        let probe = match mode {
            Mode::Trapping => Some(self.probe_flag(side, &name)?),
            Mode::Sanitized | Mode::Filled => None,
        };
        for (number, unit) in units.iter().enumerate() {
            let source = match number {
                0 => {
                    let bridge = directory.join(format!("{name}.c"));
                    std::fs::write(&bridge, self.bridge_text(side, unit))?;
                    bridge
                }
                _ => unit.source_path(),
            };
            let mut flags = mode.flags(side, self.signature.passing, self.sanitizers);
            flags.extend(positions.flags());
            // Where a tree lies is no difference.
            let relative = format!("{MACRO_NAMES}{}/=", unit.root.display());
            flags.push(&relative);
            // The last one counts.
            let own = unit.flags.iter().map(String::as_str);
            flags.extend(own.filter(|flag| flag.starts_with(MACRO_NAMES)));
            match (number, &probe) {
                (0, Some(probe)) => {
                    flags.extend(["-fsanitize-coverage=func,trace-pc-guard", probe])
                }
                (0, None) => {}
                (_, _) => flags.push("-Dmain=knockon_other_main"),
            }
            let object = directory.join(format!("{name}-{number}.o"));
            self.compile(Some(unit), &source, &flags, &object)
                .map_err(failed)?;
            objects.push(object);
        }
        let program = directory.join(&name);
        // A linker may not tell all names at once.
        for _ in 0..MOST_LINKS {
            let mut linked = objects.clone();
            if !self.missing.of(side).is_empty() {
                linked.push(self.compiled_missing(side, &name)?);
            }
            let Err(error) = self.link(&linked, mode, &program) else {
                return Ok(program);
            };
            if !self.note_missing(side, &error)? {
                return Err(failed(error));
            }
        }
        Err(failed(CompileTextError {
            message: "what it names is defined nowhere".to_owned(),
        }))
    }

    /// Only the function in question tells the runtime that it is entered.
    fn probe_flag(&self, side: Side, name: &str) -> Result<String, ReplayError> {
        let list = self.directory.path().join(format!("{name}.probed"));
        let function = callable_name(self.subject.names.of(side));
        std::fs::write(&list, format!("src:*\nfun:{function}\n"))?;
        Ok(format!("-fsanitize-coverage-allowlist={}", list.display()))
    }

    fn link(
        &self,
        objects: &[PathBuf],
        mode: Mode,
        program: &Path,
    ) -> Result<(), CompileTextError> {
        let flags = mode.link_flags(self.sanitizers);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        link_program(
            self.means.clang,
            objects,
            &flags,
            program,
            self.means.compile_limit,
            self.means.interrupted,
        )
    }

    /// Notes what the linker did not find, if that is what it says and something is new in it.
    fn note_missing(&mut self, side: Side, error: &CompileTextError) -> Result<bool, ReplayError> {
        let program = self.subject.programs.of(side);
        let known: &mut Missing = self.missing.of_mut(side);
        let before = known.len();
        for name in missing::undefined_names(&error.message) {
            if missing::is_used(&self.shapes, &name) {
                return Err(ReplayError::Undefined { side, name });
            }
            let size = missing::size_of(program, &name);
            known.insert(name, size);
        }
        Ok(known.len() > before)
    }

    fn compiled_missing(&self, side: Side, name: &str) -> Result<PathBuf, ReplayError> {
        let directory = self.directory.path();
        let source = directory.join(format!("{name}-missing.c"));
        let object = directory.join(format!("{name}-missing.o"));
        std::fs::write(&source, missing::text(self.missing.of(side)))?;
        let compiled = self.compile(None, &source, &[], &object);
        compiled.map_err(|error| ReplayError::Compile { side, error })?;
        Ok(object)
    }

    fn compile(
        &self,
        unit: Option<&UnitCommand>,
        source: &Path,
        flags: &[&str],
        output: &Path,
    ) -> Result<(), CompileTextError> {
        compile_object(
            self.means.clang,
            unit,
            source,
            flags,
            output,
            self.means.compile_limit,
            self.means.interrupted,
        )
    }

    fn bridge_text(&self, side: Side, unit: &UnitCommand) -> String {
        let pair = self.subject.pair;
        let count = self.signature.parameters.len() as u32;
        let arguments: Vec<u32> = (0..count)
            .map(|own| match side {
                Side::Old => own,
                Side::New => pair.partner_of_parameter(Side::New, own).unwrap_or(own),
            })
            .collect();
        // A parameter has the type of its partner.
        let parameters = arguments
            .iter()
            .map(|old| self.signature.parameters[*old as usize]);
        let signature = Signature {
            parameters: parameters.collect(),
            ..self.signature.clone()
        };
        // glibc's tables begin with the negative values of `char`, which C does not promise.
        let least_character = match side {
            Side::Old => -1,
            Side::New => -128,
        };
        Bridge {
            program: self.subject.programs.of(side),
            name: self.subject.names.of(side),
            source: &unit.source_path(),
            shapes: &self.shapes,
            signature: &signature,
            globals: &self.globals,
            arguments: &arguments,
            least_character,
        }
        .text()
    }
}
