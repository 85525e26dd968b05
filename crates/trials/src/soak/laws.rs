//! What came of holding something to laws? The same account for one subject (a program, a pair of
//! versions) and for a soak of thousands. `L` names the laws.

use std::collections::BTreeMap;
use std::fmt;

/// Something happened, or was claimed, that a law excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation<L> {
    pub law: L,
    /// File and line, or the function where there is none.
    pub place: String,
    pub message: String,
}

impl<L: fmt::Display> fmt::Display for Violation<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}: {}", self.place, self.law, self.message)
    }
}

/// What a subject was held to.
#[derive(Clone, Debug)]
pub struct Findings<L> {
    /// By law: how many things were looked at.
    pub checked: BTreeMap<L, usize>,
    pub violations: Vec<Violation<L>>,
    /// What else was counted, by name.
    pub tallies: BTreeMap<&'static str, usize>,
}

impl<L> Default for Findings<L> {
    fn default() -> Findings<L> {
        Findings {
            checked: BTreeMap::new(),
            violations: Vec::new(),
            tallies: BTreeMap::new(),
        }
    }
}

impl<L: Copy + Ord> Findings<L> {
    pub(crate) fn count(&mut self, law: L, number: usize) {
        *self.checked.entry(law).or_default() += number;
    }

    pub(crate) fn violated(&mut self, law: L, place: String, message: String) {
        self.violations.push(Violation {
            law,
            place,
            message,
        });
    }

    pub(crate) fn tally(&mut self, name: &'static str, number: usize) {
        *self.tallies.entry(name).or_default() += number;
    }

    /// How much of this was counted.
    pub fn tallied(&self, name: &str) -> usize {
        self.tallies.get(name).copied().unwrap_or_default()
    }

    pub fn breaks(&self, law: L) -> bool {
        self.violations.iter().any(|one| one.law == law)
    }

    pub fn add(&mut self, other: Findings<L>) {
        for (law, number) in other.checked {
            self.count(law, number);
        }
        for (name, number) in other.tallies {
            self.tally(name, number);
        }
        self.violations.extend(other.violations);
    }
}

/// What came of one subject.
#[derive(Clone, Debug)]
pub enum Outcome<L> {
    Checked {
        findings: Findings<L>,
        /// Why runs were no evidence; empty if all were.
        no_evidence: Vec<String>,
    },
    /// There was nothing to hold to a law; why.
    Skipped(String),
}

/// What came of many.
#[derive(Clone, Debug)]
pub struct Summary<L> {
    pub subjects: usize,
    pub checked: usize,
    /// Those whose runs were all evidence.
    pub evidence: usize,
    pub failing: usize,
    pub findings: Findings<L>,
    /// Why subjects were none, or runs no evidence.
    pub skipped: BTreeMap<String, usize>,
}

impl<L> Default for Summary<L> {
    fn default() -> Summary<L> {
        Summary {
            subjects: 0,
            checked: 0,
            evidence: 0,
            failing: 0,
            findings: Findings::default(),
            skipped: BTreeMap::new(),
        }
    }
}

impl<L: Copy + Ord> Summary<L> {
    pub fn add(&mut self, outcome: Outcome<L>) {
        self.subjects += 1;
        let reasons = match outcome {
            Outcome::Checked {
                findings,
                no_evidence,
            } => {
                self.checked += 1;
                self.evidence += usize::from(no_evidence.is_empty());
                self.failing += usize::from(!findings.violations.is_empty());
                self.findings.add(findings);
                no_evidence
            }
            Outcome::Skipped(reason) => vec![reason],
        };
        for reason in reasons {
            *self.skipped.entry(reason).or_default() += 1;
        }
    }
}

impl<L: Copy + Ord + fmt::Display> fmt::Display for Summary<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{} subjects, {} checked, {} with runs that are all evidence, {} break a law",
            self.subjects, self.checked, self.evidence, self.failing
        )?;
        for (name, number) in &self.findings.tallies {
            writeln!(formatter, "{number:>12}  {name}")?;
        }
        let mut broken: BTreeMap<L, usize> = BTreeMap::new();
        for violation in &self.findings.violations {
            *broken.entry(violation.law).or_default() += 1;
        }
        let (law, checked, violated) = ("law", "checked", "violated");
        writeln!(formatter, "\n{law:<24} {checked:>12} {violated:>10}")?;
        for (law, checked) in &self.findings.checked {
            let violated = broken.get(law).unwrap_or(&0);
            let law = law.to_string();
            writeln!(formatter, "{law:<24} {checked:>12} {violated:>10}")?;
        }
        if !self.skipped.is_empty() {
            writeln!(formatter, "\nno evidence")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(formatter, "{count:>6}  {reason}")?;
        }
        Ok(())
    }
}
