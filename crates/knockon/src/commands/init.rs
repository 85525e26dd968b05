//! `knockon init`.

use crate::{Outcome, exit_code};
use anyhow::{Context, Result};
use knockon_build::build_system::write_configuration;

pub fn run() -> Result<Outcome> {
    let directory = std::env::current_dir().context("the current directory is not known")?;
    let written = write_configuration(&directory)?;
    let next = match written.found.is_empty() {
        true => "No build system was found: every C file is compiled with clang's defaults.",
        false => "Read it, change what does not fit, then allow its commands with `knockon trust`.",
    };
    Ok(Outcome {
        text: format!("wrote {}\n{next}\n", written.path.display()),
        code: exit_code::FINISHED,
    })
}
