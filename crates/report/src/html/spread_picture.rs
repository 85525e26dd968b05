//! The picture of how the change spreads, as inline SVG.

use super::escape::escaped;
use super::spread_layout::{SpreadLayout, SpreadLink, SpreadNode};
use crate::source_lines::shorten;
use crate::summary::counted;
use crate::{DiffReport, SpreadKind};
use std::fmt::Write;

const NODE_WIDTH: usize = 184;
const NODE_HEIGHT: usize = 38;
const COLUMN_GAP: usize = 76;
const ROW_GAP: usize = 14;
const BORDER: usize = 44;
/// Characters of a name that fit into a box.
const NAME_WIDTH: usize = 24;

pub(super) fn spread_picture(report: &DiffReport, layout: &SpreadLayout) -> String {
    let width = 2 * BORDER + layout.columns * (NODE_WIDTH + COLUMN_GAP)
        - COLUMN_GAP.min(layout.columns * COLUMN_GAP);
    let height = 2 * BORDER / 2 + layout.rows * (NODE_HEIGHT + ROW_GAP);
    let mut text = format!(
        "<svg id=\"picture\" role=\"group\" aria-label=\"How the change spreads through functions\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"><defs>"
    );
    for kind in SpreadKind::ALL {
        let class = kind_class(kind);
        let _ = write!(
            text,
            "<marker id=\"arrow-{class}\" class=\"arrow {class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0.8 8 4 0 7.2z\"/></marker>"
        );
    }
    text.push_str("</defs><g id=\"view\">");
    for link in &layout.links {
        write_link(&mut text, layout, link);
    }
    for (index, node) in layout.nodes.iter().enumerate() {
        write_node(&mut text, report, node, index);
    }
    text.push_str("</g></svg>");
    text
}

fn kind_class(kind: SpreadKind) -> &'static str {
    match kind {
        SpreadKind::Calls => "calls",
        SpreadKind::ReturnsTo => "returns",
        SpreadKind::Memory => "memory",
        SpreadKind::Order => "order",
    }
}

/// The middle of the box's left side.
fn left_middle(node: &SpreadNode) -> (usize, usize) {
    let x = BORDER + node.column * (NODE_WIDTH + COLUMN_GAP);
    let y = BORDER / 2 + node.half_row * (NODE_HEIGHT + ROW_GAP) / 2 + NODE_HEIGHT / 2;
    (x, y)
}

fn write_link(text: &mut String, layout: &SpreadLayout, link: &SpreadLink) {
    let (from, to) = (&layout.nodes[link.from], &layout.nodes[link.to]);
    let (from_x, from_y) = left_middle(from);
    let (to_x, to_y) = left_middle(to);
    // Links there and back do not cover each other.
    let (from_y, to_y) = match from.column < to.column {
        true => (from_y - 4, to_y - 4),
        false => (from_y + 5, to_y + 5),
    };
    let (from_right, to_right) = (from_x + NODE_WIDTH, to_x + NODE_WIDTH);
    // Rightwards from side to side; within a column around its right side; back from left to right.
    let path = if from.column < to.column {
        let bend = (to_x - from_right) / 2;
        format!(
            "M{from_right} {from_y}C{} {from_y} {} {to_y} {to_x} {to_y}",
            from_right + bend,
            to_x - bend
        )
    } else if from.column == to.column {
        let out = from_right + 34;
        let from_y = match link.from == link.to {
            true => from_y - 14,
            false => from_y,
        };
        format!("M{from_right} {from_y}C{out} {from_y} {out} {to_y} {to_right} {to_y}")
    } else {
        let bend = ((from_x - to_right) / 2).max(34);
        format!(
            "M{from_x} {from_y}C{} {from_y} {} {to_y} {to_right} {to_y}",
            from_x.saturating_sub(bend),
            to_right + bend
        )
    };
    let kinds: Vec<&str> = link.kinds.iter().map(|kind| kind.name()).collect();
    let class = link.kinds.first().map_or("calls", |kind| kind_class(*kind));
    let _ = write!(
        text,
        "<path class=\"link {class}\" data-from=\"{}\" data-to=\"{}\" d=\"{path}\" marker-end=\"url(#arrow-{class})\"><title>{} to {}: {}</title></path>",
        link.from,
        link.to,
        escaped(&from.name),
        escaped(&to.name),
        kinds.join(", ")
    );
}

fn write_node(text: &mut String, report: &DiffReport, node: &SpreadNode, index: usize) {
    let function = &report.functions[node.function];
    let verdict = function.verdict.name();
    let (x, middle) = left_middle(node);
    let y = middle - NODE_HEIGHT / 2;
    let detail = match node.hits {
        0 => function.status.name().to_owned(),
        hits => format!("{verdict} · {}", counted(hits, "line")),
    };
    let file = escaped(&function.file);
    let _ = write!(
        text,
        "<g class=\"node v-{verdict}\" data-node=\"{index}\" data-file=\"{file}\" data-function=\"{}\" tabindex=\"0\" role=\"button\" aria-label=\"{}, {detail}\"><title>{} in {file}</title><rect x=\"{x}\" y=\"{y}\" width=\"{NODE_WIDTH}\" height=\"{NODE_HEIGHT}\" rx=\"5\"/><text class=\"name\" x=\"{}\" y=\"{}\">{}</text><text class=\"detail\" x=\"{}\" y=\"{}\">{detail}</text></g>",
        escaped(&function.name),
        escaped(&node.name),
        escaped(&node.name),
        x + 10,
        y + 16,
        escaped(&shorten(&node.name, NAME_WIDTH)),
        x + 10,
        y + 30,
    );
}
