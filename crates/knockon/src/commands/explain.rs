//! `knockon explain CAVEAT`.

use crate::{Outcome, exit_code};
use anyhow::{Result, bail};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use knockon_program::CaveatKind;

pub fn run(caveat: Option<&str>) -> Result<Outcome> {
    let text = match caveat {
        None => CaveatKind::ALL
            .iter()
            .map(|kind| format!("{}\n    {}\n", kind.name(), kind.explanation()))
            .collect(),
        Some(name) => match CaveatKind::ALL.iter().find(|kind| kind.name() == name) {
            Some(kind) => format!("{}\n", kind.explanation()),
            None => {
                let near = nearest_names(name, CaveatKind::ALL.iter().map(|kind| kind.name()), 3);
                bail!("there is no caveat {name}{}", did_you_mean(&near));
            }
        },
    };
    Ok(Outcome {
        text,
        code: exit_code::FINISHED,
    })
}
