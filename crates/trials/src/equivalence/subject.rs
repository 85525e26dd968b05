//! One pair held to the laws: two wordings of a function, or of a function and a changed one.

use super::driver::{self, Driven, Told};
use super::judge::{EXAMPLE, Judge, Judgement};
use super::language::{Expression, Function, Statement};
use super::making::random_function;
use super::mutations::mutated;
use super::wording::{Worded, worded};
use super::{Findings, Law, Outcome};
use crate::against_clang::HarnessError;
use crate::random::Random;
use crate::soak::seed_of;
use knockon_report::EquivVerdict;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The budget, reading both versions, runs of the replay, and a busy machine.
const LATEST: Duration = Duration::from_secs(180);

/// Two versions of the function `f`.
#[derive(Clone, Debug)]
pub struct Pair {
    pub seed: u64,
    pub function: Function,
    pub old: Worded,
    pub new: Worded,
    /// What the new version changes; `None`: it is only worded in another way.
    pub change: Option<&'static str>,
    /// Worth trying as input.
    pub numbers: Vec<u64>,
}

/// Pair number `index` of a soak: every second one is changed.
pub fn pair_of(soak: u64, index: usize) -> Pair {
    let seed = seed_of(soak, index);
    let mut random = Random::new(seed);
    let function = random_function(&mut random);
    let rate = *random.pick(&[0, 5, 20, 40]);
    let old = worded(&function, &mut random, rate);
    let rate = *random.pick(&[4, 10, 25, 45]);
    let mut numbers = numbers_of(&function);
    let (new, change) = match index % 2 {
        0 => (worded(&function, &mut random, rate), None),
        _ => {
            let mutant = mutated(&function, &mut random);
            numbers.extend(numbers_of(&mutant.function));
            for planted in mutant.planted {
                // As likely as all constants together.
                numbers.extend(vec![planted; numbers.len().max(1)]);
            }
            let rate = *random.pick(&[0, 0, rate]);
            let new = worded(&mutant.function, &mut random, rate);
            (new, Some(mutant.change))
        }
    };
    Pair {
        seed,
        function,
        old,
        new,
        change,
        numbers,
    }
}

/// The constants of a function and their neighbours.
fn numbers_of(function: &Function) -> Vec<u64> {
    fn walk(body: &[Statement], numbers: &mut Vec<u64>) {
        for statement in body {
            for part in statement
                .expressions()
                .into_iter()
                .flat_map(Expression::parts)
            {
                if let Expression::Number(value, _) = part {
                    let value = *value as u64;
                    numbers.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
                }
            }
            for inner in statement.bodies() {
                walk(inner, numbers);
            }
        }
    }
    let mut numbers = Vec::new();
    walk(&function.body, &mut numbers);
    for helper in &function.helpers {
        walk(&helper.body, &mut numbers);
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Writes, judges and runs a pair in a directory. Every eighth C file is compiled and run even if the
/// runs have shown the difference.
pub fn examine(
    clang: &Path,
    judge: &Judge<'_>,
    pair: &Pair,
    directory: &Path,
) -> Result<Outcome, HarnessError> {
    for (name, worded) in [("old.c", &pair.old), ("new.c", &pair.new)] {
        let path = directory.join(name);
        std::fs::write(&path, &worded.text)
            .map_err(|source| HarnessError::File { path, source })?;
    }
    let driven = Driven {
        function: &pair.function,
        names: [&pair.old.names, &pair.new.names],
        numbers: &pair.numbers,
    };
    let told = driver::run(clang, &driven, directory)?;
    if let Told::Nothing(reason) = told {
        return Ok(Outcome::Skipped(reason));
    }
    let judgement = judge(directory)?;
    let mut findings = Findings::default();
    count(&mut findings, pair, &told, &judgement);
    let place = || format!("pair {}", pair.seed);
    let why = judgement.reasons.join("; ");
    if let (None, Told::Different(how)) = (pair.change, &told) {
        findings.violated(Law::Wording, place(), how.clone());
    }
    match (judgement.verdict, &told) {
        (EquivVerdict::Equivalent, Told::Different(how)) => {
            let message = format!("{why}, and yet:\n{how}");
            findings.violated(Law::Equivalent, place(), message);
        }
        (EquivVerdict::Different, told) => {
            let is_sampled = pair.seed.is_multiple_of(8);
            let is_seen = matches!(told, Told::Different(_));
            if !is_seen || is_sampled {
                let shown = shows(clang, &judgement, directory)?;
                findings.tally("C files that were run", 1);
                findings.tally("C files that show the difference", usize::from(shown));
                if !shown && !is_seen {
                    findings.violated(Law::Different, place(), why.clone());
                }
            }
            if pair.change.is_none() {
                findings.violated(Law::Rewritten, place(), why);
            }
        }
        _ => {}
    }
    if judgement.time > LATEST {
        let message = format!("after {:.1} s", judgement.time.as_secs_f64());
        findings.violated(Law::InTime, place(), message);
    }
    Ok(Outcome::Checked {
        findings,
        no_evidence: Vec::new(),
    })
}

fn count(findings: &mut Findings, pair: &Pair, told: &Told, judgement: &Judgement) {
    use EquivVerdict::*;
    let is_seen = matches!(told, Told::Different(_));
    findings.tally(
        match (pair.change.is_some(), is_seen, judgement.verdict) {
            (false, _, Equivalent) => "rewritten: equivalent",
            (false, _, Unknown) => "rewritten: unknown",
            (false, _, Different) => "rewritten: different",
            (true, true, Equivalent) => "changed, seen to differ: equivalent",
            (true, true, Unknown) => "changed, seen to differ: unknown",
            (true, true, Different) => "changed, seen to differ: different",
            (true, false, Equivalent) => "changed, not seen to differ: equivalent",
            (true, false, Unknown) => "changed, not seen to differ: unknown",
            (true, false, Different) => "changed, not seen to differ: different",
        },
        1,
    );
    if let Told::Same { counting, is_all } = told {
        findings.tally("cases that were run alike", *counting);
        findings.tally("pairs run on every input", usize::from(*is_all));
    }
    findings.count(Law::Wording, usize::from(pair.change.is_none()));
    findings.count(Law::Rewritten, usize::from(pair.change.is_none()));
    let is = |verdict| usize::from(judgement.verdict == verdict);
    findings.count(Law::Equivalent, is(Equivalent));
    findings.count(Law::Different, is(Different));
    findings.count(Law::InTime, 1);
}

/// The C file, compiled by hand as it says, shows that the versions differ: the old one ends without
/// a report, and the new one prints something else or has one.
fn shows(clang: &Path, judgement: &Judgement, directory: &Path) -> Result<bool, HarnessError> {
    let Some(example) = &judgement.example else {
        return Ok(false);
    };
    for (name, text) in example {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|source| HarnessError::File {
            path: path.clone(),
            source,
        })?;
    }
    let mut outputs = Vec::new();
    for (name, define) in [("shown-old", "-DOLD"), ("shown-new", "-DNEW")] {
        let start = |source| HarnessError::Start {
            program: clang.display().to_string(),
            source,
        };
        let made = Command::new(clang)
            .args(["-w", "-fsanitize=address,undefined", define])
            .args(["-fno-sanitize=shift-base", "-fno-sanitize-recover=all"])
            .args(["-o", name, EXAMPLE])
            .current_dir(directory)
            .output()
            .map_err(start)?;
        if !made.status.success() {
            return Ok(false);
        }
        let run = Command::new(directory.join(name))
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .output()
            .map_err(start)?;
        outputs.push((run.status.success(), run.stdout));
    }
    Ok(outputs[0].0 && outputs[0] != outputs[1])
}
