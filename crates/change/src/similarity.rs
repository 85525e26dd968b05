//! Which bodies are nearly the same?
//!
//! **Rules.** A body is the multiset of its instructions' contents, operands counted only where
//! they are constants. The similarity of two bodies is twice the size of the intersection over the
//! sum of the sizes (Dice). Pairs of at least [`LEAST`] are taken, the most similar first.
//!
//! **Cost.** All pairs of what is left over, while these are at most [`MOST_COMPARISONS`]; beyond
//! that only functions of one type are compared, and of those the first so many.

use crate::content_hash::Mixer;
use crate::version_view::VersionView;
use crate::{Side, Sides};
use knockon_program::{Body, FunctionId, InstructionId, Operand};

/// The least similarity of a pair.
const LEAST: f64 = 0.6;
/// A body below this size says too little.
const SMALLEST: usize = 6;
const MOST_COMPARISONS: usize = 40_000;

/// Tokens, ascending.
pub(crate) struct Multiset(Vec<u64>);

impl Multiset {
    pub(crate) fn of_nodes(
        view: &VersionView<'_>,
        body: &Body,
        nodes: impl Iterator<Item = InstructionId>,
    ) -> Multiset {
        let mut tokens: Vec<u64> = nodes.map(|id| token(view, body, id)).collect();
        tokens.sort_unstable();
        Multiset(tokens)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The size of the intersection.
    pub(crate) fn common(&self, other: &Multiset) -> usize {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut common = 0;
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => {
                    left.next();
                }
                std::cmp::Ordering::Greater => {
                    right.next();
                }
                std::cmp::Ordering::Equal => {
                    common += 1;
                    left.next();
                    right.next();
                }
            }
        }
        common
    }

    fn similarity(&self, other: &Multiset) -> f64 {
        2.0 * self.common(other) as f64 / (self.len() + other.len()).max(1) as f64
    }
}

fn token(view: &VersionView<'_>, body: &Body, id: InstructionId) -> u64 {
    let mut mixer = view.row(Mixer::new("token"), body, id);
    for operand in body.operands(id) {
        if let Operand::Constant(constant) = operand {
            mixer = mixer.content(view.contents.constant(*constant));
        }
    }
    mixer.finish().token()
}

pub(crate) fn pair_similar(
    views: &Sides<VersionView<'_>>,
    left: &Sides<Vec<FunctionId>>,
) -> Vec<(FunctionId, FunctionId)> {
    let multisets = |side: Side| -> Vec<Multiset> {
        let view = views.of(side);
        let bodies = left.of(side).iter();
        bodies
            .map(|id| match &view.program.function(*id).body {
                None => Multiset(Vec::new()),
                Some(body) => Multiset::of_nodes(view, body, body.instruction_ids()),
            })
            .collect()
    };
    let (old, new) = (multisets(Side::Old), multisets(Side::New));
    let type_of = |side: Side, at: usize| {
        let view = views.of(side);
        let function = view.program.function(left.of(side)[at]);
        view.contents.type_of(function.type_id)
    };
    let only_one_type = old.len() * new.len() > MOST_COMPARISONS;
    let mut compared = 0;
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    for at in 0..old.len() {
        for there in 0..new.len() {
            let too_small = old[at].len() < SMALLEST || new[there].len() < SMALLEST;
            if too_small
                || only_one_type && type_of(Side::Old, at) != type_of(Side::New, there)
                || compared == MOST_COMPARISONS
            {
                continue;
            }
            compared += 1;
            let similarity = old[at].similarity(&new[there]);
            if similarity >= LEAST {
                found.push((similarity, at, there));
            }
        }
    }
    found.sort_by(|one, two| {
        let places = (one.1, one.2).cmp(&(two.1, two.2));
        two.0.total_cmp(&one.0).then(places)
    });
    let mut taken = Sides {
        old: vec![false; old.len()],
        new: vec![false; new.len()],
    };
    let mut pairs = Vec::new();
    for (_, at, there) in found {
        if !taken.old[at] && !taken.new[there] {
            taken.old[at] = true;
            taken.new[there] = true;
            pairs.push((left.old[at], left.new[there]));
        }
    }
    pairs
}
