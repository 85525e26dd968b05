//! The table of types, and the bounds on what is entered into it.
//!
//! Two bounds keep later passes safe on hostile input: nesting (they recurse
//! over types), and the number of leaves that a type has when its structs are
//! spread out (sizes are computed by walking them).

use super::fault::Read;
use super::reader::Reader;
use knockon_program::{Type, TypeId};

/// How deep brackets, structs and constant expressions may nest.
pub(crate) const DEPTH_LIMIT: u32 = 200;
const LEAF_LIMIT: u32 = 1 << 20;

/// Types that nearly every line names.
pub(crate) struct KnownTypes {
    pub(crate) void: TypeId,
    pub(crate) pointer: TypeId,
    pub(crate) metadata: TypeId,
    pub(crate) token: TypeId,
    pub(crate) i1: TypeId,
    pub(crate) i8: TypeId,
    pub(crate) i16: TypeId,
    pub(crate) i32: TypeId,
    pub(crate) i64: TypeId,
}

impl KnownTypes {
    pub(crate) fn new(program: &mut knockon_program::Program) -> KnownTypes {
        let mut intern = |value| program.types.intern(value);
        KnownTypes {
            void: intern(Type::Void),
            pointer: intern(Type::Pointer(0)),
            metadata: intern(Type::Metadata),
            token: intern(Type::Token),
            i1: intern(Type::Integer(1)),
            i8: intern(Type::Integer(8)),
            i16: intern(Type::Integer(16)),
            i32: intern(Type::Integer(32)),
            i64: intern(Type::Integer(64)),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct TypeBulk {
    depth: u32,
    leaves: u32,
}

impl Reader<'_> {
    pub(crate) fn enter(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(self
                .cursor
                .fault(format!("nested more than {DEPTH_LIMIT} deep")));
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Interns a type that cannot contain others.
    pub(crate) fn intern_type(&mut self, value: Type) -> TypeId {
        self.program.types.intern(value)
    }

    /// Interns a type made of others, within the bounds.
    pub(crate) fn composite(&mut self, value: Type) -> Read<TypeId> {
        let type_id = self.program.types.intern(value);
        if type_id.index() < self.bulks.len() {
            return Ok(type_id);
        }
        let simple = TypeBulk {
            depth: 0,
            leaves: 1,
        };
        let bulk_of = |id: &TypeId| self.bulks.get(id.index()).copied().unwrap_or(simple);
        let parts: (u32, u32) = match self.program.types.get(type_id) {
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                let bulk = bulk_of(element);
                (bulk.depth, bulk.leaves)
            }
            Type::Struct { fields, .. } => fields.iter().map(bulk_of).fold((0, 1), |sum, bulk| {
                (sum.0.max(bulk.depth), sum.1.saturating_add(bulk.leaves))
            }),
            Type::Function {
                result, parameters, ..
            } => parameters
                .iter()
                .chain([result])
                .map(bulk_of)
                .fold((0, 1), |sum, bulk| {
                    (sum.0.max(bulk.depth), sum.1.saturating_add(bulk.leaves))
                }),
            _ => (0, 1),
        };
        if parts.0 >= DEPTH_LIMIT || parts.1 > LEAF_LIMIT {
            return Err(self
                .cursor
                .fault("this type is nested too deep or has too many parts"));
        }
        self.bulks.resize(type_id.index(), simple);
        self.bulks.push(TypeBulk {
            depth: parts.0 + 1,
            leaves: parts.1,
        });
        Ok(type_id)
    }

    /// The type itself, or a vector of it as long as `model` is.
    pub(crate) fn shaped_like(&mut self, element: TypeId, model: TypeId) -> Read<TypeId> {
        match *self.program.types.get(model) {
            Type::Vector {
                count, scalable, ..
            } => self.composite(Type::Vector {
                element,
                count,
                scalable,
            }),
            _ => Ok(element),
        }
    }

    /// The type of a part of an aggregate.
    pub(crate) fn part_of(&self, aggregate: TypeId, index: u64) -> Read<TypeId> {
        let part = match self.program.types.get(aggregate) {
            Type::Array { element, .. } => Some(*element),
            Type::Struct { fields, .. } => usize::try_from(index)
                .ok()
                .and_then(|index| fields.get(index).copied()),
            _ => None,
        };
        part.ok_or_else(|| self.cursor.fault("the aggregate has no such part"))
    }

    pub(crate) fn element_of(&self, vector: TypeId) -> Read<TypeId> {
        match self.program.types.get(vector) {
            Type::Vector { element, .. } => Ok(*element),
            _ => Err(self.cursor.fault("expected a vector")),
        }
    }
}
