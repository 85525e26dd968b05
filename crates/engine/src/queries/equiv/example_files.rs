//! The C files that repeat a difference: where they go, and under which names.

use super::Judged;
use crate::whole_file::{without_temporary_name, write_whole_file};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

/// Writes the C files of the first difference where the user wants them, or those of each below the
/// cache directory: nothing appears in a project unasked.
pub(super) fn write_examples(wanted: Option<&Path>, cache: Option<&Path>, judged: &mut [Judged]) {
    for one in judged {
        let Some(example) = &one.example else {
            continue;
        };
        let own = format!("knockon-{}.c", plain(&one.row.name));
        let path = match (wanted, cache) {
            (Some(path), _) => path.to_owned(),
            (None, Some(cache)) => {
                let mut hash = DefaultHasher::new();
                example(&own).hash(&mut hash);
                let directory = format!("{:016x}", hash.finish());
                cache.join("counterexamples").join(directory).join(own)
            }
            (None, None) => {
                let reason = "--counterexample FILE writes a C file that repeats it";
                one.row.reasons.push(reason.to_owned());
                continue;
            }
        };
        let name = path.display().to_string();
        // The difference was seen whether or not there is a file of it.
        match write_files(example(&name), wanted.is_none()) {
            Err(error) => {
                let why = without_temporary_name(&error);
                let reason = format!("{name} cannot be written: {why}");
                one.row.reasons.push(reason);
            }
            Ok(()) => {
                if let Some(counterexample) = &mut one.row.counterexample {
                    counterexample.file = Some(name);
                }
            }
        }
        if wanted.is_some() {
            return;
        }
    }
}

fn write_files(files: Vec<(String, String)>, makes_directory: bool) -> std::io::Result<()> {
    for (name, text) in files {
        let path = Path::new(&name);
        if let (true, Some(directory)) = (makes_directory, path.parent()) {
            std::fs::create_dir_all(directory)?;
        }
        write_whole_file(path, &text)?;
    }
    Ok(())
}

/// A name that is one in any file system.
fn plain(name: &str) -> String {
    let name = Path::new(name).file_name().unwrap_or_default();
    let letters = name.to_string_lossy();
    let letters = letters.chars().take(80).map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' => letter,
        _ => '_',
    });
    letters.collect()
}
