//! Local names of one function: values and labels share one space.
//!
//! A name may be used before it is defined (phis, blocks out of order). The
//! first mention makes an entry; the definition fills it. Printed numbers are
//! dense and index a table; names go through a hash table over slices of the
//! text. Both are kept between functions, so that reading allocates nothing.

use hashbrown::HashTable;
use knockon_program::Operand;
use rustc_hash::FxHasher;
use std::hash::Hasher;

#[derive(Clone, Copy)]
pub(crate) struct Local<'t> {
    pub(crate) name: &'t [u8],
    /// `None` until it is defined.
    pub(crate) operand: Option<Operand>,
}

#[derive(Default)]
pub(crate) struct Locals<'t> {
    entries: Vec<Local<'t>>,
    named: HashTable<u32>,
    /// Entry + 1 by number; 0 is unused.
    numbered: Vec<u32>,
    /// Numbers from here on are treated like names: no function of this
    /// length numbers so many values.
    numbered_limit: usize,
    /// What the next unnamed value or block is called.
    pub(crate) next_number: u64,
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish()
}

/// The number that an unquoted name of digits is.
fn number_of(name: &[u8]) -> Option<u64> {
    if name.len() > 18 {
        return None;
    }
    let mut value = 0;
    for &byte in name {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
    }
    Some(value)
}

impl<'t> Locals<'t> {
    /// Forgets all names, for a function whose text is this long.
    pub(crate) fn reset(&mut self, text_length: usize) {
        // Clearing costs the capacity: after an unusually large function the
        // table is given back, so that small functions stay cheap.
        if self.named.capacity() > 1024 && self.named.len() * 16 < self.named.capacity() {
            self.named = HashTable::new();
        } else {
            self.named.clear();
        }
        self.entries.clear();
        self.numbered.clear();
        self.numbered_limit = text_length / 4 + 64;
        self.next_number = 0;
    }

    pub(crate) fn get(&self, entry: u32) -> Local<'t> {
        self.entries[entry as usize]
    }

    /// The entry of a name, made at its first mention.
    #[inline]
    pub(crate) fn entry(&mut self, name: &'t [u8]) -> u32 {
        if name.first().is_some_and(u8::is_ascii_digit)
            && let Some(number) = number_of(name)
        {
            return self.entry_of_number(number, name);
        }
        self.entry_of_name(name)
    }

    fn entry_of_number(&mut self, number: u64, name: &'t [u8]) -> u32 {
        match usize::try_from(number) {
            Ok(number) if number < self.numbered_limit => {
                if number >= self.numbered.len() {
                    self.numbered.resize(number + 1, 0);
                }
                if self.numbered[number] == 0 {
                    self.entries.push(Local {
                        name,
                        operand: None,
                    });
                    self.numbered[number] = self.entries.len() as u32;
                }
                self.numbered[number] - 1
            }
            _ => self.entry_of_name(name),
        }
    }

    fn entry_of_name(&mut self, name: &'t [u8]) -> u32 {
        let entries = &mut self.entries;
        let hashed = hash(name);
        if let Some(&found) = self
            .named
            .find(hashed, |&entry| entries[entry as usize].name == name)
        {
            return found;
        }
        let entry = entries.len() as u32;
        entries.push(Local {
            name,
            operand: None,
        });
        self.named
            .insert_unique(hashed, entry, |&entry| hash(entries[entry as usize].name));
        entry
    }

    pub(crate) fn is_defined(&self, name: &[u8]) -> bool {
        self.named
            .find(hash(name), |&entry| {
                self.entries[entry as usize].name == name
            })
            .is_some_and(|&entry| self.entries[entry as usize].operand.is_some())
    }

    /// Gives the name its meaning; `false` if it already has one.
    pub(crate) fn define(&mut self, name: &'t [u8], operand: Operand) -> bool {
        if let Some(number) = number_of(name) {
            self.next_number = self.next_number.max(number + 1);
        }
        let entry = self.entry(name);
        self.fill(entry, operand)
    }

    /// Defines the next unnamed value or block; its number.
    pub(crate) fn define_next(&mut self, operand: Operand) -> (u64, bool) {
        let number = self.next_number;
        self.next_number += 1;
        let entry = self.entry_of_number(number, b"");
        (number, self.fill(entry, operand))
    }

    fn fill(&mut self, entry: u32, operand: Operand) -> bool {
        let entry = &mut self.entries[entry as usize];
        let fresh = entry.operand.is_none();
        entry.operand = Some(operand);
        fresh
    }
}
