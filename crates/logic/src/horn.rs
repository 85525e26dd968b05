//! **Question.** What holds at the header of two loops in lock step, in every iteration, so that a
//! claim follows?
//!
//! **Source.** DESIGN.md §6, equivalence (c): where the candidates do not suffice, constrained Horn
//! clauses over the lock-step product, for z3's Spacer (Komuravelli, Gurfinkel, Chaki 2014).
//!
//! **Rules.** One predicate over what is carried round and what the loops do not change, and three
//! clauses: it holds before the loops, an iteration after which another follows keeps it, and with it
//! the claim holds. All terms are read as integers ([`crate::integers`]); no array is in them. The
//! answer is a formula over integers, of which each part becomes a term over bit vectors again
//! ([`candidates`]).
//!
//! **Soundness.** None is needed. What comes from here is a proposal: it counts only as far as it is
//! shown of the exact terms afterwards, part by part, before the loops and over an iteration. So
//! neither the reading nor the answer of the solver can make anything true.
//!
//! **Cost.** One question to one solver, whose text grows with the terms of an iteration.

mod answer;
mod candidates;

pub use candidates::{Candidates, Equality, candidates};

use crate::integers::{Integers, Node, NodeId, UnknownId};
use crate::terms::{Sort, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Two loops in lock step, and what is asked of them.
pub struct LoopQuestion {
    /// What is carried round, as symbols at the header; then before the loops, and after an iteration.
    pub carried: Vec<(TermId, TermId, TermId)>,
    /// Symbols that the loops do not change.
    pub kept: FxHashSet<TermId>,
    /// What is known before the loops; first, that they are entered.
    pub at_start: Vec<TermId>,
    /// After an iteration; first, that another follows.
    pub at_end: Vec<TermId>,
    /// Where the claim is asked about; first, that it does not hold.
    pub at_claim: Vec<TermId>,
}

/// Clauses as a solver reads them.
pub struct Clauses {
    /// Declarations and assertions, for the logic `HORN`.
    pub text: String,
    /// What the predicate speaks of, and whether it is read as signed.
    pub parameters: Vec<(TermId, bool)>,
}

/// Questions with more parameters than this are not asked.
const MOST_PARAMETERS: usize = 40;

/// The name of the predicate.
const PREDICATE: &str = "invariant";

impl Clauses {
    /// `None` where there is nothing to speak of, or too much.
    pub fn of(terms: &Terms, question: &LoopQuestion) -> Option<Clauses> {
        let LoopQuestion { carried, .. } = question;
        let mut roots: Vec<TermId> = Vec::new();
        for (here, before, after) in carried {
            roots.extend([here, before, after]);
        }
        roots.extend(&question.at_start);
        roots.extend(&question.at_end);
        roots.extend(&question.at_claim);
        let starts = carried.iter().map(|row| (row.0, row.1));
        let ends = carried.iter().map(|row| (row.0, row.2));
        let alike: Vec<(TermId, TermId)> = starts.chain(ends).collect();
        let mut integers = Integers::new(terms, &roots, &alike);
        for root in &roots {
            integers.read(*root);
        }
        let starts: Vec<TermId> = carried.iter().map(|row| row.1).collect();
        let ends: Vec<TermId> = carried.iter().map(|row| row.2).collect();
        let heads: Vec<TermId> = carried.iter().map(|row| row.0).collect();
        let needed = [&question.at_start, &question.at_end, &question.at_claim];
        let needed = needed.map(|rows| rows.split_at(1.min(rows.len())));
        // Most of what is known has nothing to do with what is asked.
        let of_needed = needed.iter().flat_map(|row| row.0).copied().collect();
        let of_carried = [heads.clone(), starts.clone(), ends.clone(), of_needed].concat();
        let spoken_of: FxHashSet<UnknownId> =
            integers.unknowns_of(&of_carried).into_iter().collect();
        let near = |rows: &[TermId]| -> Vec<TermId> {
            let is_near = |id: &&TermId| {
                let own = integers.unknowns_of(&[**id]);
                own.iter().all(|unknown| spoken_of.contains(unknown))
            };
            rows.iter().filter(is_near).copied().collect()
        };
        let [at_start, at_end, at_claim] = needed.map(|(first, rest)| (first, near(rest)));
        let mut parameters = heads.clone();
        for unknown in integers.unknown_ids() {
            let term = integers.unknown(unknown);
            let is_kept = spoken_of.contains(&unknown)
                && is_small(terms, term)
                && !parameters.contains(&term)
                && is_over(terms, term, &question.kept);
            if is_kept {
                parameters.push(term);
            }
        }
        if heads.is_empty() || parameters.len() > MOST_PARAMETERS {
            return None;
        }
        let mut text = format!("(declare-fun {PREDICATE} (");
        for term in &parameters {
            text.push_str(sort_text(terms.sort(*term)));
            text.push(' ');
        }
        text.push_str(") Bool)\n");
        let others = &parameters[heads.len()..];
        let started = [&starts[..], others].concat();
        let ended = [&ends[..], others].concat();
        let mut writer = Writer {
            terms,
            integers: &mut integers,
            parameters: &parameters,
            text,
        };
        writer.clause(None, at_start.0, &at_start.1, Some(&started));
        writer.clause(Some(&parameters), at_end.0, &at_end.1, Some(&ended));
        writer.clause(Some(&parameters), at_claim.0, &at_claim.1, None);
        let text = writer.text;
        let parameters = parameters.into_iter();
        Some(Clauses {
            text,
            parameters: parameters
                .map(|term| (term, integers.is_signed(term)))
                .collect(),
        })
    }
}

/// A Boolean, or a number that fits.
pub fn is_small(terms: &Terms, term: TermId) -> bool {
    matches!(terms.sort(term), Sort::Boolean | Sort::Bits(..=64))
}

/// All symbols in a term are among some.
fn is_over(terms: &Terms, term: TermId, symbols: &FxHashSet<TermId>) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![term];
    while let Some(next) = work.pop() {
        if !seen.insert(next) {
            continue;
        }
        if terms.as_symbol(next).is_some() && !symbols.contains(&next) {
            return false;
        }
        work.extend(&terms.get(next).arguments);
    }
    true
}

fn sort_text(sort: Sort) -> &'static str {
    match sort {
        Sort::Boolean => "Bool",
        _ => "Int",
    }
}

struct Writer<'a, 't> {
    terms: &'t Terms,
    integers: &'a mut Integers<'t>,
    parameters: &'a [TermId],
    text: String,
}

impl Writer<'_, '_> {
    /// From the predicate of some terms, where there are, what is needed and what is known besides, to
    /// the predicate of others, or to nothing at all.
    fn clause(
        &mut self,
        from: Option<&[TermId]>,
        needed: &[TermId],
        known: &[TermId],
        to: Option<&[TermId]>,
    ) {
        let mut roots: Vec<TermId> = needed.to_vec();
        roots.extend(from.into_iter().flatten());
        roots.extend(to.into_iter().flatten());
        let mut premises: Vec<NodeId> = self.integers.assumptions(&roots);
        premises.extend(needed.iter().map(|id| self.integers.read(*id)));
        // What is known says nothing where its reading does not hold.
        let conditional: Vec<(Vec<NodeId>, NodeId)> = known
            .iter()
            .map(|id| {
                let mut assumed = self.integers.assumptions(&[*id]);
                assumed.retain(|node| !premises.contains(node));
                (assumed, self.integers.read(*id))
            })
            .collect();
        roots.extend(known);
        let mut applied = |rows: &[TermId]| -> Vec<NodeId> {
            let rows = rows.iter().zip(self.parameters);
            rows.map(|(id, parameter)| {
                let is_signed = self.integers.is_signed(*parameter);
                self.integers.read_as(*id, is_signed)
            })
            .collect()
        };
        let from = from.map(&mut applied);
        let to = to.map(&mut applied);
        let mut named = Named {
            integers: self.integers,
            names: FxHashMap::default(),
            bindings: String::new(),
            open: 0,
        };
        let call = |named: &mut Named<'_, '_>, rows: &[NodeId]| {
            let rows: Vec<String> = rows.iter().map(|id| named.text(*id)).collect();
            format!("({PREDICATE} {})", rows.join(" "))
        };
        let mut body: Vec<String> = Vec::new();
        if let Some(rows) = &from {
            body.push(call(&mut named, rows));
        }
        for premise in premises {
            body.push(named.text(premise));
        }
        for (assumed, fact) in conditional {
            let assumed: Vec<String> = assumed.iter().map(|id| named.text(*id)).collect();
            let fact = named.text(fact);
            body.push(match assumed.is_empty() {
                true => fact,
                false => format!("(=> (and {}) {fact})", assumed.join(" ")),
            });
        }
        let head = match &to {
            Some(rows) => call(&mut named, rows),
            None => "false".to_owned(),
        };
        let Named { bindings, open, .. } = named;
        self.text.push_str("(assert (forall (");
        // At least one variable stands here: the predicate has parameters.
        for unknown in self.integers.unknowns_of(&roots) {
            let sort = self.terms.sort(self.integers.unknown(unknown));
            write!(self.text, "(u{} {})", unknown.0, sort_text(sort)).ok();
        }
        let closing = ")".repeat(open);
        let body = body.join(" ");
        writeln!(
            self.text,
            ") {bindings}(=> (and true {body}) {head}){closing}))"
        )
        .ok();
    }
}

/// Nodes by name, each written once.
struct Named<'a, 't> {
    integers: &'a Integers<'t>,
    names: FxHashMap<NodeId, String>,
    /// What names stand for, arguments first.
    bindings: String,
    open: usize,
}

impl Named<'_, '_> {
    fn text(&mut self, root: NodeId) -> String {
        let mut work = vec![root];
        while let Some(next) = work.last().copied() {
            if self.names.contains_key(&next) {
                work.pop();
                continue;
            }
            let before = work.len();
            let missing = arguments(self.integers.node(next));
            work.extend(missing.iter().filter(|id| !self.names.contains_key(id)));
            if work.len() == before {
                let name = self.name(next);
                self.names.insert(next, name);
                work.pop();
            }
        }
        self.names[&root].clone()
    }

    fn name(&mut self, id: NodeId) -> String {
        let of = |id: &NodeId| self.names[id].as_str();
        let all = |head: &str, ids: &[NodeId]| {
            let parts: Vec<&str> = ids.iter().map(of).collect();
            format!("({head} {})", parts.join(" "))
        };
        let text = match self.integers.node(id) {
            Node::Truth(value) => return value.to_string(),
            Node::Number(value) => return number(*value),
            Node::Unknown(unknown) => return format!("u{}", unknown.0),
            Node::Not(inner) => all("not", &[*inner]),
            Node::And(parts) => all("and", parts),
            Node::Or(parts) => all("or", parts),
            Node::Equal(left, right) => all("=", &[*left, *right]),
            Node::Less(left, right) => all("<", &[*left, *right]),
            Node::Choice(condition, left, right) => all("ite", &[*condition, *left, *right]),
            Node::Sum { constant, parts } => {
                let mut text = format!("(+ {}", number(*constant));
                for (factor, part) in parts {
                    match factor {
                        1 => write!(text, " {}", of(part)).ok(),
                        _ => write!(text, " (* {} {})", number(*factor), of(part)).ok(),
                    };
                }
                text.push(')');
                text
            }
            Node::Divide(left, by) => format!("(div {} {by})", of(left)),
            Node::Remainder(left, by) => format!("(mod {} {by})", of(left)),
        };
        let name = format!("t{}", self.open);
        self.open += 1;
        write!(self.bindings, "(let (({name} {text})) ").ok();
        name
    }
}

fn arguments(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Truth(_) | Node::Number(_) | Node::Unknown(_) => Vec::new(),
        Node::Not(one) | Node::Divide(one, _) | Node::Remainder(one, _) => vec![*one],
        Node::And(parts) | Node::Or(parts) => parts.clone(),
        Node::Equal(left, right) | Node::Less(left, right) => vec![*left, *right],
        Node::Choice(condition, left, right) => vec![*condition, *left, *right],
        Node::Sum { parts, .. } => parts.iter().map(|part| part.1).collect(),
    }
}

fn number(value: i128) -> String {
    match value < 0 {
        true => format!("(- {})", value.unsigned_abs()),
        false => value.to_string(),
    }
}
