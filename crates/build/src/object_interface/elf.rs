//! **Question.** What is the interface of one ELF file?
//!
//! An object is read from its symbol table, a shared library from its dynamic one: what a strip
//! removes is not looked at. A name with a version (`f@V1`, `f@@V2`) counts without it, since the
//! program that is linked with it says `f`.

use std::collections::BTreeSet;

use object::Endianness;
use object::elf;
use object::read::SectionIndex;
use object::read::elf::{Dyn, ElfFile, FileHeader, SectionHeader, Sym, SymbolTable};

use super::{ObjectInterface, ObjectKind, digest, kept_calls};

const START_SECTIONS: [&[u8]; 4] = [b".init_array", b".preinit_array", b".ctors", b".init"];
const END_SECTIONS: [&[u8]; 3] = [b".fini_array", b".dtors", b".fini"];

/// The interface; an error is the reason why it cannot be read.
pub(super) fn read<Elf>(name: &str, file: &ElfFile<'_, Elf>) -> Result<ObjectInterface, String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let kind = match file.elf_header().e_type(file.endian()) {
        elf::ET_REL => ObjectKind::Relocatable,
        elf::ET_DYN => ObjectKind::Shared,
        other => {
            return Err(format!(
                "it is neither an object nor a shared library (ELF type {other})"
            ));
        }
    };
    let symbols = match kind {
        ObjectKind::Relocatable => file.elf_symbol_table(),
        ObjectKind::Shared => file.elf_dynamic_symbol_table(),
    };
    if kind == ObjectKind::Shared && symbols.is_empty() {
        return Err("it has no table of dynamic symbols".to_owned());
    }
    require_code(file)?;
    let mut interface = ObjectInterface {
        name: name.to_owned(),
        kind,
        defines: BTreeSet::new(),
        weak: BTreeSet::new(),
        mentions: BTreeSet::new(),
        runs_at_start: false,
        runs_at_end: false,
        needed: Vec::new(),
        symbolic: false,
        keeps_to_calls: kept_calls::keeps_to_calls(file)?,
        digest: digest::digest(file, symbols)?,
    };
    read_symbols(&mut interface, symbols, file.endian())?;
    read_sections(&mut interface, file)?;
    Ok(interface)
}

/// Why a part of a file could not be read.
pub(super) fn damage(error: object::Error) -> String {
    format!("it is damaged: {error}")
}

/// An object for link-time optimisation alone has no code of its own: gcc marks it with a symbol,
/// and no section that is loaded has content.
fn require_code<Elf>(file: &ElfFile<'_, Elf>) -> Result<(), String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let endian = file.endian();
    let sections = file.elf_section_table();
    let mut is_for_the_compiler = false;
    let mut has_code = false;
    for section in sections.iter() {
        let name = sections.section_name(endian, section).map_err(damage)?;
        is_for_the_compiler |= name.starts_with(b".gnu.lto_");
        let flags: u64 = section.sh_flags(endian).into();
        let size: u64 = section.sh_size(endian).into();
        has_code |= flags & u64::from(elf::SHF_ALLOC) != 0 && size != 0;
    }
    let symbols = file.elf_symbol_table();
    for symbol in symbols.iter() {
        has_code &= symbols.symbol_name(endian, symbol).map_err(damage)? != b"__gnu_lto_slim";
    }
    match is_for_the_compiler && !has_code {
        true => Err("it holds gcc's link-time optimisation data and no machine code".to_owned()),
        false => Ok(()),
    }
}

fn read_symbols<Elf>(
    interface: &mut ObjectInterface,
    symbols: &SymbolTable<'_, Elf>,
    endian: Endianness,
) -> Result<(), String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    for (index, symbol) in symbols.enumerate() {
        let is_undefined = symbol.is_undefined(endian);
        if symbol.st_type() == elf::STT_GNU_IFUNC && !is_undefined {
            interface.runs_at_start = true;
        }
        // The first symbol stands for none.
        if index.0 == 0 || symbol.is_local() {
            continue;
        }
        let bytes = symbols.symbol_name(endian, symbol).map_err(damage)?;
        let name = std::str::from_utf8(bytes)
            .map_err(|_| "the name of one of its symbols is not UTF-8".to_owned())?;
        let name = without_version(name);
        let visibility = symbol.st_visibility();
        let is_hidden = visibility == elf::STV_HIDDEN || visibility == elf::STV_INTERNAL;
        if is_undefined {
            interface.mentions.insert(name.to_owned());
        } else if interface.kind == ObjectKind::Relocatable || !is_hidden {
            interface.defines.insert(name.to_owned());
            if symbol.is_weak() || symbol.is_common(endian) {
                interface.weak.insert(name.to_owned());
            }
        }
    }
    Ok(())
}

/// `f@V1` and `f@@V2` are versions of `f`; a name that begins with the sign is a name.
fn without_version(name: &str) -> &str {
    match name.find('@') {
        Some(end) if end > 0 => &name[..end],
        Some(_) | None => name,
    }
}

fn read_sections<Elf>(
    interface: &mut ObjectInterface,
    file: &ElfFile<'_, Elf>,
) -> Result<(), String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let endian = file.endian();
    let sections = file.elf_section_table();
    for section in sections.iter() {
        let size: u64 = section.sh_size(endian).into();
        let name = sections.section_name(endian, section).map_err(damage)?;
        if size != 0 {
            let section_type = section.sh_type(endian);
            interface.runs_at_start |= is_or_begins(name, &START_SECTIONS)
                || section_type == elf::SHT_INIT_ARRAY
                || section_type == elf::SHT_PREINIT_ARRAY;
            interface.runs_at_end |=
                is_or_begins(name, &END_SECTIONS) || section_type == elf::SHT_FINI_ARRAY;
        }
        if let Some((entries, link)) = section.dynamic(endian, file.data()).map_err(damage)? {
            read_dynamic(interface, file, entries, link)?;
        }
    }
    Ok(())
}

/// `.init_array` itself, or with a priority behind it (`.init_array.00101`).
fn is_or_begins(name: &[u8], sections: &[&[u8]]) -> bool {
    sections.iter().any(|section| {
        name.strip_prefix(*section)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."))
    })
}

fn read_dynamic<Elf>(
    interface: &mut ObjectInterface,
    file: &ElfFile<'_, Elf>,
    entries: &[Elf::Dyn],
    link: SectionIndex,
) -> Result<(), String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let endian = file.endian();
    let strings = file
        .elf_section_table()
        .strings(endian, file.data(), link)
        .map_err(damage)?;
    for entry in entries {
        let value: u64 = entry.d_val(endian).into();
        let tag: u64 = entry.d_tag(endian).into();
        match u32::try_from(tag).unwrap_or(0) {
            elf::DT_NEEDED => {
                let offset = u32::try_from(value).unwrap_or(u32::MAX);
                let needed = strings
                    .get(offset)
                    .map_err(|()| "the name of a library that it needs is damaged".to_owned())?;
                interface
                    .needed
                    .push(String::from_utf8_lossy(needed).into_owned());
            }
            elf::DT_SYMBOLIC => interface.symbolic = true,
            elf::DT_FLAGS => interface.symbolic |= value & u64::from(elf::DF_SYMBOLIC) != 0,
            elf::DT_INIT | elf::DT_INIT_ARRAY | elf::DT_PREINIT_ARRAY => {
                interface.runs_at_start |= value != 0;
            }
            elf::DT_FINI | elf::DT_FINI_ARRAY => interface.runs_at_end |= value != 0,
            // Other entries say where tables are, not what is defined or run.
            _ => {}
        }
    }
    Ok(())
}
