//! **Question.** What does a solver have to be told, so that it decides whether some terms can be
//! true together?
//!
//! **Rules.** [`Query::of`] writes declarations and assertions in SMT-LIB 2. A memory is
//! an array of bytes, a load the concatenation of its bytes, a store one store per byte, sums are
//! nested additions. What is used more than once, or gets long, is given a name: the text grows with
//! the graph of terms, not with the tree, and nothing recurses over it. Names are bound by `let`
//! around one assertion: z3 4.8 walks all that a `define-fun` is made of when it reads it, seconds
//! for a few hundred names, before any limit counts. The values of applied functions are asked for,
//! so each of these is a constant that is asserted to be equal.
//!
//! **One text for equal questions.** Symbols, functions and names are numbered in the order in
//! which a walk from the assertions meets them, and given names are left out: the text does not
//! depend on what else is in the arena. That makes it the key under which answers are kept; that
//! names do not matter to satisfiability is why they may go.
//!
//! **Objects.** See [`objects`]: all that is said about addresses holds in every run, so an
//! unsatisfiable query stays one.
//!
//! **Cost.** Linear in the terms below the assertions, plus the square of the number of objects.

pub(crate) mod expressions;
mod objects;
pub mod values;

use crate::terms::{FunctionSymbolId, Operator, Sort, SymbolId, TermId, Terms};
use objects::Object;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Longer texts are given a name.
const LONGEST_INLINE: usize = 160;

/// Of so many objects three pairs share no byte.
const MANY_OBJECTS: usize = 3;

/// What is asked, and how to ask for the values behind an answer.
#[derive(Clone)]
pub struct Query {
    /// The smallest logic that has all of it.
    pub logic: &'static str,
    /// Declarations and assertions: all but logic, options and `(check-sat)`.
    pub text: String,
    /// Symbols and applied functions below the assertions, arguments first, by the name that the
    /// text gives them.
    pub unknowns: Vec<Unknown>,
    pub assertions: Vec<TermId>,
    objects: Vec<Object>,
    /// Where in the text it begins to say where objects can be.
    layout: usize,
}

#[derive(Clone)]
pub struct Unknown {
    pub term: TermId,
    pub name: String,
}

impl Query {
    pub fn of(terms: &Terms, assertions: &[TermId]) -> Query {
        let mut printer = Printer::new(terms);
        let order = printer.arguments_first(assertions);
        for id in order {
            printer.print(id);
        }
        printer.assert_all(assertions);
        let objects = std::mem::take(&mut printer.objects);
        let layout = printer.text.len();
        objects::assert_layout(&objects, &mut printer.text);
        Query {
            logic: match (printer.has_memory, !printer.functions.is_empty()) {
                (false, false) => "QF_BV",
                (false, true) => "QF_UFBV",
                (true, false) => "QF_ABV",
                (true, true) => "QF_AUFBV",
            },
            text: printer.text,
            unknowns: printer.unknowns,
            assertions: assertions.to_vec(),
            objects,
            layout,
        }
    }

    /// The same with objects anywhere, if saying where they can be takes many words: a disjunction for
    /// each two. What is unsatisfiable so is unsatisfiable, and mostly shown much faster; a model may
    /// be none.
    pub fn anywhere(&self) -> Option<Query> {
        (self.objects.len() >= MANY_OBJECTS).then(|| Query {
            text: self.text[..self.layout].to_owned(),
            ..self.clone()
        })
    }

    /// Objects are where objects can be, by the addresses that a model gives them.
    pub fn is_layout(&self, address_of: impl Fn(SymbolId) -> u64) -> bool {
        objects::is_layout(&self.objects, address_of)
    }

    /// One comment per unknown with the name that people know it by.
    pub fn legend(&self, terms: &Terms) -> String {
        let mut text = String::new();
        for unknown in &self.unknowns {
            let given = match terms.get(unknown.term).operator {
                Operator::Symbol(symbol) => &terms.symbol_of(symbol).name,
                Operator::Apply(function) => &terms.function(function).name,
                _ => continue,
            };
            let given = given.replace(['\n', '\r'], " ");
            writeln!(text, "; {} is {given}", unknown.name).ok();
        }
        text
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    text: String,
    /// `let` after `let`, to be put around all that is asserted.
    bindings: String,
    /// What applied functions are, line by line.
    applications: String,
    /// How often each term's text is wanted.
    uses: FxHashMap<TermId, u32>,
    /// A name, or what to write in its place.
    texts: FxHashMap<TermId, String>,
    functions: FxHashMap<FunctionSymbolId, u32>,
    symbols: u32,
    names: u32,
    bound: usize,
    unknowns: Vec<Unknown>,
    objects: Vec<Object>,
    has_memory: bool,
}

impl Printer<'_> {
    fn new(terms: &Terms) -> Printer<'_> {
        Printer {
            terms,
            text: String::new(),
            bindings: String::new(),
            applications: String::new(),
            uses: FxHashMap::default(),
            texts: FxHashMap::default(),
            functions: FxHashMap::default(),
            symbols: 0,
            names: 0,
            bound: 0,
            unknowns: Vec::new(),
            objects: Vec::new(),
            has_memory: false,
        }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{text}").ok();
    }

    /// Every term below some, once, and how often it is used.
    fn arguments_first(&mut self, roots: &[TermId]) -> Vec<TermId> {
        let mut order = Vec::new();
        // A term, and how many of its arguments are done.
        let mut open: Vec<(TermId, usize)> = Vec::new();
        for root in roots {
            if self.uses.insert(*root, 2).is_none() {
                open.push((*root, 0));
            }
            while let Some((id, done)) = open.last_mut() {
                let row = self.terms.get(*id);
                let Some(argument) = row.arguments.get(*done).copied() else {
                    order.push(*id);
                    open.pop();
                    continue;
                };
                let times = match row.operator {
                    // Each byte names the memory and the address, or the address and the value.
                    Operator::Load => 2,
                    Operator::Store if *done > 0 => 2,
                    _ => 1,
                };
                *done += 1;
                let uses = self.uses.entry(argument).or_insert(0);
                if *uses == 0 {
                    open.push((argument, 0));
                }
                *uses += times;
            }
        }
        order
    }

    fn print(&mut self, id: TermId) {
        let row = self.terms.get(id);
        self.has_memory |= row.sort == Sort::Memory;
        let text = match &row.operator {
            Operator::Boolean(value) => value.to_string(),
            Operator::Bits(value) => number(self.terms.width(id), *value),
            Operator::Symbol(symbol) => self.declare_symbol(id, *symbol),
            _ => {
                let text = self.operation(id);
                let is_applied = matches!(row.operator, Operator::Apply(_));
                match is_applied || self.uses[&id] > 1 || text.len() > LONGEST_INLINE {
                    true => self.name(id, &text),
                    false => text,
                }
            }
        };
        self.texts.insert(id, text);
    }

    fn declare_symbol(&mut self, term: TermId, symbol: SymbolId) -> String {
        let name = format!("s{}", self.symbols);
        self.symbols += 1;
        let sort = self.terms.sort(term);
        self.line(format_args!("(declare-fun {name} () {})", sort_text(sort)));
        self.objects
            .extend(Object::of(self.terms.symbol_of(symbol), symbol, &name));
        self.unknowns.push(Unknown {
            term,
            name: name.clone(),
        });
        name
    }

    fn name(&mut self, term: TermId, text: &str) -> String {
        let name = format!("t{}", self.names);
        self.names += 1;
        let row = self.terms.get(term);
        if matches!(row.operator, Operator::Apply(_)) {
            let sort = sort_text(row.sort);
            self.line(format_args!("(declare-fun {name} () {sort})"));
            writeln!(self.applications, "(= {name} {text})").ok();
            self.unknowns.push(Unknown {
                term,
                name: name.clone(),
            });
        } else {
            writeln!(self.bindings, "(let (({name} {text}))").ok();
            self.bound += 1;
        }
        name
    }

    fn assert_all(&mut self, assertions: &[TermId]) {
        let mut text = format!("(assert\n{}(and true\n", self.bindings);
        text.push_str(&self.applications);
        for assertion in assertions {
            text.push_str(&self.texts[assertion]);
            text.push('\n');
        }
        text.push_str(&")".repeat(self.bound + 2));
        self.line(format_args!("{text}"));
    }

    fn function_name(&mut self, function: FunctionSymbolId) -> String {
        let next = self.functions.len() as u32;
        let known = self.functions.get(&function).copied();
        let name = format!("f{}", known.unwrap_or(next));
        if known.is_none() {
            self.functions.insert(function, next);
            let row = self.terms.function(function);
            let parameters: Vec<String> = row.parameters.iter().map(|id| sort_text(*id)).collect();
            let result = sort_text(row.result);
            self.line(format_args!(
                "(declare-fun {name} ({}) {result})",
                parameters.join(" ")
            ));
        }
        name
    }

    fn operation(&mut self, id: TermId) -> String {
        let terms = self.terms;
        let row = terms.get(id);
        let width = terms.width(id);
        let inner = |at: usize| terms.width(row.arguments[at]);
        if let Operator::Apply(function) = row.operator {
            let name = self.function_name(function);
            return match row.arguments.is_empty() {
                true => name,
                false => self.called(&name, id),
            };
        }
        match &row.operator {
            Operator::Not => self.called("not", id),
            Operator::And => self.called("and", id),
            Operator::Or => self.called("or", id),
            Operator::Equal => self.called("=", id),
            Operator::IfThenElse => self.called("ite", id),
            Operator::Multiply => self.called("bvmul", id),
            Operator::UnsignedDivide => self.called("bvudiv", id),
            Operator::SignedDivide => self.called("bvsdiv", id),
            Operator::UnsignedRemainder => self.called("bvurem", id),
            Operator::SignedRemainder => self.called("bvsrem", id),
            Operator::ShiftLeft => self.called("bvshl", id),
            Operator::LogicalShiftRight => self.called("bvlshr", id),
            Operator::ArithmeticShiftRight => self.called("bvashr", id),
            Operator::BitAnd => self.called("bvand", id),
            Operator::BitOr => self.called("bvor", id),
            Operator::BitXor => self.called("bvxor", id),
            Operator::Concatenate => self.called("concat", id),
            Operator::UnsignedLess => self.called("bvult", id),
            Operator::SignedLess => self.called("bvslt", id),
            Operator::Extract { low } => {
                let head = format!("(_ extract {} {low})", low + width - 1);
                self.called(&head, id)
            }
            Operator::ZeroExtend => {
                self.called(&format!("(_ zero_extend {})", width - inner(0)), id)
            }
            Operator::SignExtend => {
                self.called(&format!("(_ sign_extend {})", width - inner(0)), id)
            }
            Operator::Sum {
                constant,
                coefficients,
            } => self.sum(width, *constant, coefficients, &row.arguments),
            Operator::Load => self.load(width / 8, row.arguments[0], row.arguments[1]),
            Operator::Store => self.store(inner(2) / 8, &row.arguments),
            Operator::Boolean(_) | Operator::Bits(_) | Operator::Symbol(_) | Operator::Apply(_) => {
                String::new()
            }
        }
    }

    fn called(&self, head: &str, id: TermId) -> String {
        let mut text = format!("({head}");
        for argument in &self.terms.get(id).arguments {
            text.push(' ');
            text.push_str(&self.texts[argument]);
        }
        text.push(')');
        text
    }

    fn sum(&self, width: u32, constant: u128, coefficients: &[u128], parts: &[TermId]) -> String {
        let ones = crate::terms::mask(width);
        let mut text = match constant {
            0 => String::new(),
            _ => number(width, constant),
        };
        for (part, coefficient) in parts.iter().zip(coefficients) {
            let part = &self.texts[part];
            let (operation, part) = match *coefficient {
                1 => ("bvadd", part.clone()),
                other if other == ones && !text.is_empty() => ("bvsub", part.clone()),
                other if other == ones => ("bvadd", format!("(bvneg {part})")),
                other => ("bvadd", format!("(bvmul {} {part})", number(width, other))),
            };
            text = match text.is_empty() {
                true => part,
                false => format!("({operation} {text} {part})"),
            };
        }
        text
    }

    fn load(&self, bytes: u32, memory: TermId, address: TermId) -> String {
        let (memory, address) = (&self.texts[&memory], &self.texts[&address]);
        let parts: Vec<String> = (0..bytes)
            .rev()
            .map(|at| format!("(select {memory} {})", moved(address, at)))
            .collect();
        match &parts[..] {
            [only] => only.clone(),
            _ => format!("(concat {})", parts.join(" ")),
        }
    }

    fn store(&self, bytes: u32, arguments: &[TermId]) -> String {
        let [memory, address, value] = arguments else {
            return String::new();
        };
        let (address, value) = (&self.texts[address], &self.texts[value]);
        let mut text = self.texts[memory].clone();
        for at in 0..bytes {
            let byte = match bytes {
                1 => value.clone(),
                _ => format!("((_ extract {} {}) {value})", 8 * at + 7, 8 * at),
            };
            text = format!("(store {text} {} {byte})", moved(address, at));
        }
        text
    }
}

fn moved(address: &str, by: u32) -> String {
    match by {
        0 => address.to_owned(),
        _ => format!("(bvadd {address} {})", number(64, u128::from(by))),
    }
}

fn number(width: u32, value: u128) -> String {
    match width.is_multiple_of(4) {
        true => format!("#x{value:0digits$x}", digits = width as usize / 4),
        false => format!("#b{value:0digits$b}", digits = width as usize),
    }
}

fn sort_text(sort: Sort) -> String {
    match sort {
        Sort::Boolean => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Memory => "(Array (_ BitVec 64) (_ BitVec 8))".to_owned(),
    }
}
