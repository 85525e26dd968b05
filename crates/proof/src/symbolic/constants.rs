//! Constants, and the names that both versions share.
//!
//! An address is the same symbol in both versions if it is of the same object: variables by name and,
//! if internal, file; unnamed constants by content; functions by their pair. What has another value
//! in the two versions and is never written has another symbol. What may be null because nothing
//! defines it (`weak`) is any number; what stands for another definition is known by name only.

use super::regions::flatten;
use super::validity::KnownAccess;
use super::{Evaluator, Undecided, Value};
use crate::product::Compared;
use crate::unseen_variables::internal_name;
use knockon_change::Side;
use knockon_logic::terms::{Sort, SymbolKind, TermId, Terms};
use knockon_memory::effects::library;
use knockon_program::{
    Constant, ConstantId, FunctionId, GlobalId, Linkage, Opcode, Operand, Program, Type, TypeId,
    section_bounded_by,
};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What a constant object holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// With zeros in place of addresses and padding.
    pub bytes: Vec<u8>,
    /// The addresses in it, of 8 bytes each, by their offset, ascending.
    pub addresses: Vec<(usize, TermId)>,
    /// What is between the fields, ascending: a compiler may put anything there, so a version with a
    /// field in the place of padding holds something else.
    pub padding: Vec<Range<usize>>,
}

impl Content {
    /// No byte of an address, and no padding, is in a range.
    pub fn is_plain(&self, from: usize, until: usize) -> bool {
        let mut addresses = self.addresses.iter();
        let mut padding = self.padding.iter();
        !addresses.any(|(at, _)| from < at + 8 && *at < until)
            && !padding.any(|range| from < range.end && range.start < until)
    }
}

/// A content while it is put together.
struct RawContent {
    bytes: Vec<u8>,
    /// `None` where a content with addresses is not wanted.
    addresses: Option<Vec<(usize, GlobalId)>>,
    padding: Vec<Range<usize>>,
}

impl RawContent {
    fn empty(addresses: Option<Vec<(usize, GlobalId)>>) -> RawContent {
        RawContent {
            bytes: Vec::new(),
            addresses,
            padding: Vec::new(),
        }
    }

    /// Padding up to this length.
    fn pad(&mut self, length: usize) {
        if length > self.bytes.len() {
            self.padding.push(self.bytes.len()..length);
        }
        self.bytes.resize(length, 0);
    }
}

/// A constant object: its memory, its address, what it holds.
#[derive(Clone, Debug)]
pub struct ConstantObject {
    pub memory: TermId,
    pub address: TermId,
    pub content: Content,
}

/// Symbols by name: the same name is the same symbol.
#[derive(Default)]
pub struct SharedNames {
    known: FxHashMap<String, TermId>,
    /// The symbols of what a version gets: parameters, and memory at the start.
    pub given: Vec<TermId>,
    /// Constant objects that are loaded from.
    pub contents: Vec<ConstantObject>,
    /// Accesses of either version that may be undefined,
    pub(super) accesses: Vec<KnownAccess>,
    /// and what is known of them in every run.
    pub about_accesses: Vec<TermId>,
    /// For the address of a constant object its memory.
    memory_of: FxHashMap<TermId, TermId>,
    /// For the address of a known object its alignment, in the version that is looked at.
    alignment_of: FxHashMap<TermId, u32>,
    next: u32,
}

impl SharedNames {
    pub(super) fn note_alignment(&mut self, object: TermId, alignment: u32) {
        self.alignment_of.insert(object, alignment);
    }

    /// At least 1.
    pub(super) fn alignment_of(&self, object: TermId) -> u32 {
        self.alignment_of
            .get(&object)
            .map_or(1, |known| (*known).max(1))
    }

    pub fn symbol(&mut self, terms: &mut Terms, name: &str, sort: Sort) -> TermId {
        self.symbol_of_kind(terms, name, sort, SymbolKind::Plain)
    }

    pub fn symbol_of_kind(
        &mut self,
        terms: &mut Terms,
        name: &str,
        sort: Sort,
        kind: SymbolKind,
    ) -> TermId {
        if let Some(id) = self.known.get(name)
            && terms.sort(*id) == sort
        {
            return *id;
        }
        let id = terms.symbol_of_kind(name, sort, kind);
        self.known.insert(name.to_owned(), id);
        id
    }

    /// A value that is nothing else's.
    pub fn fresh(&mut self, terms: &mut Terms, what: &str, sort: Sort) -> TermId {
        self.next += 1;
        terms.symbol(format!("{what}.{}", self.next), sort)
    }

    /// The memory of the constant object at an address.
    pub fn constant_memory(&self, object: TermId) -> Option<TermId> {
        self.memory_of.get(&object).copied()
    }

    pub fn content(&self, memory: TermId) -> Option<&ConstantObject> {
        self.contents.iter().find(|row| row.memory == memory)
    }
}

/// Above so many bytes a constant object's content is not spelled out.
const MOST_CONTENT: usize = 1024;

impl Evaluator<'_, '_> {
    pub(super) fn side_name(&self) -> &'static str {
        match self.side {
            Side::Old => "old",
            Side::New => "new",
        }
    }

    /// What this version did so far was defined. Where lines are compared, nobody ran the new version
    /// with what the old one gets ([`Compared::Lines`]).
    pub(super) fn is_known_defined(&self) -> bool {
        self.side == Side::Old || self.compared == Compared::Functions
    }

    /// The width of values of a type as bits; `None` for what is no single value, and for a second
    /// format of floats that has as many: operations are named by the width of what they are given.
    pub(super) fn width_of(&self, type_id: TypeId) -> Option<u32> {
        match self.version().program.type_of(type_id) {
            Type::Integer(width) => (*width <= 128).then_some(*width),
            Type::Pointer(_) => Some(64),
            Type::Half => Some(16),
            Type::Float => Some(32),
            Type::Double => Some(64),
            Type::X86Fp80 => Some(80),
            Type::Fp128 => Some(128),
            _ => None,
        }
    }

    /// How values of a type are represented: single bits are Booleans.
    pub(super) fn sort_of(&self, type_id: TypeId) -> Result<Sort, Undecided> {
        match self.width_of(type_id) {
            Some(1) => Ok(Sort::Boolean),
            Some(width) => Ok(Sort::Bits(width)),
            None => Err(self.construct(
                format!(
                    "a value of type {:?}",
                    self.version().program.type_of(type_id)
                ),
                None,
            )),
        }
    }

    /// The types of an aggregate's elements.
    pub(super) fn elements(&self, type_id: TypeId) -> Option<Vec<TypeId>> {
        match self.version().program.type_of(type_id) {
            Type::Struct { fields, .. } => Some(fields.to_vec()),
            Type::Array { element, count } if *count <= 64 => Some(vec![*element; *count as usize]),
            Type::Vector {
                element,
                count,
                scalable: false,
            } if *count <= 16 => Some(vec![*element; *count as usize]),
            _ => None,
        }
    }

    /// A value of a type of which only the name is known.
    pub(super) fn unknown(&mut self, name: &str, type_id: TypeId) -> Result<Value, Undecided> {
        if let Some(elements) = self.elements(type_id) {
            let values: Result<Vec<Value>, Undecided> = elements
                .into_iter()
                .enumerate()
                .map(|(number, element)| self.unknown(&format!("{name}.{number}"), element))
                .collect();
            return values.map(Value::Aggregate);
        }
        let sort = self.sort_of(type_id)?;
        Ok(Value::Term(self.names.symbol(self.terms, name, sort)))
    }

    pub(super) fn zero(&mut self, type_id: TypeId) -> Result<Value, Undecided> {
        if let Some(elements) = self.elements(type_id) {
            let values: Result<Vec<Value>, Undecided> = elements
                .into_iter()
                .map(|element| self.zero(element))
                .collect();
            return values.map(Value::Aggregate);
        }
        Ok(Value::Term(match self.sort_of(type_id)? {
            Sort::Boolean => self.terms.boolean(false),
            Sort::Bits(width) => self.terms.bits(width, 0),
            Sort::Memory => return Err(self.construct("memory as a value", None)),
        }))
    }

    pub(super) fn constant(&mut self, id: ConstantId) -> Result<Value, Undecided> {
        let program = self.version().program;
        Ok(Value::Term(match program.constant(id) {
            Constant::Integer { type_id, bits } | Constant::Float { type_id, bits } => {
                match self.sort_of(*type_id)? {
                    Sort::Boolean => self.terms.boolean(*bits & 1 == 1),
                    Sort::Bits(width) => self.terms.bits(width, *bits),
                    Sort::Memory => return Err(self.construct("memory as a value", None)),
                }
            }
            Constant::Null(_) => self.terms.bits(64, 0),
            Constant::Zero(type_id) => return self.zero(*type_id),
            Constant::Undefined(type_id) | Constant::Poison(type_id) => {
                self.names.next += 1;
                let name = format!("{}.undefined.{}", self.side_name(), self.names.next);
                let value = self.unknown(&name, *type_id)?;
                flatten(&value, &mut self.varying);
                return Ok(value);
            }
            Constant::Aggregate { elements, .. } => {
                let values: Result<Vec<Value>, Undecided> = elements
                    .iter()
                    .map(|element| self.constant(*element))
                    .collect();
                return values.map(Value::Aggregate);
            }
            Constant::Global(global) if is_bound_of_section(program, *global) => {
                let construct = "the bounds of a section, which share memory with what is in it";
                return Err(self.construct(construct.to_owned(), None));
            }
            Constant::Global(global) => self.address_of_global(*global),
            Constant::Function(function) => self.address_of_function(*function),
            Constant::Alias(alias) if !program.aliases[alias.index()].is_ifunc => {
                let alias = &program.aliases[alias.index()];
                if alias.linkage.gives_way() {
                    return Err(self.construct("an alias that another definition replaces", None));
                }
                return self.constant(alias.aliasee);
            }
            Constant::Expression(expression) => {
                let operands: Vec<Operand> = expression
                    .operands
                    .iter()
                    .map(|operand| Operand::Constant(*operand))
                    .collect();
                return self.constant_expression(
                    expression.opcode,
                    expression.type_id,
                    expression.element_type,
                    &operands,
                );
            }
            other => {
                let construct = format!("the constant {other:?}");
                return Err(self.construct(construct, None));
            }
        }))
    }

    fn constant_expression(
        &mut self,
        opcode: Opcode,
        type_id: TypeId,
        element: TypeId,
        operands: &[Operand],
    ) -> Result<Value, Undecided> {
        let values: Result<Vec<Value>, Undecided> = operands
            .iter()
            .map(|operand| match operand {
                Operand::Constant(id) => self.constant(*id),
                _ => Err(self.construct("a constant expression", None)),
            })
            .collect();
        let values = values?;
        let single = |at: usize| match values.get(at) {
            Some(Value::Term(term)) => Some(*term),
            _ => None,
        };
        let (Some(first), second) = (single(0), single(1)) else {
            return Err(self.construct("a constant expression of aggregates", None));
        };
        Ok(Value::Term(match (opcode, second) {
            (Opcode::GetElementPointer, _) => {
                let program = self.version().program;
                self.element_address(program, first, element, operands, &values)?
            }
            (Opcode::BitCast | Opcode::IntegerToPointer | Opcode::PointerToInteger, _)
                if self.sort_of(type_id)? == self.terms.sort(first) =>
            {
                first
            }
            (Opcode::Truncate, _) => {
                let width = self.width_of(type_id).unwrap_or(64);
                self.terms.truncate(first, width)
            }
            (Opcode::Add, Some(second)) => self.terms.add(first, second),
            (Opcode::Subtract, Some(second)) => self.terms.subtract(first, second),
            _ => {
                let construct = format!("the constant expression {}", opcode.mnemonic());
                return Err(self.construct(construct, None));
            }
        }))
    }

    fn address_of_global(&mut self, id: GlobalId) -> TermId {
        let program = self.version().program;
        let global = &program.globals[id.index()];
        if global.linkage == Linkage::ExternalWeak {
            return self.undefined_address(program.name(global.name));
        }
        // The library has several names for some of its variables (`environ` and `__environ`).
        let name = match library().variable_of(program, global) {
            Some(variable) => variable.name,
            None => program.name(global.name),
        };
        let is_fixed = global.is_constant && !global.is_thread_local && !global.linkage.gives_way();
        let content = match (is_fixed, global.initialiser) {
            (true, Some(initialiser)) => self.content_of(initialiser),
            _ => None,
        };
        let linkage = match global.linkage {
            Linkage::Internal => {
                let unit = &program.units[global.unit.index()];
                format!("static {} ", program.name(unit.source))
            }
            Linkage::Private => "constant ".to_owned(),
            _ => String::new(),
        };
        let key = match (&content, global.linkage) {
            // An unnamed constant is its content.
            (Some(content), Linkage::Private) => format!("constant {}", text_of(content)),
            (Some(content), _) => format!("{linkage}{name} = {}", text_of(content)),
            // Not known to be the same in both versions.
            (None, _) if is_fixed && global.initialiser.is_some() => {
                format!("{} {linkage}{name}", self.side_name())
            }
            (None, _) => format!("{linkage}{name}"),
        };
        let size = self.layouts.size_of(global.value_type);
        let kind = SymbolKind::Object { size: Some(size) };
        let kind = match global.linkage {
            // Another definition may take its place, or it may be a common one.
            linkage if linkage == Linkage::Private || linkage == Linkage::Internal => kind,
            linkage if global.initialiser.is_some() && !linkage.gives_way() => kind,
            _ => SymbolKind::Object { size: None },
        };
        let address = self.names.symbol_of_kind(
            self.terms,
            &format!("&{key} {kind:?}"),
            Sort::Bits(64),
            kind,
        );
        self.names.note_alignment(address, global.alignment);
        if let Some(name) = internal_name(program, id)
            && self.unseen_variables.contains(&name)
        {
            self.terms.declare_unseen(address);
        }
        if let Some(content) = content
            && self.names.constant_memory(address).is_none()
        {
            let memory = self.names.symbol_of_kind(
                self.terms,
                &format!("content of {key}"),
                Sort::Memory,
                SymbolKind::ConstantMemory,
            );
            self.names.memory_of.insert(address, memory);
            self.names.contents.push(ConstantObject {
                memory,
                address,
                content,
            });
        }
        address
    }

    /// What a constant holds: bytes, and addresses of what holds only bytes itself.
    fn content_of(&mut self, id: ConstantId) -> Option<Content> {
        let program = self.version().program;
        let mut raw = RawContent::empty(Some(Vec::new()));
        self.append_content(program, id, &mut raw)?;
        let mut addresses = Vec::new();
        for (at, global) in raw.addresses.into_iter().flatten() {
            addresses.push((at, self.address_of_global(global)));
        }
        Some(Content {
            bytes: raw.bytes,
            addresses,
            padding: raw.padding,
        })
    }

    /// A constant object that holds no addresses.
    fn holds_bytes(&self, program: &Program, global: GlobalId) -> bool {
        let row = &program.globals[global.index()];
        let mut raw = RawContent::empty(None);
        row.is_constant
            && !row.is_thread_local
            && !row.linkage.gives_way()
            && row.initialiser.is_some_and(|initialiser| {
                let known = self.append_content(program, initialiser, &mut raw);
                known.is_some()
            })
    }

    fn append_content(&self, program: &Program, id: ConstantId, to: &mut RawContent) -> Option<()> {
        if to.bytes.len() > MOST_CONTENT {
            return None;
        }
        match program.constant(id) {
            Constant::Integer { type_id, bits } | Constant::Float { type_id, bits } => {
                let start = to.bytes.len();
                let stored = bits.to_le_bytes();
                let stored = stored.get(..self.layouts.store_size(*type_id) as usize)?;
                to.bytes.extend(stored);
                to.pad(start + self.layouts.size_of(*type_id) as usize);
            }
            Constant::Null(_) => to.bytes.extend([0; 8]),
            Constant::Global(global) => {
                let addresses = to.addresses.as_mut()?;
                if !self.holds_bytes(program, *global) {
                    return None;
                }
                addresses.push((to.bytes.len(), *global));
                to.bytes.extend([0; 8]);
            }
            Constant::Zero(type_id) => {
                let size = self.layouts.size_of(*type_id) as usize;
                if size > MOST_CONTENT {
                    return None;
                }
                to.bytes.resize(to.bytes.len() + size, 0);
            }
            Constant::Bytes { bytes, .. } => {
                if bytes.len() > MOST_CONTENT {
                    return None;
                }
                to.bytes.extend(bytes.iter());
            }
            Constant::Aggregate { type_id, elements } => {
                let start = to.bytes.len();
                for (number, element) in elements.iter().enumerate() {
                    if let Type::Struct { .. } = program.type_of(*type_id) {
                        let offset = self.layouts.field_offset(*type_id, number)? as usize;
                        to.pad(start + offset);
                    }
                    self.append_content(program, *element, to)?;
                }
                to.pad(start + self.layouts.size_of(*type_id) as usize);
            }
            _ => return None,
        }
        (to.bytes.len() <= MOST_CONTENT).then_some(())
    }

    /// The address of what nothing here defines, and perhaps nothing at all: 0 then. A version that
    /// defines it has another address.
    fn undefined_address(&mut self, name: &str) -> TermId {
        let name = format!("&{name} if anything defines it");
        self.names.symbol(self.terms, &name, Sort::Bits(64))
    }

    fn address_of_function(&mut self, function: FunctionId) -> TermId {
        let program = self.version().program;
        if program.function(function).linkage == Linkage::ExternalWeak {
            return self.undefined_address(program.function_name(function));
        }
        let key = match program.function(function).body {
            None => program.function_name(function).to_owned(),
            Some(_) => match (self.function_name)(self.side, function) {
                Some(name) => name,
                None => format!("{} {}", self.side_name(), program.function_name(function)),
            },
        };
        let kind = SymbolKind::Object { size: None };
        self.names
            .symbol_of_kind(self.terms, &format!("&{key}()"), Sort::Bits(64), kind)
    }
}

/// The same text for the same content: equal addresses are equal terms.
fn text_of(content: &Content) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(content.bytes.len() * 2);
    for byte in &content.bytes {
        let _ = write!(text, "{byte:02x}");
    }
    for (at, address) in &content.addresses {
        let _ = write!(text, " {at}:{}", address.0);
    }
    for range in &content.padding {
        let _ = write!(text, " {}..{}", range.start, range.end);
    }
    text
}

/// A symbol that the linker makes.
fn is_bound_of_section(program: &Program, global: GlobalId) -> bool {
    let row = &program.globals[global.index()];
    row.initialiser.is_none() && section_bounded_by(program.name(row.name)).is_some()
}
