//! The content hashes of one program's types and constants.
//!
//! **Rules.** Types are structural: a struct is its fields, whatever its name. A constant is its
//! type and value; one that names a function or a global is the *symbol's* hash, which the pairing
//! of functions and globals gives. Private constant data (`.str.3`) has no name worth the name: it
//! is its type and initialiser.
//!
//! **Cost.** One pass over the interned tables, where children come before parents; one more for
//! each level to which private data points to private data. What points to itself is like nothing
//! in the other program.

use crate::content_hash::{ContentHash, Mixer};
use knockon_program::{
    Body, Constant, ConstantId, GlobalVariable, Linkage, Opcode, Program, Type, TypeId,
};

/// What the symbols of one program are, for the other.
pub(crate) struct Symbols {
    pub(crate) functions: Vec<ContentHash>,
    /// `None`: by content.
    pub(crate) globals: Vec<Option<ContentHash>>,
    /// Unlike everything in the other program.
    pub(crate) unlike: ContentHash,
}

pub(crate) struct Contents {
    types: Vec<ContentHash>,
    constants: Vec<ContentHash>,
}

impl Contents {
    pub(crate) fn type_of(&self, id: TypeId) -> ContentHash {
        self.types[id.index()]
    }

    pub(crate) fn constant(&self, id: ConstantId) -> ContentHash {
        self.constants[id.index()]
    }
}

/// Compared by content rather than by name.
pub(crate) fn is_by_content(global: &GlobalVariable) -> bool {
    global.linkage == Linkage::Private && global.is_constant && global.initialiser.is_some()
}

pub(crate) fn contents(program: &Program, symbols: &Symbols) -> Contents {
    let types = types(program);
    let mut known = Known {
        globals: symbols.globals.clone(),
        aliases: vec![None; program.aliases.len()],
    };
    let mut constants = vec![None; program.constants.len()];
    let mut unknown = usize::MAX;
    loop {
        for (at, constant) in program.constants.rows().iter().enumerate() {
            if constants[at].is_none() {
                let content = of_constant(program, symbols, &types, &constants, &known, constant);
                constants[at] = content;
            }
        }
        for (at, global) in program.globals.iter().enumerate() {
            if known.globals[at].is_none()
                && let Some(initialiser) = global.initialiser
                && let Some(content) = constants[initialiser.index()]
            {
                let mixer = Mixer::new("private").content(types[global.value_type.index()]);
                known.globals[at] = Some(mixer.content(content).finish());
            }
        }
        for (at, alias) in program.aliases.iter().enumerate() {
            if let Some(content) = constants[alias.aliasee.index()] {
                let mixer = Mixer::new("alias").text(program.name(alias.name));
                let mixer = mixer.word(u64::from(alias.is_ifunc)).content(content);
                known.aliases[at] = Some(mixer.finish());
            }
        }
        let left = constants.iter().filter(|content| content.is_none()).count();
        if left == 0 || left == unknown {
            break;
        }
        unknown = left;
    }
    let unlike = |at: usize| {
        let mixer = Mixer::new("unlike").content(symbols.unlike);
        mixer.word(at as u64).finish()
    };
    Contents {
        types,
        constants: constants
            .into_iter()
            .enumerate()
            .map(|(at, content)| content.unwrap_or_else(|| unlike(at)))
            .collect(),
    }
}

struct Known {
    globals: Vec<Option<ContentHash>>,
    aliases: Vec<Option<ContentHash>>,
}

fn types(program: &Program) -> Vec<ContentHash> {
    let layout = Mixer::new("layout").text(&format!("{:?}", program.layout));
    let layout = layout.finish();
    let mut hashes: Vec<ContentHash> = Vec::with_capacity(program.types.len());
    for row in program.types.rows() {
        let mixer = Mixer::new("type").content(layout);
        let mixer = match row {
            Type::Void => mixer.word(0),
            Type::Integer(bits) => mixer.word(1).word(u64::from(*bits)),
            Type::Half => mixer.word(2),
            Type::BFloat => mixer.word(3),
            Type::Float => mixer.word(4),
            Type::Double => mixer.word(5),
            Type::X86Fp80 => mixer.word(6),
            Type::Fp128 => mixer.word(7),
            Type::PpcFp128 => mixer.word(8),
            Type::Pointer(space) => mixer.word(9).word(u64::from(*space)),
            Type::Label => mixer.word(10),
            Type::Token => mixer.word(11),
            Type::Metadata => mixer.word(12),
            Type::X86Mmx => mixer.word(13),
            Type::X86Amx => mixer.word(14),
            Type::Array { element, count } => {
                mixer.word(15).content(hashes[element.index()]).word(*count)
            }
            Type::Vector {
                element,
                count,
                scalable,
            } => {
                let mixer = mixer.word(16).content(hashes[element.index()]);
                mixer.word(*count).word(u64::from(*scalable))
            }
            Type::Struct { fields, packed, .. } => {
                let mixer = mixer.word(17).word(u64::from(*packed));
                let mixer = mixer.word(fields.len() as u64);
                let fields = fields.iter();
                fields.fold(mixer, |mixer, field| mixer.content(hashes[field.index()]))
            }
            Type::Opaque(name) => mixer.word(18).text(program.name(*name)),
            Type::Function {
                result,
                parameters,
                variadic,
            } => {
                let mixer = mixer.word(19).content(hashes[result.index()]);
                let mixer = mixer
                    .word(u64::from(*variadic))
                    .word(parameters.len() as u64);
                let parameters = parameters.iter();
                parameters.fold(mixer, |mixer, row| mixer.content(hashes[row.index()]))
            }
            Type::Target(name) => mixer.word(20).text(program.name(*name)),
        };
        hashes.push(mixer.finish());
    }
    hashes
}

/// The type whose size says how far an address steps: of an array of any length its element, if the
/// first index, which counts whole arrays, is zero.
pub(crate) fn stepped(program: &Program, type_id: TypeId, first: ConstantId) -> TypeId {
    match (program.type_of(type_id), program.constant(first)) {
        (Type::Array { element, .. }, Constant::Integer { bits: 0, .. }) => *element,
        _ => type_id,
    }
}

/// `None` while something that it is made of is not known.
fn of_constant(
    program: &Program,
    symbols: &Symbols,
    types: &[ContentHash],
    constants: &[Option<ContentHash>],
    known: &Known,
    constant: &Constant,
) -> Option<ContentHash> {
    let of_type = |mixer: Mixer, id: &TypeId| mixer.content(types[id.index()]);
    let wide = |mixer: Mixer, bits: u128| mixer.word(bits as u64).word((bits >> 64) as u64);
    let mixer = Mixer::new("constant");
    let mixer = match constant {
        Constant::Integer { type_id, bits } => wide(of_type(mixer.word(0), type_id), *bits),
        Constant::WideInteger { type_id, words } => {
            let mixer = of_type(mixer.word(1), type_id).word(words.len() as u64);
            words.iter().fold(mixer, |mixer, word| mixer.word(*word))
        }
        Constant::Float { type_id, bits } => wide(of_type(mixer.word(2), type_id), *bits),
        Constant::Null(type_id) => of_type(mixer.word(3), type_id),
        Constant::Zero(type_id) => of_type(mixer.word(4), type_id),
        Constant::Undefined(type_id) => of_type(mixer.word(5), type_id),
        Constant::Poison(type_id) => of_type(mixer.word(6), type_id),
        Constant::Aggregate { type_id, elements } => {
            let mut mixer = of_type(mixer.word(7), type_id).word(elements.len() as u64);
            for element in elements {
                mixer = mixer.content(constants[element.index()]?);
            }
            mixer
        }
        Constant::Bytes { type_id, bytes } => of_type(mixer.word(8), type_id).bytes(bytes),
        Constant::Global(global) => mixer.word(9).content(known.globals[global.index()]?),
        Constant::Function(function) => mixer.word(10).content(symbols.functions[function.index()]),
        Constant::Alias(alias) => mixer.word(11).content(known.aliases[alias.index()]?),
        Constant::BlockAddress { function, block } => {
            // A block's number says which block it is only in bodies of one shape.
            let mixer = mixer.word(12).content(symbols.functions[function.index()]);
            let mixer = mixer.word(u64::from(block.0));
            match &program.function(*function).body {
                None => mixer,
                Some(body) => mixer.content(shape(body)),
            }
        }
        Constant::Expression(expression) => {
            let mixer = mixer.word(13).word(expression.opcode as u64);
            let mixer = mixer.word(u64::from(expression.detail));
            let mixer = of_type(mixer, &expression.type_id);
            let element = match (expression.opcode, &expression.operands[..]) {
                (Opcode::GetElementPointer, [_, first, ..]) => {
                    stepped(program, expression.element_type, *first)
                }
                _ => expression.element_type,
            };
            let mixer = mixer.word(u64::from(element != expression.element_type));
            let mixer = of_type(mixer, &element);
            let mut mixer = mixer.word(expression.operands.len() as u64);
            for operand in &expression.operands {
                mixer = mixer.content(constants[operand.index()]?);
            }
            mixer
        }
        Constant::Assembly {
            template,
            constraints,
        } => {
            let mixer = mixer.word(14).text(program.name(*template));
            mixer.text(program.name(*constraints))
        }
        Constant::Metadata(text) => {
            let text = program.name(*text);
            // What the number of a node stands for is not known.
            let number = text.strip_prefix('!')?;
            if number.starts_with(|first: char| first.is_ascii_digit()) {
                return None;
            }
            mixer.word(15).text(text)
        }
    };
    Some(mixer.finish())
}

/// Blocks and opcodes, without values.
fn shape(body: &Body) -> ContentHash {
    let mut mixer = Mixer::new("shape");
    for block in body.block_ids() {
        mixer = mixer.word(u64::from(body.block(block).end.0));
        for next in body.successors(block) {
            mixer = mixer.word(u64::from(next.0));
        }
    }
    for row in &body.instructions {
        mixer = mixer.word(row.opcode as u64);
    }
    mixer.finish()
}
