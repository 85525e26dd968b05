//! What became of each function?
//!
//! **Rules.** A pair says so itself. A function without a partner was *split off* from another that
//! changed when most of its body is among what that one lost, and was *merged into* one when most
//! of its body is among what that one gained; bodies are compared as in [`crate::similarity`].
//!
//! **Cost.** Added and removed functions times changed ones, bounded.

use crate::content_hash::Mixer;
use crate::contents::{Symbols, contents};
use crate::edits::{Edits, UneditedLines};
use crate::pairing::defining_file;
use crate::similarity::Multiset;
use crate::version_view::VersionView;
use crate::{Change, FunctionPair, PairStatus, Side, Sides, Version};
use knockon_program::{FunctionId, Program};

/// Ids are of the new version, but for those of removed functions and where `from` says old.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionStatus {
    Same(FunctionId),
    Changed(FunctionId),
    Renamed {
        function: FunctionId,
        from: FunctionId,
    },
    Moved {
        function: FunctionId,
        from_file: String,
    },
    Added(FunctionId),
    /// Added; its body comes from a function that changed.
    SplitFrom {
        function: FunctionId,
        from: FunctionId,
    },
    /// An old function.
    Removed(FunctionId),
    /// An old function; its body went into a function that changed.
    MergedInto {
        old: FunctionId,
        into: FunctionId,
    },
}

/// The part of a body that must be found again.
const MOST: f64 = 0.7;
const MOST_COMPARISONS: usize = 20_000;

/// The functions of the new version in order, then the removed ones. What stands for unseen code is
/// none of the program's functions.
pub fn function_statuses(change: &Change, versions: Sides<Version<'_>>) -> Vec<FunctionStatus> {
    let programs = Sides {
        old: versions.old.program,
        new: versions.new.program,
    };
    let nothing = Edits::default();
    let unedited = Sides {
        old: UneditedLines::new(programs.old, &nothing, Side::Old),
        new: UneditedLines::new(programs.new, &nothing, Side::New),
    };
    let contents = Sides {
        old: contents(programs.old, &symbols(change, programs.old, Side::Old)),
        new: contents(programs.new, &symbols(change, programs.new, Side::New)),
    };
    let view = |side: Side| VersionView {
        program: programs.of(side),
        contents: contents.of(side),
        unedited: unedited.of(side),
    };
    let views = Sides {
        old: view(Side::Old),
        new: view(Side::New),
    };
    let lost_and_gained = Sides {
        old: loose_nodes(change, &views, Side::Old),
        new: loose_nodes(change, &views, Side::New),
    };
    let mut found = Vec::new();
    for (function, ..) in programs.new.defined_functions() {
        if programs.new.stands_for_unseen_code(function) {
            continue;
        }
        found.push(match change.pair(Side::New, function) {
            Some(pair) => of_pair(pair, programs),
            None => match origin(&views.new, function, &lost_and_gained.old) {
                None => FunctionStatus::Added(function),
                Some(pair) => FunctionStatus::SplitFrom {
                    function,
                    from: pair.functions.old,
                },
            },
        });
    }
    for (old, ..) in programs.old.defined_functions() {
        if change.pair(Side::Old, old).is_none() && !programs.old.stands_for_unseen_code(old) {
            found.push(match origin(&views.old, old, &lost_and_gained.new) {
                None => FunctionStatus::Removed(old),
                Some(pair) => FunctionStatus::MergedInto {
                    old,
                    into: pair.functions.new,
                },
            });
        }
    }
    found
}

fn of_pair(pair: &FunctionPair, programs: Sides<&Program>) -> FunctionStatus {
    let function = pair.functions.new;
    match pair.status {
        PairStatus::Same => FunctionStatus::Same(function),
        PairStatus::Changed => FunctionStatus::Changed(function),
        PairStatus::Renamed => FunctionStatus::Renamed {
            function,
            from: pair.functions.old,
        },
        PairStatus::Moved => FunctionStatus::Moved {
            function,
            from_file: defining_file(programs.old, pair.functions.old).to_owned(),
        },
    }
}

/// Symbols by pair and by name, good enough to see what is similar.
fn symbols(change: &Change, program: &Program, side: Side) -> Symbols {
    let of_function = |id: FunctionId| {
        let mixer = Mixer::new("function");
        match change.pair_of.of(side)[id.index()] {
            Some(pair) => mixer.word(u64::from(pair.0)).finish(),
            None => mixer.text(program.function_name(id)).finish(),
        }
    };
    let globals = program.globals.iter().map(|global| {
        let mixer = Mixer::new("global").text(program.name(global.name));
        (!crate::contents::is_by_content(global)).then(|| mixer.finish())
    });
    Symbols {
        functions: program.function_ids().map(of_function).collect(),
        globals: globals.collect(),
        unlike: Mixer::new("version").word(side as u64).finish(),
    }
}

/// For each pair that changed the sources of one version.
fn loose_nodes<'a>(
    change: &'a Change,
    views: &Sides<VersionView<'_>>,
    side: Side,
) -> Vec<(&'a FunctionPair, Multiset)> {
    let changed = change.pairs.iter().filter(|pair| !pair.is_without_source());
    changed
        .filter_map(|pair| {
            let view = views.of(side);
            let body = view.program.function(*pair.functions.of(side));
            let body = body.body.as_deref()?;
            let nodes = body
                .instruction_ids()
                .filter(|id| pair.is_source(side, *id));
            Some((pair, Multiset::of_nodes(view, body, nodes)))
        })
        .collect()
}

/// The pair among whose loose nodes most of the function's body is.
fn origin<'a>(
    view: &VersionView<'_>,
    function: FunctionId,
    loose: &[(&'a FunctionPair, Multiset)],
) -> Option<&'a FunctionPair> {
    let body = view.program.function(function).body.as_deref()?;
    let own = Multiset::of_nodes(view, body, body.instruction_ids());
    // Every body returns.
    let needed = (own.len() as f64 * MOST).max(4.0);
    let candidates = loose.iter().take(MOST_COMPARISONS);
    let scored = candidates.map(|(pair, nodes)| (own.common(nodes), *pair));
    let best =
        scored.max_by_key(|(common, pair)| (*common, std::cmp::Reverse(pair.functions.new)))?;
    (best.0 as f64 >= needed).then_some(best.1)
}
