//! Where the functions stand in the picture of how the change spreads.
//!
//! In layers from left to right: a function's layer is its distance from a
//! changed function, so that the picture reads as the change travels and cycles
//! need no care. A layer that is too high continues in a second column. Within a
//! layer, functions are ordered by the mean position of their neighbours
//! (barycentre method), a few sweeps. Near-linear.

use crate::summary::{is_hit, spread_names};
use crate::{DiffReport, SpreadKind, Verdict};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Functions that are drawn.
const FUNCTIONS_DRAWN: usize = 200;
/// Functions above each other.
const COLUMN_HEIGHT: usize = 14;
const SWEEPS: usize = 4;

pub(super) struct SpreadNode {
    /// Index into the report's functions.
    pub function: usize,
    pub name: String,
    pub column: usize,
    /// Position from the top of its column, in halves of a row, so that columns can be centred.
    pub half_row: usize,
    pub hits: usize,
    pub score: f64,
}

pub(super) struct SpreadLink {
    pub from: usize,
    pub to: usize,
    /// In order, without repetition.
    pub kinds: Vec<SpreadKind>,
}

pub(super) struct SpreadLayout {
    pub nodes: Vec<SpreadNode>,
    pub links: Vec<SpreadLink>,
    pub columns: usize,
    pub rows: usize,
    /// Functions that the change reaches and that are not drawn.
    pub folded: usize,
}

pub(super) fn spread_layout(report: &DiffReport) -> SpreadLayout {
    let (mut nodes, folded) = drawn_functions(report);
    let links = links(report, &nodes);
    let layers = layers(report, &nodes, &links);
    let order = ordered_layers(&layers, nodes.len(), &links);
    let mut columns = 0;
    let rows = order
        .iter()
        .map(|layer| layer.len().min(COLUMN_HEIGHT))
        .max()
        .unwrap_or(0);
    for layer in &order {
        let pieces = layer.len().div_ceil(COLUMN_HEIGHT).max(1);
        let height = layer.len().div_ceil(pieces).max(1);
        for (piece, column) in layer.chunks(height).enumerate() {
            for (row, node) in column.iter().enumerate() {
                nodes[*node].column = columns + piece;
                nodes[*node].half_row = 2 * row + (rows - column.len());
            }
        }
        columns += layer.chunks(height).len();
    }
    SpreadLayout {
        nodes,
        links,
        columns,
        rows,
        folded,
    }
}

/// The functions that the change reaches, the best ones if there are too many.
fn drawn_functions(report: &DiffReport) -> (Vec<SpreadNode>, usize) {
    let mut hits: FxHashMap<(&str, &str), (usize, f64)> = FxHashMap::default();
    for line in report.lines.iter().filter(|line| is_hit(line)) {
        let entry = hits.entry((&line.file, &line.function)).or_default();
        entry.0 += 1;
        entry.1 = entry.1.max(line.score);
    }
    let names = spread_names(&report.functions);
    let mut nodes: Vec<SpreadNode> = report
        .functions
        .iter()
        .zip(names)
        .enumerate()
        .filter(|(_, (function, _))| function.verdict != Verdict::Unaffected)
        .map(|(index, (function, name))| {
            let (hits, score) = hits
                .get(&(&*function.file, &*function.name))
                .copied()
                .unwrap_or_default();
            SpreadNode {
                function: index,
                name,
                column: 0,
                half_row: 0,
                hits,
                score,
            }
        })
        .collect();
    let rank = |node: &SpreadNode| report.functions[node.function].verdict;
    nodes.sort_by(|left, right| {
        (rank(left).cmp(&rank(right)))
            .then_with(|| right.score.total_cmp(&left.score))
            .then_with(|| left.function.cmp(&right.function))
    });
    let folded = nodes.len().saturating_sub(FUNCTIONS_DRAWN);
    nodes.truncate(FUNCTIONS_DRAWN);
    (nodes, folded)
}

fn links(report: &DiffReport, nodes: &[SpreadNode]) -> Vec<SpreadLink> {
    let index: FxHashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.name.as_str(), index))
        .collect();
    let mut kinds: std::collections::BTreeMap<(usize, usize), Vec<SpreadKind>> = Default::default();
    for edge in &report.spread {
        if let (Some(from), Some(to)) = (index.get(&*edge.from), index.get(&*edge.to)) {
            kinds.entry((*from, *to)).or_default().push(edge.kind);
        }
    }
    kinds
        .into_iter()
        .map(|((from, to), mut kinds)| {
            kinds.sort_unstable();
            kinds.dedup();
            SpreadLink { from, to, kinds }
        })
        .collect()
}

/// Breadth first from the changed functions; what no link reaches stands in a last layer.
fn layers(report: &DiffReport, nodes: &[SpreadNode], links: &[SpreadLink]) -> Vec<Vec<usize>> {
    let mut successors = vec![Vec::new(); nodes.len()];
    for link in links {
        successors[link.from].push(link.to);
    }
    let mut layer_of = vec![usize::MAX; nodes.len()];
    let mut queue = VecDeque::new();
    for (index, node) in nodes.iter().enumerate() {
        if report.functions[node.function].verdict == Verdict::Changed {
            layer_of[index] = 0;
            queue.push_back(index);
        }
    }
    let mut layers: Vec<Vec<usize>> = Vec::new();
    while let Some(node) = queue.pop_front() {
        let layer = layer_of[node];
        if layers.len() <= layer {
            layers.push(Vec::new());
        }
        layers[layer].push(node);
        for successor in &successors[node] {
            if layer_of[*successor] == usize::MAX {
                layer_of[*successor] = layer + 1;
                queue.push_back(*successor);
            }
        }
    }
    let unreached: Vec<usize> = (0..nodes.len())
        .filter(|node| layer_of[*node] == usize::MAX)
        .collect();
    if !unreached.is_empty() {
        layers.push(unreached);
    }
    layers
}

fn ordered_layers(layers: &[Vec<usize>], nodes: usize, links: &[SpreadLink]) -> Vec<Vec<usize>> {
    let mut neighbours = vec![Vec::new(); nodes];
    for link in links {
        neighbours[link.from].push(link.to);
        neighbours[link.to].push(link.from);
    }
    let mut order = layers.to_vec();
    let mut position = vec![0.0; nodes];
    let place = |layer: &[usize], position: &mut [f64]| {
        for (row, node) in layer.iter().enumerate() {
            position[*node] = (row as f64 + 0.5) / layer.len() as f64;
        }
    };
    for layer in &order {
        place(layer, &mut position);
    }
    for _ in 0..SWEEPS {
        for layer in &mut order {
            let mut mean: Vec<(f64, usize)> = layer
                .iter()
                .map(|node| {
                    let around = &neighbours[*node];
                    let sum: f64 = around.iter().map(|other| position[*other]).sum();
                    match around.len() {
                        0 => (position[*node], *node),
                        count => (sum / count as f64, *node),
                    }
                })
                .collect();
            mean.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
            *layer = mean.into_iter().map(|(_, node)| node).collect();
            place(layer, &mut position);
        }
    }
    order
}
