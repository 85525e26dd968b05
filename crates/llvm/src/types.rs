//! Types as they are written. A named struct is read when it is first used.

use super::cursor::text_of;
use super::fault::{Fault, Read};
use super::outline::TypeState;
use super::reader::Reader;
use knockon_program::{Name, Type, TypeId};

/// Whether a type begins with this word.
pub(crate) fn is_type_word(word: &[u8]) -> bool {
    match word {
        [b'i', digits @ ..] if !digits.is_empty() => digits.iter().all(u8::is_ascii_digit),
        b"void" | b"ptr" | b"half" | b"bfloat" | b"float" | b"double" | b"x86_fp80" | b"fp128"
        | b"ppc_fp128" | b"label" | b"token" | b"metadata" | b"x86_mmx" | b"x86_amx"
        | b"target" => true,
        _ => false,
    }
}

impl<'t> Reader<'t> {
    /// A type; a function type if a parameter list follows.
    #[inline]
    pub(crate) fn type_id(&mut self) -> Read<TypeId> {
        self.cursor.skip_space();
        // The two that make up most of all types, before anything general.
        let rest = self.cursor.rest();
        let simple = if rest.starts_with(b"ptr") {
            Some((self.known.pointer, 3))
        } else if rest.starts_with(b"i32") {
            Some((self.known.i32, 3))
        } else {
            None
        };
        if let Some((type_id, length)) = simple
            && match rest.get(length) {
                Some(b',' | b')') => true,
                Some(b' ') => matches!(
                    rest.get(length + 1),
                    Some(b'%' | b'@' | b'0'..=b'9' | b'-' | b'n' | b']' | b'}')
                ),
                _ => false,
            }
        {
            self.cursor.at += length;
            return Ok(type_id);
        }
        self.general_type()
    }

    fn general_type(&mut self) -> Read<TypeId> {
        let mut type_id = self.type_without_suffix()?;
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                b'(' => type_id = self.function_type(type_id)?,
                b'*' => {
                    return Err(self.cursor.fault(
                        "typed pointers are of LLVM before 15; compile with a newer clang",
                    ));
                }
                _ => return Ok(type_id),
            }
        }
    }

    fn type_without_suffix(&mut self) -> Read<TypeId> {
        let start = self.cursor;
        match self.cursor.peek() {
            b'%' => {
                self.cursor.at += 1;
                let name = self.cursor.name()?;
                return self.named_type(name, start.at);
            }
            b'[' => {
                self.cursor.at += 1;
                let count = self.cursor.number()?;
                self.cursor.expect_word("x")?;
                self.enter()?;
                let element = self.type_id()?;
                self.leave();
                self.cursor.expect(b']')?;
                return self.composite(Type::Array { element, count });
            }
            b'{' => return self.struct_body(Name(0)),
            b'<' => {
                if self.cursor.peek_at(1) == b'{' {
                    return self.struct_body(Name(0));
                }
                self.cursor.at += 1;
                return self.vector_type();
            }
            _ => {}
        }
        let word = self.cursor.word();
        let simple = match word {
            b"void" => return Ok(self.known.void),
            b"ptr" => return self.pointer_type(),
            b"half" => Type::Half,
            b"bfloat" => Type::BFloat,
            b"float" => Type::Float,
            b"double" => Type::Double,
            b"x86_fp80" => Type::X86Fp80,
            b"fp128" => Type::Fp128,
            b"ppc_fp128" => Type::PpcFp128,
            b"label" => Type::Label,
            b"token" => return Ok(self.known.token),
            b"metadata" => return Ok(self.known.metadata),
            b"x86_mmx" => Type::X86Mmx,
            b"x86_amx" => Type::X86Amx,
            b"target" => return self.target_type(start.at),
            [b'i', digits @ ..] => return self.integer_type(digits, start.at),
            _ => return Err(start.fault("expected a type")),
        };
        Ok(self.intern_type(simple))
    }

    fn integer_type(&mut self, digits: &[u8], at: usize) -> Read<TypeId> {
        Ok(match digits {
            b"1" => self.known.i1,
            b"8" => self.known.i8,
            b"16" => self.known.i16,
            b"32" => self.known.i32,
            b"64" => self.known.i64,
            _ => {
                let width = std::str::from_utf8(digits)
                    .ok()
                    .and_then(|text| text.parse().ok());
                match width {
                    Some(width @ 1..=8_388_608) => self.intern_type(Type::Integer(width)),
                    _ => return Err(Fault::new(at, "expected a type")),
                }
            }
        })
    }

    fn pointer_type(&mut self) -> Read<TypeId> {
        let space = self.address_space()?;
        Ok(match space {
            None | Some(0) => self.known.pointer,
            Some(space) => self.intern_type(Type::Pointer(space)),
        })
    }

    /// `addrspace(N)`, if it follows. A space given by a letter of the data
    /// layout (`addrspace("A")`) is the default one.
    pub(crate) fn address_space(&mut self) -> Read<Option<u32>> {
        self.cursor.skip_blanks();
        if self.cursor.peek() != b'a' || !self.cursor.eat_word(b"addrspace") {
            return Ok(None);
        }
        self.cursor.expect(b'(')?;
        self.cursor.skip_space();
        let space = if self.cursor.peek() == b'"' {
            self.cursor.quoted()?;
            0
        } else {
            self.cursor.small_number()?
        };
        self.cursor.expect(b')')?;
        Ok(Some(space))
    }

    fn vector_type(&mut self) -> Read<TypeId> {
        let scalable = self.cursor.eat_word(b"vscale");
        if scalable {
            self.cursor.expect_word("x")?;
        }
        let count = self.cursor.number()?;
        self.cursor.expect_word("x")?;
        self.enter()?;
        let element = self.type_id()?;
        self.leave();
        self.cursor.expect(b'>')?;
        self.composite(Type::Vector {
            element,
            count,
            scalable,
        })
    }

    /// `{ … }` or `<{ … }>` at the cursor.
    fn struct_body(&mut self, name: Name) -> Read<TypeId> {
        let packed = self.cursor.eat(b'<');
        self.cursor.expect(b'{')?;
        let mut fields = Vec::new();
        if !self.cursor.eat(b'}') {
            self.enter()?;
            loop {
                fields.push(self.type_id()?);
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.leave();
            self.cursor.expect(b'}')?;
        }
        if packed {
            self.cursor.expect(b'>')?;
        }
        self.composite(Type::Struct {
            name,
            fields: fields.into_boxed_slice(),
            packed,
        })
    }

    fn function_type(&mut self, result: TypeId) -> Read<TypeId> {
        self.cursor.expect(b'(')?;
        self.enter()?;
        let (mut parameters, mut variadic) = (Vec::new(), false);
        if !self.cursor.eat(b')') {
            loop {
                if self.cursor.eat_word(b"...") {
                    variadic = true;
                    break;
                }
                parameters.push(self.type_id()?);
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b')')?;
        }
        self.leave();
        self.composite(Type::Function {
            result,
            parameters: parameters.into_boxed_slice(),
            variadic,
        })
    }

    fn target_type(&mut self, start: usize) -> Read<TypeId> {
        self.cursor.skip_space();
        if self.cursor.peek() != b'(' {
            return Err(self.cursor.fault("expected `(`"));
        }
        self.cursor.skip_balanced()?;
        let text = text_of(&self.cursor.text[start..self.cursor.at]).into_owned();
        let name = self.program.names.intern(&text);
        Ok(self.intern_type(Type::Target(name)))
    }

    fn named_type(&mut self, name: &'t [u8], at: usize) -> Read<TypeId> {
        let Some(entry) = self.outline.types.get_mut(name) else {
            return Err(Fault::new(
                at,
                format!("type %{} is never defined", text_of(name)),
            ));
        };
        match entry.state {
            TypeState::Read(type_id) => return Ok(type_id),
            TypeState::InProgress => {
                return Err(Fault::new(
                    at,
                    format!("type %{} contains itself", text_of(name)),
                ));
            }
            TypeState::Unread => entry.state = TypeState::InProgress,
        }
        let resume = std::mem::replace(&mut self.cursor.at, entry.at as usize);
        let label = self.program.names.intern(&text_of(name));
        self.enter()?;
        self.cursor.skip_space();
        let type_id = if self.cursor.eat_word(b"opaque") {
            self.intern_type(Type::Opaque(label))
        } else if matches!(self.cursor.peek(), b'{')
            || (self.cursor.peek() == b'<' && self.cursor.peek_at(1) == b'{')
        {
            self.struct_body(label)?
        } else {
            self.type_id()?
        };
        self.leave();
        self.cursor.at = resume;
        if let Some(entry) = self.outline.types.get_mut(name) {
            entry.state = TypeState::Read(type_id);
        }
        Ok(type_id)
    }
}
