//! **Question.** Does machine code act on anything but memory by itself: ask the system for something,
//! end the program, go on elsewhere than where it was called from?
//!
//! **Rules.** It does not if a compiler made it (it says so in `.comment`) and none of its bytes that
//! may run, wherever an instruction may begin, is that of a system call or a trap.
//!
//! **Soundness.** What is searched for is found also where it is a part of something else. Assumed:
//! what a compiler made returns to where it was called from; switching stacks by hand is done in
//! assembly. Of machines whose instructions are not known here nothing is said.
//!
//! **Cost.** Linear in the code.

use object::Endianness;
use object::elf;
use object::read::elf::{ElfFile, FileHeader, SectionHeader};

use super::elf::damage;

pub(super) fn keeps_to_calls<Elf>(file: &ElfFile<'_, Elf>) -> Result<bool, String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let endian = file.endian();
    let sections = file.elf_section_table();
    let machine = file.elf_header().e_machine(endian);
    let mut is_compiled = false;
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(damage)?;
        let bytes = section.data(endian, file.data()).map_err(damage)?;
        is_compiled |= name == b".comment" && !bytes.is_empty();
        let flags: u64 = section.sh_flags(endian).into();
        let may_run = flags & u64::from(elf::SHF_EXECINSTR) != 0;
        let acts = match machine {
            elf::EM_X86_64 | elf::EM_386 => acts_on_x86(bytes),
            elf::EM_AARCH64 => acts_on_aarch64(bytes),
            _ => true,
        };
        if may_run && acts {
            return Ok(false);
        }
    }
    Ok(is_compiled)
}

/// `int3`, `int`, `int1` and `hlt` are single bytes; the others are `syscall`, `sysenter`, and the
/// instructions that are undefined on purpose.
fn acts_on_x86(code: &[u8]) -> bool {
    let traps = |byte: &u8| matches!(byte, 0xcc..=0xce | 0xf1 | 0xf4);
    let calls = |pair: &[u8]| matches!(pair, [0x0f, 0x05 | 0x34 | 0x0b | 0xb9 | 0xff]);
    code.iter().any(traps) || code.windows(2).any(calls)
}

/// The instructions that make exceptions (`svc`, `brk`, `hlt`, …) and `udf`: little-endian words.
fn acts_on_aarch64(code: &[u8]) -> bool {
    let words = code.chunks(4);
    words.into_iter().any(|word| match word {
        [_, _, _, 0xd4] | [_, _, 0, 0] => true,
        [_, _, _, _] => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_calls_and_traps_are_found_wherever_they_begin() {
        // movl $2, g(%rip); ret
        assert!(!acts_on_x86(&[0xc7, 0x05, 0, 0, 0, 0, 2, 0, 0, 0, 0xc3]));
        for acting in [
            &[0x0f, 0x05][..],
            &[0xb8, 0x0f, 0x34],
            &[0x0f, 0x0b],
            &[0xcd, 0x80],
        ] {
            assert!(acts_on_x86(acting), "{acting:?}");
        }
        // ret; svc #0
        assert!(!acts_on_aarch64(&[0xc0, 0x03, 0x5f, 0xd6]));
        assert!(acts_on_aarch64(&[0x01, 0, 0, 0xd4]));
    }
}
