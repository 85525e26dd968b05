//! **Question.** How does a person see for himself that two versions differ?
//!
//! **Answer.** A C file that includes one of the versions, sets up the input, calls the function and
//! prints what it did. It needs no part of Knockon.

use crate::bridge::{Global, Passing, Returned, Signature, Value, included};
use crate::input::{Argument, Input, Object, ObjectId, Pointer, Stream};
use crate::replay::Witness;
use knockon_change::{Side, Sides};
use knockon_frontend::unit::UnitCommand;
use std::fmt::Write as _;

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

    /// The call in words, with names of objects.
    pub fn call_in_words(&self) -> String {
        let pointer = |pointer: Pointer| match pointer {
            Pointer::Null => "null".to_owned(),
            Pointer::Into { object, offset } => {
                let name = match self.globals.get(object.0 as usize) {
                    Some(global) => format!("&{}", global.name),
                    None => format!("&object {}", object.0),
                };
                match offset {
                    0 => name,
                    offset => format!("{name} + {offset}"),
                }
            }
            Pointer::Stream(stream) => stream_name(stream).to_owned(),
        };
        let input = &self.witness.input;
        let arguments: Vec<String> = input
            .arguments
            .iter()
            .zip(&self.signature.parameters)
            .map(|(argument, value)| match argument {
                Argument::Number(bits) => match value {
                    Value::Float => format!("{:?}", f32::from_bits(*bits as u32)),
                    Value::Double => format!("{:?}", f64::from_bits(*bits)),
                    Value::Integer(_) | Value::Pointer => number(*value, *bits),
                },
                Argument::Pointer(place) => pointer(*place),
            })
            .collect();
        format!("{}({})", self.names.new, arguments.join(", "))
    }

    /// What is given besides the arguments, one row each.
    pub fn given_in_words(&self) -> Vec<String> {
        let input = &self.witness.input;
        let mut rows = Vec::new();
        for object in &input.objects {
            let name = match self.globals.get(object.id.0 as usize) {
                Some(global) => global.name.clone(),
                None => format!("object {}", object.id.0),
            };
            let mut row = format!("{name} is {}", content(&object.bytes));
            for (offset, pointer) in &object.pointers {
                let target = match pointer {
                    Pointer::Null => continue,
                    Pointer::Into { object, .. } => format!("object {}", object.0),
                    Pointer::Stream(stream) => stream_name(*stream).to_owned(),
                };
                let _ = write!(row, ", at {offset} a pointer to {target}");
            }
            rows.push(row);
        }
        if let Some(bytes) = &input.standard_input {
            rows.push(format!("standard input is {}", content(bytes)));
        }
        if !self.externals.is_empty() {
            let results: Vec<String> = input
                .results
                .iter()
                .map(|result| (*result as i64).to_string())
                .collect();
            rows.push(format!(
                "{} return {} in this order",
                self.externals.join(" and "),
                results.join(", ")
            ));
        }
        rows
    }

    /// The file.
    pub fn text(&self, file_name: &str) -> String {
        let flags = |side: Side| -> String {
            let unit = self.units.of(side).first();
            let flags = unit.map_or(&[][..], |unit| &unit.flags);
            flags.iter().fold(String::new(), |all, flag| {
                let is_plain = flag
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_=/.,+:".contains(c));
                match is_plain {
                    true => format!("{all} {flag}"),
                    false => format!("{all} '{}'", flag.replace('\'', "'\\''")),
                }
            })
        };
        let others = |side: Side| -> String {
            let units = self.units.of(side).iter().skip(1);
            units.fold(String::new(), |all, unit| {
                format!("{all} {}", unit.source_path().display())
            })
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
            let _ = writeln!(
                text,
                " *     clang -w -g {sanitizers}{define}{} -o {name} {file_name}{} && ./{name}",
                flags(side),
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
        self.write_externals(&mut text);
        self.write_main(&mut text);
        text
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

/// Rows of one version that the other does not have.
pub fn differing(seen: &Sides<Vec<String>>, side: Side) -> Vec<String> {
    let other = seen.of(side.other());
    let rows = seen.of(side).iter().filter(|row| !other.contains(row));
    let mut rows: Vec<String> = rows.cloned().collect();
    if rows.is_empty() {
        // The same rows, in another order or more often.
        rows = seen.of(side).clone();
    }
    rows
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

/// Text where it is text.
fn content(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let is_text = |byte: &u8| (32..127).contains(byte);
    if !bytes.is_empty() && text.len() < bytes.len() && text.iter().all(is_text) && text.len() > 1 {
        return format!("{:?}", String::from_utf8_lossy(text));
    }
    let mut row = String::new();
    for byte in bytes.iter().take(64) {
        let _ = write!(row, "{byte:02x} ");
    }
    match bytes.len() {
        0 => "empty".to_owned(),
        1..=64 => row.trim_end().to_owned(),
        more => format!("{}… ({more} bytes)", row),
    }
}

const SHOWING: &str = "
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
