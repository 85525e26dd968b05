//! What the documents name exists: every path, module and test.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words in back quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with("    "))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn every_path_named_in_the_documents_exists() {
    for document in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/papers.md",
        "docs/results.md",
        "docs/soundness.md",
    ] {
        for word in quoted(&read(document)) {
            let is_path = word.starts_with("crates/")
                || word.starts_with("docs/")
                || word.starts_with("scripts/")
                || word.starts_with("examples/");
            if is_path && !word.contains("NAME") {
                let path = word.split("::").next().unwrap_or(word);
                assert!(
                    root().join(path).exists(),
                    "{document} names {path}, which does not exist"
                );
            }
        }
    }
}

/// `crates/X/src/y.rs::test_name` must be a function in that file or in its tests.
#[test]
fn every_test_named_in_the_documents_exists() {
    let mut checked = 0;
    for document in ["docs/papers.md", "docs/results.md", "docs/soundness.md"] {
        for word in quoted(&read(document)) {
            let Some((path, test)) = word.split_once("::") else {
                continue;
            };
            if path.starts_with("crates/") && path.ends_with(".rs") {
                checked += 1;
                let needle = format!("fn {test}");
                assert!(
                    read(path).contains(&needle),
                    "{document} names {test} in {path}, which has no such function"
                );
            }
        }
    }
    assert!(checked > 0, "the documents name no test at all");
}

#[test]
fn every_caveat_is_explained_in_the_soundness_document() {
    let text = read("docs/soundness.md");
    for kind in knockon_program::CaveatKind::ALL {
        assert!(
            text.contains(&format!("`{}`", kind.name())),
            "docs/soundness.md does not explain {}",
            kind.name()
        );
    }
}

/// What stands between the markers that a script writes between.
fn section(document: &str, name: &str) -> String {
    let text = read(document);
    let begin = format!("<!-- {name}: begin -->\n");
    let end = format!("<!-- {name}: end -->");
    let (_, rest) = text.split_once(&begin).expect("its begin");
    rest.split_once(&end).expect("its end").0.to_owned()
}

#[test]
fn the_first_screens_in_the_documents_fit_a_terminal() {
    let section = section("docs/reading-verdicts.md", "first-screens");
    let screens: Vec<&str> = section
        .split("```\n")
        .filter_map(|block| block.strip_prefix("$ knockon diff "))
        .collect();
    assert_eq!(screens.len(), 10);
    for screen in screens {
        let (command, shown) = screen.split_once('\n').expect("a screen");
        assert!(shown.lines().count() <= 24, "{command}");
        for line in shown.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        assert!(shown.contains(" changed"), "{command}");
    }
}

#[test]
fn nothing_is_reported_on_an_untouched_tree_of_any_build_system() {
    let section = section("docs/builds.md", "build-systems");
    let rows: Vec<Vec<&str>> = section
        .lines()
        .skip(2)
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 6, "{section}");
    for row in rows {
        assert!(row[4].starts_with("0 / 0 / "), "{row:?}");
        for cell in &row[4..8] {
            let exit_code = cell.split("; ").nth(1);
            assert_eq!(exit_code, Some("0"), "{row:?}");
        }
    }
}
