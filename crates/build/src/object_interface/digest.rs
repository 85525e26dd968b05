//! **Question.** Is the content of two objects the same, wherever and whenever they were made?
//!
//! Content is what gets into the program: the sections that are loaded (name, type, flags, bytes),
//! their relocations (place, kind, symbol, addend), the groups of which a linker keeps one copy, and
//! the symbols. Not content: build ids, `.comment`, debug sections, the names of source files,
//! names of local symbols, and what an archive keeps of a member beside its bytes.
//!
//! A local symbol counts by where it points, so a compiler that numbers its labels differently
//! changes nothing. Each part is written with its length, so that two contents never run into one
//! another.

use blake3::Hasher;
use object::Endianness;
use object::elf;
use object::read::elf::{ElfFile, FileHeader, Rel, Rela, SectionHeader, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};
use rustc_hash::FxHashMap;

use super::elf::damage;

pub(super) fn digest<Elf>(
    file: &ElfFile<'_, Elf>,
    symbols: &SymbolTable<'_, Elf>,
) -> Result<[u8; 32], String>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let mut content = Content {
        file,
        symbols,
        endian: file.endian(),
        numbers: FxHashMap::default(),
        hasher: Hasher::new(),
    };
    content.header();
    content.sections()?;
    content.relocations()?;
    content.groups()?;
    content.all_symbols()?;
    Ok(*content.hasher.finalize().as_bytes())
}

struct Content<'file, 'data, Elf: FileHeader<Endian = Endianness>> {
    file: &'file ElfFile<'data, Elf>,
    symbols: &'file SymbolTable<'data, Elf>,
    endian: Endianness,
    /// The sections that count, numbered among themselves: a debug section before one of them does
    /// not change its number.
    numbers: FxHashMap<SectionIndex, u64>,
    hasher: Hasher,
}

impl<Elf: FileHeader<Endian = Endianness>> Content<'_, '_, Elf> {
    fn number(&mut self, number: u64) {
        self.hasher.update(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.hasher.update(bytes);
    }

    fn header(&mut self) {
        let header = self.file.elf_header();
        self.number(u64::from(header.is_class_64()));
        self.number(u64::from(header.is_big_endian()));
        self.number(header.e_type(self.endian).into());
        self.number(header.e_machine(self.endian).into());
        self.number(header.e_flags(self.endian).into());
    }

    fn sections(&mut self) -> Result<(), String> {
        let endian = self.endian;
        let sections = self.file.elf_section_table();
        for (index, section) in sections.enumerate() {
            let name = sections.section_name(endian, section).map_err(damage)?;
            let flags: u64 = section.sh_flags(endian).into();
            // An empty section that says whether the stack may hold code.
            let is_mark = name == b".note.GNU-stack";
            let is_loaded = flags & u64::from(elf::SHF_ALLOC) != 0;
            if !(is_loaded || is_mark) || name == b".note.gnu.build-id" {
                continue;
            }
            self.numbers.insert(index, self.numbers.len() as u64);
            self.bytes(name);
            for part in [
                section.sh_type(endian).into(),
                flags,
                section.sh_addr(endian).into(),
                section.sh_size(endian).into(),
                section.sh_addralign(endian).into(),
                section.sh_entsize(endian).into(),
            ] {
                self.number(part);
            }
            let content = section.data(endian, self.file.data()).map_err(damage)?;
            self.bytes(content);
        }
        Ok(())
    }

    fn relocations(&mut self) -> Result<(), String> {
        let endian = self.endian;
        let header = self.file.elf_header();
        let is_mips64el = header.is_mips64el(endian);
        for section in self.file.elf_section_table().iter() {
            let Some(&target) = self.numbers.get(&section.info_link(endian)) else {
                continue;
            };
            if section.sh_type(endian) == elf::SHT_CREL {
                return Err("its relocations are compact ones, which are not read".to_owned());
            }
            // Relocations by the symbols of another table are those of the loader; they are in a
            // section that is loaded, as bytes.
            if section.link(endian) != self.symbols.section() {
                continue;
            }
            if let Some((entries, _)) = section.rel(endian, self.file.data()).map_err(damage)? {
                for entry in entries {
                    self.number(target);
                    self.number(entry.r_offset(endian).into());
                    self.number(entry.r_type(endian).into());
                    self.symbol_at(entry.symbol(endian))?;
                }
            }
            if let Some((entries, _)) = section.rela(endian, self.file.data()).map_err(damage)? {
                for entry in entries {
                    self.number(target);
                    self.number(entry.r_offset(endian).into());
                    self.number(entry.r_type(endian, is_mips64el).into());
                    self.number(entry.r_addend(endian).into() as u64);
                    self.symbol_at(entry.symbol(endian, is_mips64el))?;
                }
            }
        }
        Ok(())
    }

    /// A global symbol by its name, a local one by its place.
    fn symbol_at(&mut self, index: Option<SymbolIndex>) -> Result<(), String> {
        let Some(index) = index else {
            self.number(0);
            return Ok(());
        };
        let symbol = self.symbols.symbol(index).map_err(damage)?;
        if symbol.is_local() {
            self.number(1);
            return self.place(index, symbol);
        }
        self.number(2);
        let name = self
            .symbols
            .symbol_name(self.endian, symbol)
            .map_err(damage)?;
        self.bytes(name);
        Ok(())
    }

    fn place(&mut self, index: SymbolIndex, symbol: &Elf::Sym) -> Result<(), String> {
        let endian = self.endian;
        let section = self
            .symbols
            .symbol_section(endian, symbol, index)
            .map_err(damage)?;
        match section {
            Some(section) => {
                let number = self.numbers.get(&section).copied().unwrap_or(u64::MAX);
                self.number(number);
            }
            None => self.number(u64::from(symbol.st_shndx(endian)) | 1 << 32),
        }
        self.number(symbol.st_value(endian).into());
        self.number(symbol.st_type().into());
        Ok(())
    }

    /// Sections that a linker keeps or drops together, by the name that decides.
    fn groups(&mut self) -> Result<(), String> {
        let endian = self.endian;
        for section in self.file.elf_section_table().iter() {
            let Some((flag, members)) = section.group(endian, self.file.data()).map_err(damage)?
            else {
                continue;
            };
            let numbers: Vec<u64> = members
                .iter()
                .filter_map(|member| {
                    let index = SectionIndex(member.get(endian) as usize);
                    self.numbers.get(&index).copied()
                })
                .collect();
            if numbers.is_empty() {
                continue;
            }
            self.number(flag.into());
            let signature = SymbolIndex(section.sh_info(endian) as usize);
            let symbol = self.symbols.symbol(signature).map_err(damage)?;
            let name = self.symbols.symbol_name(endian, symbol).map_err(damage)?;
            self.bytes(name);
            self.number(numbers.len() as u64);
            for number in numbers {
                self.number(number);
            }
        }
        Ok(())
    }

    /// The symbols that other files can see, by name.
    fn all_symbols(&mut self) -> Result<(), String> {
        let endian = self.endian;
        let mut named = Vec::new();
        for (index, symbol) in self.symbols.enumerate() {
            if index.0 != 0 && !symbol.is_local() {
                let name = self.symbols.symbol_name(endian, symbol).map_err(damage)?;
                named.push((name, index));
            }
        }
        named.sort_by_key(|&(name, index)| (name, index.0));
        for (name, index) in named {
            let symbol = self.symbols.symbol(index).map_err(damage)?;
            self.bytes(name);
            self.number(symbol.st_info().into());
            self.number(symbol.st_other().into());
            self.number(symbol.st_size(endian).into());
            self.place(index, symbol)?;
        }
        Ok(())
    }
}
