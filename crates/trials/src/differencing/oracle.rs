//! The execution oracle: a pair of nodes whose runs observe different things must be claimed to
//! differ, and its line must not be called unaffected. This law must never be weakened.

use super::reported::LineVerdicts;
use super::{Claims, Findings, Law, SEEN, place_of};
use knockon_change::{Side, Sides, paired_nodes};
use knockon_interpreter::Observations;
use knockon_program::{Node, Program};

/// How many violations of one pair of runs are told; the rest follows from them.
const MOST: usize = 20;

/// Holds the claims to one run of each version on the same input.
pub fn check(
    programs: Sides<&Program>,
    claims: &Claims,
    lines: Option<&LineVerdicts>,
    seen: Sides<&Observations>,
    findings: &mut Findings,
) {
    if let Some(lines) = lines {
        check_lines(programs, claims, lines, seen, findings);
    }
    let mut told = 0;
    for (new, old) in paired_nodes(&claims.change, programs.new) {
        if !(is_node(programs.new, new) && is_node(programs.old, old)) {
            continue;
        }
        let before = seen.old.nodes.get(&old).copied().unwrap_or_default();
        let after = seen.new.nodes.get(&new).copied().unwrap_or_default();
        findings.count(Law::Oracle, usize::from(before.count + after.count > 0));
        if before == after {
            continue;
        }
        findings.tally(SEEN, 1);
        if claims.may_differ(Side::New, new) {
            continue;
        }
        told += 1;
        if told > MOST {
            continue;
        }
        let how = if before.count == after.count {
            format!("observes something else in its {} occurrences", after.count)
        } else {
            format!("occurs {} times instead of {}", after.count, before.count)
        };
        findings.violated(
            Law::Oracle,
            place_of(programs.new, new),
            format!(
                "{} {how}, and is called unaffected",
                kind(programs.new, new)
            ),
        );
    }
}

/// No line with a node that behaves differently is unaffected: neither one that observes something
/// else than its partner nor one that runs and has none.
fn check_lines(
    programs: Sides<&Program>,
    claims: &Claims,
    lines: &LineVerdicts,
    seen: Sides<&Observations>,
    findings: &mut Findings,
) {
    let mut told = 0;
    for (function, _, body) in programs.new.defined_functions() {
        for id in body.instruction_ids() {
            let place = programs.new.place(body.instruction(id).place);
            if !place.is_known() {
                continue;
            }
            let partner = claims.change.partner_of_node(Side::New, function, id);
            let old = claims.change.partner(Side::New, function).zip(partner);
            let before = old.and_then(|old| seen.old.nodes.get(&old).copied());
            let after = seen.new.nodes.get(&(function, id)).copied();
            let is_seen = old.is_none_or(|old| is_node(programs.old, old));
            findings.count(Law::Lines, usize::from(before.is_some() || after.is_some()));
            if before == after || !is_seen {
                continue;
            }
            let verdict = lines.may_differ(programs.new.file_path(place.file), place.line);
            if verdict != Some(true) && told < MOST {
                told += 1;
                let said = match verdict {
                    Some(_) => "is called unaffected",
                    None => "is not in the report",
                };
                let message = format!("behaves differently, and {said}");
                findings.violated(Law::Lines, place_of(programs.new, (function, id)), message);
            }
        }
    }
}

fn kind(program: &Program, (function, instruction): Node) -> String {
    match &program.function(function).body {
        Some(body) => format!(
            "node {} ({:?})",
            instruction.0,
            body.instruction(instruction).opcode
        ),
        None => "a node".to_string(),
    }
}

fn is_node(program: &Program, (function, instruction): Node) -> bool {
    let Some(body) = &program.function(function).body else {
        return false;
    };
    knockon_program::is_node(program, body, instruction)
}
