//! **Question.** Of what does one recorded link consist, with units named by their positions in a
//! plan?
//!
//! Follows archives, partial links, shared libraries and edits down to compile steps and to what no
//! step made. A unit in assembly or in another language is a unit and prebuilt code at once: it has
//! no IR.
//!
//! **Cost.** Linear in the inputs, since each archive and link is followed once for each use.

use std::collections::BTreeSet;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::{
    LinkedLibrary, LinkedPart, ObjectEdit, PlannedInput, PlannedLink, PrebuiltInput,
    PrebuiltReason, Presence, UnitObject,
};
use crate::recorded_build::{
    ArchiveId, EditId, Input, Language, LibraryInput, LinkId, LinkOption, Origin, RecordedBuild,
    SCHEMA, StepId,
};
use crate::unit::{Route, UnitCommand};

/// The start files that a compiler driver links by itself.
const START_FILES: [&str; 8] = [
    "crt1.o", "Scrt1.o", "gcrt1.o", "grcrt1.o", "rcrt1.o", "Mcrt1.o", "crti.o", "crtn.o",
];

pub(crate) fn planned_link(
    build: &RecordedBuild,
    link: LinkId,
    units: &[UnitCommand],
    positions: &FxHashMap<StepId, usize>,
) -> PlannedLink {
    let mut walk = Walk {
        build,
        units,
        positions,
        planned: PlannedLink {
            is_old_record: build.schema != SCHEMA,
            ..PlannedLink::default()
        },
        parts: FxHashMap::default(),
        edits: FxHashMap::default(),
        archives: Vec::new(),
        outer_edit: None,
        forms: FxHashMap::default(),
    };
    if let Some(step) = build.links.get(link.0 as usize) {
        // What is linked with itself is not followed again.
        walk.parts.insert(link, usize::MAX);
        walk.planned.options = step.options.clone();
        walk.planned.inputs = walk.inputs(&step.inputs, &step.libraries, &step.options);
    }
    let forms = &walk.forms;
    for edit in &mut walk.planned.edits {
        edit.is_only_form = edit
            .units
            .iter()
            .all(|unit| forms.get(unit).is_none_or(|forms| forms.len() == 1));
    }
    walk.planned.objects.sort_by_key(|object| object.unit);
    walk.planned.objects.dedup();
    walk.planned
}

struct Walk<'a> {
    build: &'a RecordedBuild,
    units: &'a [UnitCommand],
    positions: &'a FxHashMap<StepId, usize>,
    planned: PlannedLink,
    /// Positions among the planned parts.
    parts: FxHashMap<LinkId, usize>,
    edits: FxHashMap<EditId, Vec<PlannedInput>>,
    /// Those that are being followed.
    archives: Vec<ArchiveId>,
    /// The last edit of what is being followed.
    outer_edit: Option<EditId>,
    /// Of each unit the last edits of the objects that are linked; none for one as it was compiled.
    forms: FxHashMap<usize, BTreeSet<Option<EditId>>>,
}

impl Walk<'_> {
    /// The inputs of one link, the libraries in their places.
    fn inputs(
        &mut self,
        inputs: &[Input],
        libraries: &[LibraryInput],
        options: &[LinkOption],
    ) -> Vec<PlannedInput> {
        let mut planned = Vec::new();
        let mut libraries = libraries.iter().peekable();
        for (index, input) in inputs.iter().enumerate() {
            while let Some(library) =
                libraries.next_if(|library| library.position as usize <= index)
            {
                planned.push(self.library(library));
            }
            let script = LinkOption::LinkerScript(input.path.clone());
            if !options.contains(&script) {
                planned.extend(self.input(input, input.whole_archive));
            }
        }
        for library in libraries {
            planned.push(self.library(library));
        }
        planned
    }

    fn input(&mut self, input: &Input, whole_archive: bool) -> Option<PlannedInput> {
        match &input.origin {
            Origin::Compile(step) => self.unit(*step, whole_archive),
            Origin::Archive(archive) => self.archive(*archive, input, whole_archive),
            Origin::Link(link) => self.part(*link),
            Origin::Edit(edit) => self.edited(*edit, whole_archive),
            Origin::Data => Some(self.prebuilt(&input.path, PrebuiltReason::Data, whole_archive)),
            Origin::Outside => self.outside(&input.path, whole_archive),
            Origin::Unknown(reason) => {
                let reason = PrebuiltReason::NotMade(reason.clone());
                Some(self.prebuilt(&input.path, reason, whole_archive))
            }
        }
    }

    fn unit(&mut self, id: StepId, whole_archive: bool) -> Option<PlannedInput> {
        let unit = *self.positions.get(&id)?;
        let step = self.build.compiles.get(id.0 as usize)?;
        if let Some(path) = &step.output {
            self.planned.objects.push(UnitObject {
                unit,
                path: path.clone(),
            });
        }
        self.forms.entry(unit).or_default().insert(self.outer_edit);
        let route = self.units.get(unit).map(UnitCommand::route);
        let is_read = !matches!(route, Some(Route::NotAnalysed(_)) | None);
        let reason = match step.language {
            Language::C | Language::CPlusPlus if is_read => None,
            // LLVM IR is read as it is.
            Language::Other if route == Some(Route::LlvmText) => None,
            Language::Assembly => Some(PrebuiltReason::Assembly(unit)),
            Language::C | Language::CPlusPlus | Language::Other => {
                Some(PrebuiltReason::OtherLanguage(unit))
            }
        };
        if let Some(reason) = reason {
            self.prebuilt(&step.file, reason, whole_archive);
        }
        Some(PlannedInput::Unit(unit))
    }

    fn archive(
        &mut self,
        id: ArchiveId,
        input: &Input,
        whole_archive: bool,
    ) -> Option<PlannedInput> {
        let build = self.build;
        let step = build.archives.get(id.0 as usize)?;
        if self.archives.contains(&id) {
            return None;
        }
        self.archives.push(id);
        let mut members = Vec::new();
        for member in &step.members {
            let is_inside = member.path.parent() == Some(step.archive.as_path());
            members.extend(match (&member.origin, is_inside) {
                // A member of the file that no command put there is named as a file below it.
                (Origin::Unknown(reason), true) => {
                    let reason = PrebuiltReason::NotMade(reason.clone());
                    let name = member.path.file_name();
                    let planned = self.prebuilt_member(
                        &step.archive,
                        name.map(|name| name.to_string_lossy().into_owned()),
                        reason,
                        whole_archive,
                    );
                    Some(planned)
                }
                (
                    Origin::Unknown(_)
                    | Origin::Compile(_)
                    | Origin::Archive(_)
                    | Origin::Link(_)
                    | Origin::Edit(_)
                    | Origin::Data
                    | Origin::Outside,
                    _,
                ) => self.input(member, whole_archive),
            });
        }
        self.archives.pop();
        Some(PlannedInput::Archive {
            path: input.path.clone(),
            members,
            whole_archive,
            in_group: input.in_group,
        })
    }

    fn part(&mut self, id: LinkId) -> Option<PlannedInput> {
        if let Some(known) = self.parts.get(&id) {
            let planned = (*known != usize::MAX).then_some(PlannedInput::Part(*known));
            self.note_form(planned.as_ref(), self.outer_edit);
            return planned;
        }
        let build = self.build;
        let step = build.links.get(id.0 as usize)?;
        self.parts.insert(id, usize::MAX);
        let inputs = self.inputs(&step.inputs, &step.libraries, &step.options);
        let mut units = Vec::new();
        self.collect_units(&inputs, &mut units);
        units.sort_unstable();
        units.dedup();
        let number = self.planned.parts.len();
        self.planned.parts.push(LinkedPart {
            path: step.output.clone(),
            kind: step.kind,
            units,
            options: step.options.clone(),
            inputs,
        });
        self.parts.insert(id, number);
        Some(PlannedInput::Part(number))
    }

    /// The units below these inputs; of an edit the objects that it edits.
    fn collect_units(&self, inputs: &[PlannedInput], units: &mut Vec<usize>) {
        for input in inputs {
            match input {
                PlannedInput::Unit(unit) => units.push(*unit),
                PlannedInput::Archive { members, .. } => self.collect_units(members, units),
                PlannedInput::Part(part) => {
                    if let Some(part) = self.planned.parts.get(*part) {
                        units.extend(&part.units);
                    }
                }
                PlannedInput::Prebuilt(_) | PlannedInput::Library(_) => {}
            }
        }
    }

    fn edited(&mut self, id: EditId, whole_archive: bool) -> Option<PlannedInput> {
        if let Some(known) = self.edits.get(&id) {
            let planned = known.first().cloned();
            self.note_form(planned.as_ref(), self.outer_edit.or(Some(id)));
            return planned;
        }
        let build = self.build;
        let step = build.edits.get(id.0 as usize)?;
        self.edits.insert(id, Vec::new());
        let is_outermost = self.outer_edit.is_none();
        if is_outermost {
            self.outer_edit = Some(id);
        }
        let planned = self.input(&step.input, whole_archive);
        if is_outermost {
            self.outer_edit = None;
        }
        let planned = planned?;
        self.edits.insert(id, vec![planned.clone()]);
        if let PlannedInput::Prebuilt(number) = planned {
            self.planned.prebuilt[number].interface = Some(step.output.clone());
        }
        let mut units = Vec::new();
        self.collect_units(std::slice::from_ref(&planned), &mut units);
        units.sort_unstable();
        units.dedup();
        // Prebuilt code shows the edit in its symbols.
        if !units.is_empty() && !step.changes.is_empty() {
            self.planned.edits.push(ObjectEdit {
                units,
                changes: step.changes.clone(),
                is_only_form: true,
            });
        }
        Some(planned)
    }

    /// What was followed before is linked in one more form.
    fn note_form(&mut self, planned: Option<&PlannedInput>, form: Option<EditId>) {
        let mut units = Vec::new();
        self.collect_units(planned.map_or(&[], std::slice::from_ref), &mut units);
        for unit in units {
            self.forms.entry(unit).or_default().insert(form);
        }
    }

    fn outside(&mut self, path: &Path, whole_archive: bool) -> Option<PlannedInput> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_start_file = START_FILES.contains(&name.as_ref())
            || (name.starts_with("crtbegin") || name.starts_with("crtend")) && name.ends_with(".o");
        if is_start_file {
            return None;
        }
        if name.ends_with(".so") || name.contains(".so.") {
            self.planned.libraries.push(LinkedLibrary {
                name: name.into_owned(),
                path: Some(path.to_owned()),
                is_static: false,
                whole_archive,
            });
            let number = self.planned.libraries.len() - 1;
            return Some(PlannedInput::Library(number));
        }
        Some(self.prebuilt(path, PrebuiltReason::Outside, whole_archive))
    }

    fn library(&mut self, library: &LibraryInput) -> PlannedInput {
        let planned = LinkedLibrary {
            name: library.name.clone(),
            path: library.path.clone(),
            is_static: library
                .path
                .as_ref()
                .is_some_and(|path| path.extension().is_some_and(|extension| extension == "a")),
            whole_archive: library.whole_archive,
        };
        let libraries = &mut self.planned.libraries;
        let known = libraries.iter().position(|known| *known == planned);
        PlannedInput::Library(known.unwrap_or_else(|| {
            libraries.push(planned);
            libraries.len() - 1
        }))
    }

    fn prebuilt(
        &mut self,
        path: &Path,
        reason: PrebuiltReason,
        whole_archive: bool,
    ) -> PlannedInput {
        self.prebuilt_member(path, None, reason, whole_archive)
    }

    fn prebuilt_member(
        &mut self,
        path: &Path,
        member: Option<String>,
        reason: PrebuiltReason,
        whole_archive: bool,
    ) -> PlannedInput {
        let prebuilt = &mut self.planned.prebuilt;
        let known = prebuilt
            .iter_mut()
            .position(|known| known.path == path && known.member == member);
        if let Some(known) = known {
            prebuilt[known].whole_archive |= whole_archive;
            return PlannedInput::Prebuilt(known);
        }
        prebuilt.push(PrebuiltInput {
            path: path.to_owned(),
            member,
            reason,
            whole_archive,
            interface: None,
            presence: Presence::Own,
        });
        PlannedInput::Prebuilt(prebuilt.len() - 1)
    }
}
