//! `knockon serve`.

use crate::arguments::ServeArguments;
use crate::{Outcome, exit_code};
use anyhow::{Context, Result};
use knockon_mcp::{ServerOptions, serve_on_standard_streams};

pub fn run(arguments: &ServeArguments) -> Result<Outcome> {
    let directory = std::fs::canonicalize(&arguments.directory)
        .with_context(|| format!("cannot serve {}", arguments.directory.display()))?;
    serve_on_standard_streams(ServerOptions {
        directory,
        allow_run: arguments.allow_run,
    })?;
    Ok(Outcome {
        text: String::new(),
        code: exit_code::FINISHED,
    })
}
