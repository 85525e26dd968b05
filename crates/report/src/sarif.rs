//! SARIF 2.1.0, as GitHub code scanning takes it.
//!
//! GitHub stores at most 5,000 results of a run and 1,000 locations of a flow,
//! and takes at most 10 MB compressed. Its own choice of results knows nothing
//! of scores, so the best are chosen here; the file stays below the limit even
//! uncompressed, if need be by leaving out the flows of the last results. What
//! was left out is a notification of the run.

mod document;
mod fingerprint;

use crate::source_lines::{SourceLines, shorten};
use crate::summary::{by_rank, counted, is_hit};
use crate::{DiffReport, LineRow, ReasonStep, ReportedCaveat, Verdict, count_by_kind};
use document::*;
use fingerprint::{fingerprints, short_hash};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

const RESULTS: usize = 5_000;
/// Results that report caveats.
const CAVEAT_RESULTS: usize = 500;
const FLOW_LOCATIONS: usize = 1_000;
/// Bytes of all line results together.
const SIZE: usize = 9_000_000;
/// Characters of a message; with 5,000 results the file stays below the limit.
const MESSAGE: usize = 300;

/// The rules of the verdicts, in the verdicts' order.
const VERDICT_RULES: [(Verdict, &str, &str, &str); 3] = [
    (
        Verdict::Changed,
        "note",
        "A source of the change",
        "The statement was added or changed, or is compiled to something else than before.",
    ),
    (
        Verdict::Affected,
        "warning",
        "Behaves differently since the change",
        "A run of both versions shows a difference here although the line may not have been edited.",
    ),
    (
        Verdict::Possible,
        "note",
        "May behave differently since the change",
        "The analysis can not rule out that the change comes here. The code flow is one way from the change to this line; the rank says how likely it is.",
    ),
];

pub(crate) fn diff_sarif(report: &DiffReport) -> Result<String, serde_json::Error> {
    let kinds = count_by_kind(&report.caveats);
    let rule_of_kind: BTreeMap<&str, usize> = kinds
        .keys()
        .enumerate()
        .map(|(index, kind)| (*kind, VERDICT_RULES.len() + index))
        .collect();
    let mut notifications = Vec::new();
    if !report.complete {
        notifications.push(Notification {
            level: "warning",
            message: message("A part of the input could not be read; the caveats say which."),
        });
    }
    let mut results = line_results(report, &mut notifications)?;
    caveat_results(report, &rule_of_kind, &mut results, &mut notifications);
    let assumptions = report.assumptions.iter();
    notifications.extend(assumptions.map(|one| note(format!("assuming {one}"))));
    let document = Document {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "Knockon",
                    version: env!("CARGO_PKG_VERSION"),
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: rules(kinds.keys().copied()),
                },
            },
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: notifications,
            }],
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    let mut text = serde_json::to_string(&document)?;
    text.push('\n');
    Ok(text)
}

fn rules<'a>(caveat_kinds: impl Iterator<Item = &'a str>) -> Vec<Rule> {
    let rule = |id: String, level, short: &str, full: &str| Rule {
        name: id.replace("knockon/", ""),
        id,
        short_description: message(short),
        full_description: message(full),
        help: message(full),
        default_configuration: Configuration { level },
        properties: RuleProperties { tags: ["impact"] },
    };
    let verdicts = VERDICT_RULES.iter().map(|(verdict, level, short, full)| {
        rule(format!("knockon/{}", verdict.name()), level, short, full)
    });
    let caveats = caveat_kinds.map(|kind| {
        let short = format!("A limit of the analysis: {kind}");
        let full = format!(
            "The verdicts hold up to this limit; `knockon explain {kind}` says what it means."
        );
        rule(caveat_rule(kind), "note", &short, &full)
    });
    verdicts.chain(caveats).collect()
}

fn caveat_rule(kind: &str) -> String {
    format!("knockon/caveat/{kind}")
}

fn message(text: &str) -> Message {
    Message {
        text: shorten(text, MESSAGE),
    }
}

fn note(text: String) -> Notification {
    Notification {
        level: "note",
        message: message(&text),
    }
}

fn line_results<'a>(
    report: &'a DiffReport,
    notifications: &mut Vec<Notification>,
) -> Result<Vec<SarifResult<'a>>, serde_json::Error> {
    let lines: Vec<&LineRow> = report.places().collect();
    let hits = lines.iter().filter(|line| is_hit(line));
    let with_hits: FxHashSet<&str> = hits.map(|line| &*line.file).collect();
    let sources = SourceLines::of(&report.sources, |path| with_hits.contains(path));
    let fingerprints = fingerprints(&lines, &sources);
    let mut ranked: Vec<usize> = (0..lines.len())
        .filter(|index| is_hit(lines[*index]))
        .collect();
    ranked.sort_by(|left, right| by_rank(lines[*left], lines[*right]));
    let room = RESULTS - CAVEAT_RESULTS.min(report.caveats.len());
    if ranked.len() > room {
        notifications.push(note(format!(
            "{} of {} are reported, the best by rank; knockon diff --format html shows all",
            room,
            counted(ranked.len(), "line")
        )));
        ranked.truncate(room);
    }
    let mut results = Vec::with_capacity(ranked.len());
    let mut room = SIZE;
    for index in &ranked {
        let result = line_result(lines[*index], fingerprints[*index].clone());
        room = room.saturating_sub(byte_length(&result)?);
        results.push(result);
    }
    let mut flows_left_out = 0;
    for (index, result) in ranked.iter().zip(&mut results) {
        let Some(flow) = code_flow(&lines[*index].reasons) else {
            continue;
        };
        let size = byte_length(&flow)?;
        // Once one does not fit, none after it is tried: the cut is by rank.
        if flows_left_out == 0 && size <= room {
            room -= size;
            result.code_flows.push(flow);
        } else {
            flows_left_out += 1;
        }
    }
    if flows_left_out > 0 {
        notifications.push(note(format!(
            "the code flows of the last {} are left out for size; knockon why FILE:LINE shows each",
            counted(flows_left_out, "result")
        )));
    }
    Ok(results)
}

fn line_result<'a>(line: &'a LineRow, fingerprint: String) -> SarifResult<'a> {
    let text = match (line.verdict, &line.witness) {
        (Verdict::Changed, _) => "A source of the change.".to_owned(),
        (_, Some(witness)) => format!("Behaves differently on {witness}."),
        (Verdict::Affected, None) => "Behaves differently.".to_owned(),
        (_, None) => match line.reasons.last() {
            None => "May behave differently.".to_owned(),
            Some(step) => format!("May behave differently: {}.", step.text),
        },
    };
    SarifResult {
        rule_id: format!("knockon/{}", line.verdict.name()),
        rule_index: line.verdict.index(),
        level: VERDICT_RULES[line.verdict.index()].1,
        message: message(&text),
        locations: [location(&line.file, line.line, Some(&line.function), None)],
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: fingerprint,
        },
        code_flows: Vec::new(),
        rank: Some((line.score.clamp(0.0, 1.0) * 1000.0).round() / 10.0),
    }
}

/// The chain as a flow through the new version. A step in the old version has no place in the
/// files that were scanned; its words come before the next step's.
fn code_flow(reasons: &[ReasonStep]) -> Option<CodeFlow<'_>> {
    let mut locations = Vec::new();
    let mut before = String::new();
    for step in reasons {
        if step.old {
            before.push_str(&step.sentence());
            before.push_str("; ");
            continue;
        }
        let text = std::mem::take(&mut before) + &step.text;
        locations.push(ThreadFlowLocation {
            location: location(&step.file, step.line, None, Some(text)),
        });
    }
    // The middle of a flow says least: its ends are the change and the line.
    if locations.len() > FLOW_LOCATIONS {
        let half = FLOW_LOCATIONS / 2;
        locations.drain(half..locations.len() - half);
    }
    (locations.len() > 1).then_some(CodeFlow {
        thread_flows: [ThreadFlow { locations }],
    })
}

fn caveat_results<'a>(
    report: &'a DiffReport,
    rule_of_kind: &BTreeMap<&str, usize>,
    results: &mut Vec<SarifResult<'a>>,
    notifications: &mut Vec<Notification>,
) {
    let mut room = CAVEAT_RESULTS;
    let mut left_out = 0;
    let mut seen: FxHashMap<(&str, &str, &str), u32> = FxHashMap::default();
    for caveat in &report.caveats {
        if caveat.file.is_empty() || caveat.line == 0 {
            // A result needs a place.
            if room > 0 {
                notifications.push(note(format!("{}: {}", caveat.kind, caveat.message)));
                room -= 1;
            } else {
                left_out += 1;
            }
        } else if room > 0 {
            room -= 1;
            let count = seen
                .entry((&caveat.kind, &caveat.file, &caveat.message))
                .or_default();
            *count += 1;
            results.push(caveat_result(caveat, rule_of_kind, *count));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        notifications.push(note(format!(
            "{} left out; knockon diff --format json lists all",
            counted(left_out, "caveat")
        )));
    }
}

fn caveat_result<'a>(
    caveat: &'a ReportedCaveat,
    rule_of_kind: &BTreeMap<&str, usize>,
    count: u32,
) -> SarifResult<'a> {
    let hash = short_hash(&[&caveat.kind, &caveat.file, &caveat.message]);
    SarifResult {
        rule_id: caveat_rule(&caveat.kind),
        rule_index: rule_of_kind[&*caveat.kind],
        level: "note",
        message: message(&caveat.message),
        locations: [location(&caveat.file, caveat.line, None, None)],
        partial_fingerprints: Fingerprints {
            primary_location_line_hash: format!("{hash}:{count}"),
        },
        code_flows: Vec::new(),
        rank: None,
    }
}

fn location<'a>(
    file: &str,
    line: u32,
    function: Option<&'a str>,
    text: Option<String>,
) -> Location<'a> {
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: relative_uri(file),
                uri_base_id: "%SRCROOT%",
            },
            region: Region {
                start_line: line.max(1),
            },
        },
        logical_locations: function
            .filter(|name| !name.is_empty())
            .map(|name| LogicalLocation {
                name,
                kind: "function",
            })
            .into_iter()
            .collect(),
        message: text.map(|text| Message { text }),
    }
}

/// A path as a relative reference: everything but unreserved characters and `/` in percent form.
fn relative_uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

fn byte_length(value: &impl serde::Serialize) -> Result<usize, serde_json::Error> {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, value)?;
    Ok(count.0)
}
