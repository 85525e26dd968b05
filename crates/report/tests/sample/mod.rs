//! A small report written by hand, and hostile, empty and huge ones.
#![allow(dead_code)]

use knockon_report::*;
use std::sync::Arc;

/// What the parking garage of `examples/parking` would get if hours became half hours.
pub fn parking() -> DiffReport {
    let mut report = DiffReport {
        configuration: "parking: 4 units, captured with make".to_owned(),
        assumptions: vec!["the old version has no undefined behaviour".to_owned()],
        old: VersionName {
            name: "HEAD~1".to_owned(),
        },
        new: VersionName {
            name: "the working tree".to_owned(),
        },
        output: OutputVerdict::Different,
        levels: vec![
            level("execute-after", Evidence::Order, 41),
            level("dataflow", Evidence::Dependence, 11),
        ],
        functions: functions(),
        removed: vec![RemovedRow {
            file: "garage.c".into(),
            line: 62,
            function: "release_car".into(),
        }],
        hunks: hunks(),
        spread: spread(),
        caveats: vec![
            ReportedCaveat {
                kind: "indirect-call".to_owned(),
                file: "garage.c".to_owned(),
                line: 62,
                message: "the call through `fee` may reach hourly, flat and evening".to_owned(),
            },
            ReportedCaveat {
                kind: "not-compiled".to_owned(),
                file: String::new(),
                line: 0,
                message: "Makefile changed; both versions are built with the new one".to_owned(),
            },
        ],
        sources: sources(),
        ..DiffReport::default()
    };
    add_hits(&mut report.lines);
    add_unaffected(&mut report.lines);
    report
        .lines
        .sort_by(|left, right| (&left.file, left.line).cmp(&(&right.file, right.line)));
    report
}

fn level(level: &str, evidence: Evidence, possible_lines: usize) -> LevelRow {
    LevelRow {
        level: level.to_owned(),
        possible_lines,
        evidence,
        is_final: false,
    }
}

fn sources() -> Vec<SourceText> {
    let source = |path: &str, text: &str| SourceText {
        path: path.into(),
        text: text.to_owned(),
    };
    vec![
        source("garage.c", include_str!("garage.c")),
        source("main.c", include_str!("main.c")),
        source("report.c", include_str!("report.c")),
        source("tariff.c", include_str!("tariff.c")),
    ]
}

fn functions() -> Vec<FunctionRow> {
    use FunctionStatus::{Changed, Renamed, Same};
    use Verdict::{Affected, Possible, Unaffected};
    let row = |name: &str, file: &str, status, from: Option<&str>, verdict| FunctionRow {
        name: name.into(),
        file: file.into(),
        status,
        from: from.map(str::to_owned),
        summary: match verdict {
            Unaffected => FunctionSummary::Equivalent,
            Affected => FunctionSummary::Different,
            _ => FunctionSummary::Unknown,
        },
        undecided: None,
        verdict,
    };
    vec![
        row("allocate", "garage.c", Same, None, Unaffected),
        row("find_inside", "garage.c", Same, None, Unaffected),
        row("first_visit", "garage.c", Same, None, Unaffected),
        row("free_places", "garage.c", Same, None, Unaffected),
        row("next_visit", "garage.c", Same, None, Unaffected),
        row("park_car", "garage.c", Same, None, Unaffected),
        row("release_car", "garage.c", Changed, None, Verdict::Changed),
        row("handle", "main.c", Same, None, Possible),
        row("main", "main.c", Same, None, Possible),
        row("print_money", "report.c", Same, None, Affected),
        row("print_report", "report.c", Same, None, Possible),
        row("total_revenue", "report.c", Same, None, Possible),
        row("at_most", "tariff.c", Same, None, Possible),
        row("evening", "tariff.c", Changed, None, Verdict::Changed),
        row("find_tariff", "tariff.c", Same, None, Unaffected),
        row("flat", "tariff.c", Same, None, Unaffected),
        row("hourly", "tariff.c", Renamed, Some("by_hour"), Possible),
        row("started_hours", "tariff.c", Changed, None, Verdict::Changed),
    ]
}

fn hunks() -> Vec<HunkRow> {
    let row = |number, file: &str, start, account, message: &str, possible_lines| HunkRow {
        number,
        file: file.into(),
        old_start: start,
        old_lines: 1,
        new_start: start,
        new_lines: 1,
        account,
        message: message.to_owned(),
        possible_lines,
    };
    vec![
        row(1, "tariff.c", 10, HunkAccount::InTheDelta, "", 11),
        row(2, "tariff.c", 31, HunkAccount::InTheDelta, "", 7),
        row(3, "main.c", 3, HunkAccount::LayoutOnly, "a comment", 0),
        row(
            4,
            "Makefile",
            2,
            HunkAccount::NotCompiled,
            "a build file",
            0,
        ),
    ]
}

fn spread() -> Vec<SpreadEdge> {
    use SpreadKind::*;
    let edge = |from: &str, to: &str, kind| SpreadEdge {
        from: from.into(),
        to: to.into(),
        kind,
    };
    vec![
        edge("started_hours", "hourly", ReturnsTo),
        edge("hourly", "at_most", Calls),
        edge("at_most", "hourly", ReturnsTo),
        edge("hourly", "evening", ReturnsTo),
        edge("hourly", "release_car", ReturnsTo),
        edge("evening", "release_car", ReturnsTo),
        edge("release_car", "handle", ReturnsTo),
        edge("release_car", "total_revenue", Memory),
        edge("release_car", "print_report", Memory),
        edge("handle", "main", ReturnsTo),
        edge("print_report", "print_money", Calls),
        edge("total_revenue", "print_report", ReturnsTo),
        edge("main", "print_report", Order),
    ]
}

/// Each hit: its place, its verdict and score, the line that the change comes from, how, and the
/// hunks that reach it.
fn add_hits(lines: &mut Vec<LineRow>) {
    use Verdict::*;
    type Hit<'a> = (
        &'a str,
        u32,
        &'a str,
        Verdict,
        f64,
        &'a str,
        &'a str,
        &'a [u32],
    );
    let hits: &[Hit] = &[
        (
            "tariff.c",
            10,
            "started_hours",
            Changed,
            1.0,
            "",
            "changed: divides by 30 instead of 60",
            &[1],
        ),
        (
            "tariff.c",
            31,
            "evening",
            Changed,
            1.0,
            "",
            "changed: `<` instead of `<=`",
            &[2],
        ),
        (
            "tariff.c",
            20,
            "hourly",
            Affected,
            0.95,
            "tariff.c:10",
            "uses what `started_hours` returns",
            &[1],
        ),
        (
            "tariff.c",
            15,
            "at_most",
            Possible,
            0.9,
            "tariff.c:20",
            "called with a `fee` that may differ",
            &[1],
        ),
        (
            "tariff.c",
            32,
            "evening",
            Possible,
            0.8,
            "tariff.c:31",
            "runs only if `minutes < 30`",
            &[2],
        ),
        (
            "tariff.c",
            33,
            "evening",
            Possible,
            0.88,
            "tariff.c:20",
            "uses what `hourly` returns",
            &[1, 2],
        ),
        (
            "garage.c",
            62,
            "release_car",
            Changed,
            1.0,
            "",
            "changed: stored before `occupied--`",
            &[1, 2],
        ),
        (
            "garage.c",
            64,
            "release_car",
            Possible,
            0.85,
            "garage.c:62",
            "reads what line 62 wrote to `visit->fee`",
            &[1, 2],
        ),
        (
            "main.c",
            19,
            "handle",
            Possible,
            0.42,
            "garage.c:64",
            "uses what `release_car` returns",
            &[1, 2],
        ),
        (
            "main.c",
            29,
            "main",
            Possible,
            0.31,
            "main.c:19",
            "uses what `handle` returns",
            &[1, 2],
        ),
        (
            "report.c",
            12,
            "total_revenue",
            Possible,
            0.7,
            "garage.c:62",
            "reads what `release_car` wrote to `visit->fee`",
            &[1, 2],
        ),
        (
            "report.c",
            13,
            "total_revenue",
            Possible,
            0.68,
            "report.c:12",
            "uses the value of `cents`",
            &[1, 2],
        ),
        (
            "report.c",
            18,
            "print_money",
            Affected,
            0.81,
            "report.c:29",
            "called with a value that differs",
            &[1],
        ),
        (
            "report.c",
            29,
            "print_report",
            Possible,
            0.78,
            "garage.c:62",
            "reads what `release_car` wrote to `visit->fee`",
            &[1, 2],
        ),
        (
            "report.c",
            34,
            "print_report",
            Possible,
            0.66,
            "report.c:13",
            "uses what `total_revenue` returns",
            &[1, 2],
        ),
    ];
    let step = |place: &str, text: &str, old| {
        let (file, line) = place.rsplit_once(':').expect("file:line");
        ReasonStep {
            file: file.into(),
            line: line.parse().expect("a number"),
            text: text.into(),
            old,
        }
    };
    for (file, line, function, verdict, score, _, _, hunks) in hits {
        // From the line back to a source of the change.
        let mut chain = Vec::new();
        let mut place = format!("{file}:{line}");
        while !place.is_empty() {
            let hit = hits
                .iter()
                .find(|hit| format!("{}:{}", hit.0, hit.1) == place)
                .expect("a hit");
            chain.push(step(&place, hit.6, false));
            if place == "garage.c:62" {
                chain.push(step("garage.c:63", "stood after `occupied--`", true));
            }
            place = hit.5.to_owned();
        }
        chain.reverse();
        lines.push(LineRow {
            file: (*file).into(),
            line: *line,
            function: (*function).into(),
            verdict: *verdict,
            score: *score,
            cut_by: None,
            witness: (*verdict == Affected).then(|| Arc::from("the test `half an hour`")),
            reasons: chain,
            hunks: hunks.to_vec(),
        });
    }
}

fn add_unaffected(lines: &mut Vec<LineRow>) {
    let rows: &[(&str, &str, &[u32], CutBy)] = &[
        (
            "garage.c",
            "allocate",
            &[20, 21, 22, 23, 25],
            CutBy::NotExecutedAfter,
        ),
        ("garage.c", "free_places", &[30], CutBy::NoDependence),
        (
            "garage.c",
            "park_car",
            &[35, 36, 37, 38, 39, 40, 41, 42, 43, 44],
            CutBy::NoDependence,
        ),
        (
            "garage.c",
            "find_inside",
            &[49, 50, 51, 52],
            CutBy::NoDependence,
        ),
        (
            "garage.c",
            "release_car",
            &[57, 58, 59, 60, 61, 63],
            CutBy::NoDependence,
        ),
        ("garage.c", "first_visit", &[69], CutBy::NoDependence),
        ("garage.c", "next_visit", &[74, 75], CutBy::NoDependence),
        (
            "main.c",
            "handle",
            &[15, 16, 17, 18, 20],
            CutBy::NoDependence,
        ),
        (
            "main.c",
            "main",
            &[26, 27, 28, 30, 31, 34, 35],
            CutBy::EqualSummary,
        ),
        (
            "report.c",
            "total_revenue",
            &[9, 10, 11],
            CutBy::NoDependence,
        ),
        (
            "report.c",
            "print_report",
            &[23, 24, 25, 26, 28, 30, 33, 35],
            CutBy::EqualArguments,
        ),
        ("tariff.c", "flat", &[25, 26], CutBy::Unreachable),
        (
            "tariff.c",
            "find_tariff",
            &[47, 48, 49, 50],
            CutBy::NoDependence,
        ),
        (
            "selftest.c",
            "check",
            &[8, 9, 10, 11],
            CutBy::ImpactBoundary,
        ),
    ];
    for (file, function, numbers, cut_by) in rows {
        for line in *numbers {
            lines.push(LineRow {
                file: (*file).into(),
                line: *line,
                function: (*function).into(),
                verdict: Verdict::Unaffected,
                score: 0.0,
                cut_by: Some(*cut_by),
                witness: None,
                reasons: Vec::new(),
                hunks: Vec::new(),
            });
        }
    }
}

/// Strings that would do harm if a renderer took them for its own syntax.
pub const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\u{1b}[2J\r\n::error::x|`@octocat` \u{202e}%,:\"'{{data}}\\";

pub fn hostile() -> DiffReport {
    let name: Arc<str> = HOSTILE.into();
    let step = |old| ReasonStep {
        file: name.clone(),
        line: 2,
        text: name.clone(),
        old,
    };
    DiffReport {
        complete: false,
        configuration: HOSTILE.to_owned(),
        assumptions: vec![HOSTILE.to_owned()],
        old: VersionName {
            name: HOSTILE.to_owned(),
        },
        new: VersionName {
            name: HOSTILE.to_owned(),
        },
        levels: vec![level(HOSTILE, Evidence::Order, 1)],
        functions: vec![FunctionRow {
            name: name.clone(),
            file: name.clone(),
            status: FunctionStatus::Moved,
            from: Some(HOSTILE.to_owned()),
            summary: FunctionSummary::Unknown,
            undecided: Some(HOSTILE.to_owned()),
            verdict: Verdict::Possible,
        }],
        lines: vec![LineRow {
            file: name.clone(),
            line: 2,
            function: name.clone(),
            verdict: Verdict::Possible,
            score: 0.5,
            cut_by: None,
            witness: Some(name.clone()),
            reasons: vec![step(false), step(true), step(false)],
            hunks: vec![1],
        }],
        removed: vec![RemovedRow {
            file: name.clone(),
            line: 1,
            function: name.clone(),
        }],
        hunks: vec![HunkRow {
            number: 1,
            file: name.clone(),
            old_start: 1,
            old_lines: 1,
            new_start: 1,
            new_lines: 3,
            account: HunkAccount::NotCompiled,
            message: HOSTILE.to_owned(),
            possible_lines: 1,
        }],
        spread: vec![SpreadEdge {
            from: name.clone(),
            to: name.clone(),
            kind: SpreadKind::Memory,
        }],
        caveats: vec![ReportedCaveat {
            kind: HOSTILE.to_owned(),
            file: HOSTILE.to_owned(),
            line: 2,
            message: HOSTILE.to_owned(),
        }],
        sources: vec![SourceText {
            path: name.clone(),
            text: format!("{HOSTILE}\n{HOSTILE}\n{HOSTILE}"),
        }],
        ..DiffReport::default()
    }
}

/// `count` lines in files of 1,000 and functions of 20; every tenth line is reached, by a chain of
/// up to 40 steps.
pub fn huge(count: u32) -> DiffReport {
    let mut report = DiffReport::default();
    let mut chain: Vec<ReasonStep> = Vec::new();
    let text: Arc<str> = "uses the value of `x`".into();
    let mut file: Arc<str> = "".into();
    let mut function: Arc<str> = "".into();
    for index in 0..count {
        let line = index % 1000 + 1;
        if line == 1 {
            file = format!("source/file_{}.c", index / 1000).into();
            report.sources.push(SourceText {
                path: file.clone(),
                text: "    value = combine(value, table[index]);\n".repeat(1000),
            });
        }
        if index % 20 == 0 {
            let previous = function.clone();
            function = format!("function_{}", index / 20).into();
            report.functions.push(FunctionRow {
                name: function.clone(),
                file: file.clone(),
                status: FunctionStatus::Same,
                from: None,
                summary: FunctionSummary::Unknown,
                undecided: None,
                verdict: match index {
                    0 => Verdict::Changed,
                    _ => Verdict::Possible,
                },
            });
            if index > 0 {
                let number = index / 20;
                let from = match number % 7 {
                    0 => previous,
                    _ => format!("function_{}", number / 3).into(),
                };
                report.spread.push(SpreadEdge {
                    from,
                    to: function.clone(),
                    kind: SpreadKind::ALL[number as usize % 4],
                });
            }
        }
        let hit = index % 10 == 0;
        if hit {
            if chain.len() == 40 {
                chain.truncate(1);
            }
            chain.push(ReasonStep {
                file: file.clone(),
                line,
                text: text.clone(),
                old: false,
            });
        }
        report.lines.push(LineRow {
            file: file.clone(),
            line,
            function: function.clone(),
            verdict: match (hit, index) {
                (_, 0) => Verdict::Changed,
                (true, _) => Verdict::Possible,
                (false, _) => Verdict::Unaffected,
            },
            score: if hit {
                1.0 / f64::from(index + 1).sqrt()
            } else {
                0.0
            },
            cut_by: (!hit).then_some(CutBy::NoDependence),
            witness: None,
            reasons: if hit { chain.clone() } else { Vec::new() },
            hunks: if hit { vec![1] } else { Vec::new() },
        });
    }
    report
}
