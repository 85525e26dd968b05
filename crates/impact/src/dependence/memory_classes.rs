//! Which variables of memory can one function not tell apart?
//!
//! **Question.** A call may read and write hundreds of regions, most of which the caller never
//! touches by itself. Which of them have the same versions everywhere in the function?
//!
//! **Rules.** Two variables are in one class when every instruction reads both or none and writes
//! both or none, in the same manner. Then their memory SSA is the same graph twice, and one stands
//! for both.
//!
//! **Soundness.** A class is the set of its variables; what is said of it is said of each of them.
//! Equality is by a 128-bit sum over the accesses, each hashed.
//!
//! **Cost.** Linear in the accesses of the function, those of a group counted once.

use knockon_graphs::Rows;
use knockon_memory::memory_ssa::{Accesses, Grouped, GroupedAccesses, Variable, VariableIndex};
use rustc_hash::FxHashMap;

/// The variables of one function in classes.
pub struct MemoryClasses {
    /// For each class its variables, ascending; the first stands for it.
    pub members: Rows<Variable>,
    /// The accesses of the classes.
    pub accesses: Accesses,
}

/// `tag` tells apart what must stay apart for other reasons.
pub fn memory_classes(all: &GroupedAccesses, tag: impl Fn(Variable) -> u64) -> MemoryClasses {
    let signatures = signatures(all, tag);
    let mut class_of_signature: FxHashMap<u128, u32> = FxHashMap::default();
    let mut class_of: Vec<VariableIndex> = Vec::with_capacity(signatures.len());
    let mut variables: Vec<Variable> = Vec::new();
    for (index, signature) in signatures.iter().enumerate() {
        let next = variables.len() as u32;
        let class = *class_of_signature.entry(*signature).or_insert(next);
        if class == next {
            variables.push(all.variables[index]);
        }
        class_of.push(VariableIndex(class));
    }
    let pairs: Vec<(usize, Variable)> = class_of
        .iter()
        .zip(&all.variables)
        .map(|(class, variable)| (class.0 as usize, *variable))
        .collect();
    let class = |at: VariableIndex| class_of[at.0 as usize];
    MemoryClasses {
        members: Rows::from_pairs(variables.len(), &pairs),
        accesses: Accesses {
            variables,
            reads: rows_of_classes(&all.reads, class, class),
            writes: rows_of_classes(
                &all.writes,
                |(at, is_whole)| (class(at), is_whole),
                |at| (class(at), false),
            ),
            second_returns: all.second_returns.clone(),
        },
    }
}

/// For each instruction the classes of its own variables and of its group's.
fn rows_of_classes<T: Copy, U: Copy + Ord>(
    all: &Grouped<T>,
    own: impl Fn(T) -> U,
    in_group: impl Fn(VariableIndex) -> U,
) -> Rows<U> {
    let mut row: Vec<U> = Vec::new();
    let mut groups: Rows<U> = Rows::with_capacity(all.groups.row_count(), 0);
    for group in 0..all.groups.row_count() {
        row.clear();
        row.extend(all.groups.of(group).iter().map(|at| in_group(*at)));
        row.sort_unstable();
        row.dedup();
        groups.push_row(row.iter().copied());
    }
    let count = all.group_of.len();
    let mut rows = Rows::with_capacity(count, count);
    for (instruction, group) in all.group_of.iter().enumerate() {
        row.clear();
        row.extend(all.own.of(instruction).iter().map(|at| own(*at)));
        row.extend(group.iter().flat_map(|group| groups.of(*group as usize)));
        row.sort_unstable();
        row.dedup();
        rows.push_row(row.iter().copied());
    }
    rows
}

fn signatures(all: &GroupedAccesses, tag: impl Fn(Variable) -> u64) -> Vec<u128> {
    let mut signatures: Vec<u128> = all
        .variables
        .iter()
        .map(|variable| mixed(tag(*variable), 7))
        .collect();
    let mut add = |at: VariableIndex, accessed: u128| {
        let signature = &mut signatures[at.0 as usize];
        *signature = signature.wrapping_add(accessed);
    };
    for instruction in 0..all.reads.group_of.len() {
        for at in all.reads.own.of(instruction) {
            add(*at, mixed(instruction as u64, 1));
        }
        for (at, whole) in all.writes.own.of(instruction) {
            add(*at, mixed(instruction as u64, 2 + u64::from(*whole)));
        }
    }
    let of_groups = [
        (group_signatures(&all.reads, 1), &all.reads.groups),
        (group_signatures(&all.writes, 2), &all.writes.groups),
    ];
    for (signatures, groups) in of_groups {
        for (group, accessed) in signatures.into_iter().enumerate() {
            groups.of(group).iter().for_each(|at| add(*at, accessed));
        }
    }
    signatures
}

/// For each group the sum over the instructions that access it.
fn group_signatures<T: Copy>(all: &Grouped<T>, manner: u64) -> Vec<u128> {
    let mut found = vec![0u128; all.groups.row_count()];
    for (instruction, group) in all.group_of.iter().enumerate() {
        if let Some(group) = group {
            let sum = &mut found[*group as usize];
            *sum = sum.wrapping_add(mixed(instruction as u64, manner));
        }
    }
    found
}

fn mixed(value: u64, manner: u64) -> u128 {
    const FACTOR: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
    let mut hash = u128::from(value) << 8 | u128::from(manner);
    for _ in 0..2 {
        hash = (hash ^ 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d).wrapping_mul(FACTOR);
        hash ^= hash >> 67;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use knockon_memory::regions::RegionId;

    fn grouped<T: Copy>(own: &[(usize, T)], groups: Rows<VariableIndex>) -> Grouped<T> {
        Grouped {
            own: Rows::from_pairs(4, own),
            group_of: vec![None; 4],
            groups,
        }
    }

    fn accesses(reads: &[(usize, u32)], writes: &[(usize, u32)], count: usize) -> GroupedAccesses {
        let reads: Vec<(usize, VariableIndex)> = reads
            .iter()
            .map(|row| (row.0, VariableIndex(row.1)))
            .collect();
        let writes: Vec<(usize, (VariableIndex, bool))> = writes
            .iter()
            .map(|row| (row.0, (VariableIndex(row.1), false)))
            .collect();
        GroupedAccesses {
            variables: (0..count as u32)
                .map(|id| Variable::Region(RegionId(id)))
                .collect(),
            reads: grouped(&reads, Rows::default()),
            writes: grouped(&writes, Rows::default()),
            second_returns: Vec::new(),
        }
    }

    #[test]
    fn a_group_counts_as_its_variables_do() {
        let by_itself = accesses(&[(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], &[(3, 1)], 3);
        let mut by_group = accesses(&[(1, 2)], &[(3, 1)], 3);
        by_group
            .reads
            .groups
            .push_row([VariableIndex(0), VariableIndex(1)]);
        by_group.reads.group_of[0] = Some(0);
        by_group.reads.group_of[1] = Some(0);
        let [one, two] = [by_itself, by_group].map(|all| memory_classes(&all, |_| 0));
        assert_eq!(one.members, two.members);
        assert_eq!(one.accesses.reads, two.accesses.reads);
        assert_eq!(one.accesses.writes, two.accesses.writes);
    }

    #[test]
    fn what_every_instruction_touches_alike_is_one_class() {
        let all = accesses(&[(0, 0), (0, 1), (2, 2)], &[(1, 0), (1, 1), (1, 2)], 3);
        let classes = memory_classes(&all, |_| 0);
        assert_eq!(classes.members.row_count(), 2);
        assert_eq!(classes.members.of(0usize).len(), 2);
        assert_eq!(classes.accesses.reads.of(0usize), [VariableIndex(0)]);
        assert_eq!(classes.accesses.writes.of(1usize).len(), 2);
    }

    #[test]
    fn a_tag_keeps_apart() {
        let all = accesses(&[(0, 0), (0, 1)], &[], 2);
        let by_itself = |variable| match variable {
            Variable::Region(region) => u64::from(region.0),
            Variable::World(_) => 99,
        };
        assert_eq!(memory_classes(&all, |_| 0).members.row_count(), 1);
        assert_eq!(memory_classes(&all, by_itself).members.row_count(), 2);
    }
}
