//! Where do csmith's programs come from? The installed `csmith` with a seed; most of them kept
//! small by its options, a share as it makes them by default.

use crate::against_clang::HarnessError;
use crate::random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where distributions put csmith's headers.
const HEADER_DIRECTORIES: [&str; 3] = [
    "/usr/include/csmith",
    "/usr/local/include/csmith",
    "/usr/include/csmith-2.3.0",
];

/// The directory to be given with `-I`.
pub fn header_directory() -> Result<PathBuf, HarnessError> {
    HEADER_DIRECTORIES
        .iter()
        .map(PathBuf::from)
        .find(|directory| directory.join("csmith.h").is_file())
        .ok_or_else(|| {
            HarnessError::Csmith("csmith.h not found; install csmith (`make setup`)".to_string())
        })
}

/// Writes the program of a seed to `path`.
pub fn write_program(seed: u64, path: &Path) -> Result<(), HarnessError> {
    let mut random = Random::new(seed);
    let mut command = Command::new("csmith");
    // It leaves a file `platform.info` where it runs.
    command.current_dir(path.parent().unwrap_or(Path::new(".")));
    // csmith reads its seed as a 32-bit number.
    command.args(["--seed", &(random.bits() >> 33).to_string()]);
    if random.chance(75) {
        let functions = (2 + random.below(4)).to_string();
        command.args(["--max-funcs", &functions, "--max-block-depth", "4"]);
        command.args(["--max-array-len-per-dim", "5", "--max-expr-complexity", "6"]);
    }
    if random.chance(20) {
        command.arg("--float");
    }
    if random.chance(30) {
        command.arg("--inline-function");
    }
    let output = command
        .arg("--output")
        .arg(path)
        .output()
        .map_err(|source| HarnessError::Start {
            program: "csmith".to_string(),
            source,
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(HarnessError::Csmith(
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}
