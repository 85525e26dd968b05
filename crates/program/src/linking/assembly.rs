//! What does module-level assembly stand for in the linked program?
//!
//! **Rules.** It is code and data that are not read, so all that is known of it is its text. The text
//! of a unit is the value of a variable that outside code knows ([`MODULE_ASSEMBLY`]): where the text
//! changes, so does what unknown code finds in memory. Beside the text that variable holds the
//! address of every function and variable that the text names, since the assembly can call and
//! access them by their names. A function without a body for which the text has a label is another
//! one for each text: its name says so. It is then no function of the C library either, whatever
//! it is called.
//!
//! **Soundness.** A symbol is named if its name stands in the text as a word. Where words may be put
//! together (macros, escapes, other files), every symbol is.

use crate::{
    AliasId, Constant, ConstantId, FunctionId, GlobalId, GlobalVariable, Linkage, Name, PlaceId,
    Program, Type, UnitId,
};
use std::collections::HashSet;

/// The variable that stands for a unit's assembly.
pub const MODULE_ASSEMBLY: &str = "llvm.module_assembly";

pub(super) fn add_assembly(program: &mut Program) {
    for index in 0..program.units.len() {
        let unit = &program.units[index];
        if unit.has_assembly() {
            let text = program.name(unit.assembly).to_owned();
            add(program, UnitId::from_index(index), &text);
        }
    }
}

fn add(program: &mut Program, unit: UnitId, text: &str) {
    let words = Words::of(text);
    let mut named: Vec<Constant> = Vec::new();
    let sees = |linkage: Linkage, of: UnitId, name: Name| {
        (!linkage.is_local() || of == unit) && words.names(program.name(name))
    };
    for (index, row) in program.functions.iter().enumerate() {
        if sees(row.linkage, row.unit, row.name) && !program.name(row.name).starts_with("llvm.") {
            named.push(Constant::Function(FunctionId::from_index(index)));
        }
    }
    for (index, row) in program.globals.iter().enumerate() {
        if sees(row.linkage, row.unit, row.name) && !program.name(row.name).starts_with("llvm.") {
            named.push(Constant::Global(GlobalId::from_index(index)));
        }
    }
    for (index, row) in program.aliases.iter().enumerate() {
        if sees(row.linkage, row.unit, row.name) {
            named.push(Constant::Alias(AliasId::from_index(index)));
        }
    }
    for constant in &named {
        if let Constant::Function(function) = constant {
            let row = program.function(*function);
            let name = program.name(row.name);
            if row.body.is_none() && words.defines(name) {
                let name = format!("{name} (module assembly {:016x})", digest(text));
                let name = program.names.intern(&name);
                program.functions[function.index()].name = name;
            }
        }
    }
    let byte = program.types.intern(Type::Integer(8));
    let pointer = program.types.intern(Type::Pointer(0));
    let bytes = program.types.intern(Type::Array {
        element: byte,
        count: text.len() as u64,
    });
    let mut fields = vec![bytes];
    let mut elements = vec![program.constants.intern(Constant::Bytes {
        type_id: bytes,
        bytes: text.as_bytes().into(),
    })];
    for constant in named {
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
    let name = program.names.intern(MODULE_ASSEMBLY);
    program.globals.push(GlobalVariable {
        name,
        source_name: Name(0),
        unit,
        linkage: Linkage::Internal,
        value_type,
        initialiser: Some(initialiser),
        is_constant: false,
        is_thread_local: false,
        alignment: 8,
        section: Name(0),
        place: PlaceId(0),
    });
}

/// The words of an assembly text.
struct Words<'t> {
    all: HashSet<&'t str>,
    /// Those that are made labels.
    labels: HashSet<&'t str>,
    /// Other words may be there.
    is_open: bool,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        let mut words = Words {
            all: HashSet::new(),
            labels: HashSet::new(),
            is_open: false,
        };
        for line in text.split(['\n', ';']) {
            let has = |directives: &[&str]| directives.iter().any(|word| line.contains(word));
            // What stands in a string is data.
            let line = match has(&[".ascii", ".asciz", ".string"]) {
                true => line.split('"').next().unwrap_or(line),
                false => line,
            };
            words.is_open |=
                line.contains('\\') || has(&[".include", ".macro", ".altmacro", ".irp"]);
            let makes_symbols = has(&[".set", ".equ", ".comm", ".lcomm", ".symver", ".weakref"]);
            let mut rest = line;
            while let Some(start) = rest.find(is_part) {
                let from = &rest[start..];
                let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
                let word = &from[..end];
                rest = &from[end..];
                let next = rest.trim_start_matches(['"', ' ', '\t']).chars().next();
                if makes_symbols || matches!(next, Some(':' | '=')) {
                    words.labels.insert(word);
                }
                words.all.insert(word);
            }
        }
        words
    }

    fn names(&self, name: &str) -> bool {
        self.is_open || self.all.contains(plain(name))
    }

    fn defines(&self, name: &str) -> bool {
        self.is_open || self.labels.contains(plain(name))
    }
}

/// A character of a symbol.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// Without clang's mark of a symbol that must not be prefixed by the target.
fn plain(name: &str) -> &str {
    name.strip_prefix('\u{1}').unwrap_or(name)
}

/// FNV-1a, which is the same on every machine.
fn digest(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_labels_are_told_from_data_and_macros() {
        let words = Words::of(
            ".globl q\nq: call g; ret\n.set r, h\ns = 4\ntext: .string \"printf\\n\"\n\"odd\": nop",
        );
        for name in ["q", "g", "r", "h", "s", "text", "odd"] {
            assert!(words.names(name), "{name}");
        }
        for name in ["q", "r", "s", "text", "odd"] {
            assert!(words.defines(name), "{name}");
        }
        assert!(!words.defines("g") && !words.names("printf"));
        assert!(Words::of(".macro m n\n\\n: ret\n.endm").defines("anything"));
    }
}
