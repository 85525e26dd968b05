//! What did a soak find? Counts only, merged in any order.

use super::Examination;
use crate::against_clang::agreement::Agreement;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub own: Counts,
    pub csmith: Counts,
    /// By planted kind: how many, how many a sanitizer reported, how many agreed.
    pub planted: BTreeMap<String, [usize; 3]>,
    /// Reasons of what the interpreter does not model.
    pub unsupported: BTreeMap<String, usize>,
    pub no_oracle: BTreeMap<String, usize>,
    /// Classes of undefined behaviour both sides reported.
    pub undefined: BTreeMap<String, usize>,
    pub native_time: Duration,
    pub interpreter_time: Duration,
    pub interpreter_steps: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub programs: usize,
    pub same: usize,
    pub same_undefined: usize,
    pub different: usize,
    pub unsupported: usize,
    pub step_limit: usize,
    pub no_oracle: usize,
}

impl Summary {
    pub fn programs(&self) -> usize {
        self.own.programs + self.csmith.programs
    }

    pub fn different(&self) -> usize {
        self.own.different + self.csmith.different
    }

    pub(super) fn add(&mut self, own: bool, examined: &Examination) {
        let counts = if own { &mut self.own } else { &mut self.csmith };
        counts.programs += 1;
        let mut agreed = false;
        match &examined.agreement {
            Agreement::Same => {
                counts.same += 1;
                agreed = true;
            }
            Agreement::SameUndefined(class) => {
                counts.same_undefined += 1;
                *self.undefined.entry(class.to_string()).or_default() += 1;
                agreed = true;
            }
            Agreement::Different(_) => counts.different += 1,
            Agreement::Unsupported(reason) => {
                counts.unsupported += 1;
                *self.unsupported.entry(reason.clone()).or_default() += 1;
            }
            Agreement::StepLimit => counts.step_limit += 1,
            Agreement::NoOracle(reason) => {
                counts.no_oracle += 1;
                *self.no_oracle.entry(reason.clone()).or_default() += 1;
            }
        }
        if let Some(kind) = examined.planted {
            let memory = examined.native.memory.as_ref();
            let reported = examined.native.sanitized.undefined.is_some()
                || memory.is_some_and(|memory| memory.undefined.is_some());
            let row = self.planted.entry(format!("{kind:?}")).or_default();
            row[0] += 1;
            row[1] += usize::from(reported);
            row[2] += usize::from(agreed);
        }
        self.native_time += examined.native_time;
        self.interpreter_time += examined.interpreter_time;
        self.interpreter_steps += examined.interpreted.steps;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<10} {:>8} {:>8} {:>10} {:>10} {:>12} {:>11} {:>10}",
            "",
            "programs",
            "same",
            "same UB",
            "different",
            "unsupported",
            "step limit",
            "no oracle"
        )?;
        for (name, counts) in [("own", &self.own), ("csmith", &self.csmith)] {
            writeln!(
                formatter,
                "{name:<10} {:>8} {:>8} {:>10} {:>10} {:>12} {:>11} {:>10}",
                counts.programs,
                counts.same,
                counts.same_undefined,
                counts.different,
                counts.unsupported,
                counts.step_limit,
                counts.no_oracle
            )?;
        }
        if !self.planted.is_empty() {
            writeln!(
                formatter,
                "\n{:<22} {:>8} {:>9} {:>8}",
                "planted", "programs", "reported", "agreed"
            )?;
            for (kind, [programs, reported, agreed]) in &self.planted {
                writeln!(
                    formatter,
                    "{kind:<22} {programs:>8} {reported:>9} {agreed:>8}"
                )?;
            }
        }
        for (title, reasons) in [
            ("undefined behaviour both report", &self.undefined),
            ("unsupported", &self.unsupported),
            ("no oracle", &self.no_oracle),
        ] {
            if !reasons.is_empty() {
                writeln!(formatter, "\n{title}")?;
            }
            for (reason, count) in reasons {
                writeln!(formatter, "{count:>6}  {reason}")?;
            }
        }
        let programs = self.programs().max(1) as f64;
        writeln!(
            formatter,
            "\nseconds per program: clang's builds and runs {:.3}, reading and interpreting {:.3}; {} interpreted instructions",
            self.native_time.as_secs_f64() / programs,
            self.interpreter_time.as_secs_f64() / programs,
            self.interpreter_steps
        )
    }
}
