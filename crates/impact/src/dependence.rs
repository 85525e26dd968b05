//! **Question.** Inside one function, what depends directly on what?
//!
//! **Source.** The program dependence graph (Ferrante, Ottenstein, Warren 1987) and its form for
//! several procedures (Horwitz, Reps, Binkley 1990), over SSA values and memory SSA; the pseudo
//! formals for memory are those of [sem-dcia] §2.2.
//!
//! **Notation.** A vertex is one of [`Vertex`]. An edge `a → b`: when `a` observes or holds
//! something else, so may `b`.
//!
//! **Rules.** Each is written above its code in [`building`] and [`calls`].
//!
//! **Departures.** What a function merely passes on of its callers' memory is no effect of it: a
//! caller keeps the old value beside what the call writes, so [`VertexKind::Output`] depends on the
//! writes inside the function only. A call that may not return is a branch. Whether a call
//! happens ([`VertexKind::Occurrence`]) and with which arguments are two vertices, since the
//! second matters to the callee only where it uses them.
//!
//! **Soundness.** Each dependence of a run is an edge, or a way through a callee, or leads over a
//! [`GlobalVertex`]. The execution oracle holds impact and slices to runs.
//!
//! **Cost.** Linear in instructions, accesses of memory classes and control dependence; built for
//! one function when it is reached.

pub mod building;
pub mod calls;
pub mod function_memory;
pub mod hubs;
pub mod memory_classes;
pub mod program_graph;

use knockon_graphs::Rows;
use knockon_library::World;
use knockon_memory::memory_ssa::{DefinitionId, Variable};
use knockon_memory::regions::RegionId;
use knockon_program::{BlockId, FunctionId, InstructionId};

/// A vertex of one function's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vertex(pub u32);

impl From<usize> for Vertex {
    fn from(index: usize) -> Vertex {
        Vertex(index as u32)
    }
}

impl From<Vertex> for usize {
    fn from(vertex: Vertex) -> usize {
        vertex.0 as usize
    }
}

/// What a vertex stands for. Calls are numbered in the order of the function's call sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexKind {
    /// What an instruction observes; for all but calls also its value.
    Node(InstructionId),
    /// What a call returns.
    Result(u32),
    /// Whether a call comes back.
    Returns(u32),
    /// What library code behind a call is given.
    Library(u32),
    /// Whether and how often a call happens, and what it enters.
    Occurrence(u32),
    /// What a definition of memory holds; for a definition at the entry what the caller left.
    Definition(DefinitionId),
    /// Whether control comes to a run of instructions; see `knockon_graphs::SegmentedFlow`.
    Control(u32),
    /// From where control comes to a block with phis.
    Join(BlockId),
    /// Whether and how often the function is entered.
    Entered,
    /// A parameter; the one after the last stands for variadic arguments.
    Parameter(u32),
    /// What the function returns.
    ReturnValue,
    /// Whether the function returns.
    Leaves,
    /// Whether, and with which value, it jumps back to a `setjmp` of a caller.
    Jumps,
    /// What the function writes to a class of memory that its callers see.
    Output(u32),
}

/// What leads from one function to another without a call between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GlobalVertex {
    /// Jumps back to a `setjmp` from functions that run at any time.
    Jump,
    /// Exceptions.
    Thrown,
    /// Memory as it is between two functions that are called from outside.
    Between(Variable),
    /// Memory that the outside hands over to the functions of a library, again and again.
    HandedOver,
    /// Code that is not here and calls functions that it knows, at any time.
    Outside,
    /// Memory as functions leave it that may run at any time: all may see it.
    Anytime(Variable),
    /// Memory as functions find it that may run at any time: all may have written it.
    SeenAnytime(Variable),
    /// Memory as functions find it that run when the program ends.
    AtEnd(Variable),
    /// Whether the program ends in a way that runs them.
    Ends,
    /// What `main` returns: a handler of `on_exit` is given it.
    ExitStatus,
    /// Calls that decide whether, when or with what handlers run: of signals, of contexts, of threads
    /// that end.
    RunsHandlers,
    /// A part of the world as another process of the program may leave it: a file, a pipe, its end.
    OtherProcess(World),
    /// The program as it is started again by itself: its arguments, its environment.
    Started,
    /// Handlers that may not come back to such a call.
    Handled,
}

/// The numbers of the vertices: one range for each kind.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub instructions: u32,
    pub calls: u32,
    pub definitions: u32,
    pub segments: u32,
    pub blocks: u32,
    /// With one more for variadic arguments.
    pub parameters: u32,
    pub classes: u32,
}

/// Vertices of a call: result, returns, library, occurrence.
const PER_CALL: u32 = 4;
/// Outputs that are no memory: return value, leaves, jumps.
const PLAIN_OUTPUTS: u32 = 3;

impl Layout {
    fn first_call(self) -> u32 {
        self.instructions
    }

    fn first_definition(self) -> u32 {
        self.first_call() + PER_CALL * self.calls
    }

    fn first_control(self) -> u32 {
        self.first_definition() + self.definitions
    }

    fn first_join(self) -> u32 {
        self.first_control() + self.segments
    }

    fn first_input(self) -> u32 {
        self.first_join() + self.blocks
    }

    fn first_output(self) -> u32 {
        self.first_input() + 1 + self.parameters
    }

    pub fn vertex_count(self) -> usize {
        (self.first_output() + PLAIN_OUTPUTS + self.classes) as usize
    }

    pub fn node(self, id: InstructionId) -> Vertex {
        Vertex(id.0)
    }

    pub fn result(self, call: u32) -> Vertex {
        Vertex(self.first_call() + PER_CALL * call)
    }

    pub fn returns(self, call: u32) -> Vertex {
        Vertex(self.first_call() + PER_CALL * call + 1)
    }

    pub fn library(self, call: u32) -> Vertex {
        Vertex(self.first_call() + PER_CALL * call + 2)
    }

    pub fn occurrence(self, call: u32) -> Vertex {
        Vertex(self.first_call() + PER_CALL * call + 3)
    }

    pub fn definition(self, id: DefinitionId) -> Vertex {
        Vertex(self.first_definition() + id.0)
    }

    pub fn control(self, segment: u32) -> Vertex {
        Vertex(self.first_control() + segment)
    }

    pub fn join(self, block: BlockId) -> Vertex {
        Vertex(self.first_join() + block.0)
    }

    pub fn entered(self) -> Vertex {
        Vertex(self.first_input())
    }

    pub fn parameter(self, number: u32) -> Vertex {
        Vertex(self.first_input() + 1 + number.min(self.parameters - 1))
    }

    pub fn return_value(self) -> Vertex {
        Vertex(self.first_output())
    }

    pub fn leaves(self) -> Vertex {
        Vertex(self.first_output() + 1)
    }

    pub fn jumps(self) -> Vertex {
        Vertex(self.first_output() + 2)
    }

    pub fn output(self, class: u32) -> Vertex {
        Vertex(self.first_output() + PLAIN_OUTPUTS + class)
    }

    /// The number of a class among the outputs.
    pub fn output_of_class(class: u32) -> u32 {
        PLAIN_OUTPUTS + class
    }

    /// The definitions at the entry come first, one for each class.
    pub fn entry(self, class: u32) -> Vertex {
        self.definition(DefinitionId(class))
    }

    pub fn kind(self, vertex: Vertex) -> VertexKind {
        let at = vertex.0;
        if at < self.first_call() {
            VertexKind::Node(InstructionId(at))
        } else if at < self.first_definition() {
            let call = (at - self.first_call()) / PER_CALL;
            match (at - self.first_call()) % PER_CALL {
                0 => VertexKind::Result(call),
                1 => VertexKind::Returns(call),
                2 => VertexKind::Library(call),
                _ => VertexKind::Occurrence(call),
            }
        } else if at < self.first_control() {
            VertexKind::Definition(DefinitionId(at - self.first_definition()))
        } else if at < self.first_join() {
            VertexKind::Control(at - self.first_control())
        } else if at < self.first_input() {
            VertexKind::Join(BlockId(at - self.first_join()))
        } else if at == self.first_input() {
            VertexKind::Entered
        } else if at < self.first_output() {
            VertexKind::Parameter(at - self.first_input() - 1)
        } else {
            match at - self.first_output() {
                0 => VertexKind::ReturnValue,
                1 => VertexKind::Leaves,
                2 => VertexKind::Jumps,
                class => VertexKind::Output(class - PLAIN_OUTPUTS),
            }
        }
    }

    /// What callers give: whether the function is entered, parameters, memory.
    pub fn input_count(self) -> usize {
        (1 + self.parameters + self.classes) as usize
    }

    pub fn input(self, number: u32) -> Vertex {
        match number.checked_sub(1 + self.parameters) {
            None => Vertex(self.first_input() + number),
            Some(class) => self.entry(class),
        }
    }

    pub fn input_of_parameter(self, number: u32) -> u32 {
        1 + number.min(self.parameters - 1)
    }

    pub fn input_of_class(self, class: u32) -> u32 {
        1 + self.parameters + class
    }

    /// The input that a vertex is.
    pub fn as_input(self, vertex: Vertex) -> Option<u32> {
        match self.kind(vertex) {
            VertexKind::Entered => Some(0),
            VertexKind::Parameter(number) => Some(1 + number),
            VertexKind::Definition(id) if id.0 < self.classes => Some(self.input_of_class(id.0)),
            _ => None,
        }
    }

    /// What callers get: the return value, whether it returns, whether it jumps, memory.
    pub fn output_count(self) -> usize {
        (PLAIN_OUTPUTS + self.classes) as usize
    }

    /// The output that a vertex is.
    pub fn as_output(self, vertex: Vertex) -> Option<u32> {
        vertex.0.checked_sub(self.first_output())
    }
}

/// A function that a call enters: one row for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnteredRow {
    pub callee: FunctionId,
    pub call: u32,
    /// Library code stands between: the callee gets and gives what the library does.
    pub through_library: bool,
    /// The library only takes note of it: it runs when the program ends.
    pub is_registered: bool,
}

/// One function's graph.
pub struct FunctionDependence {
    pub function: FunctionId,
    pub layout: Layout,
    pub edges: Rows<Vertex>,
    /// What the calls enter, by callee, then by call.
    pub entered: Vec<EnteredRow>,
    /// For each vertex the rows of `entered` and the callees' inputs that it gives.
    pub gives: Rows<(u32, u32)>,
    /// For each row of `entered` the callee's outputs and the vertices that get them, by output.
    pub gets: Rows<(u32, Vertex)>,
    pub to_global: Vec<(Vertex, GlobalVertex)>,
    pub from_global: Vec<(GlobalVertex, Vertex)>,
    /// The instruction of each call.
    pub call_instructions: Vec<InstructionId>,
}

impl FunctionDependence {
    /// The rows of what is entered that enter this callee.
    pub fn rows_of_callee(&self, callee: FunctionId) -> std::ops::Range<usize> {
        let first = self.entered.partition_point(|row| row.callee < callee);
        let count = self.entered[first..].partition_point(|row| row.callee == callee);
        first..first + count
    }

    /// The vertices that get an output of a callee.
    pub fn getting(&self, row: usize, output: u32) -> impl Iterator<Item = Vertex> + '_ {
        let gets = self.gets.of(row);
        let first = gets.partition_point(|get| get.0 < output);
        let found = gets[first..].iter();
        found
            .take_while(move |get| get.0 == output)
            .map(|get| get.1)
    }

    /// The number of a call instruction among the function's calls.
    pub fn call_number(&self, instruction: InstructionId) -> Option<u32> {
        let found = self.call_instructions.binary_search(&instruction).ok()?;
        Some(found as u32)
    }

    pub fn leading_to_global(&self, vertex: Vertex) -> impl Iterator<Item = GlobalVertex> + '_ {
        let first = self.to_global.partition_point(|row| row.0 < vertex);
        let found = self.to_global[first..].iter();
        found
            .take_while(move |row| row.0 == vertex)
            .map(|row| row.1)
    }

    /// The definitions of memory that an instruction makes.
    pub fn written_by(&self, id: InstructionId) -> Vec<Vertex> {
        let layout = self.layout;
        let is_definition =
            |vertex: &Vertex| matches!(layout.kind(*vertex), VertexKind::Definition(_));
        let from = match self.call_number(id) {
            Some(call) => layout.occurrence(call),
            None => layout.node(id),
        };
        let next = self.edges.of(from).iter();
        next.copied().filter(is_definition).collect()
    }

    /// What an instruction decides, if it is a branch or a call that may not return: whether control
    /// comes somewhere, and from where.
    pub fn decided_by(&self, id: InstructionId) -> Vec<Vertex> {
        let layout = self.layout;
        let from = match self.call_number(id) {
            Some(call) => layout.returns(call),
            None => layout.node(id),
        };
        let is_decided = |vertex: &Vertex| {
            let kind = layout.kind(*vertex);
            matches!(kind, VertexKind::Control(_) | VertexKind::Join(_))
        };
        let next = self.edges.of(from).iter();
        next.copied().filter(is_decided).collect()
    }

    pub fn reached_from_global(&self, global: GlobalVertex) -> impl Iterator<Item = Vertex> + '_ {
        let first = self.from_global.partition_point(|row| row.0 < global);
        let found = self.from_global[first..].iter();
        found
            .take_while(move |row| row.0 == global)
            .map(|row| row.1)
    }
}

/// The part of the world or the region that a variable is.
pub(crate) fn region_of(variable: Variable) -> Option<RegionId> {
    match variable {
        Variable::Region(region) => Some(region),
        Variable::World(_) => None,
    }
}
