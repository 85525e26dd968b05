//! Hundreds of programs, each built by a script of its own. Program `k` is a function of the soak's
//! seed and `k` alone. One that breaks a law is written out with its script.

use super::Law;
use super::project::{Project, project};
use super::script::{IGNORED, script};
use crate::against_clang::HarnessError;
use crate::random::Random;
use crate::soak::failure;
use crate::soak::laws::{Findings, Outcome, Summary};
use crate::soak::workers::each;
use crate::soak::{Request, seed_of};
use crate::unseen::trees::{Knockon, Said, ask, git, in_time, said, write};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub fn soak(
    knockon: &Knockon,
    request: &Request,
    interrupted: &AtomicBool,
    progress: &(dyn Fn(&Summary<Law>) + Sync),
) -> Result<Summary<Law>, HarnessError> {
    let mut summary = Summary::default();
    let one = |index: usize| {
        let mut random = Random::new(seed_of(request.seed, index));
        let project = project(&mut random);
        let script = script(&mut random, &project);
        let findings = examine(knockon, &project, &script)?;
        if !findings.violations.is_empty() {
            save(request, index, &project, &script, &findings)?;
        }
        Ok(findings)
    };
    each(
        request.programs,
        request.threads,
        interrupted,
        one,
        |findings| {
            summary.add(Outcome::Checked {
                findings,
                no_evidence: Vec::new(),
            });
            progress(&summary);
        },
    )?;
    Ok(summary)
}

/// Builds the program, and asks before and after its edit.
pub fn examine(
    knockon: &Knockon,
    project: &Project,
    script: &str,
) -> Result<Findings<Law>, HarnessError> {
    let scratch = tempfile::tempdir().map_err(|source| HarnessError::File {
        path: std::env::temp_dir(),
        source,
    })?;
    let tree = scratch.path().join("tree");
    let mut files = project.files.clone();
    files.insert(".gitignore".to_owned(), IGNORED.to_owned());
    write(&tree, &files)?;
    git(&tree, &["init", "-q"])?;
    git(&tree, &["add", "-A"])?;
    git(&tree, &["commit", "-q", "-m", "old"])?;
    let mut findings = Findings::default();
    let mut capture = ask(knockon, scratch.path());
    capture.args(["capture", "--", "bash", "-c", script]);
    let captured = in_time(&mut capture)?;
    findings.count(Law::Ends, 1);
    if !captured
        .as_ref()
        .is_some_and(|output| output.status.success())
    {
        let message = captured.map_or("no end".to_owned(), |output| {
            String::from_utf8_lossy(&output.stderr).into_owned()
        });
        findings.violated(Law::Ends, "capture".to_owned(), message);
        return Ok(findings);
    }
    if let Some(report) = report(knockon, scratch.path(), &["HEAD"], &mut findings)? {
        hold_clean(&report, &mut findings);
    }
    let edit = &project.edit;
    let edited = BTreeMap::from([(edit.file.clone(), edit.applied(&files[&edit.file]))]);
    write(&tree, &edited)?;
    let of_tree = report(knockon, scratch.path(), &["HEAD"], &mut findings)?;
    git(&tree, &["commit", "-q", "-a", "-m", "new"])?;
    let of_revisions = report(knockon, scratch.path(), &["HEAD~1..HEAD"], &mut findings)?;
    if let (Some(of_tree), Some(of_revisions)) = (of_tree, of_revisions) {
        let (of_tree, of_revisions) = (verdicts(&of_tree), verdicts(&of_revisions));
        let place = (edit.file.clone(), u64::from(edit.line));
        findings.count(Law::Seen, 1);
        if of_tree.get(&place).map(String::as_str) != Some("changed") {
            let place = format!("{}:{}", edit.file, edit.line);
            findings.violated(Law::Seen, place, format!("{of_tree:?}"));
        }
        findings.count(Law::Revisions, 1);
        let all: BTreeSet<_> = of_tree.iter().chain(&of_revisions).collect();
        for (place, verdict) in all {
            if of_tree.get(place) != of_revisions.get(place) {
                let message = format!("{verdict} in one of them only");
                let place = format!("{}:{}", place.0, place.1);
                findings.violated(Law::Revisions, place, message);
            }
        }
    }
    Ok(findings)
}

fn report(
    knockon: &Knockon,
    scratch: &Path,
    versions: &[&str],
    findings: &mut Findings<Law>,
) -> Result<Option<Value>, HarnessError> {
    let mut diff = ask(knockon, scratch);
    diff.arg("diff").args(versions).args(["--format", "json"]);
    findings.count(Law::Ends, 1);
    match said(in_time(&mut diff)?) {
        Said::Report(report) => Ok(Some(report)),
        Said::Refused(why) | Said::Broke(why) => {
            findings.violated(Law::Ends, versions.join(" "), why);
            Ok(None)
        }
    }
}

fn hold_clean(report: &Value, findings: &mut Findings<Law>) {
    findings.count(Law::Clean, 1);
    let verdicts = verdicts(report);
    // A report without lines says nothing about the tree.
    if verdicts.len() < 3 {
        let message = format!("only {} lines", verdicts.len());
        findings.violated(Law::Clean, "the report".to_owned(), message);
    }
    for ((file, line), verdict) in verdicts {
        if verdict != "unaffected" {
            findings.violated(Law::Clean, format!("{file}:{line}"), verdict);
        }
    }
    if report["output"] != "equal" {
        let message = report["output"].to_string();
        findings.violated(Law::Clean, "output".to_owned(), message);
    }
}

/// The verdicts by file and line.
fn verdicts(report: &Value) -> BTreeMap<(String, u64), String> {
    let rows = report["lines"].as_array().into_iter().flatten();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    rows.map(|row| {
        let line = row["line"].as_u64().unwrap_or_default();
        ((text(row, "file"), line), text(row, "verdict"))
    })
    .collect()
}

fn save(
    request: &Request,
    index: usize,
    project: &Project,
    script: &str,
    findings: &Findings<Law>,
) -> Result<(), HarnessError> {
    let directory = request
        .failures
        .join(format!("layout-{}-{index}", request.seed));
    let mut files = project.files.clone();
    files.insert("build.sh".to_owned(), script.to_owned());
    write(&directory.join("tree"), &files)?;
    let edit = &project.edit;
    let violations = findings.violations.iter();
    let account: String = violations.map(|one| format!("{one}\n")).collect();
    let account = format!("{}:{}: {}\n\n{account}", edit.file, edit.line, edit.new);
    failure::write(&directory, "account", account.as_bytes())
}
