//! The compared patches in numbers: a table per package and one per patch.

use super::patch::{Outcome, PatchResult};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One line as soon as a patch is done.
pub fn progress(result: &PatchResult) -> String {
    let PatchResult { package, patch, .. } = result;
    match &result.outcome {
        Err(reason) => format!("{package}: {patch}: NO RESULT: {reason}"),
        Ok(found) => format!(
            "{package}: {patch}: {} changed, {} / {} / {} possible, {:.1} s, clang {:.1} s",
            found.changed,
            found.possible.execute_after,
            found.possible.fine,
            found.possible.coarse,
            found.cold.cpu,
            found.clang.as_secs_f64(),
        ),
    }
}

pub fn tables(results: &[PatchResult], clang: &str) -> String {
    let mut text = format!(
        "`make corpus-diff`, with {clang}. Debian's patches as version pairs, each against the state before it: the patches that touch C, of each package all executables, compared and joined. *Lines* are the executable ones of the new version. Possible lines by level: execute-after, then dataflow by the fine map (changed statements are the sources) and by the coarse one (all statements of a changed function are).\n\n"
    );
    text.push_str(&package_table(results));
    text.push_str(&cost_table(results));
    text.push_str(&remarks(results));
    text.push_str(&patch_table(results));
    text
}

/// The packages in the order of the rows, each with what was found.
fn by_package(results: &[PatchResult]) -> Vec<(&str, Vec<&Outcome>, usize)> {
    let mut packages: Vec<(&str, Vec<&Outcome>, usize)> = Vec::new();
    for result in results {
        if packages.last().is_none_or(|row| row.0 != result.package) {
            packages.push((&result.package, Vec::new(), 0));
        }
        let Some((_, found, missing)) = packages.last_mut() else {
            continue;
        };
        match &result.outcome {
            Ok(outcome) => found.push(outcome),
            Err(_) => *missing += 1,
        }
    }
    packages
}

/// Sum, median and largest.
fn spread(numbers: impl Iterator<Item = usize>) -> String {
    let mut sorted: Vec<usize> = numbers.collect();
    sorted.sort_unstable();
    match sorted.last() {
        None => String::new(),
        Some(largest) => {
            let sum: usize = sorted.iter().sum();
            format!("{sum} / {} / {largest}", sorted[sorted.len() / 2])
        }
    }
}

fn package_table(results: &[PatchResult]) -> String {
    let mut text = "Lines as sum / median / largest over the patches.\n\n\
        | package | patches | without result | lines | changed | execute-after | fine | coarse | hunks | in the delta | layout or no effect | not compiled |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for (name, found, missing) in by_package(results) {
        let hunks = |holds: fn(&str) -> bool| -> usize {
            let all = found.iter().flat_map(|row| &row.hunks);
            all.filter(|(account, _)| holds(account))
                .map(|(_, count)| count)
                .sum()
        };
        let lines = found.iter().map(|row| row.lines).max().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {name} | {} | {missing} | {lines} | {} | {} | {} | {} | {} | {} | {} | {} |",
            found.len() + missing,
            spread(found.iter().map(|row| row.changed)),
            spread(found.iter().map(|row| row.possible.execute_after)),
            spread(found.iter().map(|row| row.possible.fine)),
            spread(found.iter().map(|row| row.possible.coarse)),
            hunks(|_| true),
            hunks(|account| account == "in the delta"),
            hunks(|account| account == "layout only" || account == "without effect"),
            hunks(|account| account.starts_with("not compiled")),
        );
    }
    text
}

fn cost_table(results: &[PatchResult]) -> String {
    let mut text = "\nCPU seconds with children, summed over the patches, on an empty cache and on one that holds both versions, beside clang's own on all units of both versions. A ratio is of the sums; the largest is of one patch. Peak memory is of the largest process.\n\n\
        | package | clang | cold | cold / clang | largest | warm | warm / clang | largest | peak MB |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    let mut packages = by_package(results);
    let all: Vec<&Outcome> = packages.iter().flat_map(|row| row.1.clone()).collect();
    packages.push(("all", all, 0));
    for (name, found, _) in packages {
        let clang: f64 = found.iter().map(|row| row.clang.as_secs_f64()).sum();
        let cold: f64 = found.iter().map(|row| row.cold.cpu).sum();
        let warm: f64 = found.iter().map(|row| row.warm.cpu).sum();
        let largest = |cpu: fn(&Outcome) -> f64| {
            found.iter().fold(0.0_f64, |largest, row| {
                largest.max(cpu(row) / row.clang.as_secs_f64())
            })
        };
        let peak = found.iter().fold(0.0_f64, |peak, row| {
            peak.max(row.cold.peak_bytes).max(row.warm.peak_bytes)
        });
        let _ = writeln!(
            text,
            "| {name} | {clang:.1} | {cold:.1} | {:.2} | {:.2} | {warm:.1} | {:.2} | {:.2} | {:.0} |",
            cold / clang,
            largest(|row| row.cold.cpu),
            warm / clang,
            largest(|row| row.warm.cpu),
            peak / 1e6
        );
    }
    text
}

/// Caveats by kind, hunks that are not compiled by reason, missing results, assumed builds.
fn remarks(results: &[PatchResult]) -> String {
    let found: Vec<&Outcome> = (results.iter())
        .filter_map(|row| row.outcome.as_ref().ok())
        .collect();
    let mut caveats: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in &found {
        for (kind, count) in &outcome.caveats {
            *caveats.entry(kind).or_default() += count;
        }
        for (account, count) in &outcome.hunks {
            if let Some(reason) = account.strip_prefix("not compiled: ") {
                *reasons.entry(reason).or_default() += count;
            }
        }
    }
    let mut text = String::new();
    let _ = writeln!(text, "\nCaveats by kind: {}.", listed(&caveats));
    let _ = writeln!(text, "\nHunks not compiled: {}.", listed(&reasons));
    let mut assumed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for result in results {
        if let Ok(Outcome {
            assumed_build: Some(files),
            ..
        }) = &result.outcome
        {
            let known = assumed.entry(&result.package).or_default();
            for file in files.split(", ").filter(|file| !file.ends_with(" more")) {
                if !known.contains(&file) {
                    known.push(file);
                }
            }
        }
    }
    for (package, files) in assumed {
        let _ = writeln!(
            text,
            "\n{package}: with `--assume-same-build` where the table says so; these files differ from those of the recorded build: {}.",
            files.join(", ")
        );
    }
    text
}

fn listed(counts: &BTreeMap<&str, usize>) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    let all: Vec<String> = (counts.iter())
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    all.join(", ")
}

fn patch_table(results: &[PatchResult]) -> String {
    let mut text = "\nEach patch. Hunks: in the delta + layout or without effect + not compiled. *Incomplete*: units that did not compile.\n\n\
        | package | patch | changed | removed | execute-after | fine | coarse | hunks | caveats | cold / clang | warm / clang | MB | remarks |\n\
        |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
        .to_owned();
    for result in results {
        let PatchResult { package, patch, .. } = result;
        let found = match &result.outcome {
            Ok(found) => found,
            Err(reason) => {
                let reason = reason.replace('|', "\\|");
                let _ = writeln!(
                    text,
                    "| {package} | {patch} | | | | | | | | | | | no result: {reason} |"
                );
                continue;
            }
        };
        let hunks = |holds: fn(&str) -> bool| -> usize {
            let all = found.hunks.iter();
            all.filter(|(account, _)| holds(account))
                .map(|(_, count)| count)
                .sum()
        };
        let mut remarks = Vec::new();
        if found.assumed_build.is_some() {
            remarks.push("assumes the same build".to_owned());
        }
        if !found.complete {
            let first = found.failures.first().map_or("", String::as_str);
            remarks.push(format!("incomplete: {}", first.replace('|', "\\|")));
        }
        let clang = found.clang.as_secs_f64();
        let _ = writeln!(
            text,
            "| {package} | {patch} | {} | {} | {} | {} | {} | {}+{}+{} | {} | {:.2} | {:.2} | {:.0} | {} |",
            found.changed,
            found.removed,
            found.possible.execute_after,
            found.possible.fine,
            found.possible.coarse,
            hunks(|account| account == "in the delta"),
            hunks(|account| account == "layout only" || account == "without effect"),
            hunks(|account| account.starts_with("not compiled")),
            found.caveats.values().sum::<usize>(),
            found.cold.cpu / clang,
            found.warm.cpu / clang,
            found.cold.peak_bytes.max(found.warm.peak_bytes) / 1e6,
            remarks.join("; ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_without_result_is_a_row_with_its_reason() {
        let row = PatchResult {
            package: "less".to_owned(),
            patch: "fix.patch".to_owned(),
            outcome: Err("not done after 900 s".to_owned()),
        };
        let text = tables(&[row], "clang");
        assert!(text.contains("| less | 1 | 1 |"), "{text}");
        assert!(text.contains("no result: not done after 900 s"), "{text}");
    }

    #[test]
    fn sums_come_with_median_and_largest() {
        assert_eq!(spread([5, 1, 9].into_iter()), "15 / 5 / 9");
        assert_eq!(spread(std::iter::empty()), "");
    }
}
