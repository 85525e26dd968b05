//! Definitions, types and declarators, which are read inside out: what stands to the right of a
//! nested declarator is read before what stands inside it.

use super::super::syntax::*;
use super::tokens::Token;
use super::{ParseError, Parser};

impl Parser<'_> {
    pub(super) fn item(&mut self) -> Result<Item, ParseError> {
        let opens_body = matches!(self.ahead(2), Token::Symbol("{"));
        if opens_body && (self.is_word("struct") || self.is_word("union")) {
            return self.record();
        }
        if opens_body && self.is_word("enum") {
            return self.enumeration();
        }
        let (storage, declared_type, name) = self.declared()?;
        if self.is("{") {
            let Type::Function(signature) = declared_type else {
                return self.fail("`;` or `=`");
            };
            let body = self.block()?;
            return Ok(Item::Function(Function {
                storage,
                name,
                signature: *signature,
                body,
            }));
        }
        Ok(Item::Declaration(self.rest_of_declaration(
            storage,
            declared_type,
            name,
        )?))
    }

    fn record(&mut self) -> Result<Item, ParseError> {
        let union = self.word()? == "union";
        let name = self.word()?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.accept("}") {
            let (_, field_type, name) = self.declared()?;
            let bits = if self.accept(":") {
                match self.advance() {
                    Token::Literal(width) => width.parse().ok(),
                    _ => return self.fail("a width"),
                }
            } else {
                None
            };
            self.expect(";")?;
            fields.push(Field {
                name,
                field_type,
                bits,
            });
        }
        let packed = self.accept_word("__attribute__");
        if packed {
            for symbol in ["(", "(", "packed", ")", ")"] {
                if symbol == "packed" {
                    self.word()?;
                } else {
                    self.expect(symbol)?;
                }
            }
        }
        self.expect(";")?;
        Ok(Item::Record(Record {
            union,
            packed,
            name,
            fields,
        }))
    }

    fn enumeration(&mut self) -> Result<Item, ParseError> {
        self.word()?;
        let name = self.word()?;
        self.expect("{")?;
        let mut constants = Vec::new();
        while !self.accept("}") {
            let constant = self.word()?;
            let value = if self.accept("=") {
                Some(self.assignment()?)
            } else {
                None
            };
            constants.push((constant, value));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        self.expect(";")?;
        Ok(Item::Enumeration(Enumeration { name, constants }))
    }

    fn declared(&mut self) -> Result<(Storage, Type, String), ParseError> {
        let storage = if self.accept_word("static") {
            Storage::Static
        } else if self.accept_word("extern") {
            Storage::Extern
        } else {
            Storage::Plain
        };
        let base = self.base_type()?;
        let (declared_type, name) = self.declarator(base)?;
        Ok((storage, declared_type, name))
    }

    /// `static int x = 3;`
    pub(super) fn declaration(&mut self) -> Result<Declaration, ParseError> {
        let (storage, declared_type, name) = self.declared()?;
        self.rest_of_declaration(storage, declared_type, name)
    }

    fn rest_of_declaration(
        &mut self,
        storage: Storage,
        declared_type: Type,
        name: String,
    ) -> Result<Declaration, ParseError> {
        let initialiser = if self.accept("=") {
            Some(self.initialiser()?)
        } else {
            None
        };
        self.expect(";")?;
        Ok(Declaration {
            storage,
            name,
            declared_type,
            initialiser,
        })
    }

    pub(super) fn initialiser(&mut self) -> Result<Initialiser, ParseError> {
        if !self.accept("{") {
            return Ok(Initialiser::Expression(self.assignment()?));
        }
        let mut elements = Vec::new();
        while !self.accept("}") {
            let designator = if self.accept(".") {
                Some(Designator::Field(self.word()?))
            } else if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Some(Designator::Index(index))
            } else {
                None
            };
            if designator.is_some() {
                self.expect("=")?;
            }
            elements.push((designator, self.initialiser()?));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(Initialiser::List(elements))
    }

    pub(super) fn starts_type(&self) -> bool {
        const NAMES: [&str; 27] = [
            "void",
            "char",
            "short",
            "int",
            "long",
            "float",
            "double",
            "signed",
            "unsigned",
            "_Bool",
            "struct",
            "union",
            "enum",
            "const",
            "volatile",
            "size_t",
            "va_list",
            "jmp_buf",
            "ptrdiff_t",
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uint8_t",
            "uint16_t",
            "uint32_t",
            "uint64_t",
        ];
        match self.peek() {
            Token::Word(word) => NAMES.contains(&word.as_str()),
            _ => false,
        }
    }

    fn base_type(&mut self) -> Result<Type, ParseError> {
        let mut qualifiers = Vec::new();
        while let Some(qualifier) = self.qualifier() {
            qualifiers.push(qualifier);
        }
        let mut base = if self.accept_word("struct") {
            Type::Struct(self.word()?)
        } else if self.accept_word("union") {
            Type::Union(self.word()?)
        } else if self.accept_word("enum") {
            Type::Enum(self.word()?)
        } else {
            let mut words = vec![self.word()?];
            let arithmetic = [
                "char", "short", "int", "long", "double", "signed", "unsigned",
            ];
            while arithmetic.contains(&words[0].as_str())
                && matches!(self.peek(), Token::Word(word) if arithmetic.contains(&word.as_str()))
            {
                words.push(self.word()?);
            }
            Type::Name(words.join(" "))
        };
        for qualifier in qualifiers.into_iter().rev() {
            base = Type::Qualified(qualifier, Box::new(base));
        }
        Ok(base)
    }

    fn qualifier(&mut self) -> Option<Qualifier> {
        if self.accept_word("const") {
            Some(Qualifier::Const)
        } else if self.accept_word("volatile") {
            Some(Qualifier::Volatile)
        } else {
            None
        }
    }

    /// The declarator after the base type; the name is empty in an abstract one.
    fn declarator(&mut self, base: Type) -> Result<(Type, String), ParseError> {
        let mut declared = base;
        while self.accept("*") {
            declared = declared.pointer();
            while let Some(qualifier) = self.qualifier() {
                declared = Type::Qualified(qualifier, Box::new(declared));
            }
        }
        // `(*` opens a nested declarator; any other `(` opens parameters.
        let nested = self.is("(") && matches!(self.ahead(1), Token::Symbol("*"));
        if nested {
            let inside = self.position + 1;
            let mut depth = 0;
            loop {
                match self.advance() {
                    Token::Symbol("(") => depth += 1,
                    Token::Symbol(")") => depth -= 1,
                    Token::End => return self.fail("`)`"),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            let outer = self.suffixes(declared)?;
            let after = self.position;
            self.position = inside;
            let result = self.declarator(outer)?;
            self.expect(")")?;
            self.position = after;
            return Ok(result);
        }
        let name = match self.peek() {
            Token::Word(_) => self.word()?,
            _ => String::new(),
        };
        Ok((self.suffixes(declared)?, name))
    }

    fn suffixes(&mut self, declared: Type) -> Result<Type, ParseError> {
        if self.accept("[") {
            let length = if self.is("]") {
                None
            } else {
                Some(Box::new(self.expression()?))
            };
            self.expect("]")?;
            let element = self.suffixes(declared)?;
            return Ok(Type::Array(Box::new(element), length));
        }
        if !self.accept("(") {
            return Ok(declared);
        }
        let mut signature = Signature {
            result: declared,
            parameters: Vec::new(),
            variadic: false,
        };
        if self.is_word("void") && matches!(self.ahead(1), Token::Symbol(")")) {
            self.position += 1;
        }
        while !self.accept(")") {
            if self.accept("...") {
                signature.variadic = true;
            } else {
                let base = self.base_type()?;
                let (parameter_type, name) = self.declarator(base)?;
                signature.parameters.push(Parameter {
                    name,
                    parameter_type,
                });
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(Type::Function(Box::new(signature)))
    }

    pub(super) fn type_name(&mut self) -> Result<Type, ParseError> {
        let base = self.base_type()?;
        Ok(self.declarator(base)?.0)
    }
}
