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
//! **Cost.** Linear in the accesses of the function.

use knockon_graphs::Rows;
use knockon_memory::memory_ssa::{Accesses, Variable, VariableIndex};
use rustc_hash::FxHashMap;

/// The variables of one function in classes.
pub struct MemoryClasses {
    /// For each class its variables, ascending; the first stands for it.
    pub members: Rows<Variable>,
    /// The accesses of the classes.
    pub accesses: Accesses,
}

/// `tag` tells apart what must stay apart for other reasons.
pub fn memory_classes(all: &Accesses, tag: impl Fn(Variable) -> u64) -> MemoryClasses {
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
    let mut reads = Rows::with_capacity(all.reads.row_count(), all.reads.row_count());
    let mut writes = Rows::with_capacity(all.writes.row_count(), all.writes.row_count());
    let mut read_row: Vec<VariableIndex> = Vec::new();
    let mut write_row: Vec<(VariableIndex, bool)> = Vec::new();
    for instruction in 0..all.reads.row_count() {
        read_row.clear();
        read_row.extend(
            all.reads
                .of(instruction)
                .iter()
                .map(|at| class_of[at.0 as usize]),
        );
        read_row.sort_unstable();
        read_row.dedup();
        reads.push_row(read_row.iter().copied());
        write_row.clear();
        let written = all.writes.of(instruction).iter();
        write_row.extend(written.map(|(at, whole)| (class_of[at.0 as usize], *whole)));
        write_row.sort_unstable();
        write_row.dedup();
        writes.push_row(write_row.iter().copied());
    }
    MemoryClasses {
        members: Rows::from_pairs(variables.len(), &pairs),
        accesses: Accesses {
            variables,
            reads,
            writes,
            second_returns: all.second_returns.clone(),
        },
    }
}

fn signatures(all: &Accesses, tag: impl Fn(Variable) -> u64) -> Vec<u128> {
    let mut signatures: Vec<u128> = all
        .variables
        .iter()
        .map(|variable| mixed(tag(*variable), 7))
        .collect();
    let mut add = |at: VariableIndex, instruction: usize, manner: u64| {
        let signature = &mut signatures[at.0 as usize];
        *signature = signature.wrapping_add(mixed(instruction as u64, manner));
    };
    for instruction in 0..all.reads.row_count() {
        for at in all.reads.of(instruction) {
            add(*at, instruction, 1);
        }
        for (at, whole) in all.writes.of(instruction) {
            add(*at, instruction, 2 + u64::from(*whole));
        }
    }
    signatures
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

    fn accesses(reads: &[(usize, u32)], writes: &[(usize, u32)], count: usize) -> Accesses {
        let reads: Vec<(usize, VariableIndex)> = reads
            .iter()
            .map(|row| (row.0, VariableIndex(row.1)))
            .collect();
        let writes: Vec<(usize, (VariableIndex, bool))> = writes
            .iter()
            .map(|row| (row.0, (VariableIndex(row.1), false)))
            .collect();
        Accesses {
            variables: (0..count as u32)
                .map(|id| Variable::Region(RegionId(id)))
                .collect(),
            reads: Rows::from_pairs(4, &reads),
            writes: Rows::from_pairs(4, &writes),
            second_returns: Vec::new(),
        }
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
