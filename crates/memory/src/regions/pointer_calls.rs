//! Which functions do calls through pointers enter too often for each call to have its own copy?
//!
//! A call copies the objects of each function that it may enter. In a program that keeps all its
//! function pointers in memory that is not told apart, each call through a pointer may enter each
//! of them, and the copies grow with calls times functions (half a million of them in sqlite3).
//! Beyond a bound, the functions of the calls with the most targets share with all functions what
//! they are given and give back; entering them is cheap then. Sharing only ever makes regions
//! larger, so this is sound; it is said as the caveat `coarse-memory`.

use super::solving::Solver;
use knockon_program::{Caveat, CaveatKind, FunctionId, Name, PlaceId};

/// The most pairs of a call with several targets and one of them.
const MOST_PAIRS: usize = 1 << 15;

impl Solver<'_> {
    /// Marks functions to be shared until so few pairs are left, those of the calls with the most
    /// targets first.
    pub(crate) fn share_at_pointer_calls(&mut self) {
        let calls = self.calls;
        let mut sites: Vec<&[FunctionId]> = (0..calls.targets.row_count())
            .map(|site| calls.targets.of(site))
            .filter(|targets| targets.len() > 1)
            .collect();
        sites.sort_by_key(|targets| std::cmp::Reverse(targets.len()));
        let mut pairs: usize = sites.iter().map(|targets| targets.len()).sum();
        let mut functions = 0;
        for targets in sites {
            if pairs <= MOST_PAIRS {
                break;
            }
            pairs -= targets.len();
            for target in targets {
                let cells = &mut self.functions[target.index()];
                functions += usize::from(!cells.is_shared);
                cells.is_shared = true;
            }
        }
        if functions > 0 {
            self.caveats.push(Caveat {
                kind: CaveatKind::CoarseMemory,
                function: Name::default(),
                place: PlaceId(0),
                message: format!(
                    "the memory that {functions} functions reach, which are called through \
                     pointers, is not told apart between their callers"
                ),
            });
        }
    }
}
