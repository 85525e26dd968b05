//! States and values where ways meet.
//!
//! **Rule.** Of the ways that meet one at most is taken, so what is joined is a choice by what tells
//! their conditions apart; what the conditions have in common decides nothing.

use super::{Ending, Evaluator, State, Value};
use knockon_logic::terms::{Operator, TermId, Terms};

impl Evaluator<'_, '_> {
    /// One state from several, of which one at most comes true.
    pub(super) fn joined(&mut self, states: &[State]) -> Option<State> {
        let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
        let deciding = self.deciding(&conditions);
        let (last, before) = states.split_last()?;
        let mut joined = last.clone();
        for (state, deciding) in before.iter().zip(&deciding).rev() {
            for (own, other) in joined.memories.iter_mut().zip(&state.memories) {
                *own = self.terms.if_then_else(*deciding, *other, *own);
            }
            for (own, other) in joined.world.iter_mut().zip(&state.world) {
                *own = self.terms.if_then_else(*deciding, *other, *own);
            }
        }
        joined.condition = self.terms.or(conditions);
        Some(joined)
    }

    /// The conditions without what they have in common: what tells them apart.
    pub(super) fn deciding(&mut self, conditions: &[TermId]) -> Vec<TermId> {
        let parts = |terms: &Terms, id: TermId| -> Vec<TermId> {
            match terms.get(id).operator {
                Operator::And => terms.get(id).arguments.to_vec(),
                _ => vec![id],
            }
        };
        let rows: Vec<Vec<TermId>> = conditions
            .iter()
            .map(|condition| parts(self.terms, *condition))
            .collect();
        let is_common = |id: &TermId| rows.iter().all(|row| row.contains(id));
        let kept: Vec<Vec<TermId>> = rows
            .iter()
            .map(|row| row.iter().copied().filter(|id| !is_common(id)).collect())
            .collect();
        kept.into_iter().map(|row| self.terms.and(row)).collect()
    }

    pub(super) fn joined_values(&mut self, deciding: &[TermId], values: &[Value]) -> Option<Value> {
        let (last, before) = values.split_last()?;
        let mut joined = last.clone();
        for (value, deciding) in before.iter().zip(deciding).rev() {
            joined = self.choice(*deciding, value, &joined);
        }
        Some(joined)
    }

    pub(super) fn choice(&mut self, condition: TermId, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Aggregate(left), Value::Aggregate(right)) => Value::Aggregate(
                left.iter()
                    .zip(right)
                    .map(|(left, right)| self.choice(condition, left, right))
                    .collect(),
            ),
            (Value::Term(left), Value::Term(right)) => {
                Value::Term(self.terms.if_then_else(condition, *left, *right))
            }
            _ => left.clone(),
        }
    }

    pub(super) fn joined_returns(
        &mut self,
        endings: Vec<Ending>,
        memories: usize,
    ) -> Option<Ending> {
        let mut states: Vec<State> = endings.iter().map(|ending| ending.state.clone()).collect();
        for state in &mut states {
            state.memories.truncate(memories);
        }
        let conditions: Vec<TermId> = states.iter().map(|state| state.condition).collect();
        let deciding = self.deciding(&conditions);
        let state = self.joined(&states)?;
        let values: Option<Vec<Value>> = endings.into_iter().map(|ending| ending.value).collect();
        let value = values.and_then(|values| self.joined_values(&deciding, &values));
        Some(Ending { state, value })
    }

    pub(super) fn joined_endings(&mut self, mut states: Vec<State>) -> Option<Ending> {
        for state in &mut states {
            state.memories.truncate(1);
        }
        let state = self.joined(&states)?;
        Some(Ending { state, value: None })
    }
}
