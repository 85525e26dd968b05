//! **Question.** In which order may each procedure call which others?
//!
//! **Source.** [sea] §3.1: call sites and the control flow between them. The
//! callees of a call through a pointer are the functions whose address is
//! taken: sound, and coarse until points-to sets refine it.
//!
//! **Soundness.** Besides the functions there are pseudo procedures, so that
//! what the outside calls is in the relation too: one that calls *one* of the
//! address-taken functions (a call through a pointer), one that calls them
//! *again and again* (an external function that may call back), one for what
//! `exit` runs, and a root that runs constructors, then `main`, then the exit
//! handlers; without `main` the root calls every external function in any
//! order. Signal handlers and threads interleave with everything: a function
//! given to such an external is covered as a callback at that call only, and
//! the caveat says so.
//!
//! **Cost.** Linear in instructions.

use knockon_graphs::{ControlFlow, Rows, call_edges, control_flow};
use knockon_program::{
    BlockId, Caveat, CaveatKind, Constant, FunctionId, InstructionId, Linkage, Name, Operand,
    PlaceId, Program,
};
use rustc_hash::FxHashMap;

/// A function (its id), or one of the pseudo procedures numbered after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Procedure(pub u32);

impl Procedure {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<FunctionId> for Procedure {
    fn from(function: FunctionId) -> Procedure {
        Procedure(function.0)
    }
}

impl From<usize> for Procedure {
    fn from(index: usize) -> Procedure {
        Procedure(index as u32)
    }
}

impl From<Procedure> for usize {
    fn from(procedure: Procedure) -> usize {
        procedure.index()
    }
}

/// A call: where in the caller, and what is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    pub block: BlockId,
    pub instruction: InstructionId,
    pub callee: Procedure,
}

pub struct CallStructure {
    /// For each procedure its call sites, in instruction order.
    pub sites: Rows<Site>,
    /// For each procedure the (caller, number of the site in the caller's row).
    pub callers: Rows<(Procedure, u32)>,
    /// The flow between the blocks of each defined function and of each pseudo
    /// procedure.
    pub flows: Vec<Option<Flow>>,
    pub function_count: usize,
    pub caveats: Vec<Caveat>,
}

/// The blocks that may directly follow each block, and precede it.
pub struct Flow {
    pub successors: Rows<BlockId>,
    pub predecessors: Rows<BlockId>,
}

impl From<ControlFlow> for Flow {
    fn from(flow: ControlFlow) -> Flow {
        Flow {
            successors: flow.successors,
            predecessors: flow.predecessors,
        }
    }
}

/// C library functions that never call back into the program; the others are
/// assumed to.
const WITHOUT_CALLBACK: &str = include_str!("without_callback.txt");

pub fn call_structure(program: &Program) -> CallStructure {
    let count = program.functions.len();
    let one_of = Procedure::from(count);
    let any_of = Procedure::from(count + 1);
    let at_exit = Procedure::from(count + 2);
    let root = Procedure::from(count + 3);

    let edges = call_edges(program);
    let defined = |id: &FunctionId| program.function(*id).body.is_some();
    let address_taken: Vec<Procedure> = edges
        .address_taken
        .iter()
        .filter(|id| defined(id))
        .map(|id| Procedure::from(*id))
        .collect();
    let quiet = quiet_names(program);

    let mut sites: Vec<(Procedure, Site)> = Vec::new();
    let mut flows: Vec<Option<Flow>> = Vec::with_capacity(count + 4);
    let mut exit_handlers: Vec<Procedure> = Vec::new();
    let mut unmodelled: FxHashMap<FunctionId, u32> = FxHashMap::default();
    let mut caveats: Vec<Caveat> = Vec::new();

    for (caller, function) in program.functions.iter().enumerate() {
        let Some(body) = &function.body else {
            flows.push(None);
            continue;
        };
        flows.push(Some(control_flow(body).into()));
        for block in body.block_ids() {
            for instruction in body.instructions_of(block) {
                let Some(callee) = body.callee(instruction) else {
                    continue;
                };
                let callee = match resolve(program, callee) {
                    Callee::Function(id) if defined(&id) => Procedure::from(id),
                    Callee::Function(id) => match program.name(program.function(id).name) {
                        "exit" | "quick_exit" => at_exit,
                        "atexit" | "at_quick_exit" | "on_exit" | "__cxa_atexit" => {
                            match body.arguments(instruction).first() {
                                Some(Operand::Constant(handler)) => {
                                    exit_handlers.extend(
                                        program
                                            .called_function(*handler)
                                            .filter(defined)
                                            .map(Procedure::from),
                                    );
                                }
                                _ => exit_handlers.extend(&address_taken),
                            }
                            continue;
                        }
                        _ if quiet.contains_key(&program.function(id).name) => continue,
                        name if name.starts_with("llvm.") => continue,
                        _ => {
                            *unmodelled.entry(id).or_default() += 1;
                            any_of
                        }
                    },
                    Callee::EmptyAssembly => continue,
                    Callee::Assembly => any_of,
                    Callee::Computed => {
                        caveats.push(Caveat {
                            kind: CaveatKind::IndirectCall,
                            function: function.name,
                            place: body.instruction(instruction).place,
                            message: format!(
                                "{} calls through a pointer; each of the {} functions whose address is taken is assumed",
                                program.name(function.name),
                                address_taken.len()
                            ),
                        });
                        one_of
                    }
                };
                sites.push((
                    Procedure::from(caller),
                    Site {
                        block,
                        instruction,
                        callee,
                    },
                ));
            }
        }
    }
    let mut unmodelled: Vec<(FunctionId, u32)> = unmodelled.into_iter().collect();
    unmodelled.sort();
    for (id, calls) in unmodelled {
        let name = program.function(id).name;
        caveats.push(Caveat {
            kind: CaveatKind::UnmodelledExternal,
            function: name,
            place: PlaceId(0),
            message: format!(
                "{} ({calls} calls) may call back every function whose address is taken",
                program.name(name)
            ),
        });
    }

    exit_handlers.sort();
    exit_handlers.dedup();
    let procedures = |entries: &[knockon_program::InitialiserEntry]| -> Vec<Procedure> {
        entries
            .iter()
            .map(|entry| Procedure::from(entry.function))
            .collect()
    };
    // Exit handlers run in the reverse order of their registration, which is not
    // known here: any order, then the destructors.
    let mut pseudo = PseudoProcedures {
        sites: &mut sites,
        flows: &mut flows,
    };
    pseudo.add(one_of, &[Part::OneOf(&address_taken)]);
    pseudo.add(any_of, &[Part::Repeatedly(&address_taken)]);
    let destructors = procedures(&program.destructors);
    let mut exit_parts = vec![Part::Repeatedly(&exit_handlers)];
    exit_parts.extend(
        destructors
            .iter()
            .map(|one| Part::OneOf(std::slice::from_ref(one))),
    );
    pseudo.add(at_exit, &exit_parts);
    let constructors = procedures(&program.constructors);
    let mains: Vec<Procedure> = program
        .functions_named("main")
        .into_iter()
        .filter(|id| defined(id))
        .map(Procedure::from)
        .collect();
    let external: Vec<Procedure> = program
        .defined_functions()
        .filter(|(_, function, _)| !function.linkage.is_local())
        .filter(|(_, function, _)| function.linkage != Linkage::AvailableExternally)
        .map(|(id, _, _)| Procedure::from(id))
        .collect();
    let mut root_parts: Vec<Part> = constructors
        .iter()
        .map(|one| Part::OneOf(std::slice::from_ref(one)))
        .collect();
    root_parts.push(match mains.is_empty() {
        true => Part::Repeatedly(&external),
        false => Part::OneOf(&mains),
    });
    let exit = [at_exit];
    root_parts.push(Part::OneOf(&exit));
    pseudo.add(root, &root_parts);

    let procedure_count = count + 4;
    let callers: Vec<(Procedure, (Procedure, u32))> = {
        let mut next = vec![0u32; procedure_count];
        sites
            .iter()
            .map(|(caller, site)| {
                let number = next[caller.index()];
                next[caller.index()] += 1;
                (site.callee, (*caller, number))
            })
            .collect()
    };
    CallStructure {
        sites: Rows::from_pairs(procedure_count, &sites),
        callers: Rows::from_pairs(procedure_count, &callers),
        flows,
        function_count: count,
        caveats,
    }
}

enum Callee {
    Function(FunctionId),
    EmptyAssembly,
    Assembly,
    Computed,
}

fn resolve(program: &Program, callee: Operand) -> Callee {
    let Operand::Constant(constant) = callee else {
        return Callee::Computed;
    };
    match (
        program.called_function(constant),
        program.constant(constant),
    ) {
        (Some(function), _) => Callee::Function(function),
        (None, Constant::Assembly { template, .. }) if program.name(*template).is_empty() => {
            Callee::EmptyAssembly
        }
        (None, Constant::Assembly { .. }) => Callee::Assembly,
        (None, _) => Callee::Computed,
    }
}

fn quiet_names(program: &Program) -> FxHashMap<Name, ()> {
    let quiet: rustc_hash::FxHashSet<&str> = WITHOUT_CALLBACK.split_whitespace().collect();
    program
        .functions
        .iter()
        .filter(|function| quiet.contains(program.name(function.name)))
        .map(|function| (function.name, ()))
        .collect()
}

/// A stretch of a pseudo procedure.
enum Part<'a> {
    OneOf(&'a [Procedure]),
    Repeatedly(&'a [Procedure]),
}

struct PseudoProcedures<'a> {
    sites: &'a mut Vec<(Procedure, Site)>,
    flows: &'a mut Vec<Option<Flow>>,
}

impl PseudoProcedures<'_> {
    /// Each callee gets a block of its own. Between two parts stands an empty
    /// block, so that edges stay linear in the number of callees.
    fn add(&mut self, procedure: Procedure, parts: &[Part]) {
        let mut edges: Vec<(BlockId, BlockId)> = Vec::new();
        let mut blocks = 1u32;
        let mut before = BlockId(0);
        for part in parts {
            let (callees, repeated) = match part {
                Part::OneOf(callees) => (callees, false),
                Part::Repeatedly(callees) => (callees, true),
            };
            let after = BlockId(blocks + callees.len() as u32);
            edges.push((before, after));
            for callee in *callees {
                let block = BlockId(blocks);
                blocks += 1;
                edges.push((before, block));
                edges.push((block, if repeated { before } else { after }));
                self.sites.push((
                    procedure,
                    Site {
                        block,
                        instruction: InstructionId(block.0),
                        callee: *callee,
                    },
                ));
            }
            blocks += 1;
            before = after;
        }
        let successors = Rows::from_pairs(blocks as usize, &edges);
        debug_assert_eq!(self.flows.len(), procedure.index());
        self.flows.push(Some(Flow {
            predecessors: successors.reversed(),
            successors,
        }));
    }
}
