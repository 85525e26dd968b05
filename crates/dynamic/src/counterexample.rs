//! **Question.** How does a person see for himself that two versions differ?
//!
//! **Answer.** A C file that includes one of the versions, sets up the input, calls the function and
//! prints what it did, and beside it the code of both versions with all that they include: the files
//! need no part of Knockon, and stay what they are when the working tree changes.

mod showing;
mod words;

use crate::bridge::{External, Global, Passing, Returned, Signature, Value, c_type, included};
use crate::input::{Argument, Input, Object, ObjectId, Pointer, Stream};
use crate::replay::{Missing, Witness};
use knockon_build::unit::{MACRO_NAMES, UnitCommand};
use knockon_change::{Side, Sides};
use std::fmt::Write as _;
use std::path::Path;
pub use words::differing;

/// What the file is about.
pub struct Example<'a> {
    pub names: &'a Sides<String>,
    pub units: &'a Sides<Vec<UnitCommand>>,
    /// By unit its text, with what it includes.
    pub texts: &'a Sides<Vec<String>>,
    pub signature: &'a Signature,
    pub globals: &'a [Global],
    /// By parameter of the new version: that of the old one.
    pub new_arguments: &'a [u32],
    pub externals: &'a [External],
    /// What other functions of the units name and nothing defines.
    pub missing: &'a Sides<Missing>,
    /// The compiler that was used.
    pub clang: &'a Path,
    pub witness: &'a Witness,
}

/// Where the text of a unit lies beside the example.
fn unit_file(example: &str, side: Side, number: usize) -> String {
    let stem = example.strip_suffix(".c").unwrap_or(example);
    let side = match side {
        Side::Old => "old",
        Side::New => "new",
    };
    match number {
        0 => format!("{stem}-{side}.c"),
        number => format!("{stem}-{side}-{number}.c"),
    }
}

/// The flags of a unit whose text holds what it includes: files are not included once more.
fn flags_of_whole_text(flags: &[String]) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "-include" | "-imacros" => {
                flags.next();
            }
            flag if flag.starts_with("-include") || flag.starts_with("-imacros") => {}
            flag if flag.starts_with(MACRO_NAMES) => {}
            flag => kept.push(flag),
        }
    }
    kept
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

    /// Texts by path: the example first, which is at `file_name`.
    pub fn files(&self, file_name: &str) -> Vec<(String, String)> {
        let mut files = vec![(file_name.to_owned(), self.text(file_name))];
        for side in Side::BOTH {
            let texts = self.texts.of(side).iter().enumerate();
            files.extend(
                texts.map(|(number, text)| (unit_file(file_name, side, number), text.clone())),
            );
        }
        files
    }

    fn text(&self, file_name: &str) -> String {
        let flags = |side: Side| -> String {
            let unit = self.units.of(side).first();
            let flags = unit.map_or(&[][..], |unit| &unit.flags);
            let flags = flags_of_whole_text(flags).into_iter();
            flags.map(|flag| format!(" {}", quoted(flag))).collect()
        };
        let others = |side: Side| -> String {
            let numbers = 1..self.units.of(side).len();
            let paths = numbers.map(|number| unit_file(file_name, side, number));
            paths.map(|path| format!(" {}", quoted(&path))).collect()
        };
        let mut text = format!(
            "/* {} does not do the same in both versions.\n *\n",
            self.names.new
        );
        // As on the runs. A function that is called by registers is of another type than it is called
        // as.
        let sanitizers = match self.signature.passing {
            Passing::Declared => "-fsanitize=address,undefined -fno-sanitize=shift-base",
            Passing::Registers(_) => {
                "-fsanitize=address,undefined -fno-sanitize=shift-base,function"
            }
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
            let unit = unit_file(file_name, side, 0);
            let beside = Path::new(&unit).file_name().unwrap_or_default();
            text.push_str(&included(Path::new(beside)));
        }
        text.push_str("#endif\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
        let fresh = self.fresh_objects().count();
        let (known, all) = (self.globals.len(), self.globals.len() + fresh);
        let _ = writeln!(
            text,
            "\nenum {{ KNOWN_GLOBALS = {known}, KNOWN_GIVEN = {fresh}, KNOWN_OBJECTS = {all} }};"
        );
        text.push_str(showing::SHOWING);
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
        text.push_str(showing::RESULTS);
        for (number, external) in self.externals.iter().enumerate() {
            let name = &external.name;
            let result = external.result.map_or("void", c_type);
            let declared = external.declared("a");
            let _ = writeln!(
                text,
                "{result} external_{number}({declared}) __asm__(\"{name}\");\n\
                 __attribute__((used)) {result} external_{number}({declared})\n{{\n    \
                 printf(\"calls {name}(\");"
            );
            for (at, value) in external.parameters.iter().enumerate() {
                let _ = match value {
                    Some(Value::Pointer) => {
                        writeln!(text, "    printf(\" \");\n    show_pointer(a{at});")
                    }
                    Some(Value::Float | Value::Double) => {
                        writeln!(text, "    printf(\" %.17g\", (double)a{at});")
                    }
                    _ => writeln!(text, "    printf(\" %lld\", (long long)a{at});"),
                };
            }
            text.push_str("    printf(\" )\\n\");\n");
            text.push_str(match external.result {
                None => "}\n",
                Some(Some(Value::Pointer)) => "    return next_pointer();\n}\n",
                Some(_) => "    return next_number();\n}\n",
            });
        }
    }

    fn fresh_objects(&self) -> impl Iterator<Item = &Object> {
        let known = self.globals.len();
        let objects = self.witness.input.objects.iter();
        objects.filter(move |object| object.id.0 as usize >= known)
    }

    /// What the function allocated, where the result or a variable leads to its beginning.
    fn write_allocated(&self, text: &mut String, side: Side) {
        let rows = self.witness.seen.of(side);
        let first = self.globals.len() + self.fresh_objects().count();
        let allocated = |row: &String, before: &str| {
            let number = row.strip_prefix(before)?.strip_prefix("&object ")?;
            let number: usize = number.parse().ok().filter(|number| *number >= first)?;
            let is_freed = rows.contains(&format!("object {number}:freed"));
            (!is_freed).then_some(number)
        };
        let mut show = |number: usize, place: &str| {
            let size = format!("malloc_usable_size((void *){place})");
            let _ = writeln!(text, "    show(\"object {number}\", {place}, {size}, 0);");
        };
        for row in rows {
            if let Some(number) = allocated(row, "returns ") {
                show(number, "result");
            }
            for (at, global) in self.globals.iter().enumerate() {
                if let Some(number) = allocated(row, &format!("global {at}: "))
                    && global.size == 8
                {
                    show(number, &format!("*(void **)&{}", global.name));
                }
            }
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
        for object in self.fresh_objects() {
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
        for (number, global) in self.globals.iter().enumerate() {
            let (name, size) = (&global.name, global.size);
            let place = self.object_name(ObjectId(number as u32));
            let _ = writeln!(
                text,
                "    know_object({number}, \"{name}\", {place}, {size});"
            );
        }
        for (number, object) in self.fresh_objects().enumerate() {
            let (number, id) = (self.globals.len() + number, object.id.0);
            let (place, size) = (self.object_name(object.id), object.bytes.len());
            let _ = writeln!(
                text,
                "    know_object({number}, \"object {id}\", {place}, {size});"
            );
        }
        for (side, condition) in [(Side::New, "#ifdef NEW\n"), (Side::Old, "#else\n")] {
            let call = self.call(side);
            let statement = match self.signature.returns {
                Returned::Nothing => format!("    {call};\n"),
                Returned::Pointer => format!(
                    "    const void *result = {call};\n    printf(\"returns \");\n    \
                     show_pointer(result);\n    printf(\"\\n\");\n"
                ),
                Returned::Number => format!(
                    "    __auto_type result = {call};\n    {}show_number(&result, sizeof result);\n",
                    self.signature.clearing("result")
                ),
                Returned::Floating => format!(
                    "    __auto_type result = {call};\n    show_floating(&result, sizeof result);\n"
                ),
            };
            text.push_str(condition);
            text.push_str(&statement);
            self.write_allocated(text, side);
        }
        text.push_str("#endif\n");
        for (number, global) in self.globals.iter().enumerate() {
            if !global.is_constant {
                let (name, size) = (&global.name, global.size);
                let place = self.object_name(ObjectId(number as u32));
                let _ = writeln!(
                    text,
                    "    show(\"{name}\", {place}, {size}, IS_FLOATING({name}));"
                );
            }
        }
        let freed = |object: &Object| {
            let row = format!("object {}:freed", object.id.0);
            self.witness.seen.old.contains(&row) || self.witness.seen.new.contains(&row)
        };
        for object in self.fresh_objects() {
            if !freed(object) {
                let (id, size) = (object.id.0, object.bytes.len());
                let _ = writeln!(text, "    show(\"object {id}\", object_{id}, {size}, 0);");
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
