//! **Question.** How is a function of a unit called from outside, be it static or not, and without
//! knowing its types?
//!
//! **Rules.** The unit's text is included, and behind it stands a function that calls the one in
//! question with numbers and `void *`, which C converts to any parameter's type. Functions that are
//! declared, called and defined nowhere get a definition under another name with the symbol's own
//! name (`asm`), which notes the call and returns a number of the input. Global variables are
//! reached by their names.

use crate::padding::{Padding, padding};
use crate::shapes::{ShapeId, Shapes};
use knockon_program::{
    FunctionAttributes, FunctionId, GlobalId, Opcode, ParameterAttributes, Program, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::fmt::Write as _;
use std::path::Path;

/// What a parameter or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of this width.
    Integer(u32),
    Float,
    Double,
    Pointer,
}

/// What a function takes and returns, as C sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub parameters: Vec<Value>,
    pub returns: Returned,
    /// Bytes of a number that is returned which are no part of it.
    pub padding: Padding,
    pub passing: Passing,
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As the source declares it.
    Declared,
    /// By what is in registers, since the source declares a struct that is passed in them: the
    /// function is called as one of numbers and pointers, and returns this.
    Registers(Option<Value>),
}

impl Signature {
    /// Statements that clear what of a result is padding.
    pub fn clearing(&self, result: &str) -> String {
        (0..8)
            .filter(|byte| self.padding >> byte & 1 == 1)
            .map(|byte| format!("((unsigned char *)&{result})[{byte}] = 0; "))
            .collect()
    }

    /// The function as it is called, with its own parameters in their order.
    pub fn callee(&self, name: &str, parameters: impl Iterator<Item = Value>) -> String {
        let Passing::Registers(result) = self.passing else {
            return name.to_owned();
        };
        let parameters: Vec<&str> = parameters.map(|value| c_type(Some(value))).collect();
        let result = result.map_or("void", |value| c_type(Some(value)));
        format!("(({result} (*)({}))(void *){name})", parameters.join(", "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    Nothing,
    Pointer,
    /// Compared byte for byte.
    Number,
    /// The same, and told as what it is.
    Floating,
}

/// A global variable that both versions have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub size: u64,
    pub shape: ShapeId,
    pub is_constant: bool,
    /// An input says what is in it; else it is what the program starts with.
    pub is_given: bool,
}

/// Why a function cannot be called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCallable {
    #[error("a parameter or the result is a struct or of another type that is not made here")]
    Type,
    #[error("it takes a variable number of arguments")]
    Variadic,
    #[error("its parameters are not the same in both versions")]
    Parameters,
    #[error("it may call {0}, which is not run here, and for which nothing else can stand in")]
    Calls(String),
}

/// What a function takes and returns.
pub fn signature(program: &Program, function: FunctionId) -> Result<Signature, NotCallable> {
    let row = program.function(function);
    let Type::Function {
        result, variadic, ..
    } = program.type_of(row.type_id)
    else {
        return Err(NotCallable::Type);
    };
    if *variadic {
        return Err(NotCallable::Variadic);
    }
    let mut parameters = Vec::new();
    for parameter in &row.parameters {
        let passed_in_memory = ParameterAttributes::BY_VALUE;
        let returned_in_memory = ParameterAttributes::STRUCT_RETURN;
        if parameter.attributes.has(passed_in_memory)
            || parameter.attributes.has(returned_in_memory)
        {
            return Err(NotCallable::Type);
        }
        parameters.push(value(program, parameter.type_id).ok_or(NotCallable::Type)?);
    }
    let returns = match program.type_of(*result) {
        Type::Void => Returned::Nothing,
        _ => match value(program, *result).ok_or(NotCallable::Type)? {
            Value::Pointer => Returned::Pointer,
            Value::Float | Value::Double => Returned::Floating,
            Value::Integer(_) => Returned::Number,
        },
    };
    let body = row.body.as_deref();
    let returned = body.into_iter().flat_map(|body| {
        let is_return = |id: &_| body.instruction(*id).opcode == Opcode::Return;
        let values = body.instruction_ids().filter(is_return);
        let values = values.filter_map(|id| body.operands(id).first().copied());
        values.map(|value| padding(program, body, value))
    });
    Ok(Signature {
        parameters,
        returns,
        padding: returned.fold(0, |all, one| all | one),
        passing: Passing::Declared,
    })
}

/// The same function, called by what is in registers. `None` where a number would have to be
/// extended with its sign, which C does not do for the type that stands for it here.
pub fn by_registers(
    program: &Program,
    function: FunctionId,
    as_declared: &Signature,
) -> Option<Signature> {
    let row = program.function(function);
    let is_short = |value: &Value| matches!(value, Value::Integer(8 | 16));
    let mut parameters = row.parameters.iter().zip(&as_declared.parameters);
    let is_extended = parameters.any(|(parameter, value)| {
        is_short(value) && parameter.attributes.has(ParameterAttributes::SIGN_EXTENDED)
    });
    let Type::Function { result, .. } = program.type_of(row.type_id) else {
        return None;
    };
    (!is_extended).then(|| Signature {
        passing: Passing::Registers(value(program, *result)),
        ..as_declared.clone()
    })
}

fn value(program: &Program, id: TypeId) -> Option<Value> {
    match program.type_of(id) {
        Type::Integer(bits @ (1 | 8 | 16 | 32 | 64)) => Some(Value::Integer(*bits)),
        Type::Float => Some(Value::Float),
        Type::Double => Some(Value::Double),
        Type::Pointer(0) => Some(Value::Pointer),
        _ => None,
    }
}

/// The global variables that both versions have and the function touches.
pub fn shared_globals(
    old: &Program,
    new: &Program,
    shapes: &Shapes,
    unwritten: &FxHashSet<GlobalId>,
) -> Vec<Global> {
    let find = |program: &Program, name: &str| -> Option<(GlobalId, u64, bool)> {
        let mut found = (0..program.globals.len())
            .map(|at| (GlobalId::from_index(at), &program.globals[at]))
            .filter(|(_, row)| program.name(row.name) == name);
        let (id, row) = found.next()?;
        let is_only = found.next().is_none();
        let is_reachable =
            is_identifier(name) && !row.is_thread_local && !LIBRARY_VARIABLES.contains(&name);
        // A variable inside a function cannot be named from outside.
        let is_local = row.linkage.is_local() && program.name(row.source_name) != name;
        (is_only && is_reachable && !is_local)
            .then(|| (id, program.size_of(row.value_type), row.is_constant))
    };
    let mut globals = Vec::new();
    for (name, shape) in &shapes.globals {
        if let (Some(one), Some(two)) = (find(old, name), find(new, name))
            && one.1 == two.1
        {
            let is_constant = one.2 || two.2;
            globals.push(Global {
                name: name.clone(),
                size: one.1,
                shape: *shape,
                is_constant,
                is_given: !is_constant && !unwritten.contains(&one.0),
            });
        }
    }
    globals.truncate(64);
    globals
}

/// A unit of the program gives the variable its value.
pub fn is_defined(program: &Program, name: &str) -> bool {
    let mut rows = program.globals.iter();
    rows.any(|row| program.name(row.name) == name && row.initialiser.is_some())
}

/// Variables that the C library has.
const LIBRARY_VARIABLES: [&str; 10] = [
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "tzname",
    "sys_errlist",
];

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && characters.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

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
        let call = format!("{callee}({})", arguments.join(", "));
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
            "void knockon_call(const unsigned long *knockon_a) {{ {body} }}"
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

/// Functions that are called, are no part of the program, and that no library is known to have.
pub fn undefined_functions(program: &Program, shapes: &Shapes) -> Vec<(String, FunctionId)> {
    let mut found = Vec::new();
    for name in shapes.externals.keys() {
        if name.starts_with("llvm.") || !is_identifier(name) || is_of_the_library(name) {
            continue;
        }
        let declared = program.functions_named(name);
        let is_defined = |id: &FunctionId| program.function(*id).body.is_some();
        if let (Some(first), false) = (declared.first(), declared.iter().any(is_defined)) {
            found.push((name.clone(), *first));
        }
    }
    found
}

/// A function that is called and that no one defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    pub name: String,
    /// What is no number and no pointer is `None`.
    pub parameters: Vec<Option<Value>>,
    /// Nothing is returned: `None`.
    pub result: Option<Option<Value>>,
}

impl External {
    pub fn of(program: &Program, name: String, function: FunctionId) -> External {
        let (parameters, result) = match program.type_of(program.function(function).type_id) {
            Type::Function {
                result, parameters, ..
            } => (&parameters[..], Some(*result)),
            _ => (&[][..], None),
        };
        let is_void = |id: &TypeId| matches!(program.type_of(*id), Type::Void);
        External {
            name,
            parameters: parameters.iter().map(|id| value(program, *id)).collect(),
            result: result
                .filter(|id| !is_void(id))
                .map(|id| value(program, id)),
        }
    }

    /// Its parameters in C, by these names with a number behind.
    pub fn declared(&self, name: &str) -> String {
        let all = self.parameters.iter().enumerate();
        let all = all.map(|(at, value)| format!("{} {name}{at}", c_type(*value)));
        let all: Vec<String> = all.collect();
        match all.is_empty() {
            true => "void".to_owned(),
            false => all.join(", "),
        }
    }
}

/// A function that may be called, for which no other can stand in, and that does not run here: one
/// that is known to do something else, or one that returns twice; or an assumption, which nobody checks.
pub fn not_to_be_replaced(
    program: &Program,
    shapes: &Shapes,
    is_described: fn(&str) -> bool,
) -> Option<String> {
    let returns_twice = |function: &FunctionId| {
        let attributes = program.function(*function).attributes;
        attributes.has(FunctionAttributes::RETURNS_TWICE)
    };
    if shapes.externals.contains_key("llvm.assume") {
        return Some("__builtin_assume".to_owned());
    }
    let mut undefined = undefined_functions(program, shapes).into_iter();
    undefined
        .find(|(name, function)| is_described(name) || returns_twice(function))
        .map(|row| row.0)
}

/// A function of the C library that may run here. Others than these are taken for unknown code.
fn is_of_the_library(name: &str) -> bool {
    LIBRARY
        .split_ascii_whitespace()
        .any(|known| known == name || name.strip_prefix("__builtin_") == Some(known))
}

/// What works on memory, text and the standard streams alone.
const LIBRARY: &str = "abort abs acos acosf acosh asin asinf asinh __assert_fail atan atan2 \
    atan2f atanf atanh atof atoi atol atoll bcmp bcopy bsearch bzero calloc cbrt ceil ceilf \
    copysign copysignf cos cosf cosh __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc div \
    erf erfc __errno_location _exit exit exp exp2 expf expm1 fabs fabsf fdim fflush ffs ffsl \
    ffsll fgetc fgets __finite finite floor floorf fma fmax fmaxf fmin fminf fmod fmodf \
    __fpclassify fprintf fputc fputs fread free frexp fwrite getc getchar hypot hypotf \
    imaxabs index isalnum isalpha isascii isblank iscntrl isdigit isgraph __isinf isinf islower \
    __isnan isnan __isoc23_sscanf __isoc23_strtoimax __isoc23_strtol __isoc23_strtoll \
    __isoc23_strtoul __isoc23_strtoull __isoc23_strtoumax __isoc99_sscanf isprint ispunct \
    isspace isupper isxdigit labs ldexp ldiv llabs lldiv llrint llround log log10 log10f log1p \
    log2 log2f logb logf lrint lround malloc memccpy memchr memcmp memcpy memmem memmove mempcpy \
    memrchr memset modf modff nearbyint nextafter pow powf printf putc putchar puts qsort rand \
    __rawmemchr rawmemchr realloc remainder remquo rindex rint rintf round roundf scalbn \
    __signbit sin sinf sinh snprintf sprintf sqrt sqrtf srand sscanf stpcpy stpncpy strcasecmp \
    strcasestr strcat strchr strchrnul strcmp strcoll strcpy strcspn strdup strlen \
    strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strspn strstr \
    strtod strtof strtoimax strtok __strtok_r strtok_r strtol strtoll strtoul strtoull strtoumax \
    strverscmp strxfrm swab tan tanf tanh tgamma tolower toupper trunc truncf ungetc vfprintf \
    vprintf vsnprintf vsprintf wcschr wcscmp wcscpy wcslen wmemcmp wmemcpy wmemset";

/// The bits of a number that are not padding.
fn value_bits(padding: Padding) -> u64 {
    let bytes = (0..8).filter(|byte| padding >> byte & 1 == 0);
    bytes.fold(0, |all, byte| all | 0xff << (8 * byte))
}

pub(crate) fn c_type(value: Option<Value>) -> &'static str {
    match value {
        Some(Value::Integer(1)) => "_Bool",
        Some(Value::Integer(8)) => "unsigned char",
        Some(Value::Integer(16)) => "unsigned short",
        Some(Value::Integer(32)) => "int",
        Some(Value::Integer(_)) | None => "long",
        Some(Value::Float) => "float",
        Some(Value::Double) => "double",
        Some(Value::Pointer) => "void *",
    }
}

/// The unit's text, with its `main` out of the way.
pub fn included(source: &Path) -> String {
    let path = source.to_string_lossy();
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("#define main knockon_main\n#include \"{path}\"\n#undef main\n")
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
