//! Which row of the linked program each unit's symbol becomes.

use super::tables::Maps;
use crate::{
    Alias, AliasId, Caveat, CaveatKind, ConstantId, Function, FunctionAttributes, FunctionId,
    GlobalId, GlobalVariable, Linkage, Meaning, Name, PlaceId, Program, TypeId, UnitId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Global(GlobalId),
    Function(FunctionId),
    Alias(AliasId),
}

/// For each symbol of each unit, numbered through: its row in the program, and
/// whether its content is what fills that row.
pub(super) struct Resolution {
    targets: Vec<Kind>,
    wins: Vec<bool>,
}

impl Resolution {
    pub fn target(&self, symbol: usize) -> Kind {
        self.targets[symbol]
    }

    pub fn winner_row(&self, symbol: usize) -> Option<Kind> {
        self.wins[symbol].then(|| self.targets[symbol])
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Declaration,
    InlineOnly,
    /// With the size, so that the larger common definition wins.
    Weak(u64),
    Strong,
}

struct Symbol {
    name: Name,
    local: bool,
    strength: Strength,
    kind: Kind,
    unit: usize,
}

fn strength(linkage: Linkage, defined: bool, size: u64) -> Strength {
    match linkage {
        _ if !defined => Strength::Declaration,
        Linkage::AvailableExternally => Strength::InlineOnly,
        Linkage::Common => Strength::Weak(size),
        linkage if linkage.is_weak_definition() => Strength::Weak(0),
        _ => Strength::Strong,
    }
}

pub(super) fn resolve(program: &mut Program, units: &[Program], maps: &[Maps]) -> Resolution {
    let mut symbols: Vec<Symbol> = Vec::new();
    for (unit, (content, maps)) in units.iter().zip(maps).enumerate() {
        let mut add = |name, linkage: Linkage, defined, size, kind| {
            symbols.push(Symbol {
                name: maps.name(name),
                local: linkage.is_local() || linkage == Linkage::Appending,
                strength: strength(linkage, defined, size),
                kind,
                unit,
            });
        };
        for (index, global) in content.globals.iter().enumerate() {
            add(
                global.name,
                global.linkage,
                global.initialiser.is_some(),
                content.size_of(global.value_type),
                Kind::Global(GlobalId::from_index(index)),
            );
        }
        for (index, function) in content.functions.iter().enumerate() {
            let kind = Kind::Function(FunctionId::from_index(index));
            add(
                function.name,
                function.linkage,
                function.body.is_some(),
                0,
                kind,
            );
        }
        for (index, alias) in content.aliases.iter().enumerate() {
            let kind = Kind::Alias(AliasId::from_index(index));
            add(alias.name, alias.linkage, true, 0, kind);
        }
    }

    let mut winners: FxHashMap<Name, usize> = FxHashMap::default();
    // By unit whose definitions are used and unit whose are not.
    let mut duplicates: BTreeMap<(usize, usize), Vec<Name>> = BTreeMap::new();
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.local {
            continue;
        }
        let winner = winners.entry(symbol.name).or_insert(index);
        let best = &symbols[*winner];
        if *winner != index
            && symbol.strength == Strength::Strong
            && best.strength == Strength::Strong
        {
            let units = (best.unit, symbol.unit);
            duplicates.entry(units).or_default().push(symbol.name);
        }
        if symbol.strength > best.strength {
            *winner = index;
        }
    }
    for (of_units, names) in duplicates {
        let caveat = duplicate_definitions(program, units, of_units, &names);
        program.caveats.push(caveat);
    }

    // Rows are numbered by first appearance, so that ids follow unit order.
    let mut rows: FxHashMap<Name, Kind> = FxHashMap::default();
    let mut targets = Vec::with_capacity(symbols.len());
    let mut wins = Vec::with_capacity(symbols.len());
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.local {
            targets.push(new_row(program, symbol.kind));
            wins.push(true);
        } else {
            let winner = winners[&symbol.name];
            let row = *rows
                .entry(symbol.name)
                .or_insert_with(|| new_row(program, symbols[winner].kind));
            targets.push(row);
            wins.push(winner == index);
        }
    }
    Resolution { targets, wins }
}

/// One caveat for all names that two units both define.
fn duplicate_definitions(
    program: &Program,
    units: &[Program],
    (used, unused): (usize, usize),
    names: &[Name],
) -> Caveat {
    let source = |unit: usize| {
        let unit = &units[unit];
        let row = unit.units.first();
        row.map_or("?", |row| unit.name(row.source))
    };
    let (used, unused) = (source(used), source(unused));
    let first = program.names.text(names[0]);
    let message = match names.len() - 1 {
        0 => format!("{first} is defined in {used} and in {unused}; the first is used"),
        more => format!(
            "{first} and {more} other names are defined in {used} and in {unused}; the first are used"
        ),
    };
    Caveat {
        kind: CaveatKind::DuplicateDefinition,
        function: names[0],
        place: PlaceId(0),
        message,
    }
}

/// An empty row of the same kind, to be filled by the winner.
fn new_row(program: &mut Program, kind: Kind) -> Kind {
    match kind {
        Kind::Global(_) => {
            program.globals.push(GlobalVariable {
                name: Name(0),
                source_name: Name(0),
                unit: UnitId(0),
                linkage: Linkage::External,
                value_type: TypeId(0),
                initialiser: None,
                is_constant: false,
                is_thread_local: false,
                alignment: 0,
                section: Name(0),
                place: PlaceId(0),
            });
            Kind::Global(GlobalId::from_index(program.globals.len() - 1))
        }
        Kind::Function(_) => {
            program.functions.push(Function {
                name: Name(0),
                source_name: Name(0),
                unit: UnitId(0),
                linkage: Linkage::External,
                type_id: TypeId(0),
                parameters: Box::new([]),
                attributes: FunctionAttributes::default(),
                meaning: Meaning::default(),
                place: PlaceId(0),
                body: None,
            });
            Kind::Function(FunctionId::from_index(program.functions.len() - 1))
        }
        Kind::Alias(_) => {
            program.aliases.push(Alias {
                name: Name(0),
                unit: UnitId(0),
                linkage: Linkage::External,
                value_type: TypeId(0),
                aliasee: ConstantId(0),
                is_ifunc: false,
            });
            Kind::Alias(AliasId::from_index(program.aliases.len() - 1))
        }
    }
}
