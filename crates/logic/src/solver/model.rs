//! Values under which the assertions of a query are true.
//!
//! Built from what a solver says about the symbols and the applied functions of the query, and then
//! evaluated: [`Model::of`] gives none unless all assertions are true by
//! [`crate::terms::evaluation`] and the objects lie apart. Functions are tables: an application is
//! entered under the values that its arguments have here.

use crate::smt_lib::Query;
use crate::terms::evaluation::{Valuation, Value, evaluate, evaluate_further};
use crate::terms::{FunctionSymbolId, Operator, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Model {
    symbols: BTreeMap<SymbolId, Value>,
    applications: FxHashMap<(FunctionSymbolId, Vec<Value>), Value>,
}

impl Model {
    /// The values are those of the query's unknowns, in order.
    pub(super) fn of(terms: &Terms, query: &Query, values: Vec<Value>) -> Option<Model> {
        let mut model = Model::default();
        let mut known = FxHashMap::default();
        for (unknown, value) in query.unknowns.iter().zip(values) {
            let row = terms.get(unknown.term);
            match row.operator {
                Operator::Symbol(symbol) => {
                    model.symbols.insert(symbol, value);
                }
                Operator::Apply(function) => {
                    let arguments = row
                        .arguments
                        .iter()
                        .map(|id| evaluate_further(terms, *id, &mut &model, &mut known))
                        .collect();
                    let entry = model.applications.entry((function, arguments));
                    // Equal arguments, equal results: two claims about one application cannot
                    // both be kept, and the assertions tell whether it matters.
                    entry.or_insert(value);
                }
                _ => return None,
            }
        }
        let is_true = |id: &TermId| {
            evaluate_further(terms, *id, &mut &model, &mut known) == Value::Boolean(true)
        };
        let holds = query.assertions.iter().all(is_true);
        let address_of =
            |symbol: SymbolId| model.symbols.get(&symbol).map_or(0, Value::bits) as u64;
        (holds && query.is_layout(address_of)).then_some(model)
    }

    /// The symbols of the query, ascending, with their values.
    pub fn symbols(&self) -> impl Iterator<Item = (SymbolId, &Value)> {
        self.symbols.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// Any term's value. What the query does not mention is 0, false, or memory full of zeros.
    pub fn value_of(&self, terms: &Terms, term: TermId) -> Value {
        evaluate(terms, term, &mut &*self)
    }
}

impl Valuation for &Model {
    fn symbol(&mut self, terms: &Terms, symbol: SymbolId) -> Value {
        let known = self.symbols.get(&symbol).cloned();
        known.unwrap_or_else(|| Value::of_nothing(terms.symbol_of(symbol).sort))
    }

    fn apply(&mut self, terms: &Terms, function: FunctionSymbolId, arguments: &[Value]) -> Value {
        let key = (function, arguments.to_vec());
        let known = self.applications.get(&key).cloned();
        known.unwrap_or_else(|| Value::of_nothing(terms.function(function).result))
    }
}
