//! What may a statement use here? The generator's knowledge of the program so far: variables with
//! their types, ranges and lifetimes, record types, functions with their costs and effects.
//!
//! Two invariants carry the absence of undefined behaviour. Every variable is initialised when it
//! becomes visible, and every pointer variable always points to at least `count` live elements:
//! it is only ever given the address of storage that lives at least as long as itself (`level`:
//! 0 is static storage, 1 what parameters point to, from 2 on the nesting of blocks).

use super::integers::{Kind, Range};
use super::syntax::*;

/// A type as the generator sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    Integer(Kind),
    /// A bit-field of the base kind, with its width.
    Bits(Kind, u32),
    Enum(usize),
    Float,
    Double,
    Array(Box<Data>, usize),
    Record(usize),
    /// To at least so many elements; `true` when the target may not be written through it.
    Pointer(Box<Data>, usize, bool),
    /// To a function of this family (same signature).
    FunctionPointer(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub data: Data,
    /// For integers: what it always holds. Narrower than its type only for counters, whose
    /// address is never taken.
    pub range: Option<Range>,
    pub writable: bool,
    pub level: usize,
    /// Where the target of a pointer variable lives.
    pub target_level: usize,
}

/// An lvalue the program can reach here.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub expression: Expression,
    pub data: Data,
    pub range: Option<Range>,
    pub writable: bool,
    /// False for bit-fields, packed members and counters.
    pub addressable: bool,
    pub level: usize,
    pub target_level: usize,
    /// The deepest level whose addresses may be stored here; 0 behind a pointer, because the
    /// pointer's own target may live longer than is known.
    pub store_level: usize,
}

#[derive(Clone, Debug)]
pub(super) struct RecordShape {
    pub name: String,
    pub union: bool,
    pub packed: bool,
    pub fields: Vec<(String, Data)>,
}

#[derive(Clone, Debug)]
pub(super) struct EnumShape {
    pub name: String,
    pub constants: Vec<(String, i128)>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionShape {
    pub name: String,
    pub result: Option<Data>,
    pub parameters: Vec<(Data, Option<Range>)>,
    /// Writes nothing that outlives the call, prints nothing: may stand anywhere in an expression.
    pub pure: bool,
    /// An upper bound on the work of one call.
    pub cost: u64,
    /// Functions of one family share a signature and can stand in one table.
    pub family: Option<usize>,
}

/// What the function under construction allows.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub pure: bool,
    pub result: Option<Data>,
    /// How often the current statement may run per call: the product of the loops around it.
    pub repeats: u64,
    pub cost: u64,
    pub breakable: bool,
    pub continuable: bool,
    pub depth: usize,
    /// The work one call may do.
    pub limit: u64,
}

/// Functions that share a signature, and therefore tables and pointer types.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub result: Kind,
    pub parameters: Vec<Kind>,
    pub pure: bool,
}

impl super::Generator<'_> {
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    /// Accounts for work done each time the current statement runs.
    pub(super) fn spend(&mut self, work: u64) {
        let total = work.saturating_mul(self.context.repeats);
        self.context.cost = self.context.cost.saturating_add(total);
    }

    /// Whether work of this size still fits the function's budget here.
    pub(super) fn affordable(&self, work: u64) -> bool {
        let total = work.saturating_mul(self.context.repeats);
        self.context.cost.saturating_add(total) < self.context.limit
    }

    pub(super) fn level(&self) -> usize {
        // Scope 0 holds the globals, scope 1 the parameters.
        self.scopes.len()
    }

    pub(super) fn declare(&mut self, variable: Variable) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(variable);
        }
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.scopes.iter().flatten()
    }

    pub(super) fn c_type(&self, data: &Data) -> Type {
        match data {
            Data::Integer(kind) | Data::Bits(kind, _) => kind.c_type(),
            Data::Enum(index) => Type::Enum(self.enums[*index].name.clone()),
            Data::Float => Type::Name("float".to_string()),
            Data::Double => Type::Name("double".to_string()),
            Data::Array(element, length) => self.c_type(element).array(*length),
            Data::Record(index) => {
                let record = &self.records[*index];
                if record.union {
                    Type::Union(record.name.clone())
                } else {
                    Type::Struct(record.name.clone())
                }
            }
            Data::Pointer(target, _, constant) => {
                let target = self.c_type(target);
                if *constant {
                    target.constant().pointer()
                } else {
                    target.pointer()
                }
            }
            Data::FunctionPointer(family) => {
                let family = &self.families[*family];
                let parameters = family.parameters.iter().map(|kind| Parameter {
                    name: String::new(),
                    parameter_type: kind.c_type(),
                });
                Type::Function(Box::new(Signature {
                    result: family.result.c_type(),
                    parameters: parameters.collect(),
                    variadic: false,
                }))
                .pointer()
            }
        }
    }

    /// Parses a template of this crate. A `#` that ends a name becomes a number that is fresh for
    /// the template; any other, as in `%#x`, stays.
    pub(super) fn template(&mut self, text: &str, holes: &[Expression]) -> Vec<Statement> {
        self.names += 1;
        let suffix = format!("_{}", self.names);
        let mut numbered = String::with_capacity(text.len() * 2);
        for letter in text.chars() {
            let in_name = |last: char| last.is_ascii_alphanumeric() || last == '_';
            if letter == '#' && numbered.ends_with(in_name) {
                numbered.push_str(&suffix);
            } else {
                numbered.push(letter);
            }
        }
        let text = numbered;
        match super::parse::statements(&text, holes) {
            Ok(statements) => statements,
            Err(error) => unreachable!("template does not parse: {error}\n{text}"),
        }
    }

    /// Parses definitions of this crate and adds them before the function under construction.
    pub(super) fn define(&mut self, text: &str) {
        match super::parse::items(text) {
            Ok(items) => self.items.extend(items),
            Err(error) => unreachable!("definition does not parse: {error}\n{text}"),
        }
    }

    /// Adds a library of definitions once; `name` tells them apart.
    pub(super) fn require(&mut self, name: &'static str, text: &str) {
        if !self.required.contains(&name) {
            self.required.push(name);
            self.define(text);
        }
    }

    pub(super) fn include(&mut self, header: &str) {
        if !self.includes.iter().any(|known| known == header) {
            self.includes.push(header.to_string());
        }
    }
}
