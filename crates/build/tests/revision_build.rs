//! A revision is built once, with what it has, and only by commands that fit it.

mod repositories;

use knockon_build::build_plan::BuildPlan;
use knockon_build::git::resolve;
use knockon_build::revision_build::{
    RevisionBuildError, RevisionOptions, Snapshot, plan_of_snapshot,
};
use knockon_program::CaveatKind;
use repositories::{Fixture, git_in};
use std::fs;
use std::os::unix::fs::symlink;

fn plan_of(
    fixture: &Fixture,
    revision: &str,
    assume_same_build: bool,
) -> Result<BuildPlan, RevisionBuildError> {
    let repository = fixture.repository();
    let revision = resolve(&repository, revision).unwrap();
    let options = RevisionOptions {
        cache_directory: &fixture.cache(),
        is_kept: true,
        build_directory: None,
        allow_run: true,
        assume_same_build,
        compared_with: None,
    };
    plan_of_snapshot(&repository, Snapshot::Revision(&revision), &options)
}

/// The files of the units, by name.
fn files(plan: &BuildPlan) -> Vec<String> {
    let mut names: Vec<String> = plan
        .units
        .iter()
        .map(|unit| {
            unit.file
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn kinds(plan: &BuildPlan) -> Vec<CaveatKind> {
    plan.caveats.iter().map(|caveat| caveat.kind).collect()
}

/// A submodule in `party` with a `part.c`.
fn add_submodule(fixture: &Fixture) {
    let inner = fixture.directory.path().join("inner");
    fs::create_dir(&inner).unwrap();
    git_in(&inner, &["init", "--quiet", "--initial-branch=main"]);
    fs::write(inner.join("part.c"), "int part(void) { return 2; }\n").unwrap();
    git_in(&inner, &["add", "--all"]);
    git_in(&inner, &["commit", "--quiet", "-m", "inner"]);
    let url = inner.to_str().unwrap();
    fixture.git(&["submodule", "--quiet", "add", url, "party"]);
}

/// As in a clone whose submodules were not fetched yet.
fn hide_submodules(fixture: &Fixture, hidden: bool) {
    let modules = fixture.root().join(".git/modules");
    let away = fixture.directory.path().join("modules");
    let (from, to) = if hidden {
        (modules, away)
    } else {
        (away, modules)
    };
    fs::rename(from, to).unwrap();
}

#[test]
fn a_build_without_a_submodule_is_not_taken_for_the_one_with_it() {
    let fixture = Fixture::new();
    fixture.write("main.c", "int main(void) { return 0; }\n");
    fixture.write(
        "Makefile",
        "all: $(patsubst %.c,%.o,$(wildcard *.c party/*.c))\n",
    );
    fixture.write("knockon.toml", "[build]\ncommand = \"make -s\"\n");
    add_submodule(&fixture);
    fixture.commit("with a submodule");

    hide_submodules(&fixture, true);
    let incomplete = plan_of(&fixture, "HEAD", false).unwrap();
    assert_eq!(files(&incomplete), ["main.c"]);
    assert_eq!(kinds(&incomplete), [CaveatKind::Submodule]);

    hide_submodules(&fixture, false);
    let complete = plan_of(&fixture, "HEAD", false).unwrap();
    assert_eq!(files(&complete), ["main.c", "part.c"]);
    assert_eq!(kinds(&complete), []);
}

#[test]
fn a_file_that_the_configuration_calls_a_build_input_stops_the_reuse_of_the_commands() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "build/\n");
    fixture.write("knockon.toml", "[build]\ninputs = [\"tools/**\"]\n");
    fixture.write("main.c", "int main(void) { return 0; }\n");
    fixture.write("tools/generate.py", "print(1)\n");
    fixture.commit("first generator");
    fixture.write("tools/generate.py", "print(2)\n");
    fixture.commit("second generator");
    fixture.write("main.c", "int main(void) { return 1; }\n");
    fixture.commit("another main");
    let root = fixture.root();
    let entry = serde_json::json!([
        { "directory": root, "file": "main.c", "arguments": ["cc", "-c", "main.c"] }
    ]);
    fixture.write("build/compile_commands.json", &entry.to_string());

    assert_eq!(
        files(&plan_of(&fixture, "HEAD~1", false).unwrap()),
        ["main.c"]
    );
    match plan_of(&fixture, "HEAD~2", false) {
        Err(RevisionBuildError::BuildInputsDiffer { files }) => {
            assert_eq!(files, "tools/generate.py");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        files(&plan_of(&fixture, "HEAD~2", true).unwrap()),
        ["main.c"]
    );
}

#[test]
fn whatever_an_export_lacks_is_a_caveat_of_its_own_kind() {
    let fixture = Fixture::new();
    fixture.write("main.c", "int main(void) { return 0; }\n");
    fixture.write(
        "table.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
    );
    symlink("/etc/hostname", fixture.root().join("host")).unwrap();
    add_submodule(&fixture);
    fixture.commit("three gaps");
    hide_submodules(&fixture, true);

    let plan = plan_of(&fixture, "HEAD", false).unwrap();
    for (kind, name) in [
        (CaveatKind::Submodule, "party"),
        (CaveatKind::LinkOutOfTree, "host"),
        (CaveatKind::LargeFile, "table.bin"),
    ] {
        let found: Vec<&str> = plan
            .caveats
            .iter()
            .filter(|caveat| caveat.kind == kind)
            .map(|caveat| caveat.message.as_str())
            .collect();
        assert_eq!(found.len(), 1, "{kind}");
        assert!(found[0].contains(name), "{kind}: {}", found[0]);
    }
    assert_eq!(plan.caveats.len(), 3);
}
