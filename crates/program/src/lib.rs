//! One version of a program in memory.
//!
//! Everything that Knockon says is said about a [`Program`]: types, constants,
//! globals, functions with their blocks and instructions, and the source place
//! of each. A translation unit is a program too; [`link`] makes one program of
//! many.
//!
//! Rows are plain data behind `u32` ids: an instruction is a fixed-size row,
//! operands are ranges in one pool per function, strings are interned. This
//! crate does no I/O and knows one version only.

mod array_bases;
mod body;
mod caveat;
mod code_digest;
mod constant;
mod function;
mod global;
mod ids;
mod instruction;
mod interned;
mod intrinsic;
mod layout;
mod linkage;
mod linking;
mod names;
mod object_names;
mod observation;
mod opcode_properties;
mod place;
mod time_limit;
mod type_layouts;
mod types;
mod unseen_code;
mod views;

pub use body::{
    Block, Body, ByValueArgument, InstructionRow, Variable, VariableLocation, VariableLocationKind,
};
pub use caveat::{Caveat, CaveatKind};
pub use code_digest::code_digest;
pub use constant::{Constant, Expression};
pub use function::{Function, FunctionAttributes, Meaning, Parameter, ParameterAttributes};
pub use global::{Alias, GlobalVariable, InitialiserEntry};
pub use ids::{
    AliasId, BlockId, ConstantId, FileId, FunctionId, GlobalId, InstructionId, Name, PlaceId,
    TypeId, UnitId, VariableId,
};
pub use instruction::{
    AtomicOperation, Flags, FloatPredicate, Instruction, IntegerPredicate, Opcode, Operand,
};
pub use interned::Interned;
pub use intrinsic::{
    Additive, Intrinsic, Numeric, Reduction, Ring, Signedness, is_compiler_name, name_for_people,
};
pub use layout::DataLayout;
pub use linkage::Linkage;
use linking::LIBRARY_ENTRY;
pub use linking::{
    LibraryNames, UNSEEN_CODE, UnitSymbols, link, link_with, relink_symbols, rename_symbols,
    undefined_symbols, unit_symbols,
};
pub use names::Names;
pub use object_names::{Node, ObjectNames};
pub use observation::{
    CopiedMemory, ObservedMemory, is_copy, is_node, observed_memory, observed_operands,
};
pub use opcode_properties::Extra;
pub use place::{Place, SourceFile};
pub use time_limit::{OutOfTime, TimeLimit};
pub use type_layouts::TypeLayouts;
pub use types::Type;
pub use unseen_code::{Runs, Symbols, UnseenCode};
pub use views::{Binary, Call, Cast, Incoming, View};

use serde::{Deserialize, Serialize};

/// One translation unit, or several linked into one program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    pub names: Names,
    pub types: Interned<Type, TypeId>,
    pub constants: Interned<Constant, ConstantId>,
    pub files: Vec<SourceFile>,
    /// Row 0 is the unknown place.
    pub places: Interned<Place, PlaceId>,
    pub globals: Vec<GlobalVariable>,
    pub functions: Vec<Function>,
    pub aliases: Vec<Alias>,
    pub units: Vec<Unit>,
    /// Run before `main`, in this order (`llvm.global_ctors`).
    pub constructors: Vec<InitialiserEntry>,
    /// Run after `exit`, in this order (`llvm.global_dtors`).
    pub destructors: Vec<InitialiserEntry>,
    pub layout: DataLayout,
    pub caveats: Vec<Caveat>,
    /// Functions that stand for unseen code which runs by itself. Of a linked program only.
    #[serde(skip)]
    pub unseen_entries: Vec<UnseenEntry>,
    /// What unseen code defines, by its plain names, as far as it is known by name. Of a linked
    /// program only.
    #[serde(skip)]
    pub unseen_definitions: Vec<Name>,
    /// The other programs of its build. Of a linked program only.
    #[serde(skip)]
    pub build: BuildContext,
    /// Functions without a body whose code is confined ([`UnseenCode::is_confined`]), ascending. Of
    /// a linked program only.
    #[serde(skip)]
    pub confined: Vec<FunctionId>,
}

/// What a program may start beside itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildContext {
    /// The names of all programs of the build, this one's too.
    pub executables: Vec<String>,
    /// The build says which programs there are.
    pub is_recorded: bool,
    /// Equal only for versions in which the other programs are the same.
    pub others: u64,
}

/// A function that stands for a piece of unseen code, and when it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnseenEntry {
    pub function: FunctionId,
    pub runs: Runs,
}

/// What is known of one translation unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Unit {
    /// The main source file as the compiler was given it.
    pub source: Name,
    pub target_triple: Name,
    /// The compiler that printed it (`!llvm.ident`), or the empty name.
    pub producer: Name,
    /// The text of module-level assembly, or the empty name.
    pub assembly: Name,
    /// Flags of its build that the compiler of the IR was not given, one a line, or the empty name.
    pub unread_flags: Name,
    /// Symbols that only the executable or library that the unit is linked into may name.
    pub hidden: Vec<Name>,
    /// Calls of a function that the unit defines may stay in it, also where another definition counts
    /// elsewhere (`-fno-semantic-interposition`; code that is not made for a library).
    pub binds_itself: bool,
}

impl Unit {
    pub fn has_assembly(&self) -> bool {
        self.assembly != Name(0)
    }
}

impl Program {
    /// An empty program, with the rows that always exist: the empty name and
    /// the unknown place.
    pub fn new() -> Program {
        let mut program = Program::default();
        program.names.intern("");
        program.places.intern(Place::UNKNOWN);
        program
    }

    pub fn name(&self, name: Name) -> &str {
        self.names.text(name)
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn function_name(&self, id: FunctionId) -> &str {
        self.names.text(self.functions[id.index()].name)
    }

    pub fn type_of(&self, id: TypeId) -> &Type {
        self.types.get(id)
    }

    pub fn constant(&self, id: ConstantId) -> &Constant {
        self.constants.get(id)
    }

    pub fn place(&self, id: PlaceId) -> Place {
        *self.places.get(id)
    }

    pub fn file_path(&self, id: FileId) -> &str {
        self.names.text(self.files[id.index()].path)
    }

    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len()).map(FunctionId::from_index)
    }

    /// Functions with a body.
    pub fn defined_functions(&self) -> impl Iterator<Item = (FunctionId, &Function, &Body)> {
        self.functions
            .iter()
            .enumerate()
            .filter_map(|(index, function)| {
                function
                    .body
                    .as_ref()
                    .map(|body| (FunctionId::from_index(index), function, &**body))
            })
    }

    /// Every function with this name: a static function may exist in several units.
    pub fn functions_named(&self, name: &str) -> Vec<FunctionId> {
        match self.names.find(name) {
            None => Vec::new(),
            Some(name) => self
                .function_ids()
                .filter(|id| self.functions[id.index()].name == name)
                .collect(),
        }
    }

    /// The function that a constant denotes when it is called, looking through
    /// aliases and casts; `None` for anything computed at run time.
    pub fn called_function(&self, mut constant: ConstantId) -> Option<FunctionId> {
        // Aliases cannot be cyclic in valid IR; the bound keeps invalid input finite.
        for _ in 0..64 {
            match self.constant(constant) {
                Constant::Function(function) => return Some(*function),
                Constant::Alias(alias) => {
                    let alias = &self.aliases[alias.index()];
                    if alias.is_ifunc {
                        return None;
                    }
                    constant = alias.aliasee;
                }
                Constant::Expression(expression)
                    if matches!(
                        expression.opcode,
                        Opcode::BitCast | Opcode::AddressSpaceCast
                    ) =>
                {
                    constant = expression.operands[0];
                }
                _ => return None,
            }
        }
        None
    }

    /// Of each global variable: whether code that is not here knows its address. It knows what it
    /// defines, what is in a section whose bounds the linker names (`__start_NAME`, `__stop_NAME`:
    /// pointers that begin there lead into each variable of the section), and what stands for unseen
    /// code.
    pub fn known_outside(&self) -> Vec<bool> {
        let bounded: Vec<&str> = self
            .globals
            .iter()
            .filter(|global| global.initialiser.is_none())
            .filter_map(|global| section_bounded_by(self.name(global.name)))
            .collect();
        let is_known = |global: &GlobalVariable| {
            global.initialiser.is_none()
                || bounded.contains(&self.name(global.section))
                || self.name(global.name).starts_with(UNSEEN_CODE)
        };
        self.globals.iter().map(is_known).collect()
    }

    /// The variable stands for code that is not in the IR.
    pub fn is_unseen_code(&self, global: GlobalId) -> bool {
        let name = self.globals[global.index()].name;
        self.name(name).starts_with(UNSEEN_CODE)
    }

    /// Some code of the program is not in the IR.
    pub fn has_unseen_code(&self) -> bool {
        let mut names = self.globals.iter().map(|global| self.name(global.name));
        names.any(|name| name.starts_with(UNSEEN_CODE))
    }

    /// The function stands for code that is not in the IR: it has no lines.
    pub fn stands_for_unseen_code(&self, function: FunctionId) -> bool {
        self.function_name(function).starts_with(UNSEEN_CODE)
    }

    /// The function stands for calls of the library that no call in the program makes.
    pub fn is_library_entry(&self, function: FunctionId) -> bool {
        self.function_name(function).starts_with(LIBRARY_ENTRY)
    }

    pub fn instruction_count(&self) -> usize {
        self.functions
            .iter()
            .filter_map(|function| function.body.as_ref())
            .map(|body| body.instructions.len())
            .sum()
    }
}

/// The section at whose beginning or end the linker puts a symbol of this name.
pub fn section_bounded_by(symbol: &str) -> Option<&str> {
    let name = symbol.strip_prefix("__start_");
    name.or_else(|| symbol.strip_prefix("__stop_"))
}
