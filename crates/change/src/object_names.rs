//! Under which names do the runs of two versions observe objects? What is paired has one name in both,
//! what is not has a name that the other version never uses.
//!
//! An allocation is named by its call path, so the places of calls have names too. Two runs then observe
//! equal pointers where they point to paired objects at equal offsets (DESIGN §5).
//!
//! **Cost.** Linear in the instructions of both versions.

use crate::content_hash::Mixer;
use crate::{Change, NodeMap, Side, Sides};
use knockon_program::{FunctionId, GlobalId, InstructionId, Node, ObjectNames, Opcode, Program};

/// The names for the runs of both versions.
pub fn object_names(programs: Sides<&Program>, change: &Change) -> Sides<ObjectNames> {
    Sides {
        old: names(programs, change, Side::Old),
        new: names(programs, change, Side::New),
    }
}

fn names(programs: Sides<&Program>, change: &Change, side: Side) -> ObjectNames {
    let program = *programs.of(side);
    let salt = match side {
        Side::Old => 1,
        Side::New => 2,
    };
    let mut names = ObjectNames {
        salt,
        ..ObjectNames::default()
    };
    for (function, _, body) in program.defined_functions() {
        let Some(pair) = change.pair_of.of(side)[function.index()] else {
            let name = mixed([salt, 0xadded, u64::from(function.0)]);
            names.functions.insert(function, name);
            continue;
        };
        let paired = &change.pairs[pair.0 as usize];
        let pair = u64::from(pair.0) + 1;
        names.functions.insert(function, mixed([pair, 0xf]));
        for id in body.instruction_ids() {
            let row = body.instruction(id);
            if (row.opcode.is_call() || row.opcode == Opcode::Alloca)
                && let Some(number) = number_in_new(&paired.nodes, side, id)
            {
                let name = mixed([pair, 0xa, u64::from(number.0)]);
                names.sites.insert((function, id), name);
            }
        }
        for parameter in 0..program.function(function).parameters.len() as u32 {
            let number = match side {
                Side::New => Some(parameter),
                Side::Old => paired.partner_of_parameter(side, parameter),
            };
            let name = match number {
                Some(number) => u64::from(number),
                None => mixed([salt, u64::from(parameter)]),
            };
            names.parameters.insert((function, parameter), name);
        }
    }
    name_statics(programs, change, side, &mut names);
    names
}

/// The static variables of a renamed function carry its name in front of theirs: in the new version
/// the new name, or the old one where the command gave it back to them.
fn name_statics<'a>(
    programs: Sides<&'a Program>,
    change: &Change,
    side: Side,
    names: &mut ObjectNames,
) {
    let program = *programs.of(side);
    for pair in &change.pairs {
        let name = program.function_name(*pair.functions.of(side));
        let other = programs.of(side.other());
        let renamed = other.function_name(*pair.functions.of(side.other()));
        if name == renamed {
            continue;
        }
        let key = mixed([u64::from(pair.functions.new.0), 0x57a7]);
        let has_old_names = side == Side::New && program.functions_named(renamed).is_empty();
        let behind =
            |symbol: &'a str, function: &str| symbol.strip_prefix(function)?.strip_prefix('.');
        for (index, global) in program.globals.iter().enumerate() {
            let symbol = program.name(global.name);
            let given_back = || behind(symbol, renamed).filter(|_| has_old_names);
            let inner = behind(symbol, name).or_else(given_back);
            if let Some(inner) = inner {
                let letters = inner.bytes().map(u64::from);
                let words: Vec<u64> = std::iter::once(key).chain(letters).collect();
                let id = GlobalId::from_index(index);
                names.globals.insert(id, mixed(words));
            }
        }
    }
}

/// The node's number in the new version, if it has a partner there.
fn number_in_new(map: &NodeMap, side: Side, node: InstructionId) -> Option<InstructionId> {
    match (map, side) {
        (NodeMap::Identity, _) => Some(node),
        (NodeMap::Partial { new_of_old, .. }, Side::Old) => new_of_old[node.index()],
        (NodeMap::Partial { old_of_new, .. }, Side::New) => old_of_new[node.index()].map(|_| node),
    }
}

/// All pairs of nodes, new ones first.
pub fn paired_nodes<'a>(
    change: &'a Change,
    program: &'a Program,
) -> impl Iterator<Item = (Node, Node)> + 'a {
    program.defined_functions().flat_map(move |(new, _, body)| {
        let pair = change.pair(Side::New, new);
        body.instruction_ids().filter_map(move |id| {
            let pair = pair?;
            let old: FunctionId = pair.functions.old;
            let partner = pair.partner_of_node(Side::New, id)?;
            Some(((new, id), (old, partner)))
        })
    })
}

fn mixed(words: impl IntoIterator<Item = u64>) -> u64 {
    let mixer = words.into_iter().fold(Mixer::new("name"), Mixer::word);
    mixer.finish().token()
}
