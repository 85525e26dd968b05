//! How does a disagreement become a test? The program, its input and both sides are written out
//! under its seed; one of our own is also reduced, as long as clang's answer stays beyond doubt.

use super::{Bench, Examination, Origin, Request};
use crate::against_clang::agreement::Agreement;
use crate::against_clang::interpreted::Meaning;
use crate::against_clang::{HarnessError, Input};
use crate::generator::print;
use crate::generator::syntax::Program;
use crate::reducer::reduce;
use std::fs;
use std::path::Path;

/// One disagreement.
pub(super) struct Failure<'a> {
    pub seed: u64,
    pub source: &'a Path,
    pub origin: &'a Origin,
    pub examined: &'a Examination,
    pub reason: &'a str,
}

impl Failure<'_> {
    fn stem(&self) -> String {
        match self.origin {
            Origin::Own { .. } => format!("own-{}", self.seed),
            Origin::Csmith => format!("csmith-{}", self.seed),
        }
    }
}

/// Writes the program, its input and what both sides said.
pub(super) fn save(request: &Request, failure: &Failure) -> Result<(), HarnessError> {
    let (input, stem) = (failure.origin.input(), failure.stem());
    let text = fs::read(failure.source).map_err(|error| HarnessError::File {
        path: failure.source.to_path_buf(),
        source: error,
    })?;
    write(&request.failures, &format!("{stem}.c"), &text)?;
    write(&request.failures, &format!("{stem}.stdin"), &input.stdin)?;
    let (native, interpreted) = (&failure.examined.native, &failure.examined.interpreted);
    let account = format!(
        "soak seed {}\nprogram seed {}\nplanted {:?}\narguments {:?}\n{}\n\ninterpreter: {:?}\n{}\nclang: {:?}, sanitized {:?} {:?}, memory {:?}\n{}\n",
        request.seed,
        failure.seed,
        failure.examined.planted,
        input.arguments,
        failure.reason,
        interpreted.meaning,
        String::from_utf8_lossy(&interpreted.stdout),
        native.plain.ending,
        native.sanitized.ending,
        native.sanitized.undefined,
        native.memory.as_ref().map(|memory| &memory.undefined),
        String::from_utf8_lossy(&native.plain.stdout),
    );
    write(
        &request.failures,
        &format!("{stem}.txt"),
        account.as_bytes(),
    )
}

/// Writes a file into a directory, which is made if need be.
pub(crate) fn write(directory: &Path, name: &str, content: &[u8]) -> Result<(), HarnessError> {
    let path = directory.join(name);
    fs::create_dir_all(directory)
        .and_then(|()| fs::write(&path, content))
        .map_err(|source| HarnessError::File { path, source })
}

/// Writes a smaller program that fails in the same way; csmith's are not reduced.
pub(super) fn save_reduced(
    bench: &Bench,
    request: &Request,
    failure: &Failure,
) -> Result<(), HarnessError> {
    let Origin::Own { trial, .. } = failure.origin else {
        return Ok(());
    };
    let (input, tries) = (trial.input(), request.reduction_tries);
    let small = reduced(bench, &trial.program, &input, failure.examined, tries);
    let name = format!("{}.reduced.c", failure.stem());
    write(&request.failures, &name, print::program(&small).as_bytes())
}

/// The smallest program found with a disagreement of the same sort.
fn reduced(
    bench: &Bench,
    program: &Program,
    input: &Input,
    original: &Examination,
    tries: usize,
) -> Program {
    let Ok(scratch) = tempfile::tempdir() else {
        return program.clone();
    };
    let path = scratch.path().join("program.c");
    reduce(program, tries, &mut |candidate| {
        if fs::write(&path, print::program(candidate)).is_err() {
            return false;
        }
        // Removing an initialiser makes a program that means nothing, and only the memory
        // sanitizer sees it: it runs on every candidate.
        match bench.examine_file(&path, input, &[], true) {
            Ok(examined) => {
                matches!(examined.agreement, Agreement::Different(_))
                    && same_sort(&examined, original)
            }
            Err(_) => false,
        }
    })
}

fn same_sort(one: &Examination, other: &Examination) -> bool {
    let class = |examined: &Examination| {
        let native = examined.native.sanitized.undefined.as_ref().or_else(|| {
            examined
                .native
                .memory
                .as_ref()
                .and_then(|memory| memory.undefined.as_ref())
        });
        let native = native.map(|report| report.class);
        let interpreter = match &examined.interpreted.meaning {
            Meaning::Undefined { class, .. } => Some(*class),
            _ => None,
        };
        (native, interpreter)
    };
    class(one) == class(other)
}
