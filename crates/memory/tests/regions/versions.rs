//! Memory SSA against the classical data flow, and on small programs.

use super::compiled::compile;
use super::random_programs::random_program;
use knockon_graphs::control_flow;
use knockon_library::library;
use knockon_memory::coarse_call_graph::coarse_call_graph;
use knockon_memory::memory_ssa::{MemorySsa, Variable, memory_ssa, verify_memory_ssa};
use knockon_memory::mod_ref::mod_ref;
use knockon_memory::regions::regions;
use knockon_program::{Body, InstructionId, TimeLimit};
use std::collections::{BTreeMap, BTreeSet};

type Reaching = BTreeMap<Variable, BTreeSet<Option<InstructionId>>>;

/// The definition of reaching definitions, iterated from above: each instruction's writes by
/// variable, and whether they end the old value.
fn reaching_definitions(
    body: &Body,
    writes: &BTreeMap<InstructionId, Vec<(Variable, bool)>>,
    variables: &[Variable],
) -> Vec<Reaching> {
    let flow = control_flow(body);
    let mut before: Vec<Reaching> = vec![Reaching::new(); body.instructions.len()];
    let mut at_start: Vec<Reaching> = vec![Reaching::new(); body.blocks.len()];
    for variable in variables {
        at_start[0].insert(*variable, BTreeSet::from([None]));
    }
    loop {
        let mut changed = false;
        for block in &flow.reverse_postorder {
            let mut state = at_start[block.index()].clone();
            for id in body.instructions_of(*block) {
                before[id.index()] = state.clone();
                for (variable, overwrites) in writes.get(&id).into_iter().flatten() {
                    let held = state.entry(*variable).or_default();
                    if *overwrites {
                        held.clear();
                    }
                    held.insert(Some(id));
                }
            }
            for next in flow.successors.of(*block) {
                let target = &mut at_start[next.index()];
                for (variable, held) in &state {
                    let into = target.entry(*variable).or_default();
                    let count = into.len();
                    into.extend(held);
                    changed |= into.len() != count;
                }
            }
        }
        if !changed {
            return before;
        }
    }
}

fn writes_of(
    ssa: &MemorySsa,
    body: &Body,
    overwritten: impl Fn(InstructionId) -> Option<Variable>,
) -> BTreeMap<InstructionId, Vec<(Variable, bool)>> {
    body.instruction_ids()
        .map(|id| {
            let defines = ssa.defines.of(id).iter();
            let row = defines.map(|definition| {
                let variable = ssa.variable(*definition);
                (variable, overwritten(id) == Some(variable))
            });
            (id, row.collect())
        })
        .collect()
}

#[test]
fn what_a_read_may_see_are_the_reaching_definitions() {
    let mut overwriting = 0;
    for seed in 0..400 {
        let program = random_program(seed);
        let calls = coarse_call_graph(&program);
        let regions =
            regions(&program, &calls, library(), TimeLimit::NONE).expect("there is no limit");
        let effects = mod_ref(&program, &calls, library(), &regions, TimeLimit::NONE)
            .expect("there is no limit");
        for (function, _, body) in program.defined_functions() {
            let ssa = memory_ssa(&program, &calls, &regions, &effects, function).expect("a body");
            assert_eq!(verify_memory_ssa(body, &ssa), Ok(()), "seed {seed}");
            let overwritten = |id| regions.overwritten(function, id).map(Variable::Region);
            let writes = writes_of(&ssa, body, overwritten);
            let strong = writes.values().flatten().filter(|row| row.1);
            overwriting += strong.count();
            let expected = reaching_definitions(body, &writes, &ssa.variables);
            let flow = control_flow(body);
            for block in &flow.reverse_postorder {
                for id in body.instructions_of(*block) {
                    for definition in ssa.uses.of(id) {
                        let variable = ssa.variable(*definition);
                        let ours: BTreeSet<_> = ssa.may_hold(*definition).into_iter().collect();
                        assert_eq!(
                            ours,
                            expected[id.index()][&variable],
                            "seed {seed}: {id:?} {variable:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(overwriting > 50, "only {overwriting} stores overwrite");
}

#[test]
fn a_store_to_a_variable_hides_the_one_before() {
    let program = compile(
        r#"
static int state;
extern int printf(const char *, ...);
int run(void) {
    state = 1;
    state = 2;
    return state;
}
"#,
    );
    let effects = mod_ref(
        &program.program,
        &program.calls,
        library(),
        &program.regions,
        TimeLimit::NONE,
    )
    .expect("there is no limit");
    let run = program.function("run");
    let ssa = memory_ssa(
        &program.program,
        &program.calls,
        &program.regions,
        &effects,
        run,
    );
    let ssa = ssa.expect("a body");
    let body = program.program.function(run).body.as_ref().expect("a body");
    let load = body
        .instruction_ids()
        .find(|id| !program.regions.function(run).may_read(*id).is_empty())
        .expect("a load");
    let [seen] = ssa.uses.of(load) else {
        panic!("one region is read");
    };
    assert_eq!(ssa.may_hold(*seen).len(), 1);
}
