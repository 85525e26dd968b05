//! The map from one unit's table rows to the linked program's.
//!
//! Interned tables hold children before parents, since a row is hashed with
//! the ids of its children; so one pass in row order suffices.

use super::*;
use crate::{Expression, FileId, Place, SourceFile, Type};
use rustc_hash::FxHashMap;

pub(super) struct Maps {
    names: Vec<Name>,
    types: Vec<TypeId>,
    places: Vec<PlaceId>,
    constants: Vec<ConstantId>,
    /// Number of the unit's first symbol among all units' symbols: globals,
    /// then functions, then aliases.
    pub first_symbol: usize,
    pub globals: usize,
    pub functions: usize,
}

impl Maps {
    pub fn name(&self, id: Name) -> Name {
        self.names[id.index()]
    }

    pub fn type_id(&self, id: TypeId) -> TypeId {
        self.types[id.index()]
    }

    pub fn place(&self, id: PlaceId) -> PlaceId {
        self.places[id.index()]
    }

    pub fn constant(&self, id: ConstantId) -> ConstantId {
        self.constants[id.index()]
    }

    /// Names, types, files and places: all that does not mention symbols.
    pub fn of_plain_tables(program: &mut Program, unit: &Program, first_symbol: usize) -> Maps {
        let names: Vec<Name> = (0..unit.names.len())
            .map(|row| program.names.intern(unit.names.text(Name::from_index(row))))
            .collect();

        let mut types: Vec<TypeId> = Vec::with_capacity(unit.types.len());
        for row in unit.types.rows() {
            let map = |id: &TypeId| types[id.index()];
            let mapped = match row {
                Type::Array { element, count } => Type::Array {
                    element: map(element),
                    count: *count,
                },
                Type::Vector {
                    element,
                    count,
                    scalable,
                } => Type::Vector {
                    element: map(element),
                    count: *count,
                    scalable: *scalable,
                },
                Type::Struct {
                    name,
                    fields,
                    packed,
                } => Type::Struct {
                    name: names[name.index()],
                    fields: fields.iter().map(map).collect(),
                    packed: *packed,
                },
                Type::Opaque(name) => Type::Opaque(names[name.index()]),
                Type::Target(name) => Type::Target(names[name.index()]),
                Type::Function {
                    result,
                    parameters,
                    variadic,
                } => Type::Function {
                    result: map(result),
                    parameters: parameters.iter().map(map).collect(),
                    variadic: *variadic,
                },
                plain => plain.clone(),
            };
            types.push(program.types.intern(mapped));
        }

        let mut known_files: FxHashMap<Name, FileId> = program
            .files
            .iter()
            .enumerate()
            .map(|(index, file)| (file.path, FileId::from_index(index)))
            .collect();
        let files: Vec<FileId> = unit
            .files
            .iter()
            .map(|file| {
                let path = names[file.path.index()];
                *known_files.entry(path).or_insert_with(|| {
                    program.files.push(SourceFile { path });
                    FileId::from_index(program.files.len() - 1)
                })
            })
            .collect();

        let mut places: Vec<PlaceId> = Vec::with_capacity(unit.places.len());
        for place in unit.places.rows() {
            let mapped = Place {
                file: files.get(place.file.index()).copied().unwrap_or(place.file),
                inlined_at: places
                    .get(place.inlined_at.index())
                    .copied()
                    .unwrap_or(PlaceId(0)),
                ..*place
            };
            places.push(program.places.intern(mapped));
        }
        Maps {
            names,
            types,
            places,
            constants: Vec::new(),
            first_symbol,
            globals: unit.globals.len(),
            functions: unit.functions.len(),
        }
    }

    pub fn add_constants(
        &mut self,
        program: &mut Program,
        unit: &Program,
        resolution: &Resolution,
    ) {
        let mut constants: Vec<ConstantId> = Vec::with_capacity(unit.constants.len());
        for row in unit.constants.rows() {
            let map = |id: &ConstantId| constants[id.index()];
            let symbol = |index: usize| match resolution.target(self.first_symbol + index) {
                Kind::Global(id) => Constant::Global(id),
                Kind::Function(id) => Constant::Function(id),
                Kind::Alias(id) => Constant::Alias(id),
            };
            let mapped = match row {
                Constant::Integer { type_id, bits } => Constant::Integer {
                    type_id: self.type_id(*type_id),
                    bits: *bits,
                },
                Constant::WideInteger { type_id, words } => Constant::WideInteger {
                    type_id: self.type_id(*type_id),
                    words: words.clone(),
                },
                Constant::Float { type_id, bits } => Constant::Float {
                    type_id: self.type_id(*type_id),
                    bits: *bits,
                },
                Constant::Null(id) => Constant::Null(self.type_id(*id)),
                Constant::Zero(id) => Constant::Zero(self.type_id(*id)),
                Constant::Undefined(id) => Constant::Undefined(self.type_id(*id)),
                Constant::Poison(id) => Constant::Poison(self.type_id(*id)),
                Constant::Aggregate { type_id, elements } => Constant::Aggregate {
                    type_id: self.type_id(*type_id),
                    elements: elements.iter().map(map).collect(),
                },
                Constant::Bytes { type_id, bytes } => Constant::Bytes {
                    type_id: self.type_id(*type_id),
                    bytes: bytes.clone(),
                },
                Constant::Global(id) => symbol(id.index()),
                Constant::Function(id) => symbol(self.globals + id.index()),
                Constant::Alias(id) => symbol(self.globals + self.functions + id.index()),
                Constant::BlockAddress { function, block } => {
                    match symbol(self.globals + function.index()) {
                        Constant::Function(function) => Constant::BlockAddress {
                            function,
                            block: *block,
                        },
                        // A block's address exists only in the function's own unit,
                        // where the function is defined; another kind cannot win.
                        other => other,
                    }
                }
                Constant::Expression(expression) => Constant::Expression(Expression {
                    opcode: expression.opcode,
                    type_id: self.type_id(expression.type_id),
                    element_type: self.type_id(expression.element_type),
                    detail: expression.detail,
                    operands: expression.operands.iter().map(map).collect(),
                }),
                Constant::Assembly {
                    template,
                    constraints,
                } => Constant::Assembly {
                    template: self.name(*template),
                    constraints: self.name(*constraints),
                },
                Constant::Metadata(text) => Constant::Metadata(self.name(*text)),
            };
            constants.push(program.constants.intern(mapped));
        }
        self.constants = constants;
    }
}
