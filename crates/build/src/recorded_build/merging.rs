//! **Question.** What is known of a build after another run of it that did not come to its end?
//!
//! **Rules.** A step of the unfinished run replaces the recorded step that made the same file; all
//! other recorded steps stay. Then each input is looked up again: a recorded link takes the object as
//! it was compiled last, and a link that was seen takes an object that was up to date as the record
//! made it. What only replaced links compiled goes with them.
//!
//! **Why right.** That is what the build system does with the files: it makes some again and takes the
//! others as they are. Where a file is made several times in one run, its path does not say which
//! time is meant: then nothing is merged.

use super::{
    ArchiveId, BuildCaveat, BuildCaveatKind, CompileStep, EditId, Input, Interception, LinkId,
    NO_STEP_MADE_IT, Origin, ReadFiles, RecordedBuild, SCHEMA, StepId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum NotMerged {
    #[error("it was recorded in {}", recorded.display())]
    AnotherPlace { recorded: PathBuf },
    #[error("which files the steps read is known of one of the two builds only")]
    ReadsKnownOfOneOnly,
    #[error("{} is made several times in one build", path.display())]
    MadeSeveralTimes { path: PathBuf },
}

/// A list of steps of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum List {
    Compiles,
    Archives,
    Links,
    Edits,
}

/// A step of both runs: those of the record come first in each list.
type Step = (List, u32);
/// By path the steps that write it, an edit in place last.
type Makers = BTreeMap<PathBuf, Vec<Step>>;

/// The record `kept` with the steps of the unfinished run `seen`.
pub fn merged(kept: &RecordedBuild, seen: &RecordedBuild) -> Result<RecordedBuild, NotMerged> {
    if kept.root != seen.root {
        return Err(NotMerged::AnotherPlace {
            recorded: kept.root.clone(),
        });
    }
    if kept.read_files.is_some() != seen.read_files.is_some() {
        return Err(NotMerged::ReadsKnownOfOneOnly);
    }
    let mut both = appended(kept, seen);
    let makers = |is_kept: bool| -> Makers {
        let mut makers = Makers::new();
        for (step, path) in outputs(&both) {
            if is_of(kept, step) == is_kept {
                makers.entry(path.to_owned()).or_default().push(step);
            }
        }
        makers
    };
    let (before, after) = (makers(true), makers(false));
    for (path, steps) in &after {
        if let Some(recorded) = before.get(path)
            && (is_repeated(steps) || is_repeated(recorded))
        {
            return Err(NotMerged::MadeSeveralTimes { path: path.clone() });
        }
    }
    let used_before = used_steps(&both);
    let lookup = Lookup {
        kept,
        before: &before,
        after: &after,
    };
    for index in 0..both.archives.len() {
        let place = both.archives[index].archive.clone();
        for member in &mut both.archives[index].members {
            lookup.update(member, &place);
        }
    }
    for link in &mut both.links {
        for input in &mut link.inputs {
            lookup.update(input, &link.output);
        }
    }
    for edit in &mut both.edits {
        lookup.update(&mut edit.input, &edit.output);
    }
    let mut removed: BTreeSet<Step> = before
        .iter()
        .filter_map(|(path, recorded)| Some((recorded, after.get(path)?)))
        .flat_map(|(recorded, seen)| recorded.iter().filter(|step| is_replaced(**step, seen)))
        .copied()
        .collect();
    remove(&mut both, &mut removed, &used_before);
    Ok(both)
}

fn is_of(kept: &RecordedBuild, (list, number): Step) -> bool {
    let count = match list {
        List::Compiles => kept.compiles.len(),
        List::Archives => kept.archives.len(),
        List::Links => kept.links.len(),
        List::Edits => kept.edits.len(),
    };
    (number as usize) < count
}

/// All steps that write a file of a known name.
fn outputs(build: &RecordedBuild) -> Vec<(Step, &Path)> {
    fn rows<'a, T>(
        list: List,
        steps: &'a [T],
        output: impl Fn(&'a T) -> Option<&'a Path> + 'a,
    ) -> impl Iterator<Item = (Step, &'a Path)> {
        let numbered = (0..).zip(steps);
        numbered.filter_map(move |(number, step)| Some(((list, number), output(step)?)))
    }
    let compiles = rows(List::Compiles, &build.compiles, |step| {
        step.output.as_deref()
    });
    let archives = rows(List::Archives, &build.archives, |step| Some(&step.archive));
    let links = rows(List::Links, &build.links, |step| Some(&step.output));
    let edits = rows(List::Edits, &build.edits, |step| Some(&step.output));
    compiles.chain(archives).chain(links).chain(edits).collect()
}

fn is_repeated(steps: &[Step]) -> bool {
    steps.windows(2).any(|two| two[0].0 == two[1].0)
}

/// An edit in place is another step than the one that made the file.
fn is_replaced(recorded: Step, seen: &[Step]) -> bool {
    let is_edit = |step: &Step| step.0 == List::Edits;
    seen.iter().any(|step| is_edit(step) == is_edit(&recorded))
}

fn step_of(origin: &Origin) -> Option<Step> {
    match origin {
        Origin::Compile(id) => Some((List::Compiles, id.0)),
        Origin::Archive(id) => Some((List::Archives, id.0)),
        Origin::Link(id) => Some((List::Links, id.0)),
        Origin::Edit(id) => Some((List::Edits, id.0)),
        Origin::Data | Origin::Outside | Origin::Unknown(_) => None,
    }
}

fn origin_of((list, number): Step) -> Origin {
    match list {
        List::Compiles => Origin::Compile(StepId(number)),
        List::Archives => Origin::Archive(ArchiveId(number)),
        List::Links => Origin::Link(LinkId(number)),
        List::Edits => Origin::Edit(EditId(number)),
    }
}

/// Both builds in one, the steps of the record first.
fn appended(kept: &RecordedBuild, seen: &RecordedBuild) -> RecordedBuild {
    let renumbered = |input: &Input| {
        let origin = match step_of(&input.origin) {
            Some((list, number)) => {
                let first = match list {
                    List::Compiles => kept.compiles.len(),
                    List::Archives => kept.archives.len(),
                    List::Links => kept.links.len(),
                    List::Edits => kept.edits.len(),
                };
                origin_of((list, number + first as u32))
            }
            None => input.origin.clone(),
        };
        Input {
            origin,
            ..input.clone()
        }
    };
    let mut both = kept.clone();
    both.compiles.extend(seen.compiles.iter().cloned());
    both.archives.extend(seen.archives.iter().map(|step| {
        let mut step = step.clone();
        step.members = step.members.iter().map(renumbered).collect();
        step
    }));
    both.links.extend(seen.links.iter().map(|step| {
        let mut step = step.clone();
        step.inputs = step.inputs.iter().map(renumbered).collect();
        step
    }));
    both.edits.extend(seen.edits.iter().map(|step| {
        let mut step = step.clone();
        step.input = renumbered(&step.input);
        step
    }));
    both.generators.extend(seen.generators.iter().cloned());
    both.generators.sort();
    both.generators.dedup();
    both.read_files = match (&kept.read_files, &seen.read_files) {
        (Some(one), Some(two)) => Some(both_read(one, two)),
        _ => None,
    };
    both.schema = SCHEMA.to_owned();
    if kept.interception != seen.interception {
        both.interception = Interception::Both;
    }
    both.dropped.vanished_sources += seen.dropped.vanished_sources;
    both.dropped.probes += seen.dropped.probes;
    both.dropped.standard_input += seen.dropped.standard_input;
    both.dropped.not_utf8 += seen.dropped.not_utf8;
    both.dropped.damaged_records += seen.dropped.damaged_records;
    both.caveats.extend(seen.caveats.iter().cloned());
    both.caveats.push(BuildCaveat {
        kind: BuildCaveatKind::UnfinishedBuild,
        message: "the last captured build did not finish: what it did not come to is recorded as an earlier build did it".to_owned(),
    });
    both.caveats.sort();
    both.caveats.dedup();
    both
}

fn both_read(one: &ReadFiles, two: &ReadFiles) -> ReadFiles {
    let joined = |one: &[PathBuf], two: &[PathBuf]| -> Vec<PathBuf> {
        let all: BTreeSet<&PathBuf> = one.iter().chain(two).collect();
        all.into_iter().cloned().collect()
    };
    let mut made: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in one.made.iter().chain(&two.made) {
        let known = made.entry(file.path.clone()).or_default();
        *known = joined(known, &file.from);
    }
    ReadFiles {
        by_steps: joined(&one.by_steps, &two.by_steps),
        steering: joined(&one.steering, &two.steering),
        made: made
            .into_iter()
            .map(|(path, from)| super::MadeFile { path, from })
            .collect(),
    }
}

/// Which step makes an input now.
struct Lookup<'a> {
    kept: &'a RecordedBuild,
    before: &'a Makers,
    after: &'a Makers,
}

impl Lookup<'_> {
    /// Sets who made the input of a step that writes `output`.
    fn update(&self, input: &mut Input, output: &Path) {
        let is_in_place = input.path == output;
        let recorded = match &input.origin {
            Origin::Unknown(reason) if reason == NO_STEP_MADE_IT => self
                .recorded_maker(&input.path, is_in_place)
                .or_else(|| self.recorded_member(&input.path)),
            origin => step_of(origin),
        };
        if let Some(step) = recorded {
            input.origin = origin_of(self.now(step, &input.path, is_in_place));
        }
    }

    /// The step that stands for this one, if the unfinished run made its file again.
    fn now(&self, step: Step, path: &Path, is_in_place: bool) -> Step {
        let seen = self.after.get(path).filter(|_| is_of(self.kept, step));
        let replacement = seen
            .filter(|seen| is_replaced(step, seen))
            .and_then(|seen| {
                let mut latest = seen.iter().rev();
                latest.find(|seen| !is_in_place || seen.0 != List::Edits)
            });
        *replacement.unwrap_or(&step)
    }

    fn recorded_maker(&self, path: &Path, is_in_place: bool) -> Option<Step> {
        let mut latest = self.before.get(path)?.iter().rev();
        latest
            .find(|step| !is_in_place || step.0 != List::Edits)
            .copied()
    }

    /// A member that was in the archive already is named by the archive's path and its own name.
    fn recorded_member(&self, path: &Path) -> Option<Step> {
        let (archive, name) = (path.parent()?, path.file_name()?);
        let mut recorded = self.kept.archives.iter().rev();
        let recorded = recorded.find(|step| step.archive == archive)?;
        let mut members = recorded.members.iter();
        let member = members.find(|member| member.path.file_name() == Some(name))?;
        Some(self.now(step_of(&member.origin)?, &member.path, false))
    }
}

fn all_inputs(build: &RecordedBuild) -> impl Iterator<Item = (Step, &Input)> {
    let archives = (0..).zip(&build.archives).flat_map(|(number, step)| {
        let members = step.members.iter();
        members.map(move |input| ((List::Archives, number), input))
    });
    let links = (0..).zip(&build.links).flat_map(|(number, step)| {
        let inputs = step.inputs.iter();
        inputs.map(move |input| ((List::Links, number), input))
    });
    let edits = (0..).zip(&build.edits);
    let edits = edits.map(|(number, step)| ((List::Edits, number), &step.input));
    archives.chain(links).chain(edits)
}

fn used_steps(build: &RecordedBuild) -> BTreeSet<Step> {
    let used = all_inputs(build).filter_map(|(_, input)| step_of(&input.origin));
    used.collect()
}

/// Takes steps away, and compilations that have no file of their own and only these used; then the
/// lists are in the order of a record.
fn remove(build: &mut RecordedBuild, removed: &mut BTreeSet<Step>, used_before: &BTreeSet<Step>) {
    let still_used: BTreeSet<Step> = all_inputs(build)
        .filter(|(user, _)| !removed.contains(user))
        .filter_map(|(_, input)| step_of(&input.origin))
        .collect();
    for (number, step) in (0..).zip(&build.compiles) {
        let step_number = (List::Compiles, number);
        if step.output.is_none()
            && used_before.contains(&step_number)
            && !still_used.contains(&step_number)
        {
            removed.insert(step_number);
        }
    }
    let mut numbers: BTreeMap<Step, u32> = BTreeMap::new();
    put_in_order(
        List::Compiles,
        &mut build.compiles,
        removed,
        &mut numbers,
        compile_order,
    );
    put_in_order(
        List::Archives,
        &mut build.archives,
        removed,
        &mut numbers,
        |step| step.archive.clone(),
    );
    put_in_order(
        List::Links,
        &mut build.links,
        removed,
        &mut numbers,
        |step| step.output.clone(),
    );
    put_in_order(
        List::Edits,
        &mut build.edits,
        removed,
        &mut numbers,
        |step| step.output.clone(),
    );
    let archives = build.archives.iter_mut().map(|step| &mut step.members);
    let links = build.links.iter_mut().map(|step| &mut step.inputs);
    let edits = build.edits.iter_mut().map(|step| &mut step.input);
    for input in archives.chain(links).flatten().chain(edits) {
        if let Some(step) = step_of(&input.origin)
            && let Some(number) = numbers.get(&step)
        {
            input.origin = origin_of((step.0, *number));
        }
    }
}

fn put_in_order<T, K: Ord>(
    list: List,
    steps: &mut Vec<T>,
    removed: &BTreeSet<Step>,
    numbers: &mut BTreeMap<Step, u32>,
    key: impl Fn(&T) -> K,
) {
    let mut left: Vec<(u32, T)> = (0..).zip(steps.drain(..)).collect();
    left.retain(|(number, _)| !removed.contains(&(list, *number)));
    left.sort_by_key(|(_, step)| key(step));
    for (number, (before, step)) in (0..).zip(left) {
        numbers.insert((list, before), number);
        steps.push(step);
    }
}

fn compile_order(step: &CompileStep) -> impl Ord + use<> {
    (
        step.file.clone(),
        step.output.clone(),
        step.directory.clone(),
        step.arguments.clone(),
        step.environment.clone(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded_build::{
        ArchiveStep, Dropped, Language, LinkKind, LinkStep, ObjectEditStep, executables,
    };

    fn compile(object: &str, flag: &str) -> CompileStep {
        CompileStep {
            directory: "/p".into(),
            file: format!("/p/{object}.c").into(),
            output: Some(format!("/p/{object}.o").into()),
            language: Language::C,
            arguments: ["cc", flag, "-c", object].map(str::to_owned).to_vec(),
            environment: Vec::new(),
        }
    }

    fn input(path: &str, origin: Origin) -> Input {
        Input {
            path: format!("/p/{path}").into(),
            origin,
            whole_archive: false,
            in_group: false,
        }
    }

    fn link(output: &str, inputs: Vec<Input>) -> LinkStep {
        LinkStep {
            output: format!("/p/{output}").into(),
            kind: LinkKind::Executable,
            directory: "/p".into(),
            inputs,
            libraries: Vec::new(),
            arguments: vec!["cc".into(), "-o".into(), output.into()],
            options: Vec::new(),
        }
    }

    fn build(compiles: Vec<CompileStep>, links: Vec<LinkStep>) -> RecordedBuild {
        RecordedBuild {
            schema: SCHEMA.into(),
            root: "/p".into(),
            command: vec!["make".into()],
            exit_code: Some(0),
            signal: None,
            failed: false,
            interception: Interception::Preload,
            compiles,
            archives: Vec::new(),
            links,
            edits: Vec::new(),
            generators: Vec::new(),
            read_files: None,
            written_inputs: Vec::new(),
            dropped: Dropped::default(),
            caveats: Vec::new(),
        }
    }

    /// The words behind `cc` of all that the executable consists of, and what is not known of it.
    fn flags(build: &RecordedBuild, name: &str) -> (Vec<String>, Vec<String>) {
        let all = executables(build);
        let found = all.iter().find(|one| one.name == name);
        let found = found.expect("the executable");
        let step = |id: &StepId| &build.compiles[id.0 as usize].arguments;
        let flags = found.units.iter().map(|id| step(id)[1].clone());
        (flags.collect(), found.unresolved.clone())
    }

    fn compiled(number: u32) -> Origin {
        Origin::Compile(StepId(number))
    }

    fn up_to_date() -> Origin {
        Origin::Unknown(NO_STEP_MADE_IT.to_owned())
    }

    /// What the other build read would be taken for nothing.
    #[test]
    fn a_build_whose_reads_are_not_known_is_not_merged() {
        let kept = build(Vec::new(), Vec::new());
        let mut seen = kept.clone();
        assert!(merged(&kept, &seen).is_ok());
        seen.read_files = Some(ReadFiles::default());
        assert!(merged(&kept, &seen).is_err());
        assert!(merged(&seen, &kept).is_err());
    }

    #[test]
    fn what_was_compiled_again_replaces_its_row_and_the_rest_stays() {
        let units = vec![compile("a", "-Ia"), compile("b", "-Ib")];
        let inputs = vec![input("a.o", compiled(0)), input("b.o", compiled(1))];
        let kept = build(units, vec![link("prog", inputs)]);
        // A new unit comes before the others by name.
        let mut seen = build(vec![compile("0", "-I0"), compile("b", "-Inew")], Vec::new());
        seen.failed = true;
        let both = merged(&kept, &seen).expect("one build");
        assert_eq!(both.compiles.len(), 3);
        let known = (vec!["-Ia".to_owned(), "-Inew".to_owned()], Vec::new());
        assert_eq!(flags(&both, "prog"), known);
        assert!(!both.failed);
        assert_eq!(both.caveats[0].kind, BuildCaveatKind::UnfinishedBuild);
    }

    #[test]
    fn a_link_that_was_seen_takes_what_was_up_to_date_as_it_was_recorded() {
        let units = vec![compile("a", "-Ia"), compile("b", "-Ib")];
        let inputs = vec![input("a.o", compiled(0)), input("b.o", compiled(1))];
        let mut kept = build(units, vec![link("prog", inputs)]);
        kept.archives.push(ArchiveStep {
            archive: "/p/lib.a".into(),
            members: vec![input("a.o", compiled(0))],
            commands: Vec::new(),
        });
        let mut seen = build(
            vec![compile("c", "-Ic")],
            vec![
                link(
                    "prog",
                    vec![input("b.o", up_to_date()), input("c.o", compiled(0))],
                ),
                link("other", vec![input("lib.a", Origin::Archive(ArchiveId(0)))]),
            ],
        );
        seen.archives.push(ArchiveStep {
            archive: "/p/lib.a".into(),
            members: vec![input("lib.a/a.o", up_to_date()), input("c.o", compiled(0))],
            commands: Vec::new(),
        });
        let both = merged(&kept, &seen).expect("one build");
        assert_eq!((both.links.len(), both.archives.len()), (2, 1));
        let known = |flags: [&str; 2]| (flags.map(str::to_owned).to_vec(), Vec::new());
        assert_eq!(flags(&both, "prog"), known(["-Ib", "-Ic"]));
        assert_eq!(flags(&both, "other"), known(["-Ia", "-Ic"]));
    }

    #[test]
    fn an_object_that_is_edited_in_place_keeps_its_edit() {
        let mut kept = build(
            vec![compile("a", "-Iold")],
            vec![link("prog", vec![input("a.o", Origin::Edit(EditId(0)))])],
        );
        kept.edits.push(ObjectEditStep {
            input: input("a.o", compiled(0)),
            output: "/p/a.o".into(),
            directory: "/p".into(),
            arguments: vec!["objcopy".into()],
            changes: Vec::new(),
        });
        let both = merged(&kept, &build(vec![compile("a", "-Inew")], Vec::new()));
        let both = both.expect("one build");
        assert_eq!(both.edits.len(), 1);
        assert_eq!(both.links[0].inputs[0].origin, Origin::Edit(EditId(0)));
        assert_eq!(flags(&both, "prog").0, ["-Inew"]);
    }

    #[test]
    fn what_was_compiled_for_a_replaced_link_only_goes_with_it() {
        let unit = |flag: &str| CompileStep {
            output: None,
            ..compile("a", flag)
        };
        let whole = |flag: &str| {
            let inputs = vec![input("a.c", compiled(0))];
            build(vec![unit(flag)], vec![link("prog", inputs)])
        };
        let both = merged(&whole("-Iold"), &whole("-Inew")).expect("one build");
        assert_eq!(both.compiles.len(), 1);
        assert_eq!(flags(&both, "prog").0, ["-Inew"]);
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_merged() {
        let twice = build(vec![compile("a", "-I1"), compile("a", "-I2")], Vec::new());
        let once = build(vec![compile("a", "-I3")], Vec::new());
        for (kept, seen) in [(&twice, &once), (&once, &twice)] {
            let error = merged(kept, seen).expect_err("two rows of one object");
            assert!(error.to_string().contains("/p/a.o"), "{error}");
        }
        let mut elsewhere = once.clone();
        elsewhere.root = "/q".into();
        assert!(merged(&elsewhere, &once).is_err());
    }
}
