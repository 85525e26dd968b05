//! What a build may do to a program besides compiling and linking it plainly: each feature is one
//! function, and is put into a project or not.

mod compiling;
mod data;
mod definitions;
mod edges;
mod library;
mod loading;
mod symbols;

use super::code::statements;
use super::draft::{Draft, DraftLine, fixed, numbered, statement};
use super::world::{Place, World};

type Feature = fn(&mut World, &mut Draft);

/// All features, each with the percentage of projects that have it.
pub const FEATURES: &[(Feature, usize)] = &[
    (symbols::wrapped_function, 12),
    (symbols::defined_symbol, 12),
    (edges::first_and_last_function, 10),
    (edges::collected_sections, 12),
    (edges::constructors, 35),
    (symbols::aliases, 15),
    (symbols::weak_hook, 15),
    (definitions::interposed_function, 25),
    (definitions::function_of_two_archives, 15),
    (definitions::function_of_two_objects, 8),
    (library::looked_up_by_name, 12),
    (library::own_library_functions, 15),
    (data::module_assembly, 18),
    (data::included_bytes, 15),
    (data::linked_bytes, 10),
    (data::generated_header, 12),
    (data::shared_header, 12),
    (definitions::linker_script, 8),
    (symbols::renamed_symbol, 12),
    (edges::section_of_entries, 10),
    (symbols::indirect_function, 8),
    (symbols::absent_function, 10),
    (definitions::pulled_member, 10),
    (edges::exit_handler, 8),
    (definitions::function_of_two_libraries, 8),
    (definitions::common_symbol_of_a_member, 8),
    (definitions::defined_symbol_of_a_member, 6),
    (symbols::prefixed_symbols, 6),
    (symbols::hidden_module, 6),
    (compiling::unit_compiled_twice, 8),
    (compiling::included_unit, 8),
    (compiling::forced_header, 6),
    (compiling::preprocessed_assembly, 8),
    (compiling::unit_in_the_link_command, 8),
    (compiling::refused_unit, 8),
    (compiling::jump_to_a_function, 6),
    (loading::hidden_symbol, 14),
    (loading::interposed_variable, 12),
    (loading::optional_hook, 8),
    (loading::registered_function, 8),
    (loading::plug_ins_that_see_each_other, 8),
    (loading::next_definition, 6),
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
