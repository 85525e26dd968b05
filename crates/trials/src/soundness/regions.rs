//! The laws of regions, mod/ref and memory SSA. Two instructions of a function that touched the
//! same byte in one activation may touch a common region, where a call counts with all that it
//! enters; and a read may see the write whose byte it read.
//!
//! What a function did that may run at any time (a signal handler) is not the doing of the call
//! during which it happened to run.

use super::{Analyses, Findings, Law, place_of};
use knockon_interpreter::{AccessKind, Flow, Overlap, Touch, Trace};
use knockon_memory::memory_ssa::{MemorySsa, memory_ssa};
use knockon_memory::regions::RegionId;
use knockon_program::{FunctionId, Node, Program};
use std::collections::{BTreeMap, BTreeSet};

pub fn check(program: &Program, analyses: &Analyses, trace: &Trace, findings: &mut Findings) {
    let mut law = RegionLaw::new(program, analyses, trace);
    for overlap in &trace.overlaps {
        law.check_overlap(*overlap, findings);
    }
    let mut current: Option<(FunctionId, Option<MemorySsa>)> = None;
    for flow in &trace.flows {
        if current.as_ref().is_none_or(|row| row.0 != flow.function) {
            let ssa = memory_ssa(
                program,
                &analyses.calls,
                &analyses.regions,
                &analyses.mod_ref,
                flow.function,
            );
            current = Some((flow.function, ssa));
        }
        if let Some((_, Some(ssa))) = &current {
            law.check_flow(*flow, ssa, findings);
        }
    }
}

struct RegionLaw<'a> {
    program: &'a Program,
    analyses: &'a Analyses,
    /// Calls that entered functions with a body.
    entering: BTreeSet<Node>,
    /// Those during which a function ran that may run at any time.
    interrupted: BTreeSet<Node>,
    /// What calls may read and write.
    effects: BTreeMap<Node, (Vec<RegionId>, Vec<RegionId>)>,
}

impl<'a> RegionLaw<'a> {
    fn new(program: &'a Program, analyses: &'a Analyses, trace: &Trace) -> RegionLaw<'a> {
        let mut law = RegionLaw {
            program,
            analyses,
            entering: BTreeSet::new(),
            interrupted: BTreeSet::new(),
            effects: BTreeMap::new(),
        };
        let anytime = &analyses.calls.entries.anytime;
        for (call, entered) in &trace.entered {
            if let Some(call) = call {
                law.entering.insert(*call);
                if anytime.contains(entered) {
                    law.interrupted.insert(*call);
                }
            }
        }
        // Callers of what was interrupted see the handler's doing, too.
        loop {
            let before = law.interrupted.len();
            let functions: BTreeSet<FunctionId> =
                law.interrupted.iter().map(|call| call.0).collect();
            for (call, entered) in &trace.entered {
                if let Some(call) = call
                    && functions.contains(entered)
                {
                    law.interrupted.insert(*call);
                }
            }
            if law.interrupted.len() == before {
                return law;
            }
        }
    }

    fn check_overlap(&mut self, overlap: Overlap, findings: &mut Findings) {
        let function = overlap.function;
        let node = |touch: Touch| (function, touch.instruction);
        let (one, other) = (node(overlap.one), node(overlap.other));
        if self.interrupted.contains(&one) || self.interrupted.contains(&other) {
            return;
        }
        // A callee may use memory that its caller never sees.
        if one == other && self.entering.contains(&one) {
            return;
        }
        let law = match self.entering.contains(&one) || self.entering.contains(&other) {
            true => Law::ModRef,
            false => Law::Regions,
        };
        findings.count(law, 1);
        let here = self.regions(function, overlap.one);
        let there = self.regions(function, overlap.other);
        if here.iter().any(|region| there.contains(region)) {
            return;
        }
        let message = format!(
            "in {} {} touched the same byte as {} of {}, but the first may touch {} and the second {}",
            self.program.function_name(function),
            verb(overlap.one.kind),
            verb(overlap.other.kind),
            place_of(self.program, other),
            self.names(&here),
            self.names(&there)
        );
        findings.violated(law, place_of(self.program, one), message);
    }

    /// What the instruction may read, or write.
    fn regions(&mut self, function: FunctionId, touch: Touch) -> Vec<RegionId> {
        let Analyses {
            calls,
            regions,
            mod_ref,
            ..
        } = self.analyses;
        let Some(site) = calls.site_of(function, touch.instruction) else {
            let regions = regions.function(function);
            return match touch.kind {
                AccessKind::Read => regions.may_read(touch.instruction).to_vec(),
                AccessKind::Write => regions.may_write(touch.instruction).to_vec(),
            };
        };
        let node = (function, touch.instruction);
        let (reads, writes) = self.effects.entry(node).or_insert_with(|| {
            let effect = mod_ref.call(calls, regions, site);
            (effect.may_read, effect.may_write)
        });
        match touch.kind {
            AccessKind::Read => reads.clone(),
            AccessKind::Write => writes.clone(),
        }
    }

    fn check_flow(&self, flow: Flow, ssa: &MemorySsa, findings: &mut Findings) {
        let read = (flow.function, flow.read);
        let written = flow.written.map(|written| (flow.function, written));
        let interrupted = |node: Node| self.interrupted.contains(&node);
        if interrupted(read) || written.is_some_and(interrupted) {
            return;
        }
        findings.count(Law::MemorySsa, 1);
        let seen: BTreeSet<_> = (ssa.uses.of(flow.read).iter())
            .flat_map(|definition| ssa.may_hold(*definition))
            .collect();
        if seen.contains(&flow.written) {
            return;
        }
        let place = |written: Option<Node>| match written {
            Some(written) => format!("what {} wrote", place_of(self.program, written)),
            None => "what was there before".to_string(),
        };
        let allowed: Vec<String> = (seen.iter().take(8))
            .map(|written| place(written.map(|written| (flow.function, written))))
            .collect();
        let message = format!(
            "in {} a read saw {}; it may only see {}",
            self.program.function_name(flow.function),
            place(written),
            allowed.join(", ")
        );
        findings.violated(Law::MemorySsa, place_of(self.program, read), message);
    }

    fn names(&self, regions: &[RegionId]) -> String {
        let all = &self.analyses.regions;
        let names: Vec<String> = (regions.iter().take(8))
            .map(|region| format!("{} ({})", all.name(self.program, *region), region.0))
            .collect();
        format!("{{{}}}", names.join(", "))
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "a read",
        AccessKind::Write => "a write",
    }
}
