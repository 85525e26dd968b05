//! The execution oracle: a pair of nodes whose runs observe different things must be claimed to
//! differ. This law must never be weakened.

use super::names::paired_nodes;
use super::{Claims, Findings, Law, place_of};
use knockon_change::{Side, Sides};
use knockon_interpreter::{Node, Observations};
use knockon_program::Program;

/// How many violations of one pair of runs are told; the rest follows from them.
const MOST: usize = 20;

/// Holds the claims to one run of each version on the same input.
pub fn check(
    programs: Sides<&Program>,
    claims: &Claims,
    seen: Sides<&Observations>,
    findings: &mut Findings,
) {
    let mut told = 0;
    for (new, old) in paired_nodes(&claims.change, programs.new) {
        if !(has_place(programs.new, new) && has_place(programs.old, old)) {
            continue;
        }
        let before = seen.old.nodes.get(&old).copied().unwrap_or_default();
        let after = seen.new.nodes.get(&new).copied().unwrap_or_default();
        findings.count(Law::Oracle, usize::from(before.count + after.count > 0));
        if before == after {
            continue;
        }
        findings.seen += 1;
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

fn has_place(program: &Program, (function, instruction): Node) -> bool {
    let Some(body) = &program.function(function).body else {
        return false;
    };
    program
        .place(body.instruction(instruction).place)
        .is_known()
}
