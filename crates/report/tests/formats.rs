//! Every format of a diff on a report written by hand, on an empty, a hostile and
//! a huge one. `UPDATE_EXPECT=1` rewrites the snapshots.

mod sample;

use expect_test::expect_file;
use knockon_report::*;
use std::time::{Duration, Instant};

const ALL: [Format; 7] = [
    Format::Terminal,
    Format::Json,
    Format::Sarif,
    Format::Html,
    Format::Github,
    Format::Markdown,
    Format::Dot,
];

fn rendered(report: &DiffReport, format: Format) -> String {
    report
        .render(format, Style::default(), Extent::Folded)
        .expect("a format of diff")
}

#[test]
fn the_terminal_view_is_summary_first_then_source_then_what_is_left() {
    let text = rendered(&sample::parking(), Format::Terminal);
    expect_file!["snapshots/parking.txt"].assert_eq(&text);
}

#[test]
fn json_has_a_row_a_line() {
    let text = rendered(&sample::parking(), Format::Json);
    expect_file!["snapshots/parking.json"].assert_eq(&text);
}

#[test]
fn sarif_has_rules_fingerprints_and_flows() {
    let text = rendered(&sample::parking(), Format::Sarif);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
    expect_file!["snapshots/parking.sarif"].assert_eq(&pretty);
}

#[test]
fn workflow_commands_annotate_lines_of_the_diff_first() {
    let text = rendered(&sample::parking(), Format::Github);
    expect_file!["snapshots/parking.github"].assert_eq(&text);
}

#[test]
fn markdown_is_a_table_and_folded_details() {
    let text = rendered(&sample::parking(), Format::Markdown);
    expect_file!["snapshots/parking.md"].assert_eq(&text);
}

#[test]
fn dot_shows_the_functions_reached() {
    let text = rendered(&sample::parking(), Format::Dot);
    expect_file!["snapshots/parking.dot"].assert_eq(&text);
}

/// What a verdict rests on is never left out.
#[test]
fn caveats_and_assumptions_are_shown_in_every_format() {
    let report = DiffReport {
        assumptions: vec!["loops end".to_owned()],
        caveats: vec![ReportedCaveat {
            kind: "not-compiled".to_owned(),
            file: "a.c".to_owned(),
            line: 3,
            message: "lines 3 to 5 are left out".to_owned(),
        }],
        ..DiffReport::default()
    };
    for format in ALL {
        let listing = Style {
            assumptions: true,
            caveats: true,
            ..Style::default()
        };
        let text = report
            .render(format, listing, Extent::Folded)
            .expect("a format of diff");
        for part in [
            "not-compiled",
            "a.c",
            "lines 3 to 5 are left out",
            "loops end",
        ] {
            assert!(text.contains(part), "{}: {part}\n{text}", format.name());
        }
    }
    let why = WhyReport {
        assumptions: report.assumptions.clone(),
        caveats: report.caveats.clone(),
        ..WhyReport::default()
    };
    for format in [
        Format::Terminal,
        Format::Json,
        Format::Markdown,
        Format::Dot,
    ] {
        let listing = Style {
            assumptions: true,
            caveats: true,
            ..Style::default()
        };
        let text = why.render(format, listing).expect("a format of why");
        for part in ["not-compiled", "lines 3 to 5 are left out", "loops end"] {
            assert!(text.contains(part), "{}: {part}\n{text}", format.name());
        }
    }
}

/// A compiler's message has many lines; a caveat has one.
#[test]
fn a_caveat_is_one_line_on_a_terminal() {
    let report = DiffReport {
        caveats: vec![ReportedCaveat {
            kind: "unit-failed".to_owned(),
            file: "b.c".to_owned(),
            line: 1,
            message: "error: expected\n  1 | int f( {\n".to_owned(),
        }],
        ..DiffReport::default()
    };
    let text = report
        .render(Format::Terminal, Style::default(), Extent::Full)
        .expect("terminal");
    assert!(
        text.contains("caveat unit-failed: b.c:1: error: expected\n"),
        "{text}"
    );
    assert!(!text.contains("\\n"), "{text}");
}

#[test]
fn an_empty_report_is_a_report_in_every_format() {
    for format in ALL {
        let text = rendered(&DiffReport::default(), format);
        assert!(!text.is_empty(), "{}", format.name());
    }
    let text = rendered(&DiffReport::default(), Format::Terminal);
    assert!(text.contains("Nothing changed."), "{text}");
}

#[test]
fn the_first_screen_fits_80_columns_and_24_rows() {
    let (mut huge, mut most) = (sample::huge(2_000), sample::parking());
    huge.caveats = sample::parking().caveats;
    for line in &mut most.lines {
        if line.verdict == Verdict::Unaffected {
            line.verdict = Verdict::Possible;
        }
    }
    for report in [&sample::parking(), &huge, &most, &DiffReport::default()] {
        let text = rendered(report, Format::Terminal);
        assert!(text.lines().count() < 24, "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let text = rendered(&most, Format::Terminal);
    assert!(text.contains("All of the program may"), "{text}");
    assert!(
        text.contains("The functions nearest to the change:"),
        "{text}"
    );
}

/// The edit of a macro leads, though no line of code was edited.
#[test]
fn an_edited_macro_is_named_and_shown_first() {
    let mut report = sample::parking();
    report.removed.clear();
    for line in &mut report.lines {
        if line.verdict == Verdict::Changed {
            line.verdict = Verdict::Possible;
        }
    }
    report.hunks.truncate(1);
    report.hunks[0].file = "limits.h".into();
    report.hunks[0].new_start = 2;
    report.sources.push(SourceText {
        path: "limits.h".into(),
        text: "/* What is allowed. */\n#define LIMIT 12\n".to_owned(),
    });
    let text = rendered(&report, Format::Terminal);
    assert!(text.contains("`LIMIT` in limits.h changed. "), "{text}");
    let places = text.split("\n\n").nth(1).expect("places");
    let expected = "limits.h\n      2  changed   #define LIMIT 12\n";
    assert!(places.starts_with(expected), "{text}");
}

#[test]
fn a_report_that_ran_out_of_time_says_so_above_the_places() {
    let mut report = sample::parking();
    let text = rendered(&report, Format::Terminal);
    assert!(!text.contains("--budget"), "{text}");
    report.caveats.push(ReportedCaveat {
        kind: "budget".to_owned(),
        ..ReportedCaveat::default()
    });
    let text = rendered(&report, Format::Terminal);
    let head = text.split("\n\n").next().expect("an answer");
    assert!(head.contains("Time was up during the proofs"), "{text}");
    report.levels.truncate(1);
    for line in &mut report.lines {
        line.reasons.clear();
        line.witness = None;
        line.score = 1.0;
        if line.verdict == Verdict::Unaffected {
            line.verdict = Verdict::Possible;
        }
    }
    let text = rendered(&report, Format::Terminal);
    assert!(text.contains("Time was up early"), "{text}");
    assert!(
        text.contains("Functions that may run after the change:"),
        "{text}"
    );
}

#[test]
fn a_long_changed_line_is_not_cut_and_a_brace_is_not_shown() {
    let mut report = sample::parking();
    let long = "if (first_condition_of_the_line && second_condition_of_the_line && third)";
    let changed = report.lines.iter_mut();
    let mut changed = changed.filter(|line| line.verdict == Verdict::Changed);
    let (one, two) = (
        changed.next().expect("a changed line"),
        changed.next().expect("another one"),
    );
    for (line, row) in [(1, one), (2, two)] {
        row.file = "long.c".into();
        row.function = "long.c:check".into();
        row.line = line;
    }
    report.sources.push(SourceText {
        path: "long.c".into(),
        text: format!("    {long}\n    {{\n"),
    });
    let text = rendered(&report, Format::Terminal);
    assert!(text.contains("long.c  check\n"), "{text}");
    assert!(text.contains("      1  changed   if (first_"), "{text}");
    let second = "\n                   second_condition_of_the_line && third)\n";
    assert!(text.contains(second), "{text}");
    assert!(!text.contains("2  changed   {"), "{text}");
}

#[test]
fn a_file_has_a_line_and_the_answer_a_sentence() {
    let files = sample::parking().render(Format::Terminal, Style::default(), Extent::Files);
    expect_file!["snapshots/parking-files.txt"].assert_eq(&files.expect("terminal"));
    let report = sample::parking();
    let sentences = report.render(Format::Terminal, Style::default(), Extent::Sentences);
    let sentences = sentences.expect("terminal");
    assert!(sentences.starts_with("`release_car`, `started_hours` and `evening`"));
    assert!(sentences.lines().count() < 6, "{sentences}");
}

#[test]
fn only_colours_are_control_characters_on_a_terminal() {
    let report = sample::hostile();
    let controls = |text: &str| {
        text.chars().find(|character| {
            (character.is_control() && *character != '\n') || *character == '\u{202e}'
        })
    };
    assert_eq!(controls(&rendered(&report, Format::Terminal)), None);
    let coloured = report
        .render(
            Format::Terminal,
            Style {
                colour: true,
                ..Style::default()
            },
            Extent::Full,
        )
        .expect("terminal");
    let mut bare = coloured;
    for code in ["1", "2", "33", "32", "1;34", "1;31", "0"] {
        bare = bare.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_eq!(controls(&bare), None);
    assert_eq!(controls(&rendered(&report, Format::Dot)), None);
    assert_eq!(controls(&rendered(&report, Format::Markdown)), None);
}

#[test]
fn no_name_becomes_a_workflow_command() {
    let mut report = sample::hostile();
    report.caveats.push(ReportedCaveat {
        kind: "unit-failed".to_owned(),
        file: "##[add-path]x.c".to_owned(),
        line: 1,
        message: "no\n::error::y".to_owned(),
    });
    let text = rendered(&report, Format::Github);
    assert!(!text.contains("##["), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[2..] {
        let is_plain = line.starts_with("caveat ") || line.starts_with("assuming ");
        assert!(is_plain, "{line}");
    }
    assert!(lines[0].starts_with("Knockon: "), "{text}");
    let command = lines[1].strip_prefix("::warning file=").expect("a command");
    let (properties, message) = command.split_once("::").expect("a message");
    assert_eq!(properties.matches(',').count(), 2, "{properties}");
    assert!(!properties.contains(':'), "{properties}");
    assert!(message.contains("%25,:"), "{message}");
    assert!(!text.contains('\r'));
}

#[test]
fn no_name_becomes_markup_in_markdown() {
    let text = rendered(&sample::hostile(), Format::Markdown);
    assert!(
        !text.contains("<img") && !text.contains("</script"),
        "{text}"
    );
    assert!(!text.contains('`') && !text.contains("@octocat"), "{text}");
    for row in text.lines().filter(|line| line.starts_with("| 2 |")) {
        assert_eq!(row.matches('|').count(), 5, "{row}");
    }
}

#[test]
fn no_name_becomes_markup_in_html() {
    let text = rendered(&sample::hostile(), Format::Html);
    assert!(!text.contains("<img"), "an element came from a name");
    assert_eq!(text.matches("</script").count(), 2);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
}

/// The page asks for nothing: no address but those of data.
#[test]
fn the_page_names_no_outside_resource() {
    let text = rendered(&sample::parking(), Format::Html);
    for forbidden in [
        "http:",
        "https:",
        "src=",
        "@import",
        "fetch(",
        "XMLHttp",
        "innerHTML",
    ] {
        assert!(!text.contains(forbidden), "the page contains {forbidden}");
    }
    assert_eq!(
        text.matches("url(").count(),
        text.matches("url(#arrow-").count()
    );
}

#[test]
fn sarif_and_json_carry_hostile_strings_unchanged() {
    let report = sample::hostile();
    let json: serde_json::Value =
        serde_json::from_str(&rendered(&report, Format::Json)).expect("JSON");
    assert_eq!(json["lines"][0]["function"], sample::HOSTILE);
    let sarif: serde_json::Value =
        serde_json::from_str(&rendered(&report, Format::Sarif)).expect("JSON");
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let uri = location["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(
        uri.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
        "{uri}"
    );
}

#[test]
fn fingerprints_stay_when_lines_move_and_tell_equal_lines_apart() {
    let fingerprints = |report: &DiffReport| -> Vec<String> {
        let sarif: serde_json::Value =
            serde_json::from_str(&rendered(report, Format::Sarif)).expect("JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("results");
        results
            .iter()
            .map(|result| result["partialFingerprints"]["primaryLocationLineHash"].to_string())
            .collect()
    };
    let mut report = sample::parking();
    report.caveats.clear();
    let before = fingerprints(&report);
    let mut distinct = before.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), before.len());
    for source in &mut report.sources {
        source.text.insert_str(0, "/* new */\n\n");
    }
    for line in &mut report.lines {
        line.line += 2;
    }
    assert_eq!(fingerprints(&report), before);
}

#[test]
fn a_huge_report_is_rendered_in_time_and_within_the_limits() {
    let report = sample::huge(200_000);
    for format in ALL {
        let start = Instant::now();
        let text = rendered(&report, format);
        let elapsed = start.elapsed();
        assert!(
            elapsed < Duration::from_secs(5),
            "{} took {elapsed:?}",
            format.name()
        );
        match format {
            Format::Markdown => assert!(text.chars().count() < 65_000),
            Format::Sarif => {
                assert!(text.len() < 10_000_000, "{}", text.len());
                let sarif: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                let run = &sarif["runs"][0];
                assert_eq!(run["results"].as_array().map(Vec::len), Some(5_000));
                let notes = &run["invocations"][0]["toolExecutionNotifications"];
                let note = notes[0]["message"]["text"].as_str().expect("a note");
                assert!(
                    note.starts_with("5000 of 20,000 lines are reported"),
                    "{note}"
                );
            }
            Format::Terminal => assert!(text.contains("--full shows them"), "{text}"),
            Format::Github => assert_eq!(text.lines().count(), 11),
            _ => {}
        }
    }
}

#[test]
fn a_flow_longer_than_the_limit_keeps_its_ends() {
    let mut report = sample::parking();
    let line = &mut report.lines[0];
    line.verdict = Verdict::Affected;
    line.reasons = (1..=5000)
        .map(|number| ReasonStep {
            file: "a.c".into(),
            line: number,
            text: "uses".into(),
            old: false,
        })
        .collect();
    let sarif: serde_json::Value =
        serde_json::from_str(&rendered(&report, Format::Sarif)).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let flows: Vec<&Vec<serde_json::Value>> = results
        .iter()
        .filter_map(|result| result["codeFlows"][0]["threadFlows"][0]["locations"].as_array())
        .collect();
    let longest = flows.iter().max_by_key(|flow| flow.len()).expect("a flow");
    let line_of = |index: usize| {
        longest[index]["location"]["physicalLocation"]["region"]["startLine"].as_u64()
    };
    assert_eq!(longest.len(), 1000);
    assert_eq!((line_of(0), line_of(999)), (Some(1), Some(5000)));
}

#[test]
fn the_full_terminal_view_hides_nothing() {
    let report = sample::huge(2_000);
    let text = report
        .render(Format::Terminal, Style::default(), Extent::Full)
        .expect("terminal");
    assert!(!text.contains('…'), "{text}");
    let shown = text
        .lines()
        .filter(|line| line.starts_with("  possible"))
        .count();
    assert_eq!(shown, 199);
}

#[test]
fn lines_without_a_source_or_a_sensible_number_are_shown_all_the_same() {
    let mut report = sample::parking();
    for (line, number) in report.lines.iter_mut().zip([0, 0, u32::MAX, u32::MAX, 7]) {
        line.line = number;
        line.verdict = Verdict::Possible;
    }
    for format in ALL {
        rendered(&report, format);
    }
    report.sources.clear();
    for format in ALL {
        rendered(&report, format);
    }
}

fn why() -> WhyReport {
    let parking = sample::parking();
    let line = parking
        .lines
        .iter()
        .find(|line| &*line.file == "report.c" && line.line == 18)
        .expect("a line");
    WhyReport {
        old: parking.old.clone(),
        new: parking.new.clone(),
        file: line.file.to_string(),
        line: line.line,
        function: line.function.to_string(),
        verdict: line.verdict,
        score: line.score,
        witness: line.witness.as_deref().map(str::to_owned),
        reasons: line.reasons.clone(),
        hunks: line.hunks.clone(),
        sources: parking.sources.clone(),
        ..WhyReport::default()
    }
}

fn slice() -> SliceReport {
    let parking = sample::parking();
    let lines: Vec<SliceLine> = parking
        .lines
        .iter()
        .filter(|line| line.verdict != Verdict::Unaffected)
        .map(|line| SliceLine {
            file: line.file.clone(),
            line: line.line,
            function: line.function.clone(),
            score: line.score,
            occurrences: None,
            reasons: line.reasons.clone(),
        })
        .collect();
    SliceReport {
        program: "parking".to_owned(),
        criterion: SliceCriterion {
            file: "tariff.c".into(),
            line: 10,
            ..SliceCriterion::default()
        },
        size: SliceSize {
            lines: lines.len(),
            functions: 10,
            program_lines: parking.lines.len(),
            program_functions: 18,
        },
        lines,
        functions: vec![SliceFunction {
            name: "hourly".into(),
            file: "tariff.c".into(),
            lines: 1,
        }],
        sources: parking.sources.clone(),
        ..SliceReport::default()
    }
}

#[test]
fn why_is_one_hop_a_line_with_its_source() {
    let text = why()
        .render(Format::Terminal, Style::default())
        .expect("terminal");
    expect_file!["snapshots/why.txt"].assert_eq(&text);
    let text = why()
        .render(Format::Markdown, Style::default())
        .expect("markdown");
    expect_file!["snapshots/why.md"].assert_eq(&text);
}

#[test]
fn why_names_what_cuts_an_unaffected_line_off() {
    let report = WhyReport {
        file: "a.c".to_owned(),
        line: 3,
        cut_by: Some(CutBy::NoDependence),
        ..WhyReport::default()
    };
    let text = report
        .render(Format::Terminal, Style::default())
        .expect("terminal");
    assert_eq!(
        text,
        "a.c:3: unaffected: nothing that it uses depends on the change\n"
    );
}

#[test]
fn a_slice_is_its_lines_with_scores() {
    let render = |format| slice().render(format, Style::default(), Extent::Folded);
    expect_file!["snapshots/slice.txt"].assert_eq(&render(Format::Terminal).expect("terminal"));
    expect_file!["snapshots/slice.dot"].assert_eq(&render(Format::Dot).expect("dot"));
    let error = render(Format::Sarif).expect_err("not offered").to_string();
    assert_eq!(
        error,
        "slice has no format sarif; use one of: terminal, json, markdown, dot"
    );
}

/// Outputs are valid against the published schemas, SARIF against the standard's own (from
/// <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).
#[test]
fn outputs_are_valid_against_their_schemas() {
    let published = schemas().expect("schemas");
    let check = |schema: &str, text: String| {
        let (_, schema_text) = published
            .iter()
            .find(|(name, _)| *name == schema)
            .expect("a schema");
        validate(schema_text, &text);
    };
    for report in [sample::parking(), sample::hostile(), DiffReport::default()] {
        check("knockon.diff.1.json", rendered(&report, Format::Json));
        let sarif = rendered(&report, Format::Sarif);
        validate(&sarif_schema(), &sarif);
    }
    let style = Style::default();
    check(
        "knockon.why.1.json",
        why().render(Format::Json, style).expect("JSON"),
    );
    let slice = slice().render(Format::Json, style, Extent::Folded);
    check("knockon.slice.1.json", slice.expect("JSON"));
}

/// Without the pattern of a property that is not used: a stray bracket makes it no expression for
/// strict engines.
fn sarif_schema() -> String {
    let pattern = r#","pattern":"^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$""#;
    let schema = include_str!("sarif-schema-2.1.0.json");
    assert!(schema.contains(pattern));
    schema.replace(pattern, "")
}

fn validate(schema: &str, text: &str) {
    let schema = serde_json::from_str(schema).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let value = serde_json::from_str(text).expect("JSON");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn a_score_above_one_is_not_valid() {
    let mut report = sample::parking();
    report.lines[0].score = 1.5;
    let (_, schema) = schemas()
        .expect("schemas")
        .into_iter()
        .find(|(name, _)| name.contains("diff"))
        .expect("the schema of diff");
    let schema = serde_json::from_str(&schema).expect("a schema");
    let value = serde_json::from_str(&rendered(&report, Format::Json)).expect("JSON");
    assert!(!jsonschema::is_valid(&schema, &value));
}

#[test]
fn the_published_schemas_are_the_generated_ones() {
    for (name, schema) in schemas().expect("schemas") {
        let path = format!("../../../schemas/{name}");
        expect_file![path].assert_eq(&schema);
    }
}
