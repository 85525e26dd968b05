//! What runs before and after `main`, and what the linker gathers in sections.

use super::super::code::statements;
use super::super::draft::{Draft, fixed, statement};
use super::super::world::{Image, World};
use super::{is_compiled_c, some_module};

pub fn first_and_last_function(world: &mut World, _: &mut Draft) {
    let option = *world.random.pick(&["init", "fini"]);
    let module = world.own_module();
    let fresh = world.fresh();
    world.link.push(format!("-Wl,-{option}=edge{fresh}"));
    world.declare(module, format!("void edge{fresh}(void);"));
    let mut lines = vec![
        fixed(format!("void edge{fresh}(void) {{")),
        fixed("    unsigned x = 1, a = 2;"),
    ];
    lines.extend(statements(world, module, 0, 1, 2));
    lines.push(fixed("}"));
    world.early_functions(module, lines);
}

pub fn constructors(world: &mut World, _: &mut Draft) {
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
            fixed("    unsigned x = 1, a = 2;"),
        ];
        lines.extend(statements(world, module, 0, 1, 3));
        lines.push(fixed("}"));
        world.early_functions(module, lines);
    }
}

pub fn exit_handler(world: &mut World, _: &mut Draft) {
    let Some(module) = some_module(world, is_compiled_c) else {
        return;
    };
    let fresh = world.fresh();
    let mut lines = vec![
        fixed(format!("static void last{fresh}(void) {{")),
        fixed("    unsigned x = 2, a = 1;"),
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

pub fn collected_sections(world: &mut World, _: &mut Draft) {
    world.link.push("-Wl,--gc-sections".to_owned());
    for module in &mut world.modules {
        module.flags.insert("-ffunction-sections".to_owned());
        module.flags.insert("-fdata-sections".to_owned());
    }
}

pub fn section_of_entries(world: &mut World, _: &mut Draft) {
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
