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

pub(super) fn save(
    bench: &Bench,
    request: &Request,
    seed: u64,
    source: &Path,
    origin: &Origin,
    examined: &Examination,
    reason: &str,
) -> Result<(), HarnessError> {
    let input = origin.input();
    let stem = match origin {
        Origin::Own { .. } => format!("own-{seed}"),
        Origin::Csmith => format!("csmith-{seed}"),
    };
    let write = |name: String, content: &[u8]| {
        let path = request.failures.join(name);
        fs::create_dir_all(&request.failures)
            .and_then(|()| fs::write(&path, content))
            .map_err(|source| HarnessError::File { path, source })
    };
    let text = fs::read(source).map_err(|error| HarnessError::File {
        path: source.to_path_buf(),
        source: error,
    })?;
    write(format!("{stem}.c"), &text)?;
    write(format!("{stem}.stdin"), &input.stdin)?;
    let account = format!(
        "soak seed {}\nprogram seed {seed}\nplanted {:?}\narguments {:?}\n{reason}\n\ninterpreter: {:?}\n{}\nclang: {:?}, sanitized {:?} {:?}, memory {:?}\n{}\n",
        request.seed,
        examined.planted,
        input.arguments,
        examined.interpreted.meaning,
        String::from_utf8_lossy(&examined.interpreted.stdout),
        examined.native.plain.ending,
        examined.native.sanitized.ending,
        examined.native.sanitized.undefined,
        examined
            .native
            .memory
            .as_ref()
            .map(|memory| &memory.undefined),
        String::from_utf8_lossy(&examined.native.plain.stdout),
    );
    write(format!("{stem}.txt"), account.as_bytes())?;
    if let Origin::Own { trial, .. } = origin
        && request.reduction_tries > 0
    {
        let reduced = reduced(
            bench,
            &trial.program,
            &input,
            examined,
            request.reduction_tries,
        );
        write(
            format!("{stem}.reduced.c"),
            print::program(&reduced).as_bytes(),
        )?;
    }
    Ok(())
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
