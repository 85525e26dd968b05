//! **Question.** Which of the reconstructed steps belong to the build's result, and in which order
//! are they written down?
//!
//! What needs all steps at once: files of unknown origin are compared by content with the outputs
//! of steps (a copied object), archives with the file on disk (it may have been deleted in
//! between), trials of the compiler are dropped. Then the steps are sorted by path and every
//! reference follows, so that the order in which parallel jobs ran leaves no trace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::archive_content::member_names;
use super::probe::is_probe_place;
use super::reconstruction::{Draft, DraftArchive, DraftEdit, DraftInput, DraftLink, Maker};
use crate::recorded_build::{
    ArchiveId, ArchiveStep, BuildCaveat, CompileStep, Dropped, EditId, Input, LinkId, LinkStep,
    NO_STEP_MADE_IT, ObjectEditStep, Origin, StepId,
};

pub struct Finished {
    pub compiles: Vec<CompileStep>,
    pub archives: Vec<ArchiveStep>,
    pub links: Vec<LinkStep>,
    pub edits: Vec<ObjectEditStep>,
    pub dropped: Dropped,
    pub caveats: Vec<BuildCaveat>,
}

pub fn finish(mut draft: Draft) -> Finished {
    match_by_content(&mut draft);
    compare_archives_with_disk(&mut draft);
    let kept = drop_trials(&mut draft);
    write_down(draft, &kept)
}

/// Finds the origin of copied files: an unknown file with the very bytes of a step's output.
fn match_by_content(draft: &mut Draft) {
    let unknown: BTreeSet<PathBuf> = all_inputs(draft)
        .filter(|input| input.maker == Maker::Unknown)
        .map(|input| input.path.clone())
        .collect();
    if unknown.is_empty() {
        return;
    }
    let length = |path: &Path| path.metadata().ok().map(|metadata| metadata.len());
    let lengths: FxHashSet<u64> = unknown.iter().filter_map(|path| length(path)).collect();
    let mut candidates: Vec<(&PathBuf, &Maker)> = draft
        .makers
        .iter()
        .filter(|(path, _)| length(path).is_some_and(|length| lengths.contains(&length)))
        .collect();
    // Among equal outputs the first by path is taken, whatever the order of the build was.
    candidates.sort_by_key(|(path, _)| *path);
    let mut by_content: FxHashMap<blake3::Hash, Maker> = FxHashMap::default();
    for (path, maker) in candidates {
        if let Some(hash) = content_hash(path) {
            by_content.entry(hash).or_insert_with(|| maker.clone());
        }
    }
    let mut found: FxHashMap<PathBuf, Maker> = FxHashMap::default();
    for path in unknown {
        if let Some(maker) = content_hash(&path).and_then(|hash| by_content.get(&hash)) {
            found.insert(path, maker.clone());
        }
    }
    let archives = draft
        .archives
        .iter_mut()
        .map(|archive| &mut archive.members);
    let links = draft.links.iter_mut().map(|link| &mut link.inputs);
    let edits = draft.edits.iter_mut().map(|edit| &mut edit.input);
    for input in archives.chain(links).flatten().chain(edits) {
        if input.maker == Maker::Unknown
            && let Some(maker) = found.get(&input.path)
        {
            input.maker = maker.clone();
        }
    }
}

fn all_inputs(draft: &Draft) -> impl Iterator<Item = &DraftInput> {
    let members = draft.archives.iter().flat_map(|archive| &archive.members);
    let inputs = draft.links.iter().flat_map(|link| &link.inputs);
    let edited = draft.edits.iter().map(|edit| &edit.input);
    members.chain(inputs).chain(edited)
}

fn content_hash(path: &Path) -> Option<blake3::Hash> {
    let bytes = std::fs::read(path).ok()?;
    (!bytes.is_empty()).then(|| blake3::hash(&bytes))
}

/// The last state of each archive gets exactly the members that the file has.
fn compare_archives_with_disk(draft: &mut Draft) {
    let last_states: Vec<usize> = draft
        .makers
        .values()
        .filter_map(|maker| archive_behind(draft, maker))
        .collect();
    for state in last_states {
        let archive = &mut draft.archives[state];
        if let Some(names) = member_names(&archive.path) {
            keep_real_members(archive, names);
        }
    }
}

/// The archive itself, or the one that an edit was made of.
fn archive_behind(draft: &Draft, maker: &Maker) -> Option<usize> {
    let mut maker = maker;
    // An edit is made of what was there before it, so this ends.
    loop {
        match maker {
            Maker::Archive(state) => return Some(*state),
            Maker::Edit(index) => maker = &draft.edits[*index].input.maker,
            Maker::Compile(_)
            | Maker::Link(_)
            | Maker::Data
            | Maker::Dropped(_)
            | Maker::Outside
            | Maker::Unknown => return None,
        }
    }
}

fn keep_real_members(archive: &mut DraftArchive, mut names: Vec<String>) {
    archive.members.retain(|member| {
        let position = names
            .iter()
            .position(|name| member.path.file_name() == Some(name.as_ref()));
        position.map(|position| names.remove(position)).is_some()
    });
    for name in names {
        let path = archive.path.join(name);
        archive.members.push(DraftInput::new(path, Maker::Unknown));
    }
}

struct Kept {
    compiles: Vec<bool>,
    archives: Vec<bool>,
    links: Vec<bool>,
    edits: Vec<bool>,
}

/// A link is a trial if it wrote to a place of trials, or if what it wrote is gone and nothing
/// that it linked is a source of this build. A renamed or failed executable is no trial: its
/// sources are there. The rest follows: archives count in their last state or when linked;
/// sources that lie outside (CMake brings some along) count when something was made of them.
fn drop_trials(draft: &mut Draft) -> Kept {
    let mut kept = Kept {
        compiles: vec![false; draft.compiles.len()],
        archives: vec![false; draft.archives.len()],
        links: vec![false; draft.links.len()],
        edits: vec![false; draft.edits.len()],
    };
    let inside: Vec<bool> = draft
        .compiles
        .iter()
        .map(|step| step.file.starts_with(&draft.root))
        .collect();
    let sources_of = |inputs: &[DraftInput]| reached(draft, inputs);
    let mut needed = Reached::default();
    let mut trials = 0;
    for (index, link) in draft.links.iter().enumerate() {
        let sources = sources_of(&link.inputs);
        let is_trial = is_probe_place(&link.output)
            || !link.output.exists() && !sources.compiles.iter().any(|&compile| inside[compile]);
        if is_trial {
            trials += 1;
        } else {
            kept.links[index] = true;
            needed.join(sources);
        }
    }
    for (index, archive) in draft.archives.iter().enumerate() {
        let maker = draft.makers.get(&archive.path);
        let is_last = maker.and_then(|maker| archive_behind(draft, maker)) == Some(index);
        if is_last && archive.path.exists() && !is_probe_place(&archive.path) {
            needed.archives.insert(index);
            needed.join(sources_of(&archive.members));
        }
    }
    for (index, step) in draft.compiles.iter().enumerate() {
        let has_result = step.output.as_ref().is_some_and(|output| output.exists());
        kept.compiles[index] = needed.compiles.contains(&index) || has_result || inside[index];
        if !kept.compiles[index] {
            trials += 1;
        }
    }
    draft.dropped.probes += trials;
    for index in needed.archives {
        kept.archives[index] = true;
    }
    for index in needed.links {
        kept.links[index] = true;
    }
    for index in needed.edits {
        kept.edits[index] = true;
    }
    kept
}

#[derive(Default)]
struct Reached {
    compiles: BTreeSet<usize>,
    archives: BTreeSet<usize>,
    links: BTreeSet<usize>,
    edits: BTreeSet<usize>,
}

impl Reached {
    fn join(&mut self, other: Reached) {
        self.compiles.extend(other.compiles);
        self.archives.extend(other.archives);
        self.links.extend(other.links);
        self.edits.extend(other.edits);
    }
}

fn reached(draft: &Draft, inputs: &[DraftInput]) -> Reached {
    let mut reached = Reached::default();
    let mut waiting = vec![inputs];
    while let Some(inputs) = waiting.pop() {
        for input in inputs {
            match input.maker {
                Maker::Compile(index) => {
                    reached.compiles.insert(index);
                }
                Maker::Archive(index) => {
                    if reached.archives.insert(index) {
                        waiting.push(&draft.archives[index].members);
                    }
                }
                Maker::Link(index) => {
                    if reached.links.insert(index) {
                        waiting.push(&draft.links[index].inputs);
                    }
                }
                Maker::Edit(index) => {
                    if reached.edits.insert(index) {
                        waiting.push(std::slice::from_ref(&draft.edits[index].input));
                    }
                }
                Maker::Dropped(_) | Maker::Data | Maker::Outside | Maker::Unknown => {}
            }
        }
    }
    reached
}

/// New numbers by old position.
struct Numbering {
    compiles: Vec<u32>,
    archives: Vec<u32>,
    links: Vec<u32>,
    edits: Vec<u32>,
}

fn write_down(draft: Draft, kept: &Kept) -> Finished {
    let Draft {
        compiles,
        archives,
        links,
        edits,
        dropped,
        mut caveats,
        ..
    } = draft;
    let mut numbering = Numbering {
        compiles: vec![0; compiles.len()],
        archives: vec![0; archives.len()],
        links: vec![0; links.len()],
        edits: vec![0; edits.len()],
    };

    let mut order: Vec<usize> = positions(&kept.compiles);
    order.sort_by(|&left, &right| {
        compile_order(&compiles[left]).cmp(&compile_order(&compiles[right]))
    });
    let mut written: Vec<CompileStep> = Vec::with_capacity(order.len());
    for index in order {
        // The same command run twice is one unit.
        if written.last() != Some(&compiles[index]) {
            written.push(compiles[index].clone());
        }
        numbering.compiles[index] = written.len() as u32 - 1;
    }

    // Stable sorts: several states of one path stay in the order of the build.
    let mut archive_order = positions(&kept.archives);
    archive_order.sort_by_key(|&index| &archives[index].path);
    for (number, &index) in archive_order.iter().enumerate() {
        numbering.archives[index] = number as u32;
    }
    let mut link_order: Vec<usize> = Vec::new();
    let mut sorted_links = positions(&kept.links);
    sorted_links.sort_by_key(|&index| &links[index].output);
    for index in sorted_links {
        let repeats_last = link_order
            .last()
            .is_some_and(|&last| links[last] == links[index]);
        if !repeats_last {
            link_order.push(index);
        }
        numbering.links[index] = link_order.len() as u32 - 1;
    }

    let mut edit_order = positions(&kept.edits);
    edit_order.sort_by_key(|&index| &edits[index].output);
    for (number, &index) in edit_order.iter().enumerate() {
        numbering.edits[index] = number as u32;
    }

    caveats.sort();
    caveats.dedup();
    Finished {
        compiles: written,
        archives: archive_order
            .iter()
            .map(|&index| archive_step(&archives[index], &numbering))
            .collect(),
        links: link_order
            .iter()
            .map(|&index| link_step(&links[index], &numbering))
            .collect(),
        edits: edit_order
            .iter()
            .map(|&index| edit_step(&edits[index], &numbering))
            .collect(),
        dropped,
        caveats,
    }
}

fn positions(kept: &[bool]) -> Vec<usize> {
    (0..kept.len()).filter(|&index| kept[index]).collect()
}

fn compile_order(step: &CompileStep) -> impl Ord + '_ {
    (
        &step.file,
        &step.output,
        &step.directory,
        &step.arguments,
        &step.environment,
    )
}

fn archive_step(archive: &DraftArchive, numbering: &Numbering) -> ArchiveStep {
    ArchiveStep {
        archive: archive.path.clone(),
        members: written_inputs(&archive.members, numbering),
        commands: archive.commands.clone(),
    }
}

fn edit_step(edit: &DraftEdit, numbering: &Numbering) -> ObjectEditStep {
    ObjectEditStep {
        input: written_input(&edit.input, numbering),
        output: edit.output.clone(),
        directory: edit.directory.clone(),
        arguments: edit.arguments.clone(),
        changes: edit.changes.clone(),
    }
}

fn link_step(link: &DraftLink, numbering: &Numbering) -> LinkStep {
    LinkStep {
        output: link.output.clone(),
        kind: link.kind,
        directory: link.directory.clone(),
        inputs: written_inputs(&link.inputs, numbering),
        libraries: link.libraries.clone(),
        arguments: link.arguments.clone(),
        options: link.options.clone(),
    }
}

fn written_inputs(inputs: &[DraftInput], numbering: &Numbering) -> Vec<Input> {
    inputs
        .iter()
        .map(|input| written_input(input, numbering))
        .collect()
}

fn written_input(input: &DraftInput, numbering: &Numbering) -> Input {
    Input {
        path: input.path.clone(),
        origin: match &input.maker {
            Maker::Compile(index) => Origin::Compile(StepId(numbering.compiles[*index])),
            Maker::Archive(index) => Origin::Archive(ArchiveId(numbering.archives[*index])),
            Maker::Link(index) => Origin::Link(LinkId(numbering.links[*index])),
            Maker::Edit(index) => Origin::Edit(EditId(numbering.edits[*index])),
            Maker::Data => Origin::Data,
            Maker::Dropped(reason) => Origin::Unknown(reason.clone()),
            Maker::Outside => Origin::Outside,
            Maker::Unknown => Origin::Unknown(NO_STEP_MADE_IT.to_owned()),
        },
        whole_archive: input.whole_archive,
        in_group: input.in_group,
    }
}
