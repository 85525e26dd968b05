//! Symbols that mean something else than they say: wrapped, renamed, aliased, weak.

use super::super::draft::{Draft, DraftFile, fixed, numbered, statement};
use super::super::world::{Image, Place, World};
use super::{is_compiled_c, shown_by_main, small_function, some_module};
use crate::unseen::pair::Kind;

pub fn wrapped_function(world: &mut World, _: &mut Draft) {
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

pub fn defined_symbol(world: &mut World, _: &mut Draft) {
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

pub fn renamed_symbol(world: &mut World, _: &mut Draft) {
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

pub fn aliases(world: &mut World, _: &mut Draft) {
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
pub fn weak_hook(world: &mut World, _: &mut Draft) {
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

/// A function that is called if some module defines it.
pub fn absent_function(world: &mut World, _: &mut Draft) {
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

pub fn indirect_function(world: &mut World, _: &mut Draft) {
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

/// All symbols of an object get a prefix.
pub fn prefixed_symbols(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let file = format!("bare{fresh}.c");
    let lines = vec![
        numbered(&mut world.random, |number| {
            format!("unsigned state{fresh} = {number};")
        }),
        fixed(format!("unsigned bare{fresh}(unsigned a) {{")),
        statement(&mut world.random, |number| {
            format!("    state{fresh} += {number};")
        }),
        fixed(format!("    return a + state{fresh};")),
        fixed("}"),
    ];
    let kind = Kind::Unit;
    draft.files.insert(file.clone(), DraftFile { kind, lines });
    world.commands.push(format!("gcc -O1 -c {file}"));
    world
        .commands
        .push(format!("objcopy --prefix-symbols=our_ bare{fresh}.o"));
    world.link.push(format!("bare{fresh}.o"));
    world.declare(0, format!("extern unsigned our_state{fresh};"));
    shown_by_main(world, &format!("our_bare{fresh}"));
    let print = world.print(&format!("our_state{fresh}"));
    world.add_body(0, vec![fixed(print)]);
}

/// Nothing outside of its image sees the symbols of a module that does not say otherwise.
pub fn hidden_module(world: &mut World, _: &mut Draft) {
    let module = world.random.below(world.modules.len());
    world.modules[module]
        .flags
        .insert("-fvisibility=hidden".to_owned());
}
