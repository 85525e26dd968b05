//! The compared pairs in numbers, as [sem-dcia] Tables 3 and 4 have them.

use super::compared::{ANALYSES, Outcome, PairResult};
use super::pairs::{FrozenPair, Kind};
use crate::corpus::diff::measured_run::BUDGET;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One line as soon as a pair is done.
pub fn progress(result: &PairResult) -> String {
    let (package, name) = (&result.pair.package, &result.pair.name);
    match &result.outcome {
        Err(reason) => format!("{package}: {name}: NO RESULT: {reason}"),
        Ok(found) => format!(
            "{package}: {name}: {} changed, possible {}; {} of {} functions equivalent; {:.1} s, clang {:.1} s{}",
            found.changed,
            found.possible.map(|lines| lines.to_string()).join(" / "),
            found.functions.equivalent,
            found.functions.changed,
            found.cold.cpu,
            found.clang,
            match found.obstacle() {
                None => String::new(),
                Some(cause) => format!("; {cause}"),
            }
        ),
    }
}

pub fn tables(results: &[PairResult], clang: &str) -> String {
    let mut text = format!(
        "`make corpus-semantic`, with {clang}. The version pairs of `scripts/semantic-pairs`: Debian's patches, each against the state before it, and refactorings of our own. Lines that are possible, beside those that changed, by coarse dataflow (the baseline of [sem-dcia]: all statements of a changed function are sources), by ours, and by each semantic level within the default budget. A reduction is the part of the baseline's lines that is gone, of pairs where it reports any.\n\n"
    );
    text.push_str(&level_tables(results));
    text.push_str(&package_table(results));
    text.push_str(&cost_table(results));
    text.push_str(&budget_table(results));
    text.push_str(&cause_tables(results));
    text.push_str(&pair_table(results));
    text
}

/// What was found of those pairs that are wanted.
fn found(results: &[PairResult], is_wanted: impl Fn(&PairResult) -> bool) -> Vec<&Outcome> {
    let wanted = results.iter().filter(|row| is_wanted(row));
    wanted.filter_map(|row| row.outcome.as_ref().ok()).collect()
}

/// Pairs that share something, by name, and all of them.
fn groups(results: &[PairResult]) -> [(&'static str, Vec<&Outcome>); 3] {
    let of = |kind: Kind| found(results, |row| row.pair.kind == kind);
    [
        ("patches", of(Kind::Patch)),
        ("refactorings", of(Kind::Refactoring)),
        ("all", found(results, |_| true)),
    ]
}

fn packages(results: &[PairResult]) -> Vec<&str> {
    let mut names: Vec<&str> = results
        .iter()
        .map(|row| row.pair.package.as_str())
        .collect();
    names.dedup();
    names
}

fn mean(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().sum();
    (!numbers.is_empty()).then(|| sum / numbers.len() as f64)
}

fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

fn percent(part: Option<f64>) -> String {
    part.map_or_else(|| "n.a.".to_owned(), |part| format!("{:.1}%", 100.0 * part))
}

fn reductions(found: &[&Outcome], analysis: usize) -> Vec<f64> {
    let rows = found.iter();
    rows.filter_map(|row| row.reduction(analysis)).collect()
}

/// Smallest and largest number of possible lines.
fn extremes(found: &[&Outcome], analysis: usize) -> String {
    let lines = || found.iter().map(|row| row.possible[analysis]);
    match (lines().min(), lines().max()) {
        (Some(least), Some(most)) => format!("{least} | {most}"),
        _ => "n.a. | n.a.".to_owned(),
    }
}

/// As Table 4, for patches, for refactorings and for both.
fn level_tables(results: &[PairResult]) -> String {
    let mut text = String::new();
    for (name, found) in groups(results) {
        let _ = write!(
            text,
            "{} pairs: {name}. Seconds: CPU of the dataflow levels by themselves with both versions read before; of the semantic levels, what their proofs add to that, solvers included; means.\n\n\
             | analysis | min | max | mean reduction | median reduction | pairs with nothing left | seconds |\n\
             |---|--:|--:|--:|--:|--:|--:|\n",
            found.len()
        );
        for (number, analysis) in ANALYSES.iter().enumerate() {
            let reductions = reductions(&found, number);
            let nothing = found.iter().filter(|row| row.possible[number] == 0);
            let seconds: Vec<f64> = match number {
                0 | 1 => found.iter().map(|row| row.dataflow[number].cpu).collect(),
                _ => {
                    let until = |row: &&Outcome| row.proof_seconds[..number - 1].iter().sum();
                    found.iter().map(until).collect()
                }
            };
            let sign = if number < 2 { "" } else { "+" };
            let _ = writeln!(
                text,
                "| {analysis} | {} | {} | {} | {} | {sign}{:.2} |",
                extremes(&found, number),
                percent(mean(&reductions)),
                percent(median(&reductions)),
                nothing.count(),
                mean(&seconds).unwrap_or_default(),
            );
        }
        text.push('\n');
    }
    text
}

/// As Table 3.
fn package_table(results: &[PairResult]) -> String {
    let mut text =
        "By package; Red is the mean reduction.\n\n| package | pairs | coarse min | max |"
            .to_owned();
    for analysis in &ANALYSES[1..] {
        let _ = write!(text, " {analysis} min | max | Red |");
    }
    text.push_str("\n|---|--:|--:|--:|");
    text.push_str(&"--:|--:|--:|".repeat(ANALYSES.len() - 1));
    text.push('\n');
    for package in packages(results) {
        let found = found(results, |row| row.pair.package == package);
        let _ = write!(
            text,
            "| {package} | {} | {} |",
            found.len(),
            extremes(&found, 0)
        );
        for number in 1..ANALYSES.len() {
            let reduction = percent(mean(&reductions(&found, number)));
            let _ = write!(text, " {} | {reduction} |", extremes(&found, number));
        }
        text.push('\n');
    }
    text
}

fn cost_table(results: &[PairResult]) -> String {
    let mut text = "\nCPU seconds of the whole run, children included, on an empty cache, beside clang's own on all units of both versions. Ratios are of single pairs. Pairs out of time had not compared all functions when the budget was over.\n\n\
        | package | clang, s | run, s | median / clang | largest / clang | pairs out of time | peak MB |\n\
        |---|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut rows: Vec<(&str, Vec<&Outcome>)> = packages(results)
        .into_iter()
        .map(|name| (name, found(results, |row| row.pair.package == name)))
        .collect();
    rows.push(("all", found(results, |_| true)));
    for (name, found) in rows {
        let ratios: Vec<f64> = found.iter().map(|row| row.cold.cpu / row.clang).collect();
        let peak = found.iter().map(|row| row.cold.peak_bytes);
        let _ = writeln!(
            text,
            "| {name} | {:.1} | {:.1} | {:.2} | {:.2} | {} | {:.0} |",
            found.iter().map(|row| row.clang).sum::<f64>(),
            found.iter().map(|row| row.cold.cpu).sum::<f64>(),
            median(&ratios).unwrap_or_default(),
            ratios.iter().copied().fold(0.0, f64::max),
            found.iter().filter(|row| !row.budget.is_empty()).count(),
            peak.fold(0.0, f64::max) / 1e6
        );
    }
    text
}

/// The runs that took longest, and those that took longer than they were told.
fn budget_table(results: &[PairResult]) -> String {
    let budget = BUDGET.as_secs_f64();
    let mut runs: Vec<(&PairResult, f64)> = results
        .iter()
        .filter_map(|row| Some((row, row.outcome.as_ref().ok()?.cold.elapsed)))
        .collect();
    runs.sort_by(|one, two| two.1.total_cmp(&one.1));
    let beyond = |seconds: f64| runs.iter().filter(|run| run.1 > budget + seconds).count();
    let mut text = format!(
        "\nSeconds from start to end, on an empty cache, beside the budget of {budget} s: the slowest ten of {} runs. {} took longer than the budget, {} by more than 10 %, {} by more than 3 s.\n\n\
        | package | pair | seconds | beyond the budget |\n|---|---|--:|--:|\n",
        runs.len(),
        beyond(0.0),
        beyond(0.1 * budget),
        beyond(3.0),
    );
    for (row, seconds) in runs.iter().take(10) {
        let more = match *seconds > budget {
            true => format!("{:.1}", seconds - budget),
            false => String::new(),
        };
        let FrozenPair { package, name, .. } = &row.pair;
        let _ = writeln!(text, "| {package} | {name} | {seconds:.1} | {more} |");
    }
    text
}

/// What stands in the way of proofs: by function, and of pairs where they take nothing away.
fn cause_tables(results: &[PairResult]) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\nFunctions that changed, those that were shown to do the same, and why the others were not.\n\n\
         | | patches | refactorings |\n|---|--:|--:|"
    );
    let [(_, patches), (_, refactorings), _] = groups(results);
    let sums = |count: fn(&Outcome) -> usize| -> [usize; 2] {
        [&patches, &refactorings].map(|rows| rows.iter().map(|row| count(row)).sum())
    };
    let [one, other] = sums(|row| row.functions.changed);
    let _ = writeln!(text, "| changed | {one} | {other} |");
    let [one, other] = sums(|row| row.functions.equivalent);
    let _ = writeln!(text, "| equivalent | {one} | {other} |");
    let mut causes: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (column, rows) in [&patches, &refactorings].into_iter().enumerate() {
        for (cause, count) in rows.iter().flat_map(|row| &row.functions.causes) {
            causes.entry(cause).or_default()[column] += count;
        }
    }
    write_by_count(&mut text, causes);
    let _ = writeln!(
        text,
        "\nPairs where proofs take nothing away from what dataflow leaves, by the cause that most of their functions have.\n\n\
         | cause | patches | refactorings |\n|---|--:|--:|"
    );
    let mut obstacles: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for (column, rows) in [&patches, &refactorings].into_iter().enumerate() {
        for obstacle in rows.iter().filter_map(|row| row.obstacle()) {
            obstacles.entry(obstacle).or_default()[column] += 1;
        }
    }
    let obstacles = obstacles.iter().map(|row| (row.0.as_str(), *row.1));
    write_by_count(&mut text, obstacles.collect());
    text
}

/// Rows, most frequent first.
fn write_by_count(text: &mut String, counts: BTreeMap<&str, [usize; 2]>) {
    let mut rows: Vec<(&str, [usize; 2])> = counts.into_iter().collect();
    rows.sort_by_key(|(_, [one, other])| std::cmp::Reverse(one + other));
    for (cause, [one, other]) in rows {
        let _ = writeln!(text, "| {} | {one} | {other} |", cause.replace('|', "\\|"));
    }
}

fn pair_table(results: &[PairResult]) -> String {
    let mut text = "\nEach pair. Functions: shown equivalent of those that changed.\n\n| package | pair | lines | changed |"
        .to_owned();
    for analysis in ANALYSES {
        let _ = write!(text, " {analysis} |");
    }
    text.push_str(" functions | run / clang | remarks |\n|---|---|--:|--:|");
    text.push_str(&"--:|".repeat(ANALYSES.len() + 2));
    text.push_str("---|\n");
    for result in results {
        let (package, name) = (&result.pair.package, &result.pair.name);
        let _ = write!(text, "| {package} | {name} |");
        let found = match &result.outcome {
            Ok(found) => found,
            Err(reason) => {
                let reason = reason.replace('|', "\\|");
                let empty = " |".repeat(ANALYSES.len() + 4);
                let _ = writeln!(text, "{empty} no result: {reason} |");
                continue;
            }
        };
        let mut remarks: Vec<String> = found.obstacle().into_iter().collect();
        if !found.budget.is_empty() {
            remarks.push("out of time".to_owned());
        }
        let _ = writeln!(
            text,
            " {} | {} | {} | {} of {} | {:.2} | {} |",
            found.lines,
            found.changed,
            found.possible.map(|lines| lines.to_string()).join(" | "),
            found.functions.equivalent,
            found.functions.changed,
            found.cold.cpu / found.clang,
            remarks.join("; ").replace('|', "\\|")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(kind: Kind, possible: [usize; 7]) -> PairResult {
        PairResult {
            pair: FrozenPair {
                kind,
                package: "less".to_owned(),
                name: "one".to_owned(),
            },
            outcome: Ok(Outcome {
                possible,
                clang: 1.0,
                ..Outcome::default()
            }),
        }
    }

    #[test]
    fn reductions_are_of_pairs_where_the_baseline_reports_something() {
        let results = [
            result(Kind::Patch, [100, 50, 50, 25, 25, 25, 25]),
            result(Kind::Patch, [0; 7]),
            result(Kind::Refactoring, [10, 10, 0, 0, 0, 0, 0]),
        ];
        let text = tables(&results, "clang");
        assert!(
            text.contains("| semantic-1 | 0 | 25 | 75.0% | 75.0% | 1 | +0.00 |"),
            "{text}"
        );
        assert!(
            text.contains("| semantic-0 | 0 | 0 | 100.0% | 100.0% | 1 | +0.00 |"),
            "{text}"
        );
        assert!(
            text.contains("| dataflow | 0 | 50 | 25.0% | 50.0% | 1 | 0.00 |"),
            "{text}"
        );
    }

    #[test]
    fn runs_beyond_the_budget_are_counted_and_the_slowest_are_named() {
        let mut results = Vec::new();
        for (number, elapsed) in [2.0, 70.5, 64.0, 59.5, 61.0].into_iter().enumerate() {
            let mut row = result(Kind::Patch, [0; 7]);
            row.pair.name = format!("run-{number}");
            if let Ok(found) = &mut row.outcome {
                found.cold.elapsed = elapsed;
            }
            results.push(row);
        }
        let text = tables(&results, "clang");
        assert!(
            text.contains(
                "of 5 runs. 3 took longer than the budget, 1 by more than 10 %, 2 by more than 3 s."
            ),
            "{text}"
        );
        assert!(
            text.contains("| less | run-1 | 70.5 | 10.5 |\n| less | run-2 | 64.0 | 4.0 |"),
            "{text}"
        );
        assert!(text.contains("| less | run-3 | 59.5 |  |"), "{text}");
    }

    #[test]
    fn a_pair_without_result_is_a_row_with_its_reason() {
        let mut row = result(Kind::Patch, [0; 7]);
        row.outcome = Err("not done after 900 s".to_owned());
        let text = tables(&[row], "clang");
        assert!(
            text.contains("no result: not done after 900 s |\n"),
            "{text}"
        );
    }
}
