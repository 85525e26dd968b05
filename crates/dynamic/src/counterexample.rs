//! **Question.** How does a person see for himself that two versions differ?
//!
//! **Answer.** A C file that includes one of the versions, sets up the input, calls the function and
//! prints what it did. It needs no part of Knockon.

mod words;

use crate::bridge::{Global, Passing, Returned, Signature, Value, included};
use crate::input::{Argument, Input, Object, ObjectId, Pointer, Stream};
use crate::replay::{Missing, Witness};
use knockon_change::{Side, Sides};
use knockon_frontend::unit::{MACRO_NAMES, UnitCommand};
use std::fmt::Write as _;
use std::path::Path;
pub use words::differing;

/// What the file is about.
pub struct Example<'a> {
    pub names: &'a Sides<String>,
    pub units: &'a Sides<Vec<UnitCommand>>,
    pub signature: &'a Signature,
    pub globals: &'a [Global],
    /// By parameter of the new version: that of the old one.
    pub new_arguments: &'a [u32],
    /// Functions that no one defines, with their C result type.
    pub externals: &'a [String],
    /// What other functions of the units name and nothing defines.
    pub missing: &'a Sides<Missing>,
    /// The compiler that was used.
    pub clang: &'a Path,
    pub witness: &'a Witness,
}

impl Example<'_> {
    fn object_name(&self, id: ObjectId) -> String {
        match self.globals.get(id.0 as usize) {
            Some(global) => format!("((unsigned char *)&{})", global.name),
            None => format!("object_{}", id.0),
        }
    }

    fn pointer(&self, pointer: Pointer) -> String {
        match pointer {
            Pointer::Null => "0".to_owned(),
            Pointer::Into { object, offset: 0 } => format!("(void *){}", self.object_name(object)),
            Pointer::Into { object, offset } => {
                format!("(void *)({} + {offset})", self.object_name(object))
            }
            Pointer::Stream(stream) => stream_name(stream).to_owned(),
        }
    }

    /// The call in C, as one version is called.
    fn call(&self, side: Side) -> String {
        let given = &self.witness.input.arguments;
        let order: Vec<u32> = match side {
            Side::Old => (0..given.len() as u32).collect(),
            Side::New => self.new_arguments.to_vec(),
        };
        let arguments: Vec<String> = order
            .iter()
            .filter_map(|old| {
                let value = self.signature.parameters.get(*old as usize)?;
                Some(match given.get(*old as usize)? {
                    Argument::Number(bits) => number(*value, *bits),
                    Argument::Pointer(pointer) => self.pointer(*pointer),
                })
            })
            .collect();
        let parameters = &self.signature.parameters;
        let own = order.iter().filter_map(|old| parameters.get(*old as usize));
        let callee = self.signature.callee(self.names.of(side), own.copied());
        format!("{callee}({})", arguments.join(", "))
    }

    /// The file.
    pub fn text(&self, file_name: &str) -> String {
        let flags = |side: Side| -> String {
            let unit = self.units.of(side).first();
            let flags = unit.map_or(&[][..], |unit| &unit.flags);
            let flags = flags.iter().filter(|flag| !flag.starts_with(MACRO_NAMES));
            flags.map(|flag| format!(" {}", quoted(flag))).collect()
        };
        let others = |side: Side| -> String {
            let units = self.units.of(side).iter().skip(1);
            let paths = units.map(|unit| unit.source_path().to_string_lossy().into_owned());
            paths.map(|path| format!(" {}", quoted(&path))).collect()
        };
        let mut text = format!(
            "/* {} does not do the same in both versions.\n *\n",
            self.names.new
        );
        // A function that is called by registers is of another type than it is called as.
        let sanitizers = match self.signature.passing {
            Passing::Declared => "-fsanitize=address,undefined",
            Passing::Registers(_) => "-fsanitize=address,undefined -fno-sanitize=function",
        };
        for (side, name, define) in [(Side::Old, "old", ""), (Side::New, "new", " -DNEW")] {
            // A directory may have the name of a version.
            let program = format!(
                "{}-{name}",
                file_name.strip_suffix(".c").unwrap_or(file_name)
            );
            let run = match Path::new(&program).is_absolute() {
                true => quoted(&program),
                false => quoted(&format!("./{program}")),
            };
            let _ = writeln!(
                text,
                " *     {} -w -g {sanitizers}{define}{} -o {} {}{} && {run}",
                quoted(&self.clang.to_string_lossy()),
                flags(side),
                quoted(&program),
                quoted(file_name),
                others(side)
            );
        }
        text.push_str(" *\n");
        for (side, name) in [(Side::Old, "old"), (Side::New, "new")] {
            for row in differing(&self.witness.seen, side) {
                let row = row.replace("*/", "* /");
                let _ = writeln!(text, " * {name}: {row}");
            }
        }
        text.push_str(" */\n");
        for (side, condition) in [(Side::New, "#ifdef NEW\n"), (Side::Old, "#else\n")] {
            text.push_str(condition);
            if let Some(unit) = self.units.of(side).first() {
                text.push_str(&included(&unit.source_path()));
            }
        }
        text.push_str("#endif\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
        text.push_str(SHOWING);
        self.write_missing(&mut text);
        self.write_externals(&mut text);
        self.write_main(&mut text);
        text
    }

    /// The call does not come there.
    fn write_missing(&self, text: &mut String) {
        let Sides { old, new } = self.missing;
        for (missing, condition) in match old == new {
            true => vec![(old, "")],
            false => vec![(new, "#ifdef NEW\n"), (old, "#ifndef NEW\n")],
        } {
            if missing.is_empty() {
                continue;
            }
            let _ = write!(text, "\n/* Other functions name these. */\n{condition}");
            for (number, (name, size)) in missing.iter().enumerate() {
                let _ = match size {
                    0 => writeln!(
                        text,
                        "void missing_{number}(void) __asm__(\"{name}\");\n\
                         __attribute__((used)) void missing_{number}(void) {{ abort(); }}"
                    ),
                    _ => writeln!(
                        text,
                        "__attribute__((used, aligned(16))) unsigned char missing_{number}[{size}] \
                         __asm__(\"{name}\");"
                    ),
                };
            }
            if !condition.is_empty() {
                text.push_str("#endif\n");
            }
        }
    }

    fn write_externals(&self, text: &mut String) {
        if self.externals.is_empty() {
            return;
        }
        let results: Vec<String> = self
            .witness
            .input
            .results
            .iter()
            .map(|result| format!("{}L", *result as i64))
            .collect();
        let _ = writeln!(
            text,
            "\nstatic long results[] = {{ {} }};\nstatic unsigned next_result;",
            results
                .join(", ")
                .replace("-9223372036854775808L", "(-9223372036854775807L - 1)")
        );
        for (number, name) in self.externals.iter().enumerate() {
            let _ = writeln!(
                text,
                "long external_{number}(long a, long b, long c) __asm__(\"{name}\");\n\
                 __attribute__((used)) long external_{number}(long a, long b, long c)\n{{\n    \
                 printf(\"calls {name}\\n\");\n    \
                 return results[next_result++ % (sizeof results / sizeof *results)];\n}}"
            );
        }
    }

    fn write_main(&self, text: &mut String) {
        let input: &Input = &self.witness.input;
        if input.standard_input.is_some() {
            // Where a unit asks for C alone, no header declares it.
            text.push_str("\nFILE *fmemopen(void *, size_t, const char *);\n");
        }
        text.push_str("\nint main(void)\n{\n");
        match input.standard_input.as_deref() {
            None => {}
            Some([]) => text.push_str("    stdin = fopen(\"/dev/null\", \"r\");\n"),
            Some(bytes) => {
                let (bytes, size) = (listed(bytes), bytes.len());
                let _ = writeln!(
                    text,
                    "    stdin = fmemopen((unsigned char[]){{{bytes}}}, {size}, \"r\");"
                );
            }
        }
        let fresh = |object: &&Object| object.id.0 as usize >= self.globals.len();
        for object in input.objects.iter().filter(fresh) {
            let _ = writeln!(
                text,
                "    unsigned char *object_{} = malloc({});",
                object.id.0,
                object.bytes.len().max(1)
            );
        }
        for object in &input.objects {
            let name = self.object_name(object.id);
            if !object.bytes.is_empty() {
                let _ = writeln!(
                    text,
                    "    memcpy({name}, (unsigned char[]){{{}}}, {});",
                    listed(&object.bytes),
                    object.bytes.len()
                );
            }
            for (offset, pointer) in &object.pointers {
                let pointer = self.pointer(*pointer);
                let _ = writeln!(text, "    *(void **)({name} + {offset}) = {pointer};");
            }
        }
        for (side, condition) in [(Side::New, "#ifdef NEW\n"), (Side::Old, "#else\n")] {
            let call = self.call(side);
            let statement = match self.signature.returns {
                Returned::Nothing => format!("    {call};\n"),
                Returned::Pointer => format!(
                    "    const void *result = {call};\n    printf(\"returns %s\\n\", result ? \"a pointer\" : \"null\");\n"
                ),
                Returned::Number | Returned::Floating => format!(
                    "    __auto_type result = {call};\n    {}show(\"returns\", &result, sizeof result);\n",
                    self.signature.clearing("result")
                ),
            };
            text.push_str(condition);
            text.push_str(&statement);
        }
        text.push_str("#endif\n");
        for (number, global) in self.globals.iter().enumerate() {
            if !global.is_constant {
                let _ = writeln!(
                    text,
                    "    show(\"{}\", {}, {});",
                    global.name,
                    self.object_name(ObjectId(number as u32)),
                    global.size
                );
            }
        }
        let freed = |object: &Object| {
            let row = format!("object {}:freed", object.id.0);
            self.witness.seen.old.contains(&row) || self.witness.seen.new.contains(&row)
        };
        for object in input.objects.iter().filter(fresh) {
            if !freed(object) {
                let (id, size) = (object.id.0, object.bytes.len());
                let _ = writeln!(text, "    show(\"object {id}\", object_{id}, {size});");
            }
        }
        text.push_str("    return 0;\n}\n");
    }
}

fn number(value: Value, bits: u64) -> String {
    match value {
        Value::Integer(1) => (bits & 1).to_string(),
        Value::Integer(width) if width < 64 => {
            let shift = 64 - width;
            (((bits << shift) as i64) >> shift).to_string()
        }
        Value::Integer(_) | Value::Pointer => match bits as i64 {
            i64::MIN => "(-9223372036854775807L - 1)".to_owned(),
            number => format!("{number}L"),
        },
        Value::Float => format!("*(float *)&(unsigned){{{bits}u}}"),
        Value::Double => format!("*(double *)&(unsigned long){{{bits}ul}}"),
    }
}

/// A word of a command line, inside of a comment.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=/.,+:".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''").replace("*/", "*'/'")),
    }
}

fn stream_name(stream: Stream) -> &'static str {
    match stream {
        Stream::Input => "stdin",
        Stream::Output => "stdout",
    }
}

fn listed(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
    bytes.join(",")
}

const SHOWING: &str = "
/* The input is not freed. */
const char *__asan_default_options(void) { return \"detect_leaks=0\"; }

static void show(const char *name, const void *bytes, unsigned long size)
{
    long long number = 0;
    printf(\"%s\", name);
    for (unsigned long i = 0; i < size; i++)
        printf(\" %02x\", ((const unsigned char *)bytes)[i]);
    if (size && size <= 8) {
        memcpy(&number, bytes, size);
        printf(\" (%lld)\", number);
    }
    printf(\"\\n\");
}
";
