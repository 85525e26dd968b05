//! The sizes and field offsets of all types, computed once.
//!
//! Types are interned with children before parents, so one pass in row order is enough. Analyses
//! that ask for millions of sizes take them from here; [`Program::size_of`] walks the type.

use crate::{Program, Type, TypeId};

#[derive(Clone, Debug, Default)]
pub struct TypeLayouts {
    sizes: Vec<u64>,
    store_sizes: Vec<u64>,
    /// For each struct the place of its first field in `offsets`.
    first_field: Vec<u32>,
    offsets: Vec<u64>,
}

impl TypeLayouts {
    pub fn new(program: &Program) -> TypeLayouts {
        let mut layouts = TypeLayouts::default();
        let mut alignments: Vec<u64> = Vec::with_capacity(program.types.len());
        for (index, row) in program.types.rows().iter().enumerate() {
            let id = TypeId::from_index(index);
            layouts.first_field.push(layouts.offsets.len() as u32);
            let (size, alignment) = match row {
                Type::Array { element, count } => (
                    layouts.size_of(*element).saturating_mul(*count),
                    alignments[element.index()],
                ),
                Type::Struct { fields, packed, .. } => {
                    let (mut offset, mut alignment) = (0u64, 1u64);
                    for field in fields {
                        if !packed {
                            let own = alignments[field.index()].max(1);
                            offset = offset.next_multiple_of(own);
                            alignment = alignment.max(own);
                        }
                        layouts.offsets.push(offset);
                        offset = offset.saturating_add(layouts.size_of(*field));
                    }
                    (offset.next_multiple_of(alignment), alignment)
                }
                _ => (program.size_of(id), program.alignment_of(id)),
            };
            layouts.sizes.push(size);
            alignments.push(alignment);
            layouts.store_sizes.push(match row.is_aggregate() {
                true => size,
                false => program.store_size(id),
            });
        }
        layouts
    }

    /// As [`Program::size_of`].
    pub fn size_of(&self, id: TypeId) -> u64 {
        self.sizes[id.index()]
    }

    /// As [`Program::store_size`].
    pub fn store_size(&self, id: TypeId) -> u64 {
        self.store_sizes[id.index()]
    }

    /// The offsets of a struct's fields; empty for other types.
    pub fn field_offsets(&self, id: TypeId) -> &[u64] {
        let first = self.first_field[id.index()] as usize;
        let end = self
            .first_field
            .get(id.index() + 1)
            .map_or(self.offsets.len(), |end| *end as usize);
        &self.offsets[first..end]
    }

    /// As [`Program::field_offset`].
    pub fn field_offset(&self, id: TypeId, field: usize) -> Option<u64> {
        self.field_offsets(id).get(field).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_walk_over_the_type() {
        let mut program = Program::new();
        let mut types: Vec<TypeId> = [1, 8, 16, 24, 32, 64, 65, 128]
            .into_iter()
            .map(|bits| program.types.intern(Type::Integer(bits)))
            .collect();
        for scalar in [Type::Double, Type::X86Fp80, Type::Pointer(0), Type::Void] {
            types.push(program.types.intern(scalar));
        }
        let name = program.names.intern("");
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..400 {
            let new = match random(3) {
                0 => Type::Array {
                    element: types[random(types.len())],
                    count: random(5) as u64,
                },
                _ => Type::Struct {
                    name,
                    fields: (0..random(5)).map(|_| types[random(types.len())]).collect(),
                    packed: random(4) == 0,
                },
            };
            types.push(program.types.intern(new));
        }
        let layouts = TypeLayouts::new(&program);
        for id in types {
            assert_eq!(layouts.size_of(id), program.size_of(id));
            assert_eq!(layouts.store_size(id), program.store_size(id));
            for field in 0..6 {
                assert_eq!(
                    layouts.field_offset(id, field),
                    program.field_offset(id, field)
                );
            }
        }
    }
}
