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
