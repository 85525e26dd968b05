//! The official Python SDK as the client. `scripts/setup test` installs it below `target/`.

use super::edited_project;
use crate::root;
use std::io::Write as _;
use std::process::Command;

#[test]
fn the_python_sdk_gets_answers() {
    let python = root().join("target/mcp-client/bin/python3");
    if !python.is_file() {
        let reason = "skipped: `scripts/setup test` installs the Python SDK in target/mcp-client";
        let _ = writeln!(std::io::stderr(), "{reason}");
        return;
    }
    let project = edited_project();
    let script = root().join("crates/knockon/tests/serve/client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_knockon"))
        .arg(project.path())
        .env("KNOCKON_CACHE_DIR", project.path().join(".test-cache"))
        .env("XDG_STATE_HOME", project.path().join(".test-state"))
        .output()
        .expect("python runs");
    let (text, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(
        text.contains("all answers are as expected"),
        "{text}\n{errors}"
    );
}
