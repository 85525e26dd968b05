//! The README holds: its transcripts are real, its commands are understood.

use super::{git, knockon, repository_with, root, stdout};

/// The example as the demonstration makes it: a commit, and the patch on top.
fn changed_example() -> tempfile::TempDir {
    let example = root().join("examples/parking");
    let mut files: Vec<(String, String)> = Vec::new();
    for entry in std::fs::read_dir(example).expect("the example") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let is_source = name == "Makefile" || name == ".gitignore" || name.ends_with(".txt");
        if is_source || name.ends_with(".c") || name.ends_with(".h") {
            let text = std::fs::read_to_string(&path).expect("a text");
            files.push((name.into_owned(), text));
        }
    }
    let files: Vec<(&str, &str)> = (files.iter())
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let repository = repository_with(&files);
    let patch = root().join("examples/free-minutes.patch");
    git(repository.path(), &["apply", &patch.to_string_lossy()]);
    repository
}

/// What a command printed, and what the README shows of it: a line `…` stands for any lines.
fn shows(text: &str, shown: &str) -> bool {
    let mut rest: Vec<&str> = text.lines().collect();
    let mut may_skip = false;
    for line in shown.lines() {
        if line == "…" {
            may_skip = true;
            continue;
        }
        match rest.iter().position(|other| *other == line) {
            Some(at) if may_skip || at == 0 => {
                rest.drain(..=at);
            }
            _ => return false,
        }
        may_skip = false;
    }
    may_skip || rest.is_empty()
}

/// What the README shows of the commands is what they print on the example.
#[test]
fn the_transcripts_in_the_readme_are_real() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let directory = changed_example();
    let transcripts = readme
        .split("```\n")
        .filter(|block| block.starts_with("$ knockon"));
    let mut commands = 0;
    for part in transcripts.flat_map(|block| block.split("$ knockon ").skip(1)) {
        let (command, shown) = part.split_once('\n').expect("output");
        let arguments: Vec<&str> = command.split(' ').collect();
        let text = stdout(&knockon(directory.path(), &arguments));
        assert!(shows(&text, shown), "knockon {command} prints\n{text}");
        commands += 1;
    }
    assert!(commands >= 3, "{commands}");
}

/// The commands that the README names are commands, with these options.
#[test]
fn every_command_in_the_readme_is_understood() {
    use clap::Parser as _;
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let blocks = readme.split("```").skip(1).step_by(2);
    let mut commands = 0;
    for line in blocks.flat_map(str::lines) {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if !line.starts_with("knockon ") {
            continue;
        }
        let command = line.split("  #").next().unwrap_or(line).trim();
        let words = command.split(' ').map(|word| word.trim_matches('\''));
        if let Err(error) = knockon::arguments::Arguments::try_parse_from(words) {
            panic!("{command}: {error}");
        }
        commands += 1;
    }
    assert!(commands >= 10, "{commands}");
}
