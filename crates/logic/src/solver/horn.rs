//! Horn clauses, for the one solver that proposes invariants: z3's Spacer.
//!
//! What it answers is no voice in any verdict, and so it is asked alone; see [`crate::horn`].

use super::program::SolverKind;
use super::{GRACE, Limits, QUERIES_PER_PROCESS, Running, Solvers};
use std::time::Instant;

impl Solvers<'_> {
    /// What may define the predicate of some clauses, as the solver writes it; `None` if it says
    /// nothing, or there is no such solver.
    pub fn invariant(&mut self, clauses: &str, limits: Limits) -> Option<String> {
        let mut programs = self.options.programs.iter();
        let program = programs.position(|program| program.kind == SolverKind::Z3)?;
        self.dump_clauses(clauses);
        let mut running = match self.horn.take() {
            Some(running) => running,
            None => Running {
                process: self.start(program).ok()?,
                queries: 0,
            },
        };
        running.queries += 1;
        self.statistics.questions += 1;
        let limits = limits.within(self.options.limit);
        let (effort, milliseconds) = limits.in_numbers();
        let question = format!(
            "(reset)\n(set-option :rlimit {effort})\n(set-option :timeout {milliseconds})\n\
             (set-logic HORN)\n{clauses}(check-sat)\n"
        );
        let deadline = Instant::now() + limits.time + GRACE;
        let limit = self.options.limit;
        let mut ask = |text: &str| running.process.converse(text, deadline, limit).ok();
        // A process that failed is of no more use, and is not kept.
        let found = match ask(&question)?.trim() {
            "sat" => Some(ask("(get-model)\n")?),
            _ => None,
        };
        self.horn = (running.queries < QUERIES_PER_PROCESS).then_some(running);
        found
    }

    /// The clauses as a file that the solver can be run on. They are no part of a proof, so one that
    /// cannot be written is not missed.
    fn dump_clauses(&self, clauses: &str) {
        if let Some(directory) = &self.options.dump_queries {
            let key = blake3::hash(clauses.as_bytes()).to_hex();
            let text = format!("(set-logic HORN)\n{clauses}(check-sat)\n(get-model)\n");
            std::fs::write(directory.join(format!("{}.horn.smt2", &key[..16])), text).ok();
        }
    }
}
