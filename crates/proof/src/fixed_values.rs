//! **Question.** Which functions name a variable whose value is fixed, and another one in the new
//! version?
//!
//! A function is compared given the same memory. A constant, or a variable of one file that nothing
//! writes, is no such memory: its value is part of the program. A function that names one whose value
//! changed is not the same code over the same functions, though not one of its instructions
//! changed.
//!
//! **Rules.** A function names a variable if one of its operands does, or if one names a variable
//! whose initialiser does. Proofs know what is in a constant, and which constants it points to; what a
//! variable points to is memory that is given, so a function that names a changed one by way of a
//! variable names something that proofs do not know. Two initialisers are the same if they point to
//! variables of the same name, or to constants without a name (`.str.1` only says which literal of its
//! file it is) that hold the same. What may be done with a variable is part of the program as well: a
//! function that names one which is smaller, constant or less aligned in the new version may be undefined
//! there alone.
//!
//! **Cost.** Nothing where no initialiser changed; else linear in constants, operands and what
//! functions may write.

use fixedbitset::FixedBitSet;
use knockon_change::{Change, Side, Sides, Version};
use knockon_memory::regions::Allocation;
use knockon_program::{Constant, ConstantId, GlobalId, GlobalVariable, Linkage, Operand, Program};
use rustc_hash::FxHashSet;

/// Constants without a name that point to each other are compared to this depth.
const MOST_WITHIN: usize = 16;

/// By function of each version.
#[derive(Default)]
pub(crate) struct NamesOfFixed {
    /// It names a constant whose value is another one: proofs know the values.
    pub constants: Sides<FixedBitSet>,
    /// It names a variable that nothing writes, or a variable that points to a changed one at the
    /// start: proofs take it for memory that is given.
    pub unwritten: Sides<FixedBitSet>,
    /// It names a variable that allows less in the new version: it is smaller, constant, or less
    /// aligned. Proofs know what may be done with a variable.
    pub narrowed: Sides<FixedBitSet>,
}

pub(crate) fn names_of_fixed(versions: Sides<Version<'_>>, change: &Change) -> NamesOfFixed {
    let programs = Sides {
        old: versions.old.program,
        new: versions.new.program,
    };
    let is_constant = |side: Side, id: GlobalId| programs.of(side).globals[id.index()].is_constant;
    let mut constants: Sides<Vec<GlobalId>> = Sides::default();
    let mut variables: Sides<Vec<GlobalId>> = Sides::default();
    for row in &change.globals {
        let (Some(old), Some(new)) = (row.old, row.new) else {
            continue;
        };
        let gives_way =
            |side: Side, id: GlobalId| programs.of(side).globals[id.index()].linkage.gives_way();
        let is_alike = gives_way(Side::Old, old) == gives_way(Side::New, new);
        if is_alike && has_same_value(programs, old, new) {
            continue;
        }
        let is_fixed = is_constant(Side::Old, old) || is_constant(Side::New, new);
        let rows = match is_fixed {
            true => &mut constants,
            false => &mut variables,
        };
        rows.old.push(old);
        rows.new.push(new);
    }
    let narrowed = narrowed(versions, change);
    let written = |side: Side| written(*versions.of(side), variables.of(side));
    let (old, new) = (written(Side::Old), written(Side::New));
    let is_written =
        |at: usize| old.contains(&variables.old[at]) || new.contains(&variables.new[at]);
    let kept: Vec<usize> = (0..variables.old.len())
        .filter(|at| !is_written(*at))
        .collect();
    let kept_of =
        |side: Side| -> Vec<GlobalId> { kept.iter().map(|at| variables.of(side)[*at]).collect() };
    let unwritten = Sides {
        old: kept_of(Side::Old),
        new: kept_of(Side::New),
    };
    let mut found = NamesOfFixed::default();
    for side in Side::BOTH {
        let program = *programs.of(side);
        let named = reaching(program, constants.of(side), |global| global.is_constant);
        *found.constants.of_mut(side) = naming(program, &named);
        let named = reaching(program, narrowed.of(side), |_| true);
        *found.narrowed.of_mut(side) = naming(program, &named);
        let changed = [&constants.of(side)[..], &unwritten.of(side)[..]].concat();
        let mut leading = reaching(program, &changed, |_| true);
        leading.retain(|id| !has_known_content(program, *id));
        let leading: Vec<GlobalId> = leading.into_iter().collect();
        // A constant table may point to such a variable.
        let named = reaching(program, &leading, |global| global.is_constant);
        *found.unwritten.of_mut(side) = naming(program, &named);
    }
    found
}

/// A variable of both versions that has another value before anything runs. A function is compared
/// given the same values, so that this is no difference of the functions that name it.
pub struct OtherStart {
    /// As in the source.
    pub name: String,
    /// The functions that name it.
    pub naming: Sides<FixedBitSet>,
}

pub fn other_starts(versions: Sides<Version<'_>>, change: &Change) -> Vec<OtherStart> {
    let programs = Sides {
        old: versions.old.program,
        new: versions.new.program,
    };
    let global = |side: Side, id: GlobalId| &programs.of(side).globals[id.index()];
    let mut found = Vec::new();
    for row in &change.globals {
        let (Some(old), Some(new)) = (row.old, row.new) else {
            continue;
        };
        let is_fixed = global(Side::Old, old).is_constant || global(Side::New, new).is_constant;
        if is_fixed || has_same_value(programs, old, new) {
            continue;
        }
        let named = |side: Side, id: GlobalId| {
            let program = programs.of(side);
            naming(
                program,
                &reaching(program, &[id], |global| global.is_constant),
            )
        };
        let variable = global(Side::New, new);
        let name = match programs.new.name(variable.source_name) {
            "" => programs.new.name(variable.name),
            name => name,
        };
        found.push(OtherStart {
            name: name.to_owned(),
            naming: Sides {
                old: named(Side::Old, old),
                new: named(Side::New, new),
            },
        });
    }
    found
}

/// Pairs of variables of which the new one allows less. That one is constant matters where something
/// may write the old one.
fn narrowed(versions: Sides<Version<'_>>, change: &Change) -> Sides<Vec<GlobalId>> {
    let (before, after) = (versions.old.program, versions.new.program);
    let size = |program: &Program, global: &GlobalVariable| program.size_of(global.value_type);
    let mut found: Sides<Vec<GlobalId>> = Sides::default();
    let mut constants: Vec<(GlobalId, GlobalId)> = Vec::new();
    for (old, new) in &change.paired_globals {
        let (one, two) = (&before.globals[old.index()], &after.globals[new.index()]);
        if size(after, two) < size(before, one) || two.alignment < one.alignment {
            found.old.push(*old);
            found.new.push(*new);
        } else if two.is_constant && !one.is_constant {
            constants.push((*old, *new));
        }
    }
    let old: Vec<GlobalId> = constants.iter().map(|row| row.0).collect();
    let written = written(versions.old, &old);
    for (old, new) in constants {
        if written.contains(&old) {
            found.old.push(old);
            found.new.push(new);
        }
    }
    found
}

/// Proofs look into it: it is a constant, and no other definition can take its place.
fn has_known_content(program: &Program, id: GlobalId) -> bool {
    let global = &program.globals[id.index()];
    global.is_constant && !global.linkage.gives_way()
}

/// Both start with the same value.
fn has_same_value(programs: Sides<&Program>, old: GlobalId, new: GlobalId) -> bool {
    has_same_content(programs, old, new, &mut Vec::new())
}

fn has_same_content(
    programs: Sides<&Program>,
    old: GlobalId,
    new: GlobalId,
    within: &mut Vec<GlobalId>,
) -> bool {
    let global = |side: Side, id: GlobalId| &programs.of(side).globals[id.index()];
    let (one, two) = (global(Side::Old, old), global(Side::New, new));
    let sizes = (
        programs.old.size_of(one.value_type),
        programs.new.size_of(two.value_type),
    );
    match (one.initialiser, two.initialiser) {
        (Some(one), Some(two)) => sizes.0 == sizes.1 && is_same(programs, one, two, within),
        // What another unit defines is given.
        (None, None) => true,
        _ => false,
    }
}

/// Constants without a name that are being compared are in `within`: what leads to itself is not
/// known to be the same.
fn is_same(
    programs: Sides<&Program>,
    old: ConstantId,
    new: ConstantId,
    within: &mut Vec<GlobalId>,
) -> bool {
    let size = |side: Side, type_id| programs.of(side).size_of(type_id);
    let global = |side: Side, id: GlobalId| &programs.of(side).globals[id.index()];
    match (programs.old.constant(old), programs.new.constant(new)) {
        (
            Constant::Integer {
                type_id: one,
                bits: left,
            },
            Constant::Integer {
                type_id: two,
                bits: right,
            },
        )
        | (
            Constant::Float {
                type_id: one,
                bits: left,
            },
            Constant::Float {
                type_id: two,
                bits: right,
            },
        ) => left == right && size(Side::Old, *one) == size(Side::New, *two),
        (Constant::Null(_), Constant::Null(_)) => true,
        (Constant::Zero(one), Constant::Zero(two)) => {
            size(Side::Old, *one) == size(Side::New, *two)
        }
        (Constant::Bytes { bytes: one, .. }, Constant::Bytes { bytes: two, .. }) => one == two,
        (Constant::Aggregate { elements: one, .. }, Constant::Aggregate { elements: two, .. }) => {
            let mut rows = one.iter().zip(two);
            one.len() == two.len() && rows.all(|(old, new)| is_same(programs, *old, *new, within))
        }
        (Constant::Global(one), Constant::Global(two)) => {
            let (left, right) = (global(Side::Old, *one), global(Side::New, *two));
            if left.linkage == Linkage::Private || right.linkage == Linkage::Private {
                let is_plain = left.is_constant && right.is_constant;
                let is_new = !within.contains(one) && within.len() < MOST_WITHIN;
                if !is_plain || !is_new {
                    return false;
                }
                within.push(*one);
                let is_same = has_same_content(programs, *one, *two, within);
                within.pop();
                return is_same;
            }
            let name = |side: Side, global: &GlobalVariable| programs.of(side).name(global.name);
            name(Side::Old, left) == name(Side::New, right)
        }
        (Constant::Function(one), Constant::Function(two)) => {
            programs.old.function_name(*one) == programs.new.function_name(*two)
        }
        _ => false,
    }
}

/// Variables of one file that nothing writes: their value is part of the program.
pub fn unwritten_variables(version: Version<'_>) -> FxHashSet<GlobalId> {
    let count = version.program.globals.len();
    let mut all: FxHashSet<GlobalId> = (0..count).map(GlobalId::from_index).collect();
    let variables: Vec<GlobalId> = all.iter().copied().collect();
    for id in written(version, &variables) {
        all.remove(&id);
    }
    all
}

/// Those that something may write, or that another unit sees.
fn written(version: Version<'_>, variables: &[GlobalId]) -> FxHashSet<GlobalId> {
    let Version { program, memory } = version;
    let is_seen = |id: &&GlobalId| {
        let linkage = program.globals[id.index()].linkage;
        !matches!(linkage, Linkage::Internal | Linkage::Private)
    };
    let mut written: FxHashSet<GlobalId> = variables.iter().filter(is_seen).copied().collect();
    if written.len() == variables.len() {
        return written;
    }
    for function in program.function_ids() {
        let effect = memory.mod_ref.function(&memory.regions, function);
        for region in effect.may_write {
            let allocations = memory.regions.allocations(region).iter();
            written.extend(allocations.filter_map(|row| match row {
                Allocation::Global(id) => Some(*id),
                _ => None,
            }));
        }
    }
    written
}

/// The variables, and those of which the initialiser names one, among those that are followed.
fn reaching(
    program: &Program,
    variables: &[GlobalId],
    is_followed: impl Fn(&GlobalVariable) -> bool,
) -> FxHashSet<GlobalId> {
    let mut named: FxHashSet<GlobalId> = variables.iter().copied().collect();
    if named.is_empty() {
        return named;
    }
    loop {
        let before = named.len();
        let constants = constants_naming(program, &named);
        for (at, global) in program.globals.iter().enumerate() {
            let is_naming = |id: ConstantId| constants.contains(id.index());
            if is_followed(global) && global.initialiser.is_some_and(is_naming) {
                named.insert(GlobalId::from_index(at));
            }
        }
        if before == named.len() {
            return named;
        }
    }
}

/// By constant: one of the variables is in it.
fn constants_naming(program: &Program, named: &FxHashSet<GlobalId>) -> FixedBitSet {
    let mut constants = FixedBitSet::with_capacity(program.constants.len());
    loop {
        let before = constants.count_ones(..);
        // Parts stand before what they are part of, but for what an alias stands for.
        for at in 0..program.constants.len() {
            let has = |id: &ConstantId| constants.contains(id.index());
            let is_naming = match program.constant(ConstantId::from_index(at)) {
                Constant::Global(id) => named.contains(id),
                Constant::Alias(id) => has(&program.aliases[id.index()].aliasee),
                Constant::Aggregate { elements, .. } => elements.iter().any(has),
                Constant::Expression(expression) => expression.operands.iter().any(has),
                _ => false,
            };
            constants.set(at, is_naming);
        }
        if before == constants.count_ones(..) {
            return constants;
        }
    }
}

/// By function: it names one of the variables.
fn naming(program: &Program, variables: &FxHashSet<GlobalId>) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(program.functions.len());
    if variables.is_empty() {
        return found;
    }
    let constants = constants_naming(program, variables);
    for (function, _, body) in program.defined_functions() {
        let mut operands = body.instruction_ids().flat_map(|id| body.operands(id));
        let is_naming = operands.any(|operand| match operand {
            Operand::Constant(id) => constants.contains(id.index()),
            _ => false,
        });
        found.set(function.index(), is_naming);
    }
    found
}
