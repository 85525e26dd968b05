//! Constants: literals, aggregates, symbols. Constant expressions are in
//! `expressions`.

use super::cursor::{text_of, unescaped};
use super::fault::{Fault, Read};
use super::metadata::plain_tuple;
use super::reader::Reader;
use knockon_program::{
    CaveatKind, Constant, ConstantId, Expression, Opcode, PlaceId, Type, TypeId,
};

/// Splats of more elements stay an expression over one element.
const SPREAD_LIMIT: u64 = 256;

impl<'t> Reader<'t> {
    /// A constant of this type.
    pub(crate) fn constant(&mut self, type_id: TypeId) -> Read<ConstantId> {
        self.cursor.skip_space();
        let start = self.cursor;
        let value = match self.cursor.peek() {
            b'0'..=b'9' | b'-' | b'+' => return self.number(type_id),
            b'@' => {
                self.cursor.at += 1;
                let name = self.cursor.name()?;
                return self.symbol(name, start.at).map(|symbol| symbol.constant);
            }
            b'{' | b'[' | b'<' => self.aggregate(type_id)?,
            b'!' => return self.metadata_constant(),
            b'%' => return Err(start.fault("a constant cannot use a local value")),
            _ => match self.cursor.word() {
                b"null" => match self.program.types.get(type_id) {
                    Type::Pointer(_) => Constant::Null(type_id),
                    _ => return Err(start.fault("`null` is a pointer")),
                },
                b"true" | b"false" if type_id != self.known.i1 => {
                    return Err(start.fault("a truth value has type `i1`"));
                }
                b"true" => Constant::Integer { type_id, bits: 1 },
                b"false" => Constant::Integer { type_id, bits: 0 },
                b"undef" => Constant::Undefined(type_id),
                b"poison" => Constant::Poison(type_id),
                b"zeroinitializer" | b"none" => self.zero(type_id),
                b"c" if self.cursor.peek() == b'"' => self.bytes(type_id)?,
                b"splat" => return self.splat(type_id),
                b"blockaddress" => return self.block_address(),
                // A stand-in that calls or compares like the function itself.
                b"dso_local_equivalent" | b"no_cfi" => {
                    self.enter()?;
                    let stands_for = self.constant(type_id)?;
                    self.leave();
                    return Ok(stands_for);
                }
                b"ptrauth" => return self.signed_pointer(),
                word if word.starts_with(b"u0x") || word.starts_with(b"s0x") => {
                    self.hexadecimal_integer(type_id, word)?
                }
                word => return self.constant_expression(word, start.at, type_id),
            },
        };
        Ok(self.program.constants.intern(value))
    }

    pub(crate) fn typed_constant(&mut self) -> Read<(TypeId, ConstantId)> {
        let type_id = self.type_id()?;
        let constant = self.constant(type_id)?;
        Ok((type_id, constant))
    }

    #[inline]
    fn number(&mut self, type_id: TypeId) -> Read<ConstantId> {
        // Small numbers of few types make up most constants: a table of the
        // last one met per low bits saves the hashing.
        let value = self.numeric_literal(type_id)?;
        let Constant::Integer { bits, .. } = value else {
            return Ok(self.program.constants.intern(value));
        };
        let slot = (bits as usize ^ (type_id.index() << 5)) % self.recent_integers.len();
        let (known_type, known_bits, known) = self.recent_integers[slot];
        if known_type == type_id && known_bits == bits {
            return Ok(known);
        }
        let id = self.program.constants.intern(value);
        self.recent_integers[slot] = (type_id, bits, id);
        Ok(id)
    }

    fn zero(&self, type_id: TypeId) -> Constant {
        match self.program.types.get(type_id) {
            Type::Integer(width) if *width <= 128 => Constant::Integer { type_id, bits: 0 },
            Type::Pointer(_) => Constant::Null(type_id),
            kind if kind.is_floating_point() => Constant::Float { type_id, bits: 0 },
            _ => Constant::Zero(type_id),
        }
    }

    /// `c"…"`.
    fn bytes(&mut self, type_id: TypeId) -> Read<Constant> {
        let start = self.cursor;
        let bytes = unescaped(self.cursor.quoted()?)
            .into_owned()
            .into_boxed_slice();
        match *self.program.types.get(type_id) {
            Type::Array { element, count }
                if count == bytes.len() as u64
                    && *self.program.types.get(element) == Type::Integer(8) =>
            {
                Ok(Constant::Bytes { type_id, bytes })
            }
            _ => Err(start.fault(format!(
                "these {} bytes are no value of the stated type",
                bytes.len()
            ))),
        }
    }

    fn aggregate(&mut self, type_id: TypeId) -> Read<Constant> {
        let open = self.cursor.peek();
        self.cursor.at += 1;
        let packed = open == b'<' && self.cursor.peek() == b'{';
        self.cursor.at += usize::from(packed);
        let close = match open {
            b'[' => b']',
            b'<' if !packed => b'>',
            _ => b'}',
        };
        self.enter()?;
        let mut elements = Vec::new();
        if !self.cursor.eat(close) {
            loop {
                let (element_type, element) = self.typed_constant()?;
                if !self.is_part(type_id, elements.len(), element_type) {
                    return Err(self
                        .cursor
                        .fault("this element is not of the aggregate's type"));
                }
                elements.push(element);
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(close)?;
        }
        self.leave();
        if packed {
            self.cursor.expect(b'>')?;
        }
        let expected = match self.program.types.get(type_id) {
            Type::Array { count, .. } | Type::Vector { count, .. } => *count,
            Type::Struct { fields, .. } => fields.len() as u64,
            _ => u64::MAX,
        };
        if elements.len() as u64 != expected {
            return Err(self
                .cursor
                .fault("the aggregate has not as many elements as its type"));
        }
        Ok(Constant::Aggregate {
            type_id,
            elements: elements.into_boxed_slice(),
        })
    }

    fn is_part(&self, aggregate: TypeId, index: usize, part: TypeId) -> bool {
        match self.program.types.get(aggregate) {
            Type::Array { element, .. } | Type::Vector { element, .. } => *element == part,
            Type::Struct { fields, .. } => fields.get(index) == Some(&part),
            _ => false,
        }
    }

    /// `splat (T c)`: every element is the same.
    fn splat(&mut self, type_id: TypeId) -> Read<ConstantId> {
        self.cursor.expect(b'(')?;
        self.enter()?;
        let (_, element) = self.typed_constant()?;
        self.leave();
        self.cursor.expect(b')')?;
        let Type::Vector {
            count, scalable, ..
        } = *self.program.types.get(type_id)
        else {
            return Err(self.cursor.fault("`splat` makes a vector"));
        };
        if !scalable && count <= SPREAD_LIMIT {
            self.spend(count as usize * 4)?;
            let elements = vec![element; count as usize].into_boxed_slice();
            return Ok(self
                .program
                .constants
                .intern(Constant::Aggregate { type_id, elements }));
        }
        // The element in lane 0, shuffled into all lanes.
        let i64_type = self.known.i64;
        let i32_type = self.known.i32;
        let mask_type = self.composite(Type::Vector {
            element: i32_type,
            count,
            scalable,
        })?;
        let constants = &mut self.program.constants;
        let expression =
            |opcode,
             operands: Vec<ConstantId>,
             constants: &mut knockon_program::Interned<Constant, ConstantId>| {
                constants.intern(Constant::Expression(Expression {
                    opcode,
                    type_id,
                    element_type: type_id,
                    detail: 0,
                    operands: operands.into_boxed_slice(),
                }))
            };
        let poison = constants.intern(Constant::Poison(type_id));
        let lane = constants.intern(Constant::Integer {
            type_id: i64_type,
            bits: 0,
        });
        let mask = constants.intern(Constant::Zero(mask_type));
        let first = expression(
            Opcode::InsertElement,
            vec![poison, element, lane],
            constants,
        );
        Ok(expression(
            Opcode::ShuffleVector,
            vec![first, poison, mask],
            constants,
        ))
    }

    fn block_address(&mut self) -> Read<ConstantId> {
        self.cursor.expect(b'(')?;
        self.cursor.expect(b'@')?;
        let at = self.cursor.at;
        let name = self.cursor.name()?;
        let constant = self.symbol(name, at)?.constant;
        let Constant::Function(function) = *self.program.constant(constant) else {
            return Err(Fault::new(at, "`blockaddress` needs a function"));
        };
        self.cursor.expect(b',')?;
        self.cursor.expect(b'%')?;
        let at = self.cursor.at;
        let label = self.cursor.name()?;
        self.cursor.expect(b')')?;
        let block = self.block_named(function, label, at)?;
        Ok(self
            .program
            .constants
            .intern(Constant::BlockAddress { function, block }))
    }

    /// `ptrauth (ptr p, i32 key, …)` is `p` with a signature that loads and
    /// calls check: for what it may point to it is `p`.
    fn signed_pointer(&mut self) -> Read<ConstantId> {
        self.cursor.expect(b'(')?;
        self.enter()?;
        let (_, pointer) = self.typed_constant()?;
        while self.cursor.eat(b',') {
            self.typed_constant()?;
        }
        self.leave();
        self.cursor.expect(b')')?;
        Ok(pointer)
    }

    /// Metadata used as a value, at its `!` or at the type of the value that it wraps. The number of a
    /// node is another one in each module, so a node is what it holds where that is plain.
    pub(crate) fn metadata_constant(&mut self) -> Read<ConstantId> {
        self.cursor.skip_space();
        let start = self.cursor.at;
        if self.cursor.peek() == b'!' {
            self.skip_metadata()?;
        } else {
            let type_id = self.type_id()?;
            self.cursor.skip_space();
            if self.cursor.peek() == b'%' {
                self.cursor.at += 1;
                self.cursor.name()?;
            } else {
                self.constant(type_id)?;
            }
        }
        let written = &self.cursor.text[start..self.cursor.at];
        let number = written.strip_prefix(b"!").map(text_of);
        let tuple = number
            .and_then(|number| plain_tuple(self.cursor.text, &self.outline, number.parse().ok()?));
        let text = text_of(tuple.unwrap_or(written)).into_owned();
        let name = self.program.names.intern(&text);
        Ok(self.program.constants.intern(Constant::Metadata(name)))
    }

    /// A constant of a kind that the reader does not know: kept without its
    /// parts, with a caveat.
    pub(crate) fn unknown_constant(&mut self, word: &[u8], type_id: TypeId) -> Read<ConstantId> {
        self.cursor.skip_balanced()?;
        self.caveat(
            CaveatKind::UnknownInstruction,
            PlaceId(0),
            format!("unknown constant `{}`", text_of(word)),
        );
        Ok(self
            .program
            .constants
            .intern(Constant::Expression(Expression {
                opcode: Opcode::Opaque,
                type_id,
                element_type: type_id,
                detail: 0,
                operands: Box::default(),
            })))
    }
}
