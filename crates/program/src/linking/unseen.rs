//! What does code that is not in the IR stand for in the linked program?
//!
//! **Rules.** Each piece is a variable that outside code knows ([`UNSEEN_CODE`]). It holds the piece's
//! content, so that another content is another first value of it, and the address of every function
//! and variable that the piece mentions, since it can call and access them by their names. A function
//! without a body that the piece defines is another one for each content: its name says so. It is
//! then no function of the C library either, whatever it is called. Where the piece may run by itself,
//! a function without lines stands for that: its body calls the piece.
//!
//! Inline assembly is such a piece, too, without a content of its own: its text is an operand of the
//! call.
//!
//! **Soundness.** Everything that follows from pointers then follows for names: what is mentioned
//! escapes, and unknown code reads, writes and calls what escaped.
//!
//! **Cost.** For each piece one look at each symbol.

use super::LibraryNames;
use super::library_entry::add_library_entry;
use crate::unseen_code::plain;
use crate::{
    AliasId, Body, Constant, ConstantId, Flags, Function, FunctionAttributes, FunctionId, GlobalId,
    GlobalVariable, InitialiserEntry, InstructionRow, Linkage, Meaning, Name, Opcode, Operand,
    PlaceId, Program, Runs, Symbols, Type, TypeId, UnitId, UnseenCode, UnseenEntry,
    is_compiler_name,
};
use std::collections::BTreeSet;

/// The names of what stands for unseen code begin with this.
pub const UNSEEN_CODE: &str = "unseen code: ";

pub(super) fn add_unseen_code(
    program: &mut Program,
    pieces: &[UnseenCode],
    library: LibraryNames<'_>,
) {
    for index in 0..program.units.len() {
        let unit = &program.units[index];
        if unit.has_assembly() {
            let source = program.name(unit.source);
            let text = program.name(unit.assembly);
            let piece = UnseenCode::of_assembly(&format!("the assembly of {source}"), text)
                .registered(library.registered_runs);
            add(program, &piece, |unit| unit == UnitId::from_index(index));
        }
    }
    if let Some(piece) = inline_assembly(program) {
        add(program, &piece, |_| true);
    }
    for piece in pieces {
        add(program, piece, |_| false);
    }
    add_library_entry(program, library.is_replaceable);
    let running = |runs: fn(&UnseenEntry) -> bool| -> Vec<FunctionId> {
        let entries = program.unseen_entries.iter().filter(|row| runs(row));
        entries.map(|row| row.function).collect()
    };
    let (first, last) = (
        running(|row| row.runs.at_start),
        running(|row| row.runs.at_end),
    );
    program.confined.sort_unstable();
    between(&mut program.constructors, &first);
    between(&mut program.destructors, &last);
}

/// What the texts of inline assembly mention, together.
fn inline_assembly(program: &Program) -> Option<UnseenCode> {
    let mut templates: BTreeSet<&str> = BTreeSet::new();
    for constant in program.constants.rows() {
        if let Constant::Assembly { template, .. } = constant {
            templates.insert(program.name(*template));
        }
    }
    let mut names = BTreeSet::new();
    for template in templates {
        match UnseenCode::of_assembly("", template).mentions {
            Symbols::All => return Some(inline_piece(Symbols::All)),
            Symbols::These(words) => names.extend(words),
        }
    }
    (!names.is_empty()).then(|| inline_piece(Symbols::These(names)))
}

fn inline_piece(mentions: Symbols) -> UnseenCode {
    UnseenCode {
        name: "inline assembly".to_owned(),
        content: Vec::new(),
        mentions,
        defines: Symbols::none(),
        runs: Runs::default(),
        is_confined: false,
    }
}

/// `sees_locals` says of which units the piece sees the local symbols.
fn add(program: &mut Program, piece: &UnseenCode, sees_locals: impl Fn(UnitId) -> bool) {
    let mentioned = mentioned_symbols(program, piece, sees_locals);
    let is_inline = piece.content.is_empty();
    if is_inline && mentioned.is_empty() {
        return;
    }
    let content = content(program, piece, &mentioned);
    rename_defined(program, piece);
    let byte = program.types.intern(Type::Integer(8));
    let pointer = program.types.intern(Type::Pointer(0));
    let bytes = program.types.intern(Type::Array {
        element: byte,
        count: content.len() as u64,
    });
    let mut fields = vec![bytes];
    let mut elements = vec![program.constants.intern(Constant::Bytes {
        type_id: bytes,
        bytes: content.into(),
    })];
    for constant in mentioned {
        fields.push(pointer);
        elements.push(program.constants.intern(constant));
    }
    let value_type = program.types.intern(Type::Struct {
        name: Name(0),
        fields: fields.into(),
        packed: false,
    });
    let initialiser: ConstantId = program.constants.intern(Constant::Aggregate {
        type_id: value_type,
        elements: elements.into(),
    });
    let name = program
        .names
        .intern(&format!("{UNSEEN_CODE}{}", piece.name));
    program.globals.push(GlobalVariable {
        name,
        source_name: Name(0),
        unit: UnitId(0),
        linkage: Linkage::Internal,
        value_type,
        initialiser: Some(initialiser),
        is_constant: false,
        is_thread_local: false,
        alignment: 8,
        section: Name(0),
        place: PlaceId(0),
    });
    if !piece.runs.is_never() {
        add_entry(program, piece, name);
    }
}

fn mentioned_symbols(
    program: &Program,
    piece: &UnseenCode,
    sees_locals: impl Fn(UnitId) -> bool,
) -> Vec<Constant> {
    let sees = |linkage: Linkage, unit: UnitId, name: Name| {
        let name = program.name(name);
        (!linkage.is_local() || sees_locals(unit))
            && !is_compiler_name(name)
            && !name.starts_with(UNSEEN_CODE)
            && piece.mentions.contains(name)
    };
    let functions = program.functions.iter().enumerate();
    let functions = functions
        .filter(|(_, row)| sees(row.linkage, row.unit, row.name))
        .map(|(index, _)| Constant::Function(FunctionId::from_index(index)));
    let globals = program.globals.iter().enumerate();
    let globals = globals
        .filter(|(_, row)| sees(row.linkage, row.unit, row.name))
        .map(|(index, _)| Constant::Global(GlobalId::from_index(index)));
    let aliases = program.aliases.iter().enumerate();
    let aliases = aliases
        .filter(|(_, row)| sees(row.linkage, row.unit, row.name))
        .map(|(index, _)| Constant::Alias(AliasId::from_index(index)));
    functions.chain(globals).chain(aliases).collect()
}

/// The piece's own content. Of mentions that are known by name also which of them the program
/// defines: a reference that now finds a definition makes other code of the same bytes.
fn content(program: &Program, piece: &UnseenCode, mentioned: &[Constant]) -> Vec<u8> {
    let mut content = piece.content.clone();
    if matches!(piece.mentions, Symbols::All) {
        return content;
    }
    let name = |constant: &Constant| match constant {
        Constant::Function(id) => {
            let row = program.function(*id);
            row.body.is_some().then(|| program.name(row.name))
        }
        Constant::Global(id) => {
            let row = &program.globals[id.index()];
            row.initialiser.is_some().then(|| program.name(row.name))
        }
        Constant::Alias(id) => Some(program.name(program.aliases[id.index()].name)),
        _ => None,
    };
    let names: BTreeSet<&str> = mentioned.iter().filter_map(name).collect();
    for name in names {
        content.push(0);
        content.extend_from_slice(name.as_bytes());
    }
    content
}

/// What the program only declares and the piece defines is the piece's own.
fn rename_defined(program: &mut Program, piece: &UnseenCode) {
    if let Symbols::These(names) = &piece.defines {
        for name in names {
            let name = program.names.intern(name);
            program.unseen_definitions.push(name);
        }
    }
    for index in 0..program.functions.len() {
        let row = &program.functions[index];
        let name = program.name(row.name);
        let is_named = row.body.is_none()
            && !is_compiler_name(name)
            && !name.starts_with(UNSEEN_CODE)
            && !is_renamed(name)
            && piece.defines.contains(name);
        if !is_named {
            continue;
        }
        let plain_name = plain(name);
        let renamed = format!("{plain_name} ({}, {:016x})", piece.name, piece.digest());
        let renamed = program.names.intern(&renamed);
        program.functions[index].name = renamed;
        if piece.is_confined {
            program.confined.push(FunctionId::from_index(index));
        }
    }
}

/// A piece before this one defines it.
fn is_renamed(name: &str) -> bool {
    name.ends_with(')') && name.contains(" (")
}

/// A function that runs when the piece may do so by itself, and calls it.
fn add_entry(program: &mut Program, piece: &UnseenCode, name: Name) {
    let void = program.types.intern(Type::Void);
    let type_id = program.types.intern(Type::Function {
        result: void,
        parameters: Box::new([]),
        variadic: false,
    });
    let called = format!("{UNSEEN_CODE}{} {:016x}", piece.name, piece.digest());
    let called = program.names.intern(&called);
    let called = add_function(program, called, type_id, None);
    let callee = program.constants.intern(Constant::Function(called));
    let row = |opcode: Opcode, extra: u32| InstructionRow {
        opcode,
        detail: 0,
        flags: Flags::NONE,
        type_id: void,
        extra,
        place: PlaceId(0),
    };
    let mut body = Body::default();
    body.begin_block(Name(0));
    body.push(row(Opcode::Call, type_id.0), [Operand::Constant(callee)]);
    body.push(row(Opcode::Return, 0), []);
    let name = program.name(name).to_owned();
    add_entries(program, &name, piece.runs, |program, name| {
        add_function(program, name, type_id, Some(Box::new(body.clone())))
    });
}

/// One function for each time at which the code runs: what it does at the end does not come before
/// `main`.
pub(super) fn add_entries(
    program: &mut Program,
    name: &str,
    runs: Runs,
    add: impl Fn(&mut Program, Name) -> FunctionId,
) {
    let none = Runs::default();
    let (at_start, at_end, any_time) = (runs.at_start, runs.at_end, runs.any_time);
    let times = [
        ("", Runs { any_time, ..none }),
        (" before main", Runs { at_start, ..none }),
        (" at the end", Runs { at_end, ..none }),
    ];
    for (when, runs) in times {
        if !runs.is_never() {
            let name = program.names.intern(&format!("{name}{when}"));
            let function = add(program, name);
            program.unseen_entries.push(UnseenEntry { function, runs });
        }
    }
}

/// In which place among the others they run is not known, nor in which order: each runs in each
/// place, after and before each of them.
fn between(entries: &mut Vec<InitialiserEntry>, unseen: &[FunctionId]) {
    let rounds = if unseen.len() > 1 { 2 } else { 1 };
    let run_all = |priority: u32| {
        let all = (0..rounds).flat_map(|_| unseen);
        all.map(move |function| InitialiserEntry {
            priority,
            function: *function,
        })
    };
    if unseen.is_empty() {
        return;
    }
    let known = std::mem::take(entries);
    entries.extend(run_all(0));
    for entry in known {
        entries.push(entry);
        entries.extend(run_all(entry.priority));
    }
}

pub(super) fn add_function(
    program: &mut Program,
    name: Name,
    type_id: TypeId,
    body: Option<Box<Body>>,
) -> FunctionId {
    let linkage = match body {
        Some(_) => Linkage::Internal,
        None => Linkage::External,
    };
    program.functions.push(Function {
        name,
        source_name: Name(0),
        unit: UnitId(0),
        linkage,
        type_id,
        parameters: Box::new([]),
        attributes: FunctionAttributes::default(),
        meaning: Meaning::default(),
        place: PlaceId(0),
        body,
    });
    FunctionId::from_index(program.functions.len() - 1)
}
