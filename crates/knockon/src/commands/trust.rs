//! `knockon trust`.

use crate::arguments::TrustArguments;
use crate::{Outcome, exit_code};
use anyhow::{Result, bail};
use knockon_build::configuration::{FILE_NAME, read_configuration};
use knockon_build::trust::TrustStore;
use knockon_report::escape_control_characters;
use std::fmt::Write;

pub fn run(arguments: &TrustArguments) -> Result<Outcome> {
    let path = arguments.directory.join(FILE_NAME);
    if !path.is_file() {
        bail!("there is no {}; `knockon init` writes one", path.display());
    }
    let configuration = read_configuration(&path)?;
    TrustStore::of_user()?.trust(&configuration)?;
    let mut text = format!(
        "{} is trusted as it is now; an edit asks again.\n",
        path.display()
    );
    for command in configuration
        .build
        .iter()
        .flat_map(|build| build.commands())
    {
        let _ = writeln!(text, "  may run: {}", escape_control_characters(command));
    }
    Ok(Outcome {
        text,
        code: exit_code::FINISHED,
    })
}
