//! Which variables does each instruction of a function read and write?
//!
//! Most of what a call touches is memory that all functions share, and all calls of a callee touch
//! the same of it. Such sets are *groups*, said once: functions with many calls of large callees
//! would otherwise cost calls times regions.

use super::{Variable, VariableIndex};
use crate::call_graph::CallGraph;
use crate::mod_ref::ModRef;
use crate::regions::Regions;
use knockon_graphs::Rows;
use knockon_program::{Body, Flags, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

/// What the instructions of one function read and write.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// Ascending.
    pub variables: Vec<Variable>,
    /// For each instruction, ascending.
    pub reads: Rows<VariableIndex>,
    /// For each instruction, ascending; whether nothing of the old value stays.
    pub writes: Rows<(VariableIndex, bool)>,
    /// Calls that may return again, ascending; they write all that the function writes.
    pub second_returns: Vec<InstructionId>,
}

/// The same, with groups.
#[derive(Clone, Debug, Default)]
pub struct GroupedAccesses {
    /// Ascending.
    pub variables: Vec<Variable>,
    pub reads: Grouped<VariableIndex>,
    /// With whether nothing of the old value stays, which is never so for a group.
    pub writes: Grouped<(VariableIndex, bool)>,
    /// See [`Accesses::second_returns`].
    pub second_returns: Vec<InstructionId>,
}

/// One manner of access.
#[derive(Clone, Debug)]
pub struct Grouped<T> {
    /// For each instruction what is not in its group, ascending.
    pub own: Rows<T>,
    /// For each instruction the number of its group.
    pub group_of: Vec<Option<u32>>,
    /// For each group its variables, ascending.
    pub groups: Rows<VariableIndex>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Grouped<T> {
        Grouped {
            own: Rows::default(),
            group_of: Vec::new(),
            groups: Rows::default(),
        }
    }
}

impl<T: Copy> Grouped<T> {
    /// The variables of an instruction's group.
    pub fn group(&self, instruction: usize) -> &[VariableIndex] {
        match self.group_of[instruction] {
            Some(group) => self.groups.of(group as usize),
            None => &[],
        }
    }
}

impl GroupedAccesses {
    fn plain(self) -> Accesses {
        let count = self.reads.group_of.len();
        let mut reads = Rows::with_capacity(count, count);
        let mut writes = Rows::with_capacity(count, count);
        let mut read_row: Vec<VariableIndex> = Vec::new();
        let mut write_row: Vec<(VariableIndex, bool)> = Vec::new();
        for instruction in 0..count {
            read_row.clear();
            read_row.extend(self.reads.own.of(instruction));
            read_row.extend(self.reads.group(instruction));
            read_row.sort_unstable();
            reads.push_row(read_row.iter().copied());
            write_row.clear();
            write_row.extend(self.writes.own.of(instruction));
            let group = self.writes.group(instruction).iter();
            write_row.extend(group.map(|variable| (*variable, false)));
            write_row.sort_unstable();
            writes.push_row(write_row.iter().copied());
        }
        Accesses {
            variables: self.variables,
            reads,
            writes,
            second_returns: self.second_returns,
        }
    }
}

/// What the instructions of a function read and write; `ret` reads all that the caller may see.
pub fn accesses(
    body: &Body,
    calls: &CallGraph,
    regions: &Regions,
    mod_ref: &ModRef,
    function: FunctionId,
) -> Accesses {
    grouped_accesses(body, calls, regions, mod_ref, function).plain()
}

/// As [`accesses`], with groups.
pub fn grouped_accesses(
    body: &Body,
    calls: &CallGraph,
    regions: &Regions,
    mod_ref: &ModRef,
    function: FunctionId,
) -> GroupedAccesses {
    let count = body.instructions.len();
    let mut reads: Gathered<Variable> = Gathered::new(count);
    let mut writes: Gathered<(Variable, bool)> = Gathered::new(count);
    let mut group_numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let own = regions.function(function);
    for id in body.instruction_ids() {
        if body.instruction(id).opcode.is_call()
            && let Some(site) = calls.site_of(function, id)
        {
            let components = mod_ref.entered_components(calls, regions, site);
            let group = match group_numbers.get(&components) {
                Some(known) => *known,
                None => {
                    let [read, written] = mod_ref.shared_by(&components).map(|regions| {
                        let regions = regions.iter().copied();
                        regions.map(Variable::Region).collect()
                    });
                    reads.add_group(read);
                    let group = writes.add_group(written);
                    group_numbers.insert(components, group);
                    group
                }
            };
            reads.group_of[id.index()] = Some(group);
            writes.group_of[id.index()] = Some(group);
            let effect = mod_ref.call_beside_shared(calls, regions, site);
            let read = effect.may_read.iter().copied().map(Variable::Region);
            let read = read.chain(effect.world_reads.iter().map(Variable::World));
            let written = effect.may_write.iter().copied().map(Variable::Region);
            let written = written.chain(effect.world_writes.iter().map(Variable::World));
            reads.own.extend(read.map(|variable| (id, variable)));
            writes
                .own
                .extend(written.map(|variable| (id, (variable, false))));
            continue;
        }
        let overwritten = regions.overwritten(function, id);
        let read = own.may_read(id).iter();
        reads
            .own
            .extend(read.map(|region| (id, Variable::Region(*region))));
        let written = own.may_write(id).iter();
        writes.own.extend(written.map(|region| {
            let is_whole = overwritten == Some(*region);
            (id, (Variable::Region(*region), is_whole))
        }));
    }
    let second_returns: Vec<InstructionId> = body
        .instruction_ids()
        .filter(|id| body.instruction(*id).flags.has(Flags::RETURNS_TWICE))
        .collect();
    if !second_returns.is_empty() {
        let written = writes.variables(|row| row.0);
        let is_second = |id: InstructionId| second_returns.binary_search(&id).is_ok();
        writes.own.retain(|row| !is_second(row.0));
        let group = writes.add_group(written);
        for id in &second_returns {
            writes.group_of[id.index()] = Some(group);
        }
    }
    let mut variables = reads.variables(|row| *row);
    variables.append(&mut writes.variables(|row| row.0));
    // Two ascending runs.
    variables.sort();
    variables.dedup();
    let is_visible = |variable: &Variable| match variable {
        Variable::World(_) => true,
        Variable::Region(region) => regions.is_visible(function, *region),
    };
    let visible = variables.iter().copied().filter(is_visible);
    let visible = reads.add_group(visible.collect());
    for block in body.block_ids() {
        let end = body.terminator(block);
        if body.instruction(end).opcode.leaves_function() {
            reads.group_of[end.index()] = Some(visible);
        }
    }
    GroupedAccesses {
        reads: reads.numbered(&variables, |row| *row, |_, index| index),
        writes: writes.numbered(&variables, |row| row.0, |row, index| (index, row.1)),
        variables,
        second_returns,
    }
}

/// Accesses of one manner, by variable.
struct Gathered<T> {
    /// By instruction, ascending for each.
    own: Vec<(InstructionId, T)>,
    group_of: Vec<Option<u32>>,
    /// Each ascending.
    groups: Vec<Vec<Variable>>,
}

impl<T: Copy> Gathered<T> {
    fn new(instructions: usize) -> Gathered<T> {
        Gathered {
            own: Vec::new(),
            group_of: vec![None; instructions],
            groups: Vec::new(),
        }
    }

    fn add_group(&mut self, variables: Vec<Variable>) -> u32 {
        self.groups.push(variables);
        self.groups.len() as u32 - 1
    }

    /// All variables, ascending.
    fn variables(&self, variable: impl Fn(&T) -> Variable) -> Vec<Variable> {
        let mut found: Vec<Variable> = self.own.iter().map(|row| variable(&row.1)).collect();
        found.sort_unstable();
        found.dedup();
        for group in &self.groups {
            found.extend(group);
        }
        // A few ascending runs.
        found.sort();
        found.dedup();
        found
    }

    /// With numbers in place of variables, and without what an instruction's group has, too.
    fn numbered<U: Copy>(
        self,
        variables: &[Variable],
        variable: impl Fn(&T) -> Variable,
        number: impl Fn(T, VariableIndex) -> U,
    ) -> Grouped<U> {
        let mut groups = Rows::with_capacity(self.groups.len(), 0);
        for group in &self.groups {
            let mut rest = 0;
            groups.push_row(group.iter().map(|variable| {
                rest += variables[rest..].partition_point(|other| other < variable);
                VariableIndex::from(rest)
            }));
        }
        let mut own = Rows::with_capacity(self.group_of.len(), self.own.len());
        let mut next = 0;
        for (instruction, group) in self.group_of.iter().enumerate() {
            let group = group.map_or(&[][..], |group| &self.groups[group as usize]);
            let rows = self.own[next..].iter();
            let rows = rows.take_while(|row| row.0.index() == instruction);
            next += rows.clone().count();
            let rows = rows.map(|row| row.1);
            let rows = rows.filter(|row| group.binary_search(&variable(row)).is_err());
            own.push_row(rows.map(|row| {
                let wanted = variable(&row);
                let index = variables.partition_point(|other| *other < wanted);
                number(row, VariableIndex::from(index))
            }));
        }
        Grouped {
            own,
            group_of: self.group_of,
            groups,
        }
    }
}
