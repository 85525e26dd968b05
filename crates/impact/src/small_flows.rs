//! Call flows for the laws: all small ones, and random larger ones.

use crate::Procedure;
use crate::call_flow::{CallFlow, CallFlowBuilder, NodeRow, Way};
use knockon_memory::call_graph::{CallGraph, CallSite, CallSiteId};
use knockon_program::{BlockId, FunctionId, InstructionId};

/// A node before it is built: numbers below the procedure's node count are its own nodes, the
/// next three numbers are its ends.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub targets: Vec<usize>,
    pub goes_on: [bool; 3],
    pub successors: Vec<usize>,
    pub catches: Option<usize>,
    pub unwinds: bool,
}

#[derive(Clone, Debug, Default)]
pub struct ProcedureShape {
    pub nodes: Vec<Shape>,
    pub landing: Option<usize>,
}

/// Every procedure is a function, and every node is a call site; their numbers go through. A call
/// without successors gets a joint, as builders of real flows give it.
pub fn build(shapes: &[ProcedureShape], anytime: &[usize]) -> CallFlow {
    let mut builder = CallFlowBuilder::default();
    let mut sites = (0..).map(CallSiteId);
    for shape in shapes {
        builder.begin_procedure();
        let nodes: Vec<_> = shape
            .nodes
            .iter()
            .map(|node| {
                let row = NodeRow {
                    site: sites.next(),
                    goes_on: node.goes_on,
                    unwinds: node.unwinds,
                    ..NodeRow::default()
                };
                let targets: Vec<Procedure> =
                    node.targets.iter().map(|at| Procedure::from(*at)).collect();
                builder.call(row, &targets)
            })
            .collect();
        let ends = Way::ALL.map(|way| builder.node(NodeRow::end(way)));
        let nothing = builder.node(NodeRow::default());
        let all: Vec<_> = nodes.iter().copied().chain(ends).collect();
        for (node, shape) in nodes.iter().zip(&shape.nodes) {
            for next in &shape.successors {
                builder.edge(*node, all[*next]);
            }
            if shape.successors.is_empty() {
                builder.edge(*node, nothing);
            }
            builder.row_mut(*node).catches = shape.catches.map(|at| all[at]);
        }
        if let Some(landing) = shape.landing {
            builder.set_landing(all[landing]);
        }
    }
    let anytime = anytime.iter().map(|at| Procedure::from(*at)).collect();
    builder.finish(shapes.len(), shapes.len(), anytime)
}

/// The call graph of the same program.
pub fn call_graph(shapes: &[ProcedureShape]) -> CallGraph {
    let mut graph = CallGraph::default();
    for (caller, shape) in shapes.iter().enumerate() {
        graph.first_site.push(graph.sites.len() as u32);
        for (number, node) in shape.nodes.iter().enumerate() {
            graph.sites.push(CallSite {
                caller: FunctionId::from_index(caller),
                block: BlockId(0),
                instruction: InstructionId::from_index(number),
                calls_unmodelled: false,
                only_replacements: false,
                exits: false,
            });
            let targets = node.targets.iter().map(|at| FunctionId::from_index(*at));
            graph.targets.push_row(targets);
            graph.externals.push_row([]);
            graph.callbacks.push_row([]);
        }
    }
    graph.first_site.push(graph.sites.len() as u32);
    graph
}

/// The digits of a number, each with its own base.
pub struct Digits(pub usize);

impl Digits {
    pub fn next(&mut self, base: usize) -> usize {
        let digit = self.0 % base;
        self.0 /= base;
        digit
    }

    pub fn subset(&mut self, of: usize) -> Vec<usize> {
        let bits = self.next(1 << of);
        (0..of).filter(|bit| bits & (1 << bit) != 0).collect()
    }
}

/// How many programs [`returning`] has.
pub fn returning_count(procedures: usize, nodes: usize) -> usize {
    let node = (procedures + 1) << (nodes + 1);
    node.pow((procedures * nodes) as u32)
}

/// The program with this number among those with so many procedures of so many nodes: each node
/// calls one procedure or none and leads to any nodes of its procedure and its return.
pub fn returning(procedures: usize, nodes: usize, number: usize) -> Vec<ProcedureShape> {
    let mut digits = Digits(number);
    let mut shapes = vec![ProcedureShape::default(); procedures];
    for shape in &mut shapes {
        for _ in 0..nodes {
            let target = digits.next(procedures + 1);
            let calls = target < procedures;
            shape.nodes.push(Shape {
                targets: if calls { vec![target] } else { Vec::new() },
                goes_on: [!calls, false, false],
                successors: digits.subset(nodes + 1),
                ..Shape::default()
            });
        }
    }
    shapes
}

/// How many programs [`leaving_in_all_ways`] has.
pub fn leaving_in_all_ways_count() -> usize {
    1536 * 1536
}

/// Two procedures of one node: what it calls, in which ways it goes on by itself, where returns,
/// exceptions and jumps continue.
pub fn leaving_in_all_ways(number: usize) -> Vec<ProcedureShape> {
    let mut digits = Digits(number);
    let mut shapes = vec![ProcedureShape::default(); 2];
    for shape in &mut shapes {
        let target = digits.next(3);
        let goes_on = digits.subset(3);
        let catches = digits.next(2);
        let successors = digits.subset(4);
        let lands = digits.next(2);
        shape.nodes.push(Shape {
            targets: if target < 2 { vec![target] } else { Vec::new() },
            goes_on: [0, 1, 2].map(|way| goes_on.contains(&way)),
            successors,
            catches: (catches == 1).then_some(0),
            unwinds: true,
        });
        shape.landing = (lands == 1).then_some(0);
    }
    shapes
}

/// SplitMix64: the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Up to `procedures` procedures with up to `nodes` nodes each; in every third program nothing is
/// left but by returning.
pub fn random(seed: u64, procedures: usize, nodes: usize) -> (Vec<ProcedureShape>, Vec<usize>) {
    let mut random = Random(seed);
    let procedures = 1 + random.below(procedures);
    let odd_ways = if seed.is_multiple_of(3) { 0 } else { 15 };
    let mut shapes = vec![ProcedureShape::default(); procedures];
    for shape in &mut shapes {
        let count = 1 + random.below(nodes);
        for node in 0..count {
            let calls = random.chance(60);
            let mut targets: Vec<usize> = (0..1 + random.below(2))
                .filter(|_| calls)
                .map(|_| random.below(procedures))
                .collect();
            targets.sort_unstable();
            targets.dedup();
            let mut successors = vec![(node + 1).min(count)];
            if random.chance(30) {
                successors.push(random.below(count + 1));
            }
            if random.chance(odd_ways) {
                successors = vec![count + random.below(3)];
            }
            shape.nodes.push(Shape {
                goes_on: [
                    !calls || random.chance(15),
                    random.chance(odd_ways),
                    random.chance(odd_ways),
                ],
                targets,
                successors,
                catches: random.chance(odd_ways).then(|| random.below(count)),
                unwinds: random.chance(70),
            });
        }
        shape.landing = random.chance(odd_ways).then(|| random.below(count));
    }
    let anytime = match random.chance(15) {
        true => vec![random.below(procedures)],
        false => Vec::new(),
    };
    (shapes, anytime)
}
