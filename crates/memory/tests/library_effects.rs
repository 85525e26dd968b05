//! The descriptions of the C library against the library's own headers, and against the functions
//! that the interpreter runs.

use knockon_memory::effects::{
    Channel, Effect, Extent, Format, Memory, Origin, Return, Value, World, library,
};
use knockon_program::{Function, FunctionAttributes, Program, Type, TypeId};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names without a declaration in today's headers: older ones that programs still link to, newer
/// ones that not every version has, and macros.
const UNDECLARED: &[&str] = &[
    "alloca",
    "arc4random",
    "arc4random_buf",
    "arc4random_uniform",
    "bsd_signal",
    "cfree",
    "gets",
    "pow10",
    "re_comp",
    "re_exec",
    "sigsetjmp",
    "strlcat",
    "strlcpy",
    "strtof128",
];

/// These look at the address, or use it as a handle, and not at what is there.
const ADDRESS_ONLY: &[&str] = &[
    "brk",
    "catclose",
    "dladdr",
    "flockfile",
    "fts64_set",
    "fts_set",
    "ftrylockfile",
    "funlockfile",
    "madvise",
    "malloc_usable_size",
    "mincore",
    "mlock",
    "mlock2",
    "mprotect",
    "munlock",
    "posix_madvise",
    "sem_close",
    "shmdt",
    "timer_delete",
    "timer_getoverrun",
    "timer_gettime",
    "timer_settime",
];

/// Every group that is named after headers, as a unit that names all its functions. Where a
/// header is not installed (zlib's, those of the terminal) the unit is empty.
fn declared_groups() -> &'static [Program] {
    static GROUPS: OnceLock<Vec<Program>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in library().rows() {
            if !row.group.ends_with(".h") {
                continue;
            }
            if groups.last().is_none_or(|(group, _)| *group != row.group) {
                groups.push((row.group, Vec::new()));
            }
            if let Some((_, names)) = groups.last_mut() {
                let public = |name: &&&str| !name.starts_with('_') && !UNDECLARED.contains(*name);
                names.extend(row.names.iter().filter(public));
            }
        }
        groups
            .iter()
            .map(|(headers, names)| unit_that_names(headers, names))
            .collect()
    })
}

fn unit_that_names(headers: &str, functions: &[&str]) -> Program {
    let mut source = String::from("#define _GNU_SOURCE 1\n");
    for header in headers.split_whitespace() {
        source += &format!("#if __has_include(<{header}>)\n#include <{header}>\n#else\n");
        source += "#define header_is_missing\n#endif\n";
    }
    source += "#ifndef header_is_missing\nvoid *addresses[] = {\n";
    for name in functions {
        source += &format!("(void *)&{name},\n");
    }
    source += "};\n#endif\n";
    let mut clang = Command::new("clang-19")
        .args(["-w", "-x", "c", "-S", "-emit-llvm", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("clang-19 runs");
    let mut input = clang.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("clang reads");
    drop(input);
    let output = clang.wait_with_output().expect("clang ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{headers}: {errors}");
    knockon_llvm::read_unit(&output.stdout, "declarations.c").expect("readable IR")
}

struct Signature<'a> {
    name: &'a str,
    program: &'a Program,
    function: &'a Function,
    result: TypeId,
    is_variadic: bool,
}

impl Signature<'_> {
    fn returns_pointer(&self) -> bool {
        matches!(self.program.type_of(self.result), Type::Pointer(_))
    }

    fn parameter(&self, argument: u8) -> Option<&Type> {
        let parameter = self.function.parameters.get(usize::from(argument))?;
        Some(self.program.type_of(parameter.type_id))
    }

    /// Whether an argument can be there, and be a pointer.
    fn takes_pointer(&self, argument: u8) -> bool {
        match self.parameter(argument) {
            Some(parameter) => matches!(parameter, Type::Pointer(_)),
            None => self.is_variadic,
        }
    }

    fn takes_integer(&self, argument: u8) -> bool {
        matches!(self.parameter(argument), Some(Type::Integer(_)))
    }

    fn is_declared(&self, attribute: FunctionAttributes) -> bool {
        self.function.attributes.has(attribute)
    }
}

/// Asserts that the law, which lists its objections, has none for any declared function. How many
/// there are is the result.
fn hold_for_all_declared(law: impl Fn(&Signature<'_>, &Effect) -> Vec<String>) -> usize {
    let mut objections = Vec::new();
    let mut count = 0;
    for program in declared_groups() {
        for function in &program.functions {
            let name = program.name(function.name);
            let declared = program.type_of(function.type_id);
            let Type::Function {
                result, variadic, ..
            } = declared
            else {
                panic!("`{name}` is no function");
            };
            let signature = Signature {
                name,
                program,
                function,
                result: *result,
                is_variadic: *variadic,
            };
            match library().of(name) {
                Some(effect) => {
                    let found = law(&signature, effect);
                    objections.extend(found.iter().map(|objection| format!("{name}: {objection}")));
                }
                // What a header makes of a name that has a row.
                None => objections.push(format!("{name}: no row")),
            }
            count += 1;
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
    count
}

/// The values that the description takes for pointers.
fn pointers(effect: &Effect) -> Vec<Value> {
    let mut memories: Vec<Memory> = [&effect.reads[..], &effect.writes].concat();
    let mut origins: Vec<Origin> = effect.returns.clone();
    memories.extend(effect.copies.iter().flat_map(|(from, to)| [*from, *to]));
    for (from, to) in &effect.stores {
        origins.push(*from);
        memories.push(*to);
    }
    for callback in &effect.callbacks {
        origins.push(callback.function);
        origins.extend(callback.arguments.iter().flatten());
        memories.extend(&callback.result_to);
    }
    let mut values: Vec<Value> = effect.frees.into_iter().collect();
    if let Some(Channel::Stream(stream)) = effect.channel {
        values.push(stream);
    }
    if let Some(Format {
        text, arguments, ..
    }) = effect.format
    {
        values.push(text);
        memories.push(arguments);
    }
    for origin in origins {
        match origin {
            Origin::Same(value) | Origin::Into(value) => values.push(value),
            Origin::LoadedFrom(memory) => memories.push(memory),
            Origin::Fresh | Origin::Library(_) | Origin::Variadics => {}
        }
    }
    values.extend(memories.iter().map(|memory| memory.value()));
    values
}

#[test]
fn every_argument_that_a_row_names_is_there_and_a_pointer() {
    let count = hold_for_all_declared(|signature, effect| {
        let mut objections = Vec::new();
        for value in pointers(effect) {
            let is_there = match value {
                Value::Argument(argument) => signature.takes_pointer(argument),
                Value::ArgumentsFrom(first) => {
                    signature.is_variadic
                        && usize::from(first) <= signature.function.parameters.len()
                }
                Value::Fresh | Value::Library(_) => true,
            };
            if !is_there {
                objections.push(format!("{value:?} is no pointer"));
            }
        }
        let size = match effect.extent {
            Some(Extent::Exactly(size) | Extent::AtMost(size)) => Some(size),
            None => None,
        };
        let descriptor = match effect.channel {
            Some(Channel::Descriptor(Value::Argument(descriptor))) => Some(descriptor),
            _ => None,
        };
        for argument in size.iter().chain(&descriptor) {
            if !signature.takes_integer(*argument) {
                objections.push(format!("argument {argument} is no integer"));
            }
        }
        objections
    });
    assert!(count > 1000, "only {count} functions were declared");
}

#[test]
fn every_pointer_that_a_function_takes_is_accounted_for() {
    hold_for_all_declared(|signature, effect| {
        let named = pointers(effect);
        let is_named = |argument: u8| {
            named.iter().any(|value| match value {
                Value::Argument(number) => *number == argument,
                Value::ArgumentsFrom(first) => argument >= *first,
                _ => false,
            })
        };
        (0..signature.function.parameters.len() as u8)
            .filter(|argument| signature.takes_pointer(*argument) && !is_named(*argument))
            .filter(|_| !ADDRESS_ONLY.contains(&signature.name))
            .map(|argument| format!("nothing is said of the pointer in argument {argument}"))
            .collect()
    });
}

#[test]
fn a_row_says_what_the_result_points_to_exactly_if_it_is_a_pointer() {
    hold_for_all_declared(|signature, effect| {
        // The one that returns addresses as integers.
        let is_pointer = signature.returns_pointer() || signature.name == "getauxval";
        if is_pointer == effect.returns.is_empty() {
            vec![format!("returns {:?}", effect.returns)]
        } else {
            Vec::new()
        }
    });
}

#[test]
fn what_is_declared_not_to_return_never_does() {
    hold_for_all_declared(|signature, effect| {
        let declared = if signature.is_declared(FunctionAttributes::NO_RETURN) {
            effect.return_ == Return::Never
        } else if signature.is_declared(FunctionAttributes::RETURNS_TWICE) {
            effect.return_ == Return::Twice
        } else {
            effect.return_ != Return::Never
        };
        match declared {
            true => Vec::new(),
            false => vec![format!("{:?}", effect.return_)],
        }
    });
}

/// What the headers promise with `const` and `pure`; `errno` does not count for them.
#[test]
fn what_is_declared_to_write_nothing_writes_nothing() {
    let errno = Memory::Behind(Value::Library("errno"));
    hold_for_all_declared(|signature, effect| {
        let is_declared = signature.is_declared(FunctionAttributes::READ_NONE)
            || signature.is_declared(FunctionAttributes::READ_ONLY);
        let writes_nothing = effect.writes.iter().all(|memory| *memory == errno)
            && effect.copies.is_empty()
            && effect.stores.is_empty()
            && effect.world_writes.iter().all(|part| *part == World::Errno);
        match is_declared && !writes_nothing {
            true => vec!["writes something".into()],
            false => Vec::new(),
        }
    });
}

/// The interpreter's tables name a function in the pattern of a match arm.
#[test]
fn every_function_that_the_interpreter_runs_has_a_row() {
    let calls = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpreter/src/library/calls");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&calls).expect("the interpreter's library") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a source");
        for line in text.lines() {
            let pieces: Vec<&str> = line.split('"').collect();
            for literal in pieces.windows(2).skip(1).step_by(2) {
                let after = literal[1].trim_start();
                if after.starts_with("=>") || after.starts_with('|') {
                    names.push(literal[0].to_owned());
                }
            }
        }
    }
    assert!(names.len() > 300, "only {} names were found", names.len());
    // The names of a locale stand in a pattern too.
    names.retain(|name| !["", "C"].contains(&name.as_str()));
    names.retain(|name| library().of(name).is_none());
    assert!(names.is_empty(), "no row for {names:?}");
}
