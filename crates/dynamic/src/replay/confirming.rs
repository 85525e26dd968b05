//! One input, run by itself under the sanitizers.

use super::modes::Mode;
use super::positions::Positions;
use super::told::{Told, is_same, told_by};
use super::{Replay, ReplayError, Witness};
use crate::input::{Input, Object, encoded};
use knockon_change::{Side, Sides};
use std::path::PathBuf;

/// What one input is run with.
#[derive(Clone)]
pub(super) struct Confirming {
    programs: Sides<PathBuf>,
    /// The old version with other values in what is not initialised.
    filled: PathBuf,
}

impl Replay<'_> {
    fn confirming(&mut self, positions: Positions) -> Result<Confirming, ReplayError> {
        if let Some(made) = self.sanitized.get(&positions) {
            return Ok(made.clone());
        }
        let runtime = self.runtime(Mode::Filled)?;
        let made = Confirming {
            programs: self.build(Mode::Sanitized, positions)?,
            filled: self.build_side(Side::Old, Mode::Filled, positions, &runtime)?,
        };
        self.sanitized.insert(positions, made.clone());
        Ok(made)
    }

    /// Runs one input under the sanitizers.
    pub(super) fn confirm(
        &mut self,
        input: &Input,
        positions: Positions,
    ) -> Result<Option<Witness>, ReplayError> {
        let Confirming { programs, filled } = self.confirming(positions)?;
        let cases = self.directory.path().join("cases");
        std::fs::write(&cases, encoded(&[input]))?;
        let mut told: Vec<Told> = Vec::new();
        for program in [&programs.old, &filled, &programs.new, &programs.new] {
            told.push(told_by(&self.run(program, "show")?));
            // The rest matters only if the old version is defined.
            if !matches!(told[0], Told::Rows(_)) {
                return Ok(None);
            }
        }
        let globals = self.globals.len();
        let fresh = |object: &&Object| object.id.0 as usize >= globals;
        let first_allocated = globals + input.objects.iter().filter(fresh).count();
        let is_same = is_same(&told[0], &told[2], first_allocated);
        if told[0] != told[1] || told[2] != told[3] || is_same {
            return Ok(None);
        }
        let new = told.swap_remove(2);
        let Told::Rows(old) = told.swap_remove(0) else {
            return Ok(None);
        };
        let new = match new {
            Told::Rows(rows) => rows,
            Told::Report(report) => vec![format!("has undefined behaviour: {report}")],
            Told::Nothing => return Ok(None),
        };
        Ok(Some(Witness {
            input: input.clone(),
            seen: Sides { old, new },
        }))
    }
}
