//! **Question.** Which accesses and calls of a function have to do with what others do meanwhile?
//!
//! **Meaning.** Signal handlers and threads run between any two instructions. What they do shows in
//! the memory and the parts of the world that they write, and what a function does shows to them in
//! what they read or write. An access or a call that touches such things is an *event*, and so is
//! each access that is volatile, each call that leads to one, and assembly. Runs of two versions are
//! compared in which others do the same between the same events: that is what equal inputs mean where
//! there are others.
//!
//! **Rules.** All events so far are one token of the state ([`super::EVENTS`]). A load that is an
//! event is an unknown function of the token, the address, and the value that the function itself
//! left there. Each event makes a new token of the last one and of what it is.
//!
//! **Soundness.** What others do depends on what they read, and whatever the function does to that
//! is an event: so with equal tokens it is the same. Two loads of one place are two values, a store
//! that others may see counts even if another one follows it at once, and two versions agree only if
//! their events do, in order.

use super::frame::Frame;
use super::regions::flatten;
use super::{EVENTS, Evaluator, State, TOKEN, Undecided, Value};
use fixedbitset::FixedBitSet;
use knockon_change::Version;
use knockon_library::World;
use knockon_logic::terms::{Sort, TermId};
use knockon_memory::mod_ref::{MemoryEffect, WorldSet};
use knockon_memory::regions::RegionId;
use knockon_program::{
    Body, Constant, Flags, FunctionId, InstructionId, Intrinsic, Opcode, Operand, Program, TypeId,
};

/// What functions touch that may run between any two instructions.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Ascending.
    may_read: Vec<RegionId>,
    /// Ascending.
    may_write: Vec<RegionId>,
    world_reads: WorldSet,
    world_writes: WorldSet,
    /// Functions that may access what is volatile, or lead to such.
    volatile: FixedBitSet,
}

impl Others {
    pub fn of(version: Version<'_>) -> Others {
        let memory = version.memory;
        let mut others = Others {
            volatile: volatile(version),
            ..Others::default()
        };
        for function in &memory.meanwhile.interrupting {
            let effect = memory.mod_ref.function(&memory.regions, *function);
            // What one function alone knows, nobody else touches.
            let shared = |regions: &[RegionId]| -> Vec<RegionId> {
                let regions = regions.iter().copied();
                regions
                    .filter(|region| memory.regions.is_shared(*region))
                    .collect()
            };
            others.may_read.extend(shared(&effect.may_read));
            others.may_write.extend(shared(&effect.may_write));
            others.world_reads |= effect.world_reads;
            others.world_writes |= effect.world_writes;
        }
        for regions in [&mut others.may_read, &mut others.may_write] {
            // Of other processes.
            regions.extend(&memory.processes.shared);
        }
        for regions in [&mut others.may_read, &mut others.may_write] {
            regions.sort_unstable();
            regions.dedup();
        }
        others
    }

    /// Others may have written what is read.
    fn may_change(&self, read: &[RegionId]) -> bool {
        meets(read, &self.may_write)
    }

    /// Others may read what is written, or write it themselves.
    fn may_notice(&self, written: &[RegionId]) -> bool {
        meets(written, &self.may_read) || meets(written, &self.may_write)
    }

    fn concerns(&self, effect: &MemoryEffect) -> bool {
        let concerns_world = World::PARTS.iter().any(|part| {
            let is_read = effect.world_reads.contains(*part);
            // What was put out is read by nobody.
            let is_written = effect.world_writes.contains(*part) && *part != World::Output;
            is_read && self.world_writes.contains(*part)
                || is_written
                    && (self.world_reads.contains(*part) || self.world_writes.contains(*part))
        });
        concerns_world || self.may_change(&effect.may_read) || self.may_notice(&effect.may_write)
    }
}

/// The functions that may access what is volatile, and all that may lead to them.
fn volatile(version: Version<'_>) -> FixedBitSet {
    let Version { program, memory } = version;
    let mut found = FixedBitSet::with_capacity(program.functions.len());
    let mut work: Vec<FunctionId> = Vec::new();
    for (function, _, body) in program.defined_functions() {
        let mut ids = body.instruction_ids();
        if ids.any(|id| is_volatile(program, body, id)) {
            work.push(function);
        }
    }
    if work.is_empty() {
        return found;
    }
    let mut callers: Vec<Vec<FunctionId>> = vec![Vec::new(); program.functions.len()];
    for (caller, _, _) in program.defined_functions() {
        for site in memory.calls.sites_of(caller) {
            for (callee, ..) in memory.regions.entered(&memory.calls, site) {
                callers[callee.index()].push(caller);
            }
        }
    }
    while let Some(function) = work.pop() {
        if !found.put(function.index()) {
            work.append(&mut callers[function.index()]);
        }
    }
    found
}

/// The instruction accesses what is volatile, or is a copy of it.
pub(super) fn is_volatile(program: &Program, body: &Body, id: InstructionId) -> bool {
    let is_copy_of_volatile = || {
        let last = body.arguments(id).last();
        matches!(last, Some(Operand::Constant(constant))
            if matches!(program.constant(*constant), Constant::Integer { bits: 1, .. }))
    };
    body.instruction(id).flags.has(Flags::VOLATILE)
        || Intrinsic::called(program, body, id).is_some_and(Intrinsic::moves_memory)
            && is_copy_of_volatile()
}

/// One of the regions is among the others, which are ascending.
fn meets(regions: &[RegionId], others: &[RegionId]) -> bool {
    regions
        .iter()
        .any(|region| others.binary_search(region).is_ok())
}

impl<'a> Evaluator<'a, '_> {
    /// What is loaded may have been written by others.
    pub(super) fn is_seen_event(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let row = frame.body.instruction(id);
        let regions = self.version().memory.regions.function(frame.function);
        row.opcode == Opcode::Load && row.flags.has(Flags::VOLATILE)
            || self.others.may_change(regions.may_read(id))
    }

    /// What is written may be noticed by others.
    pub(super) fn is_shown_event(&self, frame: &Frame<'a>, id: InstructionId) -> bool {
        let row = frame.body.instruction(id);
        let regions = self.version().memory.regions.function(frame.function);
        row.opcode == Opcode::Store && row.flags.has(Flags::VOLATILE)
            || self.others.may_notice(regions.may_write(id))
    }

    /// The call may see what others do, or they what it does, or leads to what is volatile.
    pub(super) fn is_event(
        &self,
        frame: &Frame<'a>,
        id: InstructionId,
        effect: &MemoryEffect,
    ) -> bool {
        let Version { program, memory } = self.version();
        let is_assembly = matches!(
            frame.body.callee(id),
            Some(Operand::Constant(callee))
                if matches!(program.constant(callee), Constant::Assembly { .. })
        );
        let site = memory.calls.site_of(frame.function, id);
        let mut entered = site
            .into_iter()
            .flat_map(|site| memory.regions.entered(&memory.calls, site));
        is_assembly
            || self.others.concerns(effect)
            || entered.any(|row| self.others.volatile.contains(row.0.index()))
    }

    /// A load of what others may have written meanwhile, where the function itself left a value.
    pub(super) fn seen(
        &mut self,
        state: &mut State,
        at: TermId,
        left: &Value,
        type_id: TypeId,
    ) -> Result<Value, Undecided> {
        let mut given = vec![state.world[EVENTS], at];
        flatten(left, &mut given);
        let value = self.applied("seen meanwhile", &given, type_id)?;
        self.note_event(state, "look", &given[1..]);
        Ok(value)
    }

    /// Memory from which a part is copied that others may have written meanwhile.
    pub(super) fn seen_memory(
        &mut self,
        state: &mut State,
        left: TermId,
        from: TermId,
        size: TermId,
    ) -> TermId {
        let given = [state.world[EVENTS], left, from, size];
        let memory = self.terms.apply("seen meanwhile", &given, Sort::Memory);
        self.note_event(state, "look at", &given[1..]);
        memory
    }

    /// One more event.
    pub(super) fn note_event(&mut self, state: &mut State, what: &str, parts: &[TermId]) {
        let mut given = vec![state.world[EVENTS]];
        given.extend(parts);
        state.world[EVENTS] = self.terms.apply(format!("after {what}"), &given, TOKEN);
    }
}
