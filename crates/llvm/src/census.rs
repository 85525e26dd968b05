//! Nothing lost in reading: what was read, counted against LLVM's own account.
//!
//! **Question.** Does every function have as many instructions of each kind as
//! LLVM sees in the same module? **Source.** `llvm-bcanalyzer --dump` of the
//! module's bitcode prints one record for each instruction, function by
//! function in module order, which is the order of the text.
//!
//! **How fine.** Integer and floating-point arithmetic share a record code
//! (`add` and `fadd` are both 0), and `ptrtoaddr` is read as `ptrtoint`; all
//! other opcodes, each cast, each predicate, conditional and unconditional
//! branches, returns with and without a value are told apart. Blocks, phi
//! entries, switch cases, `getelementptr` operands and literal indices are
//! counted too. Calls of `llvm.dbg` functions are instructions in bitcode
//! without debug records and none otherwise.

mod bitcode_dump;

pub use bitcode_dump::census_of_bitcode_dump;

use knockon_program::{Body, Flags, Opcode, Operand, Program};
use std::collections::BTreeMap;
use std::fmt;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    Blocks,
    /// By bitcode's code: one for an integer operation and its floating-point
    /// counterpart.
    Binary(u8),
    Cast(u8),
    /// By LLVM's number of the predicate: floating point from 0, integer from 32.
    Compare(u8),
    Branch,
    ConditionalBranch,
    ReturnVoid,
    ReturnValue,
    LoadAtomic,
    StoreAtomic,
    Instruction(Opcode),
    PhiEntries,
    SwitchCases,
    ElementPointerOperands,
    ExtractValueIndices,
    /// A record code that is not known to this module.
    UnknownRecord(u32),
}

const BINARY: [&str; 13] = [
    "add/fadd",
    "sub/fsub",
    "mul/fmul",
    "udiv",
    "sdiv/fdiv",
    "urem",
    "srem/frem",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
];

/// By bitcode's code of the cast.
const CASTS: [Opcode; 14] = [
    Opcode::Truncate,
    Opcode::ZeroExtend,
    Opcode::SignExtend,
    Opcode::FloatToUnsigned,
    Opcode::FloatToSigned,
    Opcode::UnsignedToFloat,
    Opcode::SignedToFloat,
    Opcode::FloatTruncate,
    Opcode::FloatExtend,
    Opcode::PointerToInteger,
    Opcode::IntegerToPointer,
    Opcode::BitCast,
    Opcode::AddressSpaceCast,
    Opcode::PointerToInteger,
];

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Binary(code) => {
                formatter.write_str(BINARY.get(usize::from(*code)).unwrap_or(&"binary ?"))
            }
            Class::Cast(code) => {
                let opcode = CASTS.get(usize::from(*code));
                formatter.write_str(opcode.map_or("cast ?", |opcode| opcode.mnemonic()))
            }
            Class::Compare(predicate) => write!(formatter, "compare, predicate {predicate}"),
            Class::Instruction(opcode) => formatter.write_str(opcode.mnemonic()),
            other => write!(formatter, "{other:?}"),
        }
    }
}

/// The counts of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionCensus {
    /// The empty text where the account does not name functions.
    pub name: String,
    pub counts: BTreeMap<Class, u64>,
    /// Calls of `llvm.dbg` functions that are in the text and not in `counts`.
    pub debug_calls: u64,
    /// The account has debug records, so that `llvm.dbg` calls are not among its calls.
    pub has_debug_records: bool,
}

impl FunctionCensus {
    fn add(&mut self, class: Class, count: u64) {
        if count > 0 {
            *self.counts.entry(class).or_default() += count;
        }
    }
}

/// Counts every defined function of a program of one unit, in order.
pub fn census(program: &Program) -> Vec<FunctionCensus> {
    program
        .defined_functions()
        .map(|(_, function, body)| {
            let mut census = census_of_body(body);
            program.name(function.name).clone_into(&mut census.name);
            census
        })
        .collect()
}

fn census_of_body(body: &Body) -> FunctionCensus {
    let mut census = FunctionCensus {
        debug_calls: u64::from(body.debug_calls),
        ..FunctionCensus::default()
    };
    census.add(Class::Blocks, body.blocks.len() as u64);
    for id in body.instruction_ids() {
        let row = body.instruction(id);
        let operands = body.operands(id);
        let count = operands.len() as u64;
        let class = match row.opcode {
            opcode if opcode.is_binary() => Class::Binary(binary_code(opcode)),
            opcode if opcode.is_cast() => {
                let code = CASTS
                    .iter()
                    .position(|cast| *cast == opcode)
                    .unwrap_or(CASTS.len());
                Class::Cast(code as u8)
            }
            Opcode::IntegerCompare => Class::Compare(32 + row.detail),
            Opcode::FloatCompare => Class::Compare(row.detail),
            Opcode::Branch if count == 1 => Class::Branch,
            Opcode::Branch => Class::ConditionalBranch,
            Opcode::Return if count == 0 => Class::ReturnVoid,
            Opcode::Return => Class::ReturnValue,
            Opcode::Load if row.flags.has(Flags::ATOMIC) => Class::LoadAtomic,
            Opcode::Store if row.flags.has(Flags::ATOMIC) => Class::StoreAtomic,
            opcode => Class::Instruction(opcode),
        };
        census.add(class, 1);
        match row.opcode {
            Opcode::Phi => census.add(Class::PhiEntries, count / 2),
            Opcode::Switch => census.add(Class::SwitchCases, (count - 2) / 2),
            Opcode::GetElementPointer => census.add(Class::ElementPointerOperands, count),
            Opcode::ExtractValue => {
                let indices = operands
                    .iter()
                    .filter(|operand| matches!(operand, Operand::Index(_)));
                census.add(Class::ExtractValueIndices, indices.count() as u64);
            }
            _ => {}
        }
    }
    census
}

fn binary_code(opcode: Opcode) -> u8 {
    match opcode {
        Opcode::Add | Opcode::FloatAdd => 0,
        Opcode::Subtract | Opcode::FloatSubtract => 1,
        Opcode::Multiply | Opcode::FloatMultiply => 2,
        Opcode::UnsignedDivide => 3,
        Opcode::SignedDivide | Opcode::FloatDivide => 4,
        Opcode::UnsignedRemainder => 5,
        Opcode::SignedRemainder | Opcode::FloatRemainder => 6,
        Opcode::ShiftLeft => 7,
        Opcode::LogicalShiftRight => 8,
        Opcode::ArithmeticShiftRight => 9,
        Opcode::And => 10,
        Opcode::Or => 11,
        _ => 12,
    }
}

/// Every count in which the two accounts differ, in words; empty if nothing was lost.
pub fn differences(read: &[FunctionCensus], expected: &[FunctionCensus]) -> Vec<String> {
    let mut differences = Vec::new();
    if read.len() != expected.len() {
        differences.push(format!(
            "{} functions read, LLVM has {}",
            read.len(),
            expected.len()
        ));
    }
    for (read, expected) in read.iter().zip(expected) {
        let mut counts = read.counts.clone();
        if !expected.has_debug_records && read.debug_calls > 0 {
            *counts.entry(Class::Instruction(Opcode::Call)).or_default() += read.debug_calls;
        }
        for class in counts.keys().chain(expected.counts.keys()) {
            let ours = counts.get(class).copied().unwrap_or(0);
            let theirs = expected.counts.get(class).copied().unwrap_or(0);
            if ours != theirs {
                differences.push(format!(
                    "{}: {class}: {ours} read, LLVM has {theirs}",
                    read.name
                ));
            }
        }
    }
    differences.sort();
    differences.dedup();
    differences
}
