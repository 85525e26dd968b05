//! Global variables, aliases and the headers of functions.

use super::attributes::Preamble;
use super::cursor::{lossless, unescaped};
use super::fault::Read;
use super::meaning::joined;
use super::reader::Reader;
use knockon_program::{
    Alias, Flags, Function, FunctionAttributes, GlobalVariable, Meaning, Name, Parameter, PlaceId,
    Type, TypeId, UnitId,
};

/// What stands behind a function's parameters.
#[derive(Default)]
struct Suffix {
    attributes: FunctionAttributes,
    debug: Option<u64>,
}

impl<'t> Reader<'t> {
    /// A global variable, alias or ifunc; the cursor is behind the `=`.
    pub(crate) fn data(&mut self, name: &'t [u8], preamble: &mut Preamble) -> Read<()> {
        loop {
            self.cursor.skip_space();
            match self.cursor.word() {
                b"global" => return self.global(name, preamble, false),
                b"constant" => return self.global(name, preamble, true),
                b"alias" => return self.alias(name, preamble, false),
                b"ifunc" => return self.alias(name, preamble, true),
                b"" if self.cursor.peek() == b'(' => self.cursor.skip_balanced()?,
                b"" => return Err(self.cursor.fault("expected `global` or `alias`")),
                word => preamble.note(word),
            }
        }
    }

    fn global(&mut self, name: &'t [u8], preamble: &Preamble, is_constant: bool) -> Read<()> {
        let value_type = self.type_id()?;
        let initialiser = if preamble.is_declaration {
            None
        } else {
            Some(self.constant(value_type)?)
        };
        let (mut alignment, mut debug) = (0, None);
        let mut section = Name(0);
        while self.cursor.eat_on_line(b',') {
            self.cursor.skip_space();
            if self.cursor.peek() == b'!' {
                self.cursor.at += 1;
                let kind = self.cursor.word();
                self.cursor.skip_space();
                if kind == b"dbg" && debug.is_none() && self.cursor.peek() == b'!' {
                    let mut ahead = self.cursor;
                    ahead.at += 1;
                    debug = ahead.digits();
                }
                self.skip_metadata()?;
                continue;
            }
            match self.cursor.word() {
                b"align" => {
                    let stated = self.cursor.number()?;
                    alignment = u32::try_from(stated).unwrap_or(1 << 31);
                }
                b"section" => {
                    self.cursor.skip_space();
                    let stated = self.cursor.quoted()?;
                    section = self.program.names.intern(&lossless(&unescaped(stated)));
                }
                b"partition" | b"code_model" => {
                    self.cursor.skip_space();
                    self.cursor.quoted()?;
                }
                b"" => return Err(self.cursor.fault("expected a property of the global")),
                // `comdat`, `no_sanitize_address`, `sanitize_memtag`, …
                _ => {
                    self.cursor.skip_blanks();
                    if self.cursor.peek() == b'(' {
                        self.cursor.skip_balanced()?;
                    }
                }
            }
        }
        self.end_of_data()?;
        let (source_name, place) = match debug {
            Some(node) => self.global_place(node),
            None => (Name(0), PlaceId(0)),
        };
        let name = self.symbol_name(name);
        self.note_hidden(name, preamble);
        self.program.globals.push(GlobalVariable {
            name,
            source_name,
            unit: UnitId(0),
            linkage: preamble.linkage,
            value_type,
            initialiser,
            is_constant,
            is_thread_local: preamble.is_thread_local,
            alignment,
            section,
            place,
        });
        Ok(())
    }

    /// Attribute groups, then nothing more on the line.
    fn end_of_data(&mut self) -> Read<()> {
        self.cursor.skip_blanks();
        while self.cursor.peek() == b'#' {
            self.cursor.at += 1;
            self.cursor.number()?;
            self.cursor.skip_blanks();
        }
        match self.cursor.peek() {
            b'\n' | b'\r' | b';' => Ok(()),
            0 if self.cursor.at >= self.cursor.text.len() => Ok(()),
            _ => Err(self.cursor.fault("expected the end of the line")),
        }
    }

    fn note_hidden(&mut self, name: Name, preamble: &Preamble) {
        if let (true, Some(unit)) = (preamble.is_hidden, self.program.units.last_mut()) {
            unit.hidden.push(name);
        }
    }

    fn alias(&mut self, name: &'t [u8], preamble: &Preamble, is_ifunc: bool) -> Read<()> {
        let value_type = self.type_id()?;
        self.cursor.expect(b',')?;
        let (_, aliasee) = self.typed_constant()?;
        if self.cursor.eat_on_line(b',') {
            self.cursor.expect_word("partition")?;
            self.cursor.skip_space();
            self.cursor.quoted()?;
        }
        self.end_of_data()?;
        let name = self.symbol_name(name);
        self.note_hidden(name, preamble);
        self.program.aliases.push(Alias {
            name,
            unit: UnitId(0),
            linkage: preamble.linkage,
            value_type,
            aliasee,
            is_ifunc,
        });
        Ok(())
    }

    /// A function; the cursor is behind `define` or `declare`. An empty body
    /// range is a declaration.
    pub(crate) fn function(&mut self, name: &'t [u8], body: (u32, u32)) -> Read<()> {
        let mut preamble = Preamble::default();
        self.before_type(&mut preamble, &mut Flags::default())?;
        let result = self.type_id()?;
        self.cursor.expect(b'@')?;
        self.cursor.name()?;
        let name = self.symbol_name(name);
        self.draft.begin(name, (body.1 - body.0) as usize);
        let (parameters, type_id) = self.parameters(result)?;
        let suffix = self.header_suffix(body.0 as usize)?;
        let is_definition = body != (0, 0);
        let debug = suffix.debug.or(preamble.debug);
        let (source_name, place) = match debug {
            Some(node) => self.subprogram_place(node),
            None => (Name(0), PlaceId(0)),
        };
        let body = if is_definition {
            self.cursor.at = body.0 as usize;
            let read = self.body()?;
            if self.cursor.at != body.1 as usize {
                return Err(self.cursor.fault(
                    "the function ends here, but its `}` is not the first at the start of a line",
                ));
            }
            Some(Box::new(read))
        } else {
            None
        };
        let meaning = match is_definition {
            true => {
                let names = &mut self.program.names;
                Meaning {
                    arithmetic: names.intern(&joined(&self.draft.notes.arithmetic)),
                    code: names.intern(&joined(&self.draft.notes.code)),
                }
            }
            false => Meaning::default(),
        };
        self.note_hidden(name, &preamble);
        if let (true, true, Some(unit)) = (
            is_definition,
            preamble.is_bound_here && !preamble.linkage.is_local(),
            self.program.units.last_mut(),
        ) {
            unit.binds_itself = true;
        }
        self.program.functions.push(Function {
            name,
            source_name,
            unit: UnitId(0),
            linkage: preamble.linkage,
            type_id,
            parameters,
            attributes: suffix.attributes.with(preamble.attributes),
            meaning,
            // A declaration's subprogram says where the declaration stands.
            place: if is_definition { place } else { PlaceId(0) },
            body,
        });
        self.draft.function = Name(0);
        Ok(())
    }

    fn parameters(&mut self, result: TypeId) -> Read<(Box<[Parameter]>, TypeId)> {
        self.cursor.expect(b'(')?;
        let (mut parameters, mut variadic) = (Vec::new(), false);
        if !self.cursor.eat(b')') {
            loop {
                if self.cursor.eat_word(b"...") {
                    variadic = true;
                    break;
                }
                let type_id = self.type_id()?;
                let note = self.parameter_attributes()?;
                self.cursor.skip_space();
                let at = self.cursor.at;
                let raw = if self.cursor.peek() == b'%' {
                    self.cursor.at += 1;
                    Some(self.cursor.name()?)
                } else {
                    None
                };
                let name = self.define_argument(raw, parameters.len(), at)?;
                parameters.push(Parameter {
                    name,
                    type_id,
                    attributes: note.attributes,
                    pointee: note.pointee,
                });
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b')')?;
        }
        let types = parameters
            .iter()
            .map(|parameter| parameter.type_id)
            .collect();
        let type_id = self.composite(Type::Function {
            result,
            parameters: types,
            variadic,
        })?;
        Ok((parameters.into_boxed_slice(), type_id))
    }

    /// What the header says from here on up to the cursor is part of what the code means.
    fn note_header(&mut self, start: usize) {
        let text = lossless(&self.cursor.text[start..self.cursor.at]).into_owned();
        self.draft.notes.code.insert(text);
    }

    /// Up to the body, or to the end of a declaration's line.
    fn header_suffix(&mut self, body: usize) -> Read<Suffix> {
        let mut suffix = Suffix::default();
        let is_definition = body != 0;
        loop {
            if is_definition {
                self.cursor.skip_space();
                if self.cursor.at + 1 >= body {
                    return Ok(suffix);
                }
            } else {
                self.cursor.skip_blanks();
            }
            match self.cursor.peek() {
                b'#' => {
                    self.cursor.at += 1;
                    let group = self.cursor.number()?;
                    suffix.attributes = suffix.attributes.with(self.header_group(group)?);
                }
                b'"' => self.header_string()?,
                b'!' => {
                    self.cursor.at += 1;
                    let kind = self.cursor.word();
                    self.cursor.skip_space();
                    if kind == b"dbg" && self.cursor.peek() == b'!' {
                        let mut ahead = self.cursor;
                        ahead.at += 1;
                        suffix.debug = ahead.digits();
                    }
                    self.skip_metadata()?;
                }
                b'a'..=b'z' => {
                    let start = self.cursor.at;
                    match self.cursor.word() {
                        b"section" | b"partition" | b"gc" => {
                            self.cursor.skip_space();
                            self.cursor.quoted()?;
                            self.note_header(start);
                        }
                        b"prefix" | b"prologue" => {
                            self.typed_constant()?;
                            self.note_header(start);
                        }
                        // Decided by the language.
                        b"personality" => {
                            self.typed_constant()?;
                        }
                        word => {
                            let attributes = self.header_attribute(word)?;
                            suffix.attributes = suffix.attributes.with(attributes);
                        }
                    }
                }
                b'\n' | b'\r' | b';' | 0 if !is_definition => return Ok(suffix),
                _ => return Err(self.cursor.fault("this is no attribute of a function")),
            }
        }
    }
}
