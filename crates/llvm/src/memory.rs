//! Instructions on memory: allocation, access, addresses, atomics.

use super::body::Shape;
use super::fault::Read;
use super::reader::Reader;
use knockon_program::{AtomicOperation, Constant, Flags, Opcode, Operand, Type};

/// What may follow the operands of a memory instruction.
#[derive(Default)]
struct Suffix {
    /// log2; 0 when not stated, which promises nothing.
    alignment: u8,
    address_space: u32,
}

/// Any other word is one more.
const ORDERINGS: [&[u8]; 6] = [
    b"unordered",
    b"monotonic",
    b"acquire",
    b"release",
    b"acq_rel",
    b"seq_cst",
];

impl Reader<'_> {
    /// `atomic`, `volatile`, `weak` behind the mnemonic.
    #[inline]
    fn access_flags(&mut self) -> Flags {
        let mut flags = Flags::NONE;
        loop {
            self.cursor.skip_blanks();
            if !matches!(self.cursor.peek(), b'a' | b'v' | b'w' | b'e') {
                return flags;
            }
            if self.cursor.eat_word(b"volatile") {
                flags = flags.with(Flags::VOLATILE);
            } else if self.cursor.eat_word(b"atomic") {
                flags = flags.with(Flags::ATOMIC);
            } else if self.cursor.eat_word(b"weak") {
                flags = flags.with(Flags::WEAK);
            } else if !self.cursor.eat_word(b"elementwise") {
                return flags;
            }
        }
    }

    /// `syncscope("…")` and the orderings; of a compare and exchange the second is for failure.
    fn ordering(&mut self) -> Read<Flags> {
        let mut flags = Flags::NONE;
        let mut is_first = true;
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                b'a'..=b'z' => {
                    let word = self.cursor.word();
                    if word == b"syncscope" {
                        self.cursor.skip_blanks();
                        self.cursor.skip_balanced()?;
                        flags = flags.with(Flags::OTHER_SCOPE);
                        continue;
                    }
                    let known = ORDERINGS.iter().position(|known| *known == word);
                    let number = known.map_or(ORDERINGS.len(), |at| at) as u32 + 1;
                    flags = flags.with(match is_first {
                        true => Flags::ordering(number),
                        false => Flags::failure_ordering(number),
                    });
                    is_first = false;
                }
                _ => return Ok(flags),
            }
        }
    }

    /// The logarithm of what stands behind `align`: a number, which attributes may have in
    /// brackets.
    pub(crate) fn alignment(&mut self) -> Read<u8> {
        let in_brackets = self.cursor.eat_on_line(b'(');
        self.cursor.skip_space();
        let start = self.cursor;
        let alignment = self.cursor.number()?;
        if !alignment.is_power_of_two() || alignment > 1 << 32 {
            return Err(start.fault("an alignment must be a power of two of at most 2^32"));
        }
        if in_brackets {
            self.cursor.expect(b')')?;
        }
        Ok(alignment.trailing_zeros() as u8)
    }

    /// `, align N`, `, addrspace(N)`; stops before metadata.
    #[inline]
    fn suffix(&mut self) -> Read<Suffix> {
        let mut suffix = Suffix::default();
        loop {
            let before = self.cursor;
            if !self.cursor.eat(b',') {
                return Ok(suffix);
            }
            if self.cursor.eat_word(b"align") {
                suffix.alignment = self.alignment()?;
            } else if let Some(space) = self.address_space()? {
                suffix.address_space = space;
            } else {
                self.cursor = before;
                return Ok(suffix);
            }
        }
    }

    pub(crate) fn alloca(&mut self) -> Read<Shape> {
        while self.cursor.eat_word(b"inalloca") || self.cursor.eat_word(b"swifterror") {}
        let allocated = self.type_id()?;
        let mut suffix = self.suffix()?;
        let before = self.cursor;
        let has_count = self.cursor.eat(b',') && {
            self.cursor.skip_space();
            self.cursor.peek() != b'!'
        };
        if has_count {
            self.typed_value()?;
            suffix = self.suffix()?;
        } else {
            self.cursor = before;
            let one = Constant::Integer {
                type_id: self.known.i32,
                bits: 1,
            };
            let one = self.program.constants.intern(one);
            self.push_operand(Operand::Constant(one));
        }
        let type_id = match suffix.address_space {
            0 => self.known.pointer,
            space => self.intern_type(Type::Pointer(space)),
        };
        Ok(Shape {
            extra: allocated.0,
            detail: suffix.alignment,
            ..Shape::new(Opcode::Alloca, type_id)
        })
    }

    pub(crate) fn load(&mut self) -> Read<Shape> {
        let mut flags = self.access_flags();
        let type_id = self.type_id()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        if flags.has(Flags::ATOMIC) {
            flags = flags.with(self.ordering()?);
        }
        let suffix = self.suffix()?;
        Ok(Shape {
            detail: suffix.alignment,
            ..Shape::new(Opcode::Load, type_id).with_flags(flags)
        })
    }

    pub(crate) fn store(&mut self) -> Read<Shape> {
        let mut flags = self.access_flags();
        self.typed_value()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        if flags.has(Flags::ATOMIC) {
            flags = flags.with(self.ordering()?);
        }
        let suffix = self.suffix()?;
        Ok(Shape {
            detail: suffix.alignment,
            ..Shape::new(Opcode::Store, self.known.void).with_flags(flags)
        })
    }

    pub(crate) fn element_pointer(&mut self) -> Read<Shape> {
        let mut flags = self.flags()?;
        if self.cursor.eat_word(b"inrange") {
            self.cursor.skip_blanks();
            self.cursor.skip_balanced()?;
            flags = flags.with(self.flags()?);
        }
        let element = self.type_id()?;
        self.cursor.expect(b',')?;
        let mut type_id = self.typed_value()?;
        loop {
            let before = self.cursor;
            if !self.cursor.eat(b',') {
                break;
            }
            self.cursor.skip_space();
            if self.cursor.peek() == b'!' {
                self.cursor = before;
                break;
            }
            let index = self.typed_value()?;
            if self.is_vector(index) && !self.is_vector(type_id) {
                type_id = self.shaped_like(type_id, index)?;
            }
        }
        Ok(Shape {
            extra: element.0,
            ..Shape::new(Opcode::GetElementPointer, type_id).with_flags(flags)
        })
    }

    pub(crate) fn fence(&mut self) -> Read<Shape> {
        let flags = self.ordering()?.with(Flags::ATOMIC);
        Ok(Shape::new(Opcode::Fence, self.known.void).with_flags(flags))
    }

    pub(crate) fn compare_exchange(&mut self) -> Read<Shape> {
        let mut flags = self.access_flags().with(Flags::ATOMIC);
        self.typed_value()?;
        self.cursor.expect(b',')?;
        let value_type = self.typed_value()?;
        self.cursor.expect(b',')?;
        self.typed_value()?;
        flags = flags.with(self.ordering()?);
        let suffix = self.suffix()?;
        let fields = Box::new([value_type, self.known.i1]);
        let type_id = self.composite(Type::Struct {
            name: knockon_program::Name(0),
            fields,
            packed: false,
        })?;
        Ok(Shape {
            detail: suffix.alignment,
            ..Shape::new(Opcode::CompareExchange, type_id).with_flags(flags)
        })
    }

    /// An operation that the model does not have makes the instruction opaque.
    pub(crate) fn read_modify_write(&mut self) -> Read<Shape> {
        let mut flags = self.access_flags().with(Flags::ATOMIC);
        self.cursor.skip_space();
        let word = self.cursor.word();
        let operation = AtomicOperation::from_mnemonic(word);
        self.typed_value()?;
        self.cursor.expect(b',')?;
        let type_id = self.typed_value()?;
        flags = flags.with(self.ordering()?);
        self.suffix()?;
        Ok(match operation {
            Some(operation) => Shape {
                detail: operation as u8,
                ..Shape::new(Opcode::AtomicReadModifyWrite, type_id).with_flags(flags)
            },
            None => {
                let name = format!("atomicrmw {}", super::cursor::text_of(word));
                Shape {
                    extra: self.program.names.intern(&name).0,
                    ..Shape::new(Opcode::Opaque, type_id).with_flags(flags)
                }
            }
        })
    }

    pub(crate) fn variadic_argument(&mut self) -> Read<Shape> {
        self.typed_value()?;
        self.cursor.expect(b',')?;
        let type_id = self.type_id()?;
        Ok(Shape::new(Opcode::VariadicArgument, type_id))
    }
}
