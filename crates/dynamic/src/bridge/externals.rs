//! The functions that are called and defined nowhere, for which others stand in.

use super::is_identifier;
use super::signature::{Value, c_type, value};
use crate::shapes::Shapes;
use knockon_program::{
    FunctionAttributes, FunctionId, Intrinsic, Program, Type, TypeId, is_compiler_name,
};

/// Functions that are called, are no part of the program, and that no library is known to have.
pub fn undefined_functions(program: &Program, shapes: &Shapes) -> Vec<(String, FunctionId)> {
    let mut found = Vec::new();
    for name in shapes.externals.keys() {
        if is_compiler_name(name) || !is_identifier(name) || is_of_the_library(name) {
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
    let mut names = shapes.externals.keys();
    if names.any(|name| Intrinsic::of_name(name) == Some(Intrinsic::Assume)) {
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
