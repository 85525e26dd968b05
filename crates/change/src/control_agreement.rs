//! Is it decided by the same outcomes of the same branches whether two nodes run?
//!
//! **Rules.** The outcomes that control a node are those of the segmented flow's control dependence
//! ([`knockon_graphs::control_dependence`]), the entry among them, written with the branches of the new version. A call
//! cuts a block when it, or its partner, may not return: if that changed, the change is in what is
//! called, and the dependence on the call carries it. Where a controlling branch is a source, so
//! does the dependence on the branch.
//!
//! **Cost.** Each set of outcomes is written once and then compared by number.

use crate::agreement::{BodyPair, Sources};
use crate::{Side, Sides};
use fixedbitset::FixedBitSet;
use knockon_graphs::{
    ControlDependence, ControlFlow, ControllingEdge, SegmentId, SegmentedFlow, control_dependence,
    control_flow, segmented_flow,
};
use knockon_program::{BlockId, InstructionId};
use rustc_hash::FxHashMap;

/// A set of outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct OutcomesId(u32);

/// The outcome that is not a branch's: the body is entered.
const ENTRY: (u32, u32) = (u32::MAX, 0);

/// One way into a phi.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhiRow<T> {
    outcomes: OutcomesId,
    /// The new version's end of the block that it comes from, or its only one's if it has no
    /// partner.
    end: Option<InstructionId>,
    pub(crate) value: T,
}

pub(crate) struct Control<'a> {
    pair: &'a BodyPair<'a>,
    sources: Sources,
    sides: Sides<OneSide>,
    numbers: FxHashMap<Vec<(u32, u32)>, OutcomesId>,
}

struct OneSide {
    blocks: ControlFlow,
    flow: SegmentedFlow,
    dependence: ControlDependence,
    segment_of: Vec<SegmentId>,
    block_of: Vec<BlockId>,
    /// By segment; `None` inside: a branch among them is a source.
    outcomes: Vec<Option<Option<OutcomesId>>>,
    of_edges: FxHashMap<(BlockId, BlockId), Option<OutcomesId>>,
}

impl<'a> Control<'a> {
    /// With the sources so far.
    pub(crate) fn new(pair: &'a BodyPair<'a>, sources: &Sources) -> Control<'a> {
        let may_leave = |side: Side, id: InstructionId| {
            let memory = pair.memory.of(side);
            let site = memory.calls.site_of(*pair.functions.of(side), id);
            site.is_some_and(|site| memory.mod_ref.call_may_not_return(&memory.calls, site))
        };
        let one_side = |side: Side| {
            let body = *pair.bodies.of(side);
            let blocks = control_flow(body);
            let flow = segmented_flow(body, &blocks, |id| {
                let partner = pair.matching.partner(side, id);
                may_leave(side, id) || partner.is_some_and(|id| may_leave(side.other(), id))
            });
            let mut segment_of = Vec::with_capacity(body.instructions.len());
            for (at, segment) in flow.segments.iter().enumerate() {
                segment_of.resize(segment.end.index(), SegmentId::from(at));
            }
            OneSide {
                outcomes: vec![None; flow.segments.len()],
                dependence: control_dependence(&flow),
                segment_of,
                block_of: body.block_of_each_instruction(),
                of_edges: FxHashMap::default(),
                blocks,
                flow,
            }
        };
        Control {
            pair,
            sources: sources.clone(),
            sides: Sides {
                old: one_side(Side::Old),
                new: one_side(Side::New),
            },
            numbers: FxHashMap::default(),
        }
    }

    pub(crate) fn agrees(&mut self, old: InstructionId, new: InstructionId) -> bool {
        if self.is_reachable(Side::Old, old) != self.is_reachable(Side::New, new) {
            return false;
        }
        let here = self.of_node(Side::Old, old);
        let there = self.of_node(Side::New, new);
        here.is_none() || there.is_none() || here == there
    }

    pub(crate) fn is_reachable(&self, side: Side, node: InstructionId) -> bool {
        let one = self.sides.of(side);
        one.blocks.is_reachable(one.block_of[node.index()])
    }

    fn of_node(&mut self, side: Side, node: InstructionId) -> Option<OutcomesId> {
        let one = self.sides.of(side);
        let segment = one.segment_of[node.index()];
        if let Some(known) = one.outcomes[usize::from(segment)] {
            return known;
        }
        let edges = one.dependence.controlling(segment).to_vec();
        let found = self.number(side, &edges, one.dependence.runs_on_entry(segment));
        self.sides.of_mut(side).outcomes[usize::from(segment)] = Some(found);
        found
    }

    fn of_edge(&mut self, side: Side, from: BlockId, to: BlockId) -> Option<OutcomesId> {
        let one = self.sides.of(side);
        if let Some(known) = one.of_edges.get(&(from, to)) {
            return *known;
        }
        let edges = one.dependence.controlling_edge(&one.flow, from, to);
        let last = one.flow.last_of(from);
        let found = self.number(side, &edges, one.dependence.runs_on_entry(last));
        self.sides.of_mut(side).of_edges.insert((from, to), found);
        found
    }

    /// `None` when a branch is a source.
    fn number(
        &mut self,
        side: Side,
        edges: &[ControllingEdge],
        runs_on_entry: bool,
    ) -> Option<OutcomesId> {
        let mut set = Vec::with_capacity(edges.len() + 1);
        if runs_on_entry {
            set.push(ENTRY);
        }
        for edge in edges {
            if self.sources.contains(side, edge.branch) {
                return None;
            }
            let branch = match side {
                Side::New => edge.branch,
                Side::Old => self.pair.matching.partner(side, edge.branch)?,
            };
            set.push((branch.0, edge.successor));
        }
        set.sort_unstable();
        set.dedup();
        let next = OutcomesId(self.numbers.len() as u32);
        Some(*self.numbers.entry(set).or_insert(next))
    }

    /// The ways into the phi's block that can be taken; `None` when a source decides on one.
    pub(crate) fn rows<T>(
        &mut self,
        side: Side,
        phi: InstructionId,
        rows: Vec<(BlockId, T)>,
    ) -> Option<Vec<PhiRow<T>>> {
        let block = self.sides.of(side).block_of[phi.index()];
        self.rows_into(side, block, rows)
    }

    pub(crate) fn rows_into<T>(
        &mut self,
        side: Side,
        block: BlockId,
        rows: Vec<(BlockId, T)>,
    ) -> Option<Vec<PhiRow<T>>> {
        let mut found = Vec::with_capacity(rows.len());
        for (from, value) in rows {
            if !self.sides.of(side).blocks.is_reachable(from) {
                continue;
            }
            let end = self.pair.bodies.of(side).terminator(from);
            found.push(PhiRow {
                outcomes: self.of_edge(side, from, block)?,
                end: match side {
                    Side::New => Some(end),
                    Side::Old => self.pair.matching.partner(side, end),
                },
                value,
            });
        }
        Some(found)
    }

    /// The values that belong together: of rows with the same outcomes, and where several have
    /// them, with the same end of the block. `None` when a row has no counterpart.
    pub(crate) fn matched_rows<T: Copy + PartialEq>(
        &self,
        old: &[PhiRow<T>],
        new: &[PhiRow<T>],
    ) -> Option<Vec<(T, T)>> {
        let mut groups: FxHashMap<OutcomesId, [Vec<PhiRow<T>>; 2]> = FxHashMap::default();
        for (at, rows) in [old, new].into_iter().enumerate() {
            for row in rows {
                groups.entry(row.outcomes).or_default()[at].push(*row);
            }
        }
        let mut matched = Vec::new();
        for [here, there] in groups.into_values() {
            let first = (here.first()?, there.first()?);
            let all_same = here.iter().all(|row| row.value == first.0.value)
                && there.iter().all(|row| row.value == first.1.value);
            if all_same {
                matched.push((first.0.value, first.1.value));
                continue;
            }
            for row in &there {
                here.iter().find(|other| other.end == row.end)?;
            }
            for row in &here {
                let other = there.iter().find(|other| other.end == row.end)?;
                matched.push((row.value, other.value));
            }
        }
        Some(matched)
    }

    /// The nodes that run or not as a source decides, directly or through other branches.
    pub(crate) fn decided_by_sources(&self, sources: &Sources, side: Side) -> FixedBitSet {
        let one = self.sides.of(side);
        let mut decided = FixedBitSet::with_capacity(one.flow.segments.len());
        let segments = (0..one.flow.segments.len()).map(SegmentId::from);
        let mut work: Vec<SegmentId> = segments
            .filter(|segment| sources.contains(side, one.flow.segment(*segment).last()))
            .collect();
        while let Some(segment) = work.pop() {
            for (_, next) in one.dependence.controlled(segment) {
                if !decided.put(usize::from(*next)) {
                    work.push(*next);
                }
            }
        }
        let mut nodes = FixedBitSet::with_capacity(one.segment_of.len());
        for (node, segment) in one.segment_of.iter().enumerate() {
            nodes.set(node, decided.contains(usize::from(*segment)));
        }
        nodes
    }
}
