//! Do the laws hold on hundreds of projects nobody has seen before? Pair `k` is a function of the
//! soak's seed and `k` alone. A pair that breaks a law is written out as a fixture, with what broke,
//! and made smaller as long as the same law stays broken.

use super::Law;
use super::editing::random_pair;
use super::pair::{Kind, Pair};
use super::reduction::reduce;
use super::table::Table;
use super::trees::{Knockon, examine};
use super::verdicts::{Judged, judge};
use crate::against_clang::HarnessError;
use crate::soak::failure::write;
use crate::soak::laws::{Outcome, Summary};
use crate::soak::workers::each;
use crate::soak::{Request, seed_of};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What is counted besides.
const DIFFERING: &str = "pairs of versions that print different things";
const REFUSED: &str = "pairs of which nothing was said";

/// What the soak found, and its table.
#[derive(Default)]
pub struct Soaked {
    pub summary: Summary<Law>,
    pub table: Table,
}

pub fn soak(
    knockon: &Knockon,
    without: &[Kind],
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary<Law>) + Sync),
) -> Result<Soaked, HarnessError> {
    let reductions = AtomicUsize::new(request.reductions);
    let mut soaked = Soaked::default();
    let one = |index: usize| one_pair(knockon, without, request, index, &reductions);
    each(
        request.programs,
        request.threads,
        interrupted,
        one,
        |done| {
            let (pair, done) = done;
            match done {
                Ok(mut judged) => {
                    soaked.table.add(&pair, &judged);
                    let counts = &judged.counts;
                    judged.findings.tally(DIFFERING, counts.differing_pairs);
                    judged.findings.tally(REFUSED, counts.refused);
                    soaked.summary.add(Outcome::Checked {
                        findings: judged.findings,
                        no_evidence: judged.refusal.into_iter().collect(),
                    });
                }
                Err(why) => soaked.summary.add(Outcome::Skipped(why)),
            }
            progress(&soaked.summary);
        },
    )?;
    Ok(soaked)
}

/// A pair, and what came of it, or why it is no evidence.
type Done = (Pair, Result<Judged, String>);

fn one_pair(
    knockon: &Knockon,
    without: &[Kind],
    request: &Request,
    index: usize,
    reductions: &AtomicUsize,
) -> Result<Done, HarnessError> {
    let seed = seed_of(request.seed, index);
    let pair = random_pair(seed, without);
    let judged = examine(knockon, &pair)?.map(|examined| judge(&pair, &examined));
    if let Ok(judged) = &judged
        && let Some(first) = judged.findings.violations.first()
    {
        save(request, &format!("{seed}"), &pair, judged)?;
        let left = |count: usize| count.checked_sub(1);
        if (reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left)).is_ok() {
            let judgement = |pair: &Pair| match examine(knockon, pair) {
                Ok(Ok(examined)) => Some(judge(pair, &examined)),
                Ok(Err(_)) | Err(_) => None,
            };
            let small = reduce(&pair, request.reduction_tries, &mut |candidate| {
                judgement(candidate).is_some_and(|judged| judged.findings.breaks(first.law))
            });
            if let Some(judged) = judgement(&small) {
                save(request, &format!("{seed}.reduced"), &small, &judged)?;
            }
        }
    }
    Ok((pair, judged))
}

fn save(request: &Request, stem: &str, pair: &Pair, judged: &Judged) -> Result<(), HarnessError> {
    let fixture = pair.fixture(&judged.differing);
    write(
        &request.failures,
        &format!("{stem}.txt"),
        fixture.as_bytes(),
    )?;
    let violations = judged.findings.violations.iter();
    let account: String = violations.map(|one| format!("{one}\n")).collect();
    let kinds: Vec<&str> = pair.kinds.iter().map(|kind| kind.name()).collect();
    let account = format!("soak seed {}\nedited {kinds:?}\n\n{account}", request.seed);
    write(
        &request.failures,
        &format!("{stem}.account"),
        account.as_bytes(),
    )
}
