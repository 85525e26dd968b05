//! What a build may do to a program besides compiling and linking it plainly: each feature is one
//! function, and is put into a project or not.

use super::code::statements;
use super::draft::{Draft, DraftFile, DraftLine, fixed, fixed_lines, numbered, statement};
use super::world::{Image, Place, World};
use crate::unseen::pair::Kind;

/// All features, each with the percentage of projects that have it.
pub const FEATURES: &[(fn(&mut World, &mut Draft), usize)] = &[
    (wrapped_function, 12),
    (defined_symbol, 12),
    (first_and_last_function, 10),
    (collected_sections, 12),
    (constructors, 35),
    (aliases, 15),
    (weak_hook, 15),
    (interposed_function, 25),
    (function_of_two_archives, 15),
    (function_of_two_objects, 8),
    (looked_up_by_name, 12),
    (own_library_functions, 15),
    (module_assembly, 18),
    (included_bytes, 15),
    (linked_bytes, 10),
    (generated_header, 12),
    (shared_header, 12),
    (linker_script, 8),
    (renamed_symbol, 12),
    (section_of_entries, 10),
    (indirect_function, 8),
    (absent_function, 10),
    (pulled_member, 10),
    (exit_handler, 8),
];

/// What `main` calls, and prints.
fn shown_by_main(world: &mut World, function: &str) {
    world.declare(0, format!("unsigned {function}(unsigned a);"));
    called_by_main(world, function);
}

fn called_by_main(world: &mut World, function: &str) {
    let call = statement(&mut world.random, |number| {
        format!("    x = {function}({number});")
    });
    let print = world.print("x");
    world.add_body(0, vec![call, fixed(print)]);
}

fn some_module(world: &mut World, may: impl Fn(Place) -> bool) -> Option<usize> {
    let modules: Vec<usize> = (1..world.modules.len())
        .filter(|module| may(world.place(*module)))
        .collect();
    modules.get(world.random.below(modules.len())).copied()
}

fn is_compiled_c(place: Place) -> bool {
    !matches!(place, Place::Assembly)
}

/// Lines of a small function that adds a number, and prints.
fn small_function(world: &mut World, module: usize, head: &str) -> Vec<DraftLine> {
    let mut lines = vec![fixed(format!("{head} {{")), fixed("    unsigned x = a;")];
    lines.extend(statements(world, module, usize::MAX, 0, 2));
    lines.push(numbered(&mut world.random, |number| {
        format!("    return x + {number};")
    }));
    lines.push(fixed("}"));
    lines
}

fn wrapped_function(world: &mut World, _: &mut Draft) {
    let home = world.own_module();
    let is_external = |number: &usize| {
        let function = &world.functions[*number];
        !function.is_static && world.image(function.home) == Image::Executable
    };
    let functions: Vec<usize> = (0..world.functions.len()).filter(is_external).collect();
    let Some(&wrapped) = functions.get(world.random.below(functions.len())) else {
        return;
    };
    let name = world.functions[wrapped].name.clone();
    world.link.push(format!("-Wl,--wrap={name}"));
    world.declare(home, format!("unsigned __real_{name}(unsigned a);"));
    world.declare(home, format!("unsigned __wrap_{name}(unsigned a);"));
    let print = world.print("a");
    let lines = vec![
        fixed(format!("unsigned __wrap_{name}(unsigned a) {{")),
        fixed(print),
        statement(&mut world.random, |number| format!("    a += {number};")),
        numbered(&mut world.random, |number| {
            format!("    return __real_{name}(a) ^ {number};")
        }),
        fixed("}"),
    ];
    world.early_functions(home, lines);
}

fn defined_symbol(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    if world.random.chance(50) {
        let Some(number) = world.plain_number() else {
            return;
        };
        let name = world.globals[number].name.clone();
        world.link.push(format!("-Wl,--defsym=same{fresh}={name}"));
        world.declare(module, format!("extern unsigned same{fresh};"));
        let print = world.print(&format!("same{fresh}"));
        let write = statement(&mut world.random, |number| {
            format!("    same{fresh} += {number};")
        });
        let head = format!("unsigned show{fresh}(unsigned a) {{");
        let end = [fixed("    return a;"), fixed("}")];
        let mut lines = vec![fixed(head), fixed(print), write];
        lines.extend(end);
        world.declare(module, format!("unsigned show{fresh}(unsigned a);"));
        world.early_functions(module, lines);
        shown_by_main(world, &format!("show{fresh}"));
    } else {
        let is_external = |number: &usize| {
            let function = &world.functions[*number];
            !function.is_static && world.place(function.home) == Place::Unit
        };
        let functions: Vec<usize> = (0..world.functions.len()).filter(is_external).collect();
        let Some(&number) = functions.get(world.random.below(functions.len())) else {
            return;
        };
        let name = world.functions[number].name.clone();
        world.link.push(format!("-Wl,--defsym=other{fresh}={name}"));
        shown_by_main(world, &format!("other{fresh}"));
    }
}

fn first_and_last_function(world: &mut World, _: &mut Draft) {
    let option = *world.random.pick(&["init", "fini"]);
    let module = world.own_module();
    let fresh = world.fresh();
    world.link.push(format!("-Wl,-{option}=edge{fresh}"));
    world.declare(module, format!("void edge{fresh}(void);"));
    let mut lines = vec![
        fixed(format!("void edge{fresh}(void) {{")),
        fixed("    unsigned x = 1;"),
    ];
    lines.extend(statements(world, module, 0, 1, 2));
    lines.push(fixed("}"));
    world.early_functions(module, lines);
}

fn collected_sections(world: &mut World, _: &mut Draft) {
    world.link.push("-Wl,--gc-sections".to_owned());
    for module in &mut world.modules {
        module.flags.insert("-ffunction-sections".to_owned());
        module.flags.insert("-fdata-sections".to_owned());
    }
}

fn constructors(world: &mut World, _: &mut Draft) {
    for _ in 0..world.random.between(1, 2) {
        let Some(module) = some_module(world, is_compiled_c) else {
            return;
        };
        let fresh = world.fresh();
        let attribute = *world.random.pick(&["constructor", "destructor"]);
        let priority = match world.random.chance(50) {
            true => format!("({})", world.random.between(101, 900)),
            false => String::new(),
        };
        let mut lines = vec![
            fixed(format!(
                "__attribute__(({attribute}{priority})) static void edge{fresh}(void) {{"
            )),
            fixed("    unsigned x = 1;"),
        ];
        lines.extend(statements(world, module, 0, 1, 3));
        lines.push(fixed("}"));
        world.early_functions(module, lines);
    }
}

fn aliases(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let attribute = *world.random.pick(&["", "weak, "]);
    if world.random.chance(50) {
        let Some(number) = world.plain_number() else {
            return;
        };
        let global = world.globals[number].clone();
        if world.place(global.home) != Place::Unit {
            return;
        }
        let name = &global.name;
        let text =
            format!("extern unsigned same{fresh} __attribute__(({attribute}alias(\"{name}\")));");
        world.modules[global.home].variables.push(fixed(text));
        if global.home != module {
            world.declare(module, format!("extern unsigned same{fresh};"));
        }
        let print = world.print(&format!("same{fresh}"));
        let write = statement(&mut world.random, |number| {
            format!("    same{fresh} = a + {number};")
        });
        let head = fixed(format!("unsigned show{fresh}(unsigned a) {{"));
        let lines = vec![
            head,
            fixed(print),
            write,
            fixed("    return a;"),
            fixed("}"),
        ];
        world.declare(module, format!("unsigned show{fresh}(unsigned a);"));
        world.early_functions(module, lines);
        shown_by_main(world, &format!("show{fresh}"));
    } else {
        let inner = format!("inner{fresh}");
        world.declare(module, format!("unsigned {inner}(unsigned a);"));
        let lines = small_function(world, module, &format!("unsigned {inner}(unsigned a)"));
        world.early_functions(module, lines);
        let alias = format!(
            "unsigned other{fresh}(unsigned a) __attribute__(({attribute}alias(\"{inner}\")));"
        );
        world.early_functions(module, vec![fixed(alias)]);
        shown_by_main(world, &format!("other{fresh}"));
    }
}

/// A weak function of a unit that some other module may define, too.
fn weak_hook(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let name = format!("hook{fresh}");
    let head = format!("__attribute__((weak)) unsigned {name}(unsigned a)");
    let lines = small_function(world, module, &head);
    world.early_functions(module, lines);
    shown_by_main(world, &name);
    let other = some_module(world, |place| {
        is_compiled_c(place) && place.image() == Image::Executable
    });
    if let Some(other) = other.filter(|other| *other != module) {
        let weak = match world.random.chance(20) {
            true => "__attribute__((weak)) ",
            false => "",
        };
        let head = format!("{weak}unsigned {name}(unsigned a)");
        let lines = small_function(world, other, &head);
        world.early_functions(other, lines);
    }
}

/// A function that a library or plug-in and the program define.
fn interposed_function(world: &mut World, _: &mut Draft) {
    let dynamic = some_module(world, |place| place.image() != Image::Executable);
    let Some(dynamic) = dynamic else { return };
    let module = world.own_module();
    let fresh = world.fresh();
    let name = format!("both{fresh}");
    for home in [module, dynamic] {
        world.declare(home, format!("unsigned {name}(unsigned a);"));
        let lines = small_function(world, home, &format!("unsigned {name}(unsigned a)"));
        world.early_functions(home, lines);
    }
    // The library's own call.
    let entry = format!("ask{fresh}");
    world.declare(dynamic, format!("unsigned {entry}(unsigned a);"));
    let print = world.print("a");
    let lines = vec![
        fixed(format!("unsigned {entry}(unsigned a) {{")),
        numbered(&mut world.random, |number| {
            format!("    a = {name}(a + {number});")
        }),
        fixed(print),
        fixed("    return a;"),
        fixed("}"),
    ];
    world.early_functions(dynamic, lines);
    match world.image(dynamic) {
        Image::Library => {
            shown_by_main(world, &entry);
            if world.random.chance(30) {
                let flag = *world
                    .random
                    .pick(&["-Wl,-Bsymbolic", "-Wl,-Bsymbolic-functions"]);
                world.modules[dynamic].steps.push(flag.to_owned());
            }
        }
        Image::PlugIn => super::call_plug_in(world, dynamic, &entry),
        Image::Executable => {}
    }
    shown_by_main(world, &name);
}

/// Two archives, and the order in which the linker sees them decides.
fn function_of_two_archives(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let prebuilt = world.random.chance(30);
    let (mut members, mut archives) = (Vec::new(), Vec::new());
    for side in ["l", "r"] {
        let (file, archive) = (format!("{side}{fresh}.c"), format!("lib{side}{fresh}.a"));
        let is_prebuilt = prebuilt && side == "l";
        let word = world.print("a");
        let lines = vec![
            fixed("#include <stdio.h>"),
            fixed(format!("unsigned pick{fresh}(unsigned a) {{")),
            fixed(word),
            numbered(&mut world.random, |number| {
                format!("    return a + {number};")
            }),
            fixed("}"),
        ];
        let kind = match is_prebuilt {
            true => Kind::PrebuiltArchive,
            false => Kind::ArchiveMember,
        };
        draft.files.insert(file.clone(), DraftFile { kind, lines });
        let commands = [
            format!("gcc -O1 -c {file}"),
            format!("ar rcs {archive} {side}{fresh}.o"),
        ];
        if is_prebuilt {
            let joined = commands.join(" && ");
            draft
                .prepare
                .push(format!("{joined} && rm {file} {side}{fresh}.o"));
        } else {
            members.extend(commands);
        }
        archives.push(archive);
    }
    if world.random.chance(50) {
        archives.reverse();
    }
    world.commands.extend(members);
    world.link.extend(archives);
    shown_by_main(world, &format!("pick{fresh}"));
}

/// The linker takes the first one, since it is allowed to.
fn function_of_two_objects(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let other = some_module(world, |place| {
        is_compiled_c(place) && place.image() == Image::Executable && place.is_always_linked()
    });
    let Some(other) = other else { return };
    world
        .link
        .push("-Wl,--allow-multiple-definition".to_owned());
    for home in [0, other] {
        let lines = small_function(world, home, &format!("unsigned many{fresh}(unsigned a)"));
        world.early_functions(home, lines);
    }
    shown_by_main(world, &format!("many{fresh}"));
}

fn looked_up_by_name(world: &mut World, _: &mut Draft) {
    let Some(number) = world.plain_number() else {
        return;
    };
    world.link.push("-rdynamic".to_owned());
    let name = world.globals[number].name.clone();
    let print = world.print("*found");
    let lines = vec![
        fixed("    {"),
        fixed(format!(
            "    unsigned *found = dlsym(RTLD_DEFAULT, \"{name}\");"
        )),
        fixed(print),
        statement(&mut world.random, |number| {
            format!("    *found += {number};")
        }),
        fixed("    }"),
    ];
    world.add_body(0, lines);
}

/// Functions in the place of those of the library, which count their calls.
fn own_library_functions(world: &mut World, _: &mut Draft) {
    let module = match world.random.chance(60) {
        true => world.own_module(),
        false => {
            let other = some_module(world, |place| {
                is_compiled_c(place) && place.image() == Image::Executable
            });
            other.unwrap_or(0)
        }
    };
    let fresh = world.fresh();
    let count = format!("count{fresh}");
    world.modules[module]
        .flags
        .insert("-fno-builtin".to_owned());
    world.modules[module]
        .variables
        .push(fixed(format!("unsigned {count};")));
    let counting = statement(&mut world.random, |number| {
        format!("    {count} += {number};")
    });
    let (head, body) = *world.random.pick(&[
        (
            "void *memcpy(void *to, const void *from, size_t size) {",
            "    for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];\n    return to;",
        ),
        (
            "size_t strlen(const char *text) {",
            "    size_t length = 0;\n    while (text[length]) length++;\n    return length;",
        ),
        (
            "char *strdup(const char *text) {",
            "    char *copy = malloc(20);\n    strcpy(copy, text);\n    return copy;",
        ),
        (
            "void *malloc(size_t size) {",
            "    static _Alignas(16) char pool[1 << 20];\n    static size_t used;\n    char *block = pool + used;\n    used += (size + 15) / 16 * 16;\n    return used <= sizeof pool ? block : 0;",
        ),
    ]);
    let mut lines = vec![fixed(head), counting];
    lines.extend(fixed_lines(body));
    lines.push(fixed("}"));
    if head.contains("malloc(") {
        lines.extend(fixed_lines("void free(void *block) {\n    (void)block;\n}"));
    }
    world.early_functions(module, lines);
    world.declare(0, format!("extern unsigned {count};"));
    let call = fixed(
        "    { char *text = strdup(\"abc\"); struct pair one = {x, 2}, two; memcpy(&two, &one, sizeof one); x += two.a + strlen(text); }",
    );
    let print = world.print(&count);
    world.add_body(0, vec![call, fixed(print)]);
}

fn module_assembly(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let lines = match world.random.below(3) {
        // A variable.
        0 => {
            world.declare(0, format!("extern unsigned asm{fresh};"));
            let print = world.print(&format!("asm{fresh}"));
            world.add_body(0, vec![fixed(print)]);
            let line = numbered(&mut world.random, |number| {
                format!("    \"asm{fresh}: .long {number}\\n\"")
            });
            vec![
                fixed(format!(
                    "__asm__(\".pushsection .data\\n.globl asm{fresh}\\n.balign 4\\n\""
                )),
                line,
                fixed("    \".popsection\\n\");"),
            ]
        }
        // A function that reads or writes a variable.
        1 => {
            let Some(number) = world.plain_number() else {
                return;
            };
            let name = world.globals[number].name.clone();
            shown_by_main(world, &format!("asm{fresh}"));
            let access = match world.random.chance(50) {
                true => fixed(format!("    \"addl {name}(%rip), %eax\\n\"")),
                false => fixed(format!("    \"movl %eax, {name}(%rip)\\n\"")),
            };
            vec![
                fixed(format!(
                    "__asm__(\".pushsection .text\\n.globl asm{fresh}\\nasm{fresh}:\\n\""
                )),
                numbered(&mut world.random, |number| {
                    format!("    \"movl ${number}, %eax\\naddl %edi, %eax\\n\"")
                }),
                access,
                fixed("    \"ret\\n.popsection\\n\");"),
            ]
        }
        // Another name.
        _ => {
            let Some(number) = world.plain_number() else {
                return;
            };
            let global = world.globals[number].clone();
            if world.place(global.home) != Place::Unit {
                return;
            }
            let name = &global.name;
            world.declare(0, format!("extern unsigned asm{fresh};"));
            let print = world.print(&format!("asm{fresh}"));
            world.add_body(0, vec![fixed(print)]);
            let text = format!("__asm__(\".globl asm{fresh}\\n.set asm{fresh}, {name}\\n\");");
            world.early_functions(global.home, vec![fixed(text)]);
            return;
        }
    };
    world.early_functions(module, lines);
}

fn included_bytes(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let text = numbered(&mut world.random, |number| format!("{number}"));
    draft.files.insert(
        format!("bytes{fresh}.txt"),
        DraftFile {
            kind: Kind::IncludedBytes,
            lines: vec![text],
        },
    );
    let line = fixed(format!(
        "__asm__(\".pushsection .rodata\\n.globl bytes{fresh}\\nbytes{fresh}: .incbin \\\"bytes{fresh}.txt\\\"\\n.byte 0, 0\\n.popsection\\n\");"
    ));
    world.early_functions(module, vec![line]);
    world.declare(0, format!("extern const unsigned char bytes{fresh}[];"));
    let read = fixed(format!("    x = bytes{fresh}[0] * 256u + bytes{fresh}[1];"));
    let print = world.print("x");
    world.add_body(0, vec![read, fixed(print)]);
}

fn linked_bytes(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let text = numbered(&mut world.random, |number| format!("{number}"));
    draft.files.insert(
        format!("data{fresh}"),
        DraftFile {
            kind: Kind::LinkedBytes,
            lines: vec![text, fixed("end")],
        },
    );
    let command = match world.random.chance(50) {
        true => format!("ld -r -b binary -o data{fresh}.o data{fresh}"),
        false => {
            format!("objcopy -I binary -O elf64-x86-64 -B i386:x86-64 data{fresh} data{fresh}.o")
        }
    };
    world.commands.push(command);
    world.link.push(format!("data{fresh}.o"));
    let name = format!("_binary_data{fresh}_start");
    world.declare(0, format!("extern const unsigned char {name}[];"));
    let read = fixed(format!("    x = {name}[0] * 256u + {name}[1];"));
    let print = world.print("x");
    world.add_body(0, vec![read, fixed(print)]);
}

fn generated_header(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let line = numbered(&mut world.random, |number| {
        format!("#define SCALE{fresh} (@BASE@ + {number})")
    });
    draft.files.insert(
        format!("scale{fresh}.h.in"),
        DraftFile {
            kind: Kind::Template,
            lines: vec![line],
        },
    );
    world.commands.insert(
        0,
        format!("sed 's/@BASE@/7/' scale{fresh}.h.in > scale{fresh}.h"),
    );
    world.ignored.push(format!("scale{fresh}.h"));
    reader_of_macro(world, module, fresh);
}

fn shared_header(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let line = numbered(&mut world.random, |number| {
        format!("#define SCALE{fresh} {number}")
    });
    draft.files.insert(
        format!("scale{fresh}.h"),
        DraftFile {
            kind: Kind::Header,
            lines: vec![line],
        },
    );
    reader_of_macro(world, module, fresh);
}

fn reader_of_macro(world: &mut World, module: usize, fresh: usize) {
    world.declare(module, format!("#include \"scale{fresh}.h\""));
    let name = format!("scaled{fresh}");
    world.declare(module, format!("unsigned {name}(unsigned a);"));
    let print = world.print("a");
    let lines = vec![
        fixed(format!("unsigned {name}(unsigned a) {{")),
        fixed(format!("    a += SCALE{fresh};")),
        fixed(print),
        fixed("    return a;"),
        fixed("}"),
    ];
    world.early_functions(module, lines);
    shown_by_main(world, &name);
}

fn linker_script(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    for side in ["l", "r"] {
        let file = format!("{side}{fresh}.c");
        let word = world.print("a");
        let lines = vec![
            fixed("#include <stdio.h>"),
            fixed(format!("unsigned part{fresh}(unsigned a) {{")),
            fixed(word),
            numbered(&mut world.random, |number| {
                format!("    return a + {number};")
            }),
            fixed("}"),
        ];
        let kind = Kind::Unit;
        draft.files.insert(file.clone(), DraftFile { kind, lines });
        world.commands.push(format!("gcc -O1 -c {file}"));
    }
    let mut line = fixed(format!("INPUT(l{fresh}.o)"));
    line.edits
        .push(super::draft::Edit::Instead(format!("INPUT(r{fresh}.o)")));
    draft.files.insert(
        format!("parts{fresh}.ld"),
        DraftFile {
            kind: Kind::LinkerScript,
            lines: vec![line],
        },
    );
    world.link.push(format!("parts{fresh}.ld"));
    shown_by_main(world, &format!("part{fresh}"));
}

fn renamed_symbol(world: &mut World, _: &mut Draft) {
    let Some(module) = some_module(world, |place| place == Place::Unit) else {
        return;
    };
    let fresh = world.fresh();
    let object = format!("{}.o", world.modules[module].name);
    match world.random.below(3) {
        0 => {
            let head = format!("unsigned inner{fresh}(unsigned a)");
            let lines = small_function(world, module, &head);
            world.early_functions(module, lines);
            let step = format!("objcopy --redefine-sym inner{fresh}=outer{fresh} {object}");
            world.modules[module].steps.push(step);
            shown_by_main(world, &format!("outer{fresh}"));
        }
        1 => {
            // What is asked for is something else.
            let callable = world.callable(module, 0);
            let is_near = |number: &usize| !world.functions[*number].is_static;
            let callable: Vec<usize> = callable.into_iter().filter(is_near).collect();
            let Some(&callee) = callable.get(world.random.below(callable.len())) else {
                return;
            };
            let name = world.functions[callee].name.clone();
            if world.functions[callee].home == module {
                return;
            }
            world.declare(module, format!("unsigned wanted{fresh}(unsigned a);"));
            world.declare(module, format!("unsigned asks{fresh}(unsigned a);"));
            let print = world.print("a");
            let lines = vec![
                fixed(format!("unsigned asks{fresh}(unsigned a) {{")),
                numbered(&mut world.random, |number| {
                    format!("    a = wanted{fresh}(a + {number});")
                }),
                fixed(print),
                fixed("    return a;"),
                fixed("}"),
            ];
            world.early_functions(module, lines);
            let step = format!("objcopy --redefine-sym wanted{fresh}={name} {object}");
            world.modules[module].steps.push(step);
            shown_by_main(world, &format!("asks{fresh}"));
        }
        _ => {
            // A strong definition yields to another one.
            let other = world.own_module();
            if other == module {
                return;
            }
            let name = format!("soft{fresh}");
            for home in [module, other] {
                let lines = small_function(world, home, &format!("unsigned {name}(unsigned a)"));
                world.early_functions(home, lines);
            }
            let how = *world.random.pick(&["weaken-symbol", "localize-symbol"]);
            let step = format!("objcopy --{how}={name} {object}");
            world.modules[module].steps.push(step);
            shown_by_main(world, &name);
        }
    }
}

fn section_of_entries(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let section = format!("table{fresh}");
    for _ in 0..world.random.between(1, 3) {
        let module = some_module(world, |place| {
            is_compiled_c(place) && place.image() == Image::Executable && place.is_always_linked()
        });
        let module = module.unwrap_or(0);
        let entry = world.fresh();
        let line = statement(&mut world.random, |number| {
            format!(
                "__attribute__((section(\"{section}\"), used)) static unsigned entry{}{entry} = {number};",
                if number > 60 { "_" } else { "" }
            )
        });
        world.modules[module].variables.push(line);
    }
    for edge in ["start", "stop"] {
        world.declare(0, format!("extern unsigned __{edge}_{section}[];"));
    }
    let walk = fixed(format!(
        "    for (unsigned *p = __start_{section}; p < __stop_{section}; p++) x = x * 3 + *p;"
    ));
    let print = world.print("x");
    world.add_body(0, vec![walk, fixed(print)]);
}

fn indirect_function(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let mut lines = Vec::new();
    for side in ["l", "r"] {
        let head = format!("static unsigned {side}{fresh}(unsigned a)");
        lines.extend(small_function(world, module, &head));
    }
    lines.push(fixed(format!(
        "static unsigned (*resolve{fresh}(void))(unsigned) {{"
    )));
    lines.push(numbered(&mut world.random, |number| {
        format!("    return {number} % 2 ? l{fresh} : r{fresh};")
    }));
    lines.push(fixed("}"));
    lines.push(fixed(format!(
        "unsigned found{fresh}(unsigned a) __attribute__((ifunc(\"resolve{fresh}\")));"
    )));
    world.early_functions(module, lines);
    shown_by_main(world, &format!("found{fresh}"));
}

/// A function that is called if some module defines it.
fn absent_function(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("maybe{fresh}");
    if world.random.chance(70) {
        let home = some_module(world, is_compiled_c).unwrap_or(0);
        let lines = small_function(world, home, &format!("unsigned {name}(unsigned a)"));
        world.early_functions(home, lines);
    }
    world.declare(
        0,
        format!("extern unsigned {name}(unsigned a) __attribute__((weak));"),
    );
    let call = statement(&mut world.random, |number| {
        format!("    x = {name} ? {name}({number}) : {number};")
    });
    let print = world.print("x");
    world.add_body(0, vec![call, fixed(print)]);
}

/// A member of an archive that nothing asks for but an option of the link.
fn pulled_member(world: &mut World, draft: &mut Draft) {
    let Some(number) = world.plain_number() else {
        return;
    };
    let name = world.globals[number].name.clone();
    let fresh = world.fresh();
    let print = world.print(&name);
    let lines = vec![
        fixed("#include <stdio.h>"),
        fixed(format!("extern unsigned {name};")),
        fixed(format!("unsigned pulled{fresh};")),
        fixed(format!(
            "__attribute__((constructor)) static void edge{fresh}(void) {{"
        )),
        statement(&mut world.random, |number| {
            format!("    {name} += {number};")
        }),
        fixed(print),
        fixed("}"),
    ];
    let kind = Kind::ArchiveMember;
    let file = format!("m{fresh}.c");
    draft.files.insert(file.clone(), DraftFile { kind, lines });
    world.commands.push(format!("gcc -O1 -c {file}"));
    world
        .commands
        .push(format!("ar rcs libm{fresh}.a m{fresh}.o"));
    if world.random.chance(60) {
        world.link.push(format!("-Wl,-u,pulled{fresh}"));
        world.link.push(format!("libm{fresh}.a"));
    } else {
        world.link.push(format!(
            "-Wl,--whole-archive libm{fresh}.a -Wl,--no-whole-archive"
        ));
    }
}

fn exit_handler(world: &mut World, _: &mut Draft) {
    let Some(module) = some_module(world, is_compiled_c) else {
        return;
    };
    let fresh = world.fresh();
    let mut lines = vec![
        fixed(format!("static void last{fresh}(void) {{")),
        fixed("    unsigned x = 2;"),
    ];
    lines.extend(statements(world, module, 0, 1, 2));
    lines.push(fixed("}"));
    lines.push(fixed(format!(
        "__attribute__((constructor)) static void begin{fresh}(void) {{"
    )));
    lines.push(fixed(format!("    atexit(last{fresh});")));
    lines.push(fixed("}"));
    world.early_functions(module, lines);
}
