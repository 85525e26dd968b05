//! LLVM's account of a module: the records that `llvm-bcanalyzer --dump` prints.
//!
//! One line is one record or the start or end of a block. Record codes that
//! the analyzer has no name for are printed by number, and the numbers are
//! part of the stable bitcode format.

use super::{Class, FunctionCensus};
use knockon_program::Opcode;

/// Counts the records of each function block in the text that
/// `llvm-bcanalyzer --dump` prints for a module.
pub fn census_of_bitcode_dump(dump: &[u8]) -> Vec<FunctionCensus> {
    let mut functions = Vec::new();
    let mut current: Option<FunctionCensus> = None;
    // Blocks open inside the function's: their records are no instructions.
    let mut nested = 0usize;
    for line in dump.split(|&byte| byte == b'\n') {
        let Some(record) = line.trim_ascii_start().strip_prefix(b"<") else {
            continue;
        };
        let name_length = record
            .iter()
            .position(|&byte| matches!(byte, b' ' | b'/' | b'>'));
        let is_end = record.starts_with(b"/");
        let name = &record[..name_length.unwrap_or(record.len())];
        match &mut current {
            None if name == b"FUNCTION_BLOCK" => current = Some(FunctionCensus::default()),
            None => {}
            Some(_) if is_end && nested == 0 => functions.extend(current.take()),
            Some(_) if is_end => nested -= 1,
            // A block's opening is the only tag that is not closed on its line.
            Some(_) if is_block_opening(record) => nested += 1,
            Some(census) if nested == 0 => count_record(census, name, record),
            Some(_) => {}
        }
    }
    functions
}

/// Blocks state their length; records end in `/>`.
fn is_block_opening(record: &[u8]) -> bool {
    memchr::memmem::find(record, b" NumWords=").is_some()
}

/// The operands `opN=value` of a record.
fn operands(record: &[u8]) -> Vec<u64> {
    let mut values = Vec::new();
    for part in record.split(|&byte| byte == b' ') {
        let part = part.strip_suffix(b"/>").unwrap_or(part);
        if let Some(rest) = part.strip_prefix(b"op")
            && let Some(equals) = rest.iter().position(|&byte| byte == b'=')
            && rest[..equals].iter().all(u8::is_ascii_digit)
        {
            let text = std::str::from_utf8(&rest[equals + 1..]).unwrap_or("");
            values.push(text.parse().unwrap_or(u64::MAX));
        }
    }
    values
}

/// Values are distances back; a forward reference wraps around 32 bits and is
/// followed by its type.
fn skip_value(operands: &[u64]) -> &[u64] {
    let taken = match operands.first() {
        Some(&distance) if distance >= 1 << 31 => 2,
        _ => 1,
    };
    operands.get(taken..).unwrap_or(&[])
}

fn count_record(census: &mut FunctionCensus, name: &[u8], record: &[u8]) {
    let instruction = |opcode| Class::Instruction(opcode);
    let byte = |value: Option<&u64>| {
        value
            .and_then(|value| u8::try_from(*value).ok())
            .unwrap_or(u8::MAX)
    };
    let class = match name {
        b"DECLAREBLOCKS" => {
            census.add(
                Class::Blocks,
                operands(record).first().copied().unwrap_or(0),
            );
            return;
        }
        b"INST_BINOP" => Class::Binary(byte(skip_value(&operands(record)).get(1))),
        b"INST_CAST" => match byte(skip_value(&operands(record)).get(1)) {
            13 => Class::Cast(9),
            code => Class::Cast(code),
        },
        b"INST_CMP2" | b"INST_CMP" => Class::Compare(byte(skip_value(&operands(record)).get(1))),
        b"INST_BR" if operands(record).len() == 1 => Class::Branch,
        b"INST_BR" => Class::ConditionalBranch,
        b"INST_RET" if operands(record).is_empty() => Class::ReturnVoid,
        b"INST_RET" => Class::ReturnValue,
        b"INST_LOADATOMIC" | b"UnknownCode41" => Class::LoadAtomic,
        b"INST_STOREATOMIC" | b"UnknownCode42" | b"UnknownCode45" => Class::StoreAtomic,
        b"INST_PHI" => {
            let count = operands(record).len() as u64;
            census.add(Class::PhiEntries, count.saturating_sub(1) / 2);
            instruction(Opcode::Phi)
        }
        b"INST_SWITCH" => {
            let count = operands(record).len() as u64;
            census.add(Class::SwitchCases, count.saturating_sub(3) / 2);
            instruction(Opcode::Switch)
        }
        b"INST_GEP" => {
            let all = operands(record);
            let mut rest = all.get(2..).unwrap_or(&[]);
            let mut count = 0;
            while !rest.is_empty() {
                rest = skip_value(rest);
                count += 1;
            }
            census.add(Class::ElementPointerOperands, count);
            instruction(Opcode::GetElementPointer)
        }
        b"INST_EXTRACTVAL" => {
            census.add(
                Class::ExtractValueIndices,
                skip_value(&operands(record)).len() as u64,
            );
            instruction(Opcode::ExtractValue)
        }
        _ if name.starts_with(b"DEBUG_RECORD") => {
            census.has_debug_records = true;
            return;
        }
        _ => match plain_record(name) {
            Some(PlainRecord::Instruction(opcode)) => instruction(opcode),
            Some(PlainRecord::DebugRecord) => {
                census.has_debug_records = true;
                return;
            }
            Some(PlainRecord::None) => return,
            None => {
                let digits = name.strip_prefix(b"UnknownCode").unwrap_or(b"");
                let code = std::str::from_utf8(digits)
                    .ok()
                    .and_then(|text| text.parse().ok());
                Class::UnknownRecord(code.unwrap_or(u32::MAX))
            }
        },
    };
    census.add(class, 1);
}

enum PlainRecord {
    Instruction(Opcode),
    DebugRecord,
    None,
}

/// Records that stand for one opcode, by name and, where the analyzer has no
/// name for them, by code.
fn plain_record(name: &[u8]) -> Option<PlainRecord> {
    let opcode = match name {
        b"INST_ALLOCA" => Opcode::Alloca,
        b"INST_LOAD" => Opcode::Load,
        b"INST_STORE" => Opcode::Store,
        b"INST_CALL" => Opcode::Call,
        b"INST_INVOKE" => Opcode::Invoke,
        b"INST_CALLBR" | b"UnknownCode57" => Opcode::CallBr,
        b"INST_UNREACHABLE" => Opcode::Unreachable,
        b"INST_SELECT" | b"INST_VSELECT" => Opcode::Select,
        b"INST_EXTRACTELT" => Opcode::ExtractElement,
        b"INST_INSERTELT" => Opcode::InsertElement,
        b"INST_SHUFFLEVEC" => Opcode::ShuffleVector,
        b"INST_INSERTVAL" => Opcode::InsertValue,
        b"INST_VAARG" => Opcode::VariadicArgument,
        b"INST_UNOP" | b"UnknownCode56" => Opcode::FloatNegate,
        b"INST_FREEZE" | b"UnknownCode58" => Opcode::Freeze,
        b"INST_FENCE" | b"UnknownCode36" => Opcode::Fence,
        b"INST_CMPXCHG" | b"UnknownCode46" => Opcode::CompareExchange,
        b"INST_ATOMICRMW" | b"INST_ATOMICRMW_OLD" | b"UnknownCode38" | b"UnknownCode59" => {
            Opcode::AtomicReadModifyWrite
        }
        b"INST_INDIRECTBR" | b"UnknownCode31" => Opcode::IndirectBranch,
        b"INST_RESUME" | b"UnknownCode39" => Opcode::Resume,
        b"INST_LANDINGPAD" | b"UnknownCode40" | b"UnknownCode47" => Opcode::LandingPad,
        b"INST_CLEANUPRET" | b"UnknownCode48" => Opcode::CleanupReturn,
        b"INST_CATCHRET" | b"UnknownCode49" => Opcode::CatchReturn,
        b"INST_CATCHPAD" | b"UnknownCode50" => Opcode::CatchPad,
        b"INST_CLEANUPPAD" | b"UnknownCode51" => Opcode::CleanupPad,
        b"INST_CATCHSWITCH" | b"UnknownCode52" => Opcode::CatchSwitch,
        b"DEBUG_LOC" | b"DEBUG_LOC_AGAIN" | b"OPERAND_BUNDLE" | b"BLOCKADDR_USERS"
        | b"UnknownCode55" | b"UnknownCode60" => return Some(PlainRecord::None),
        b"UnknownCode61" | b"UnknownCode62" | b"UnknownCode63" | b"UnknownCode64"
        | b"UnknownCode65" | b"UnknownCode66" => return Some(PlainRecord::DebugRecord),
        _ => return None,
    };
    Some(PlainRecord::Instruction(opcode))
}
