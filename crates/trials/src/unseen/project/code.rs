//! Functions in C: statements that read, write and call what other modules define, and print what
//! they see.

use super::assembly;
use super::draft::{DraftLine, Edit, fixed, numbered, statement};
use super::world::{Image, Place, Shape, Storage, World};

/// Defines the variable in its home.
pub fn define_global(world: &mut World, number: usize) {
    let global = world.globals[number].clone();
    let name = &global.name;
    if world.place(global.home) == Place::Assembly {
        let lines = assembly::variable(&mut world.random, name);
        world.modules[global.home].variables.extend(lines);
        return;
    }
    let line = match (global.shape, global.storage) {
        (Shape::Function(target), storage) => {
            let function = world.mention_function(global.home, target);
            let linkage = linkage(storage);
            // Where another function is called, it has a higher number too.
            let others = world.callable(global.home, target);
            let other = others[world.random.below(others.len())];
            let other = world.mention_function(global.home, other);
            let text =
                |function: &str| format!("{linkage}unsigned (*{name})(unsigned) = {function};");
            DraftLine {
                text: text(&function),
                edits: vec![Edit::Instead(text(&other))],
            }
        }
        (Shape::Number, Storage::Common) => fixed(format!("unsigned {name};")),
        (Shape::Number, storage) => {
            let linkage = linkage(storage);
            numbered(&mut world.random, |number| {
                format!("{linkage}unsigned {name} = {number};")
            })
        }
        (Shape::Array, storage) => {
            let linkage = linkage(storage);
            numbered(&mut world.random, |number| {
                format!("{linkage}unsigned {name}[4] = {{1, {number}, 7, {number} + 1}};")
            })
        }
        (Shape::Record, storage) => {
            let linkage = linkage(storage);
            numbered(&mut world.random, |number| {
                format!("{linkage}struct pair {name} = {{3, {number}}};")
            })
        }
    };
    if global.storage == Storage::Common {
        world.modules[global.home]
            .flags
            .insert("-fcommon".to_owned());
    }
    world.modules[global.home].variables.push(line);
}

fn linkage(storage: Storage) -> &'static str {
    match storage {
        Storage::Plain | Storage::Common => "",
        Storage::Weak => "__attribute__((weak)) ",
        Storage::ThreadLocal => "__thread ",
        Storage::Static => "static ",
    }
}

/// A function with a body.
pub fn define_function(world: &mut World, number: usize) {
    let function = world.functions[number].clone();
    let home = function.home;
    world.mention_function(home, number);
    let linkage = if function.is_static { "static " } else { "" };
    let mut lines = vec![
        fixed(format!(
            "{linkage}unsigned {}(unsigned a) {{",
            function.name
        )),
        fixed("    unsigned x = a;"),
    ];
    lines.extend(statements(world, home, number + 1, 2, 5));
    lines.push(numbered(&mut world.random, |number| {
        format!("    return x + {number};")
    }));
    lines.push(fixed("}"));
    world.add_body(home, lines);
}

/// Some statements of a function that may call functions with numbers from `least` on.
pub fn statements(
    world: &mut World,
    module: usize,
    least: usize,
    few: i64,
    many: i64,
) -> Vec<DraftLine> {
    let count = world.random.between(few, many);
    let mut calls = 0;
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.extend(one_statement(world, module, least, &mut calls));
    }
    lines.extend(printing(world, module));
    lines
}

fn printing(world: &mut World, module: usize) -> Vec<DraftLine> {
    let seen = match world.random.chance(60) {
        true => world.some_element(module),
        false => None,
    };
    let value = seen.unwrap_or_else(|| "x".to_owned());
    vec![fixed(world.print(&value))]
}

/// No function makes more calls than that: what it calls may call as many.
const MAX_CALLS: usize = 2;

fn one_statement(
    world: &mut World,
    module: usize,
    least: usize,
    calls: &mut usize,
) -> Vec<DraftLine> {
    let element = world.some_element(module).unwrap_or_else(|| "x".to_owned());
    let line = match world.random.below(12) {
        0 => {
            let mut line = statement(&mut world.random, |number| format!("    x += {number};"));
            let other = line.text.replace("+=", "^=");
            line.edits.push(Edit::Instead(other));
            line
        }
        1 => statement(&mut world.random, |number| {
            format!("    x += {element} * {number};")
        }),
        2 => statement(&mut world.random, |number| {
            format!("    {element} = x + {number};")
        }),
        3 => statement(&mut world.random, |number| {
            format!("    {element} += {number};")
        }),
        4..=6 if *calls < MAX_CALLS => {
            let callable = world.callable(module, least);
            let Some(&callee) = callable.get(world.random.below(callable.len())) else {
                return printing(world, module);
            };
            *calls += 1;
            let name = world.mention_function(module, callee);
            statement(&mut world.random, |number| {
                format!("    x ^= {name}(x + {number});")
            })
        }
        7 if *calls < MAX_CALLS => {
            let pointers: Vec<usize> = world.visible(module);
            let is_pointer = |number: &usize| matches!(world.globals[*number].shape, Shape::Function(target) if target >= least);
            let pointers: Vec<usize> = pointers.into_iter().filter(is_pointer).collect();
            let Some(&pointer) = pointers.get(world.random.below(pointers.len())) else {
                return printing(world, module);
            };
            *calls += 1;
            let name = world.mention_global(module, pointer);
            statement(&mut world.random, |number| {
                format!("    x ^= {name}(x + {number});")
            })
        }
        8 => statement(&mut world.random, |number| {
            format!("    if (x & 4) {element} += {number};")
        }),
        9 => statement(&mut world.random, |number| {
            format!("    for (unsigned i = 0; i < 3; i++) x += i * {number};")
        }),
        10 => return library_call(world),
        11 if world.image(module) == Image::Executable && world.place(module) == Place::Unit => {
            return inline_assembly(world, module, least, calls);
        }
        _ => return printing(world, module),
    };
    vec![line]
}

/// A call of the C library that allocates, copies or compares, and so may call the program.
fn library_call(world: &mut World) -> Vec<DraftLine> {
    let line = match world.random.below(3) {
        0 => numbered(&mut world.random, |number| {
            format!(
                "    {{ char *text = strdup(\"{}\"); x += strlen(text); free(text); }}",
                "a".repeat(number as usize % 7 + 1)
            )
        }),
        1 => numbered(&mut world.random, |number| {
            format!(
                "    {{ char text[20]; snprintf(text, 20, \"%u\", x + {number}); x += text[0]; }}"
            )
        }),
        _ => numbered(&mut world.random, |number| {
            format!(
                "    {{ struct pair one = {{x, {number}}}, two; memcpy(&two, &one, sizeof one); x += two.b; }}"
            )
        }),
    };
    vec![line]
}

/// Assembly inside a function that names a symbol of the program.
fn inline_assembly(
    world: &mut World,
    module: usize,
    least: usize,
    calls: &mut usize,
) -> Vec<DraftLine> {
    if *calls < MAX_CALLS && world.random.chance(30) {
        let callable = world.callable(module, least);
        let is_near = |number: &usize| {
            world.image(world.functions[*number].home) == Image::Executable
                && !world.functions[*number].is_static
        };
        let callable: Vec<usize> = callable.into_iter().filter(is_near).collect();
        if let Some(&callee) = callable.get(world.random.below(callable.len())) {
            *calls += 1;
            let name = world.functions[callee].name.clone();
            return vec![
                // The called function leaves nothing in the register that it got.
                fixed("    { unsigned given = a;"),
                fixed(
                    "    __asm__ volatile(\"leaq -256(%%rsp), %%rsp\\n pushq %%rbx\\n movq %%rsp, %%rbx\\n andq $-16, %%rsp\\n\"",
                ),
                numbered(&mut world.random, |number| {
                    format!("        \"addl ${number}, %%edi\\n call {name}\\n\"")
                }),
                fixed("        \"movq %%rbx, %%rsp\\n popq %%rbx\\n leaq 256(%%rsp), %%rsp\\n\""),
                fixed(
                    "        : \"=a\"(x), \"+D\"(given) : : \"rcx\", \"rdx\", \"rsi\", \"r8\", \"r9\", \"r10\", \"r11\", \"memory\", \"cc\", \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", \"xmm5\", \"xmm6\", \"xmm7\"); }",
                ),
                fixed(world.print("x")),
            ];
        }
    }
    let Some(number) = world.plain_number() else {
        return printing(world, module);
    };
    let name = world.globals[number].name.clone();
    let line = match world.random.below(3) {
        0 => fixed(format!(
            "    __asm__ volatile(\"addl {name}(%%rip), %0\" : \"+r\"(x) : : \"memory\");"
        )),
        1 => numbered(&mut world.random, |number| {
            format!("    __asm__ volatile(\"movl ${number}, {name}(%%rip)\" : : : \"memory\");")
        }),
        _ => numbered(&mut world.random, |number| {
            format!(
                "    __asm__ volatile(\"addl ${number}, {name}(%%rip)\" : : : \"memory\", \"cc\");"
            )
        }),
    };
    vec![line, fixed(world.print("x"))]
}
