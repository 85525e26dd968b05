//! Sizes, alignments and offsets of types, by the module's `target datalayout`.
//!
//! Only what C programs on the usual targets need is read from the string:
//! byte order, pointer size, the alignments of integers, floats, vectors and
//! aggregates. The defaults are LLVM's own.

use crate::{Program, Type, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataLayout {
    pub big_endian: bool,
    /// In bytes.
    pub pointer_size: u32,
    pub pointer_alignment: u32,
    /// (bits, alignment in bytes), sorted by bits.
    pub integer_alignments: Vec<(u32, u32)>,
    pub float_alignments: Vec<(u32, u32)>,
    pub vector_alignments: Vec<(u32, u32)>,
}

impl Default for DataLayout {
    fn default() -> Self {
        DataLayout {
            big_endian: false,
            pointer_size: 8,
            pointer_alignment: 8,
            integer_alignments: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 8), (128, 16)],
            float_alignments: vec![(16, 2), (32, 4), (64, 8), (80, 16), (128, 16)],
            vector_alignments: vec![(64, 8), (128, 16)],
        }
    }
}

fn set(table: &mut Vec<(u32, u32)>, bits: u32, alignment: u32) {
    match table.binary_search_by_key(&bits, |row| row.0) {
        Ok(at) => table[at].1 = alignment,
        Err(at) => table.insert(at, (bits, alignment)),
    }
}

fn align_up(offset: u64, alignment: u64) -> u64 {
    offset.next_multiple_of(alignment.max(1))
}

impl DataLayout {
    /// Reads a `target datalayout` string; parts it does not know are skipped.
    pub fn parse(text: &str) -> DataLayout {
        let mut layout = DataLayout {
            // LLVM's default before any specification; the string of a target
            // with 16-byte i128 says so.
            integer_alignments: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 8)],
            ..DataLayout::default()
        };
        for part in text.split('-') {
            let (Some(kind), rest) = (part.chars().next(), part.get(1..).unwrap_or("")) else {
                continue;
            };
            let mut fields = rest.split(':');
            let first = fields.next().unwrap_or("");
            let alignment = fields
                .next()
                .and_then(|bits| bits.parse::<u32>().ok())
                .map(|bits| bits / 8);
            match kind {
                'e' if part == "e" => layout.big_endian = false,
                'E' if part == "E" => layout.big_endian = true,
                'p' if first.is_empty() || first == "0" => {
                    let mut fields = rest.split(':').skip(1);
                    let size = fields.next().and_then(|bits| bits.parse::<u32>().ok());
                    let alignment = fields.next().and_then(|bits| bits.parse::<u32>().ok());
                    if let Some(size) = size {
                        layout.pointer_size = size / 8;
                        layout.pointer_alignment = alignment.unwrap_or(size) / 8;
                    }
                }
                'i' | 'f' | 'v' => {
                    if let (Ok(bits), Some(alignment)) = (first.parse::<u32>(), alignment) {
                        let table = match kind {
                            'i' => &mut layout.integer_alignments,
                            'f' => &mut layout.float_alignments,
                            _ => &mut layout.vector_alignments,
                        };
                        set(table, bits, alignment.max(1));
                    }
                }
                _ => {}
            }
        }
        layout
    }

    fn integer_alignment(&self, bits: u32) -> u64 {
        // The smallest stated width that is at least as wide, else the widest.
        self.integer_alignments
            .iter()
            .find(|row| row.0 >= bits)
            .or(self.integer_alignments.last())
            .map_or(1, |row| u64::from(row.1))
    }

    fn float_alignment(&self, bits: u32) -> u64 {
        self.float_alignments
            .iter()
            .find(|row| row.0 == bits)
            .map_or(u64::from(bits / 8).next_power_of_two(), |row| {
                u64::from(row.1)
            })
    }
}

impl Program {
    /// The bytes that a store of this type writes; 0 for types without a size.
    pub fn store_size(&self, id: TypeId) -> u64 {
        match self.type_of(id) {
            Type::Integer(bits) => u64::from(bits.div_ceil(8)),
            Type::Half | Type::BFloat => 2,
            Type::Float => 4,
            Type::Double | Type::X86Mmx => 8,
            Type::X86Fp80 => 10,
            Type::Fp128 | Type::PpcFp128 => 16,
            Type::X86Amx => 1024,
            Type::Pointer(_) => u64::from(self.layout.pointer_size),
            Type::Vector { element, count, .. } => match self.type_of(*element) {
                // Vector elements are packed by bits.
                Type::Integer(bits) => (u64::from(*bits).saturating_mul(*count)).div_ceil(8),
                _ => self.store_size(*element).saturating_mul(*count),
            },
            Type::Array { .. } | Type::Struct { .. } => self.size_of(id),
            Type::Void
            | Type::Label
            | Type::Token
            | Type::Metadata
            | Type::Opaque(_)
            | Type::Function { .. }
            | Type::Target(_) => 0,
        }
    }

    /// The distance between two elements of this type in an array.
    pub fn size_of(&self, id: TypeId) -> u64 {
        match self.type_of(id) {
            Type::Array { element, count } => self.size_of(*element).saturating_mul(*count),
            Type::Struct { fields, packed, .. } => {
                let (mut offset, mut alignment) = (0u64, 1u64);
                for field in fields {
                    if !packed {
                        let own = self.alignment_of(*field);
                        offset = align_up(offset, own);
                        alignment = alignment.max(own);
                    }
                    offset = offset.saturating_add(self.size_of(*field));
                }
                align_up(offset, alignment)
            }
            _ => align_up(self.store_size(id), self.alignment_of(id)),
        }
    }

    pub fn alignment_of(&self, id: TypeId) -> u64 {
        match self.type_of(id) {
            Type::Integer(bits) => self.layout.integer_alignment(*bits),
            Type::Half | Type::BFloat => self.layout.float_alignment(16),
            Type::Float => self.layout.float_alignment(32),
            Type::Double => self.layout.float_alignment(64),
            Type::X86Fp80 => self.layout.float_alignment(80),
            Type::Fp128 | Type::PpcFp128 => self.layout.float_alignment(128),
            Type::X86Mmx => 8,
            Type::X86Amx => 64,
            Type::Pointer(_) => u64::from(self.layout.pointer_alignment),
            Type::Vector { .. } => {
                let size = self.store_size(id);
                self.layout
                    .vector_alignments
                    .iter()
                    .find(|row| u64::from(row.0) == size * 8)
                    .map_or(size.next_power_of_two(), |row| u64::from(row.1))
            }
            Type::Array { element, .. } => self.alignment_of(*element),
            Type::Struct { fields, packed, .. } => {
                if *packed {
                    1
                } else {
                    fields
                        .iter()
                        .map(|field| self.alignment_of(*field))
                        .max()
                        .unwrap_or(1)
                }
            }
            _ => 1,
        }
    }

    /// The byte offset of a struct's field.
    pub fn field_offset(&self, struct_type: TypeId, field: usize) -> Option<u64> {
        let Type::Struct { fields, packed, .. } = self.type_of(struct_type) else {
            return None;
        };
        let mut offset = 0u64;
        for (index, member) in fields.iter().enumerate() {
            if !packed {
                offset = align_up(offset, self.alignment_of(*member));
            }
            if index == field {
                return Some(offset);
            }
            offset = offset.saturating_add(self.size_of(*member));
        }
        None
    }
}
