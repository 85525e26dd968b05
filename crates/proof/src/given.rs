//! **Question.** What would a function have to be given for a model of a query to come true?
//!
//! **Rules.** The symbols of what both versions share at the entry have names: parameters, memory,
//! addresses of global variables. Their values in the model are the answer.
//!
//! **Soundness.** None is needed. A query about one iteration of a loop has models that no run
//! reaches, and functions that are symbols may be anything in a model: what is given is tried by
//! running both versions, and counts for what is then seen.

use knockon_logic::solver::Model;
use knockon_logic::terms::Terms;
use knockon_logic::terms::evaluation::{Bytes, Value};
use std::collections::BTreeMap;

/// The start of a run, as far as a query speaks of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// By number in the old version.
    pub parameters: BTreeMap<u32, u64>,
    pub memory: Bytes,
    /// Addresses of global variables by name.
    pub globals: BTreeMap<String, u64>,
}

/// What a model says of the start of a run.
pub fn given(terms: &Terms, model: &Model) -> Given {
    let mut given = Given::default();
    for (symbol, value) in model.symbols() {
        let name = terms.symbol_of(symbol).name.as_str();
        if let Some(number) = name.strip_prefix("parameter ") {
            if let Ok(number) = number.parse() {
                given.parameters.insert(number, value.bits() as u64);
            }
        } else if let (Some(rest), Some(end)) = (name.strip_prefix('&'), name.find(" Object {")) {
            // An internal one is named behind its file, a constant one before its content.
            let name = rest[..end - 1].rsplit(' ').next().unwrap_or_default();
            given.globals.insert(name.to_owned(), value.bits() as u64);
        } else if let ("memory", Value::Memory(bytes)) = (name, value) {
            given.memory = bytes.clone();
        }
    }
    given
}
