//! Which run does the user mean by the name of a test, and what goes into it?
//!
//! Tests are the `[[test]]` entries of the project's `knockon.toml`, or of a file of their own; both
//! are read alike. `stdin` is the text itself, `files` are paths relative to the file with the
//! entries, and the run finds them under these paths.

use anyhow::{Context, Result, bail};
use knockon_build::configuration::{FILE_NAME, Test, read_configuration};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use knockon_interpreter::RunInput;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A test, and the directory that its files are named from.
#[derive(Debug)]
pub struct FoundTest {
    pub test: Test,
    pub directory: PathBuf,
}

/// The test of this name, in `tests` or else in the `knockon.toml` of the tree.
pub fn find_test(name: &str, tests: Option<&Path>, root: &Path) -> Result<FoundTest> {
    let path = match tests {
        Some(path) => path.to_owned(),
        None => root.join(FILE_NAME),
    };
    if tests.is_none() && !path.exists() {
        bail!(
            "there is no {}, where the test `{name}` would be; --tests names another file with [[test]] entries",
            path.display()
        );
    }
    let configuration = read_configuration(&path)?;
    if tests.is_some() && configuration.build.is_some() {
        bail!(
            "{}: a file of tests has [[test]] entries only; [build] belongs to {FILE_NAME}",
            path.display()
        );
    }
    let names: Vec<&str> = (configuration.tests.iter())
        .map(|test| test.name.as_str())
        .collect();
    let Some(at) = names.iter().position(|known| *known == name) else {
        if names.is_empty() {
            bail!("{} has no [[test]] entry", path.display());
        }
        let near = nearest_names(name, names.iter().copied(), 3);
        let advice = match near.is_empty() {
            true => format!("; it has {}", names.join(", ")),
            false => did_you_mean(&near),
        };
        bail!("{} has no test `{name}`{advice}", path.display());
    };
    let directory = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok(FoundTest {
        test: configuration.tests[at].clone(),
        directory,
    })
}

impl FoundTest {
    /// The run of a program that the test asks for.
    pub fn run_input(&self, program: &str) -> Result<RunInput> {
        let test = &self.test;
        let mut files = Vec::with_capacity(test.files.len());
        for file in &test.files {
            let path = self.directory.join(file);
            let content = std::fs::read(&path)
                .with_context(|| format!("the test `{}` needs {}", test.name, path.display()))?;
            files.push((file.as_os_str().as_bytes().to_vec(), content));
        }
        let arguments = test.args.iter().map(String::as_str);
        Ok(RunInput {
            arguments: std::iter::once(program)
                .chain(arguments)
                .map(|argument| argument.as_bytes().to_vec())
                .collect(),
            stdin: test.stdin.clone().unwrap_or_default().into_bytes(),
            files,
            environment: (test.env.iter())
                .map(|(name, value)| format!("{name}={value}").into_bytes())
                .collect(),
            ..RunInput::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory_with(file: &str, text: &str) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(file), text).unwrap();
        directory
    }

    #[test]
    fn a_test_of_the_project_becomes_a_run() {
        let text = "[[test]]\nname = \"small\"\nargs = [\"-n\", \"3\"]\nstdin = \"1 2\\n\"\nfiles = [\"in.txt\"]\nenv = { LANG = \"C\" }\n";
        let directory = directory_with(FILE_NAME, text);
        std::fs::write(directory.path().join("in.txt"), "content").unwrap();
        let found = find_test("small", None, directory.path()).unwrap();
        let input = found.run_input("program").unwrap();
        assert_eq!(input.arguments, [&b"program"[..], b"-n", b"3"]);
        assert_eq!(input.stdin, b"1 2\n");
        assert_eq!(input.files, [(b"in.txt".to_vec(), b"content".to_vec())]);
        assert_eq!(input.environment, [b"LANG=C"]);
    }

    #[test]
    fn an_unknown_test_names_the_nearest() {
        let directory = directory_with("runs.toml", "[[test]]\nname = \"small\"\n");
        let tests = directory.path().join("runs.toml");
        let error = find_test("smal", Some(&tests), directory.path()).unwrap_err();
        assert!(
            error.to_string().ends_with("did you mean `small`?"),
            "{error}"
        );
        let error = find_test("smal", None, directory.path()).unwrap_err();
        assert!(error.to_string().contains("--tests"), "{error}");
    }

    #[test]
    fn a_file_of_tests_has_no_build_and_its_files_exist() {
        let text = "[build]\ncommand = \"make\"\n[[test]]\nname = \"small\"\n";
        let directory = directory_with("runs.toml", text);
        let tests = directory.path().join("runs.toml");
        let error = find_test("small", Some(&tests), directory.path()).unwrap_err();
        assert!(error.to_string().contains("[build] belongs"), "{error}");
        let text = "[[test]]\nname = \"small\"\nfiles = [\"gone.txt\"]\n";
        std::fs::write(&tests, text).unwrap();
        let found = find_test("small", Some(&tests), directory.path()).unwrap();
        let error = found.run_input("program").unwrap_err();
        assert!(error.to_string().contains("gone.txt"), "{error}");
    }
}
