//! Regions and mod/ref sets against what runs of the interpreter really touch.

use knockon_interpreter::{AccessKind, Exit, RunInput, Touch, Trace};
use knockon_library::library;
use knockon_memory::call_graph::CallGraph;
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::mod_ref::{ModRef, mod_ref};
use knockon_memory::precise_call_graph::precise_call_graph;
use knockon_memory::regions::{RegionId, Regions, regions_within};
use knockon_program::{FunctionId, Program, TimeLimit};

/// What a run was held to.
#[derive(Default)]
pub struct Verdict {
    pub checked: usize,
    pub violations: Vec<String>,
}

struct Law<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    regions: &'a Regions,
    effects: &'a ModRef,
}

impl Law<'_> {
    /// What the instruction may touch; a call with all that it enters.
    fn touched(&self, function: FunctionId, touch: Touch) -> Vec<RegionId> {
        if let Some(site) = self.calls.site_of(function, touch.instruction) {
            let effect = self.effects.call(self.calls, self.regions, site);
            return match touch.kind {
                AccessKind::Read => effect.may_read,
                AccessKind::Write => effect.may_write,
            };
        }
        let own = self.regions.function(function);
        match touch.kind {
            AccessKind::Read => own.may_read(touch.instruction).to_vec(),
            AccessKind::Write => own.may_write(touch.instruction).to_vec(),
        }
    }

    fn describe(&self, function: FunctionId, touch: Touch, touched: &[RegionId]) -> String {
        let body = self
            .program
            .function(function)
            .body
            .as_ref()
            .expect("a body");
        let row = body.instruction(touch.instruction);
        let line = self.program.place(row.place).line;
        let names: Vec<String> = touched
            .iter()
            .take(9)
            .map(|region| format!("{}#{}", self.regions.name(self.program, *region), region.0))
            .collect();
        let kind = touch.kind;
        let opcode = row.opcode.mnemonic();
        format!(
            "{kind:?} by {opcode} in line {line} of {{{}}}",
            names.join(", ")
        )
    }
}

/// Instructions of one activation that touch the same byte may touch a common region; `None` if
/// the run is no evidence.
pub fn hold_to_run(program: &Program, input: &RunInput) -> Option<Verdict> {
    let input = RunInput {
        trace: true,
        ..input.clone()
    };
    let run = knockon_interpreter::run(program, &input);
    if matches!(run.exit, Exit::Undefined { .. } | Exit::Unsupported(_)) {
        return None;
    }
    let trace = run.trace?;
    let mut verdict = Verdict::default();
    let coarse = coarse_call_graph(program);
    let (precise, points_to) =
        precise_call_graph(program, TimeLimit::NONE).expect("there is no limit");
    for (calls, points_to) in [(coarse, None), (precise, Some(&points_to))] {
        let regions = regions_within(program, &calls, library(), points_to, TimeLimit::NONE)
            .expect("there is no limit");
        let effects = mod_ref(program, &calls, library(), &regions, TimeLimit::NONE)
            .expect("there is no limit");
        let law = Law {
            program,
            calls: &calls,
            regions: &regions,
            effects: &effects,
        };
        law.check(&trace, &mut verdict);
    }
    Some(verdict)
}

impl Law<'_> {
    fn check(&self, trace: &Trace, verdict: &mut Verdict) {
        for overlap in &trace.overlaps {
            let function = overlap.function;
            let is_call = self
                .calls
                .site_of(function, overlap.one.instruction)
                .is_some();
            if is_call && overlap.one.instruction == overlap.other.instruction {
                // Memory that lives during the call only is none of the caller's.
                continue;
            }
            let one = self.touched(function, overlap.one);
            let other = self.touched(function, overlap.other);
            verdict.checked += 1;
            if !one.iter().any(|region| other.contains(region)) {
                verdict.violations.push(format!(
                    "{}: {} and {}",
                    self.program.function_name(function),
                    self.describe(function, overlap.one, &one),
                    self.describe(function, overlap.other, &other)
                ));
            }
        }
    }
}
