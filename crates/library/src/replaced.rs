//! **Question.** Which functions of the library does a program replace by its own, and which calls of
//! the library may therefore enter the program?
//!
//! **Rules.** A function that the library calls by name is replaced if the program defines one of
//! that name which other units can see, itself, as an alias, or in code that is not in the IR. A
//! call of a library function may enter it if the row of that function uses it. Such a call does
//! what its row says, and besides calls the program's function with anything and gets anything from
//! it; where that has no body here, it is a call of unknown code. That the library calls them before
//! `main` and at the end, too, is for the program to say ([`knockon_program::link_with`]).
//!
//! **Soundness.** Of what is linked, one definition of a name is used by all. That a symbol may be
//! hidden from the library is not looked at: a library in an archive finds it all the same.
//!
//! **Cost.** A look at each function that is defined; where none is replaced, nothing after that.

use crate::table::{Library, Row};
use fixedbitset::FixedBitSet;
use knockon_program::{Alias, FunctionId, Linkage, Program};

/// What a program replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Those with a body, ascending.
    pub functions: Vec<FunctionId>,
    /// The numbers of the names, those included that have no body here.
    names: FixedBitSet,
    /// Functions without a body whose calls may enter one of them.
    entering: FixedBitSet,
    /// Of those, the ones that may enter code that is not in the IR.
    entering_unseen: FixedBitSet,
}

impl Replaced {
    /// Whether a call of this function of the library may enter a function that the program defines
    /// in the library's place.
    pub fn may_be_entered_by(&self, external: FunctionId) -> bool {
        self.entering.contains(external.index())
    }

    /// Whether what it enters may be code that is not in the IR.
    pub fn is_unseen_code_entered_by(&self, external: FunctionId) -> bool {
        self.entering_unseen.contains(external.index())
    }

    /// Whether any call may.
    pub fn may_be_entered(&self) -> bool {
        !self.entering.is_clear()
    }

    /// The names of what a function of the library may enter, as numbers of [`Library::replaceable`].
    pub fn entered_by(
        &self,
        library: &Library,
        program: &Program,
        external: FunctionId,
    ) -> FixedBitSet {
        let mut found = self.names.clone();
        match library.row(program.function_name(external)) {
            Some(row) if self.may_be_entered_by(external) => found.intersect_with(&row.uses),
            Some(_) | None => found.clear(),
        }
        found
    }
}

/// What the program replaces.
pub fn replaced_functions(program: &Program, library: &Library) -> Replaced {
    let mut found = Replaced {
        names: FixedBitSet::with_capacity(library.replaceable_count()),
        ..Replaced::default()
    };
    for (id, function, _) in program.defined_functions() {
        if is_seen(function.linkage)
            && let Some(number) = library.replaceable(program.name(function.name))
        {
            found.names.insert(number as usize);
            found.functions.push(id);
        }
    }
    for alias in &program.aliases {
        if is_seen(alias.linkage)
            && let Some(number) = library.replaceable(program.name(alias.name))
        {
            found.names.insert(number as usize);
            found.functions.extend(entered_through(program, alias));
        }
    }
    let mut unseen = FixedBitSet::with_capacity(library.replaceable_count());
    for name in &program.unseen_definitions {
        if let Some(number) = library.replaceable(program.name(*name)) {
            unseen.insert(number as usize);
        }
    }
    found.names.union_with(&unseen);
    found.functions.sort_unstable();
    found.functions.dedup();
    if found.names.is_clear() {
        return found;
    }
    let entering = |names: &FixedBitSet| -> FixedBitSet {
        let enters = |row: &Row| !row.uses.is_disjoint(names);
        let functions = program.functions.iter().enumerate();
        functions
            .filter(|(_, function)| function.body.is_none())
            .filter(|(_, function)| library.row(program.name(function.name)).is_some_and(enters))
            .map(|(number, _)| number)
            .collect()
    };
    found.entering = entering(&found.names);
    found.entering_unseen = entering(&unseen);
    found
}

/// Other units see the definition, and it is one.
fn is_seen(linkage: Linkage) -> bool {
    !linkage.is_local() && linkage != Linkage::AvailableExternally
}

/// The functions with a body that a symbol stands for. Of one that is chosen when the program is
/// loaded, that is each whose address may be returned: all functions of the unit are assumed.
fn entered_through(program: &Program, alias: &Alias) -> Vec<FunctionId> {
    match program.called_function(alias.aliasee) {
        Some(function) if !alias.is_ifunc => match program.function(function).body {
            Some(_) => vec![function],
            None => Vec::new(),
        },
        Some(_) | None => {
            let defined = program.defined_functions();
            let of_unit = defined.filter(|(_, function, _)| function.unit == alias.unit);
            of_unit.map(|(id, ..)| id).collect()
        }
    }
}
