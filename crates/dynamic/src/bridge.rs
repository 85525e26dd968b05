//! **Question.** How is a function of a unit called from outside, be it static or not, and without
//! knowing its types?
//!
//! **Rules.** The unit's text is included, and behind it stands a function that calls the one in
//! question with numbers and `void *`, which C converts to any parameter's type. Functions that are
//! declared, called and defined nowhere get a definition under another name with the symbol's own
//! name (`asm`), which notes the call and returns a number of the input. Global variables are
//! reached by their names.

mod externals;
mod signature;
mod variables;

pub use externals::{External, not_to_be_replaced, undefined_functions};
pub(crate) use signature::c_type;
pub use signature::{
    NotCallable, Passing, RENAMED_MAIN, Returned, Signature, Value, by_registers, callable_name,
    signature,
};
pub use variables::{Global, is_defined, shared_globals};

use crate::padding::Padding;
use crate::shapes::Shapes;
use knockon_program::Program;
use std::fmt::Write as _;
use std::path::Path;

/// One version's function, to be called.
pub struct Bridge<'a> {
    pub program: &'a Program,
    /// The function's name in the source.
    pub name: &'a str,
    /// The unit's source.
    pub source: &'a Path,
    pub shapes: &'a Shapes,
    pub signature: &'a Signature,
    pub globals: &'a [Global],
    /// By own parameter: which argument of the input it gets.
    pub arguments: &'a [u32],
    /// What functions of characters may be given, from this on.
    pub least_character: i32,
}

impl Bridge<'_> {
    /// The C text.
    pub fn text(&self) -> String {
        let mut text = included(self.source);
        text.push_str(DECLARATIONS);
        self.write_shapes(&mut text);
        self.write_globals(&mut text);
        self.write_externals(&mut text);
        let arguments: Vec<String> = self
            .arguments
            .iter()
            .enumerate()
            .map(|(own, given)| match self.signature.parameters[own] {
                Value::Integer(_) => format!("knockon_a[{given}]"),
                Value::Float => format!("*(float *)&knockon_a[{given}]"),
                Value::Double => format!("*(double *)&knockon_a[{given}]"),
                Value::Pointer => format!("(void *)knockon_a[{given}]"),
            })
            .collect();
        let parameters = self.signature.parameters.iter().copied();
        let callee = self.signature.callee(self.name, parameters);
        // Through a pointer that nobody can see through: the function is entered, not inlined.
        let pointer = format!("__typeof__(&*{callee}) volatile knockon_f = {callee};");
        let call = format!("knockon_f({})", arguments.join(", "));
        let shape = self.shapes.result.map_or(-1, |shape| i64::from(shape.0));
        let body = match self.signature.returns {
            Returned::Nothing => format!("{call};"),
            Returned::Pointer => format!("knockon_result_pointer((const void *){call}, {shape});"),
            Returned::Number => format!(
                "__auto_type knockon_r = {call}; {}knockon_result(&knockon_r, sizeof knockon_r);",
                self.signature.clearing("knockon_r")
            ),
            Returned::Floating => format!(
                "__auto_type knockon_r = {call}; \
                 knockon_result_floating(&knockon_r, sizeof knockon_r);"
            ),
        };
        let _ = writeln!(
            text,
            "const int knockon_least_character = {};",
            self.least_character
        );
        let _ = writeln!(
            text,
            "void knockon_call(const unsigned long *knockon_a) {{ {pointer} {body} }}"
        );
        text
    }

    fn write_shapes(&self, text: &mut String) {
        let mut first = 0;
        text.push_str("const struct knockon_shape knockon_shapes[] = {\n");
        for shape in &self.shapes.rows {
            let count = shape.fields.len();
            let _ = writeln!(text, "{{{}, {first}, {count}}},", shape.stride);
            first += count;
        }
        text.push_str("{0, 0, 0}};\nconst struct knockon_field knockon_fields[] = {\n");
        for (offset, field) in self.shapes.rows.iter().flat_map(|shape| &shape.fields) {
            let pointee = field.pointee.map_or(-1, |shape| i64::from(shape.0));
            let (size, count) = (field.size, field.count);
            let _ = writeln!(text, "{{{offset}, {size}, {count}, {pointee}}},");
        }
        text.push_str("{0, 0, 0, -1}};\n");
    }

    fn write_globals(&self, text: &mut String) {
        text.push_str("const struct knockon_global knockon_globals[] = {\n");
        for global in self.globals {
            let _ = writeln!(
                text,
                "{{(void *)&{0}, sizeof {0}, {1}, {2}}},",
                global.name,
                global.shape.0,
                u8::from(global.is_constant)
            );
        }
        let count = self.globals.len();
        let _ = writeln!(
            text,
            "{{0, 0, -1, 1}}}};\nconst unsigned long knockon_global_count = {count};"
        );
    }

    fn write_externals(&self, text: &mut String) {
        for (number, global) in self.globals.iter().enumerate() {
            if !is_defined(self.program, &global.name) {
                let _ = writeln!(
                    text,
                    "__attribute__((used, aligned(16))) unsigned char knockon_variable_{number}[{}] \
                     __asm__(\"{}\");",
                    global.size.max(1),
                    global.name
                );
            }
        }
        for (number, (name, function)) in undefined_functions(self.program, self.shapes)
            .into_iter()
            .enumerate()
        {
            let external = External::of(self.program, name.clone(), function);
            let (values, returned) = (&external.parameters, external.result);
            let declared = external.declared("knockon_a");
            let result = returned.map_or("void", c_type);
            let _ = writeln!(
                text,
                "{result} knockon_external_{number}({declared}) __asm__(\"{name}\");\n\
                 __attribute__((used)) {result} knockon_external_{number}({declared}) {{\n\
                 knockon_called(\"{name}\");"
            );
            let shapes = &self.shapes.externals[&name];
            for (at, value) in values.iter().enumerate() {
                let shape = shapes.get(at).copied().flatten();
                let shape = shape.map_or(-1, |shape| i64::from(shape.0));
                let _ = match value {
                    Some(Value::Pointer) => {
                        writeln!(text, "knockon_called_with_pointer(knockon_a{at}, {shape});")
                    }
                    Some(Value::Float | Value::Double) => {
                        writeln!(text, "knockon_called_with_floating(knockon_a{at});")
                    }
                    _ => {
                        let padding = self.shapes.padding.get(&(name.clone(), at));
                        let padding = padding.copied().unwrap_or_default();
                        let (mask, value) = (value_bits(padding), format!("knockon_a{at}"));
                        writeln!(text, "knockon_called_with_number({value} & {mask:#x}ul);")
                    }
                };
            }
            text.push_str("knockon_called_done();\n");
            text.push_str(match returned {
                None => "}\n",
                Some(Some(Value::Pointer)) => "return knockon_next_pointer(); }\n",
                Some(_) => "return knockon_next_number(); }\n",
            });
        }
    }
}

/// The bits of a number that are not padding.
fn value_bits(padding: Padding) -> u64 {
    let bytes = (0..8).filter(|byte| padding >> byte & 1 == 0);
    bytes.fold(0, |all, byte| all | 0xff << (8 * byte))
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && characters.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// The unit's text, with its `main` out of the way.
pub fn included(source: &Path) -> String {
    let path = source.to_string_lossy();
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("#define main {RENAMED_MAIN}\n#include \"{path}\"\n#undef main\n")
}

const DECLARATIONS: &str = "
struct knockon_shape { unsigned long stride, first_field, field_count; };
struct knockon_field { unsigned long offset, size, count; long pointee; };
struct knockon_global { void *address; unsigned long size; long shape, is_constant; };
void knockon_result(const void *, unsigned long);
void knockon_result_floating(const void *, unsigned long);
void knockon_result_pointer(const void *, long);
void knockon_called(const char *);
void knockon_called_with_number(unsigned long);
void knockon_called_with_floating(double);
void knockon_called_with_pointer(const void *, long);
void knockon_called_done(void);
unsigned long knockon_next_number(void);
void *knockon_next_pointer(void);
";
