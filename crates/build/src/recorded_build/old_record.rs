//! **Question.** What does a record of the first format (`knockon.build/1`) say?
//!
//! It had no arguments of links, no edits of objects and no generators, and of a library only its
//! name. What is missing is left empty and [`BuildCaveatKind::OldRecord`] says so; a reader takes
//! everything that a link can do for done.

use std::path::PathBuf;

use serde::Deserialize;

use super::{
    ArchiveStep, BuildCaveat, BuildCaveatKind, CompileStep, Dropped, Input, Interception,
    LibraryInput, LinkKind, LinkStep, RecordedBuild,
};

pub(super) const SCHEMA: &str = "knockon.build/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldBuild {
    schema: String,
    root: PathBuf,
    command: Vec<String>,
    exit_code: Option<i32>,
    #[serde(default)]
    signal: Option<i32>,
    failed: bool,
    interception: Interception,
    compiles: Vec<CompileStep>,
    archives: Vec<OldArchive>,
    links: Vec<OldLink>,
    dropped: Dropped,
    caveats: Vec<BuildCaveat>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldArchive {
    archive: PathBuf,
    members: Vec<Input>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldLink {
    output: PathBuf,
    kind: LinkKind,
    directory: PathBuf,
    inputs: Vec<Input>,
    libraries: Vec<String>,
}

pub(super) fn read(text: &[u8]) -> Result<RecordedBuild, serde_json::Error> {
    let old: OldBuild = serde_json::from_slice(text)?;
    let archives = old.archives.into_iter().map(|step| ArchiveStep {
        archive: step.archive,
        members: step.members,
        commands: Vec::new(),
    });
    let mut caveats = old.caveats;
    caveats.push(BuildCaveat {
        kind: BuildCaveatKind::OldRecord,
        message: "the record of the build is of an earlier version and does not say how the \
                  programs were linked; capture the build again, after a clean"
            .to_owned(),
    });
    Ok(RecordedBuild {
        schema: old.schema,
        root: old.root,
        command: old.command,
        exit_code: old.exit_code,
        signal: old.signal,
        failed: old.failed,
        interception: old.interception,
        compiles: old.compiles,
        archives: archives.collect(),
        links: old.links.into_iter().map(link).collect(),
        edits: Vec::new(),
        generators: Vec::new(),
        read_files: None,
        written_inputs: Vec::new(),
        dropped: old.dropped,
        caveats,
    })
}

fn link(old: OldLink) -> LinkStep {
    let position = old.inputs.len() as u32;
    let libraries = old.libraries.into_iter().map(|name| LibraryInput {
        name,
        path: None,
        position,
        whole_archive: false,
    });
    LinkStep {
        output: old.output,
        kind: old.kind,
        directory: old.directory,
        inputs: old.inputs,
        libraries: libraries.collect(),
        arguments: Vec::new(),
        options: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn record_of_the_first_format_is_read_with_a_caveat() {
        let text = r#"{
            "schema": "knockon.build/1", "root": "/p", "command": ["make"], "exit_code": 0,
            "failed": false, "interception": "preload",
            "compiles": [{"directory": "/p", "file": "/p/a.c", "output": "/p/a.o",
                          "language": "c", "arguments": ["cc", "-c", "a.c"]}],
            "archives": [],
            "links": [{"output": "/p/prog", "kind": "executable", "directory": "/p",
                       "inputs": [{"path": "/p/a.o", "origin": {"compile": 0}}],
                       "libraries": ["m"]}],
            "dropped": {"vanished_sources": 0, "probes": 0, "standard_input": 0, "not_utf8": 0,
                        "damaged_records": 0},
            "caveats": []
        }"#;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("build.json");
        std::fs::write(&path, text).unwrap();
        let build = read(&path).unwrap();
        assert_ne!(build.schema, SCHEMA);
        assert_eq!(build.caveats[0].kind, BuildCaveatKind::OldRecord);
        assert_eq!(executables(&build)[0].units, [StepId(0)]);
        assert_eq!(build.links[0].libraries[0].name, "m");

        std::fs::write(&path, text.replace("{\"compile\": 0}", "{\"compile\": 7}")).unwrap();
        assert!(matches!(
            read(&path),
            Err(RecordedBuildError::Reference { .. })
        ));
    }
}
