//! Random projects: which modules there are and where their code goes, what they define and call, and
//! the Makefile that puts them together.

mod assembly;
mod code;
pub mod draft;
mod features;
mod makefile;
mod world;

use crate::random::Random;
use crate::unseen::pair::Kind;
use code::{define_function, define_global, statements};
use draft::{Draft, DraftFile, DraftLine, Edit, fixed, statement};
use world::{Function, Global, Image, Module, Place, Shape, Storage, World};

/// The project of a seed.
pub fn project(random: Random) -> Draft {
    let mut world = World::new(random);
    let mut draft = Draft::default();
    add_modules(&mut world);
    choose_exports(&mut world);
    add_symbols(&mut world);
    for number in 0..world.globals.len() {
        define_global(&mut world, number);
    }
    for number in (0..world.functions.len()).rev() {
        match world.place(world.functions[number].home) {
            Place::Assembly => assembly::define_function(&mut world, number),
            Place::Unit
            | Place::Archive(_)
            | Place::CompiledAssembly
            | Place::PrebuiltObject
            | Place::PrebuiltArchive
            | Place::SharedLibrary
            | Place::PrebuiltSharedLibrary
            | Place::PlugIn
            | Place::PrebuiltPlugIn => define_function(&mut world, number),
        }
    }
    // Bodies that were added until here are functions; `main` begins behind them.
    world.early = std::mem::take(&mut world.modules[0].bodies);
    begin_main(&mut world);
    for (feature, percent) in features::FEATURES {
        if world.random.chance(*percent) {
            feature(&mut world, &mut draft);
        }
    }
    end_main(&mut world);
    for module in 0..world.modules.len() {
        write_module(&mut world, &mut draft, module);
    }
    makefile::write(&mut world, &mut draft);
    let readme = DraftLine {
        text: "A program.".to_owned(),
        edits: vec![Edit::Instead("The program.".to_owned())],
    };
    let readme = DraftFile {
        kind: Kind::Documentation,
        lines: vec![readme],
    };
    draft.files.insert("README.md".to_owned(), readme);
    draft
}

fn add_modules(world: &mut World) {
    const PLACES: [Place; 14] = [
        Place::Unit,
        Place::Unit,
        Place::Unit,
        Place::Archive(0),
        Place::Archive(0),
        Place::Archive(1),
        Place::Assembly,
        Place::CompiledAssembly,
        Place::PrebuiltObject,
        Place::PrebuiltArchive,
        Place::SharedLibrary,
        Place::PrebuiltSharedLibrary,
        Place::PlugIn,
        Place::PrebuiltPlugIn,
    ];
    let count = world.random.between(2, 5) as usize;
    for number in 0..=count {
        let (name, place) = match number {
            0 => ("main".to_owned(), Place::Unit),
            _ => (format!("u{number}"), *world.random.pick(&PLACES)),
        };
        world.modules.push(Module {
            name,
            place,
            flags: Default::default(),
            steps: Vec::new(),
            declarations: Default::default(),
            variables: Vec::new(),
            bodies: Vec::new(),
        });
    }
}

/// Whether and how the program shows its symbols to plug-ins.
fn choose_exports(world: &mut World) {
    let has_plug_in = (0..world.modules.len()).any(|module| world.image(module) == Image::PlugIn);
    if has_plug_in && world.random.chance(70) {
        let option = *world
            .random
            .pick(&["-rdynamic", "-Wl,--export-dynamic", "-Wl,-E"]);
        world.link.push(option.to_owned());
        world.exports = true;
    }
    world.whole_archives = world.random.chance(15);
}

fn add_symbols(world: &mut World) {
    let count = world.random.between(4, 9) as usize;
    for number in 0..count {
        // Each module has at least one.
        let home = match number + 1 < world.modules.len() {
            true => number + 1,
            false => world.random.below(world.modules.len()),
        };
        let is_last = world.place(home) == Place::Assembly;
        world.functions.push(Function {
            name: format!("f{number}"),
            home,
            is_static: !is_last && number + 1 >= world.modules.len() && world.random.chance(20),
        });
    }
    for number in 0..world.random.between(3, 8) {
        let home = world.random.below(world.modules.len());
        let storage = match world.random.below(10) {
            0 | 1 => Storage::Common,
            2 => Storage::Weak,
            3 => Storage::ThreadLocal,
            4 => Storage::Static,
            _ => Storage::Plain,
        };
        let shape = match world.random.below(8) {
            0 | 1 => Shape::Array,
            2 => Shape::Record,
            3 => match world.callable(home, 0) {
                callable if callable.is_empty() => Shape::Number,
                callable => Shape::Function(*world.random.pick(&callable)),
            },
            _ => Shape::Number,
        };
        let is_assembly = world.place(home) == Place::Assembly;
        let (shape, storage) = match (is_assembly, shape, storage) {
            (true, _, _) => (Shape::Number, Storage::Plain),
            (false, Shape::Number, storage) => (shape, storage),
            (false, _, Storage::Common) => (shape, Storage::Plain),
            (false, _, storage) => (shape, storage),
        };
        world.globals.push(Global {
            name: format!("g{number}"),
            home,
            shape,
            storage,
        });
    }
    second_definitions(world);
}

/// Common symbols have a second definition somewhere, sometimes with a value.
fn second_definitions(world: &mut World) {
    for number in 0..world.globals.len() {
        let global = world.globals[number].clone();
        let other = world.random.below(world.modules.len());
        if global.storage != Storage::Common
            || other == global.home
            || world.place(other) == Place::Assembly
            || world.image(other) != Image::Executable
            || world.image(global.home) != Image::Executable
        {
            continue;
        }
        let name = &global.name;
        let line = match world.random.chance(40) {
            true => draft::numbered(&mut world.random, |number| {
                format!("unsigned {name} = {number};")
            }),
            false => fixed(format!("unsigned {name};")),
        };
        let module = &mut world.modules[other];
        module.flags.insert("-fcommon".to_owned());
        module.variables.push(line);
    }
}

fn begin_main(world: &mut World) {
    for module in 1..world.modules.len() {
        if world.image(module) == Image::PlugIn {
            let entries: Vec<String> = world
                .functions
                .iter()
                .filter(|function| function.home == module && !function.is_static)
                .map(|function| function.name.clone())
                .collect();
            for entry in entries {
                call_plug_in(world, module, &entry);
            }
        }
    }
    for number in 0..world.functions.len() {
        let function = &world.functions[number];
        if world.image(function.home) == Image::PlugIn
            || (function.is_static && function.home != 0)
            || world.random.chance(25)
        {
            continue;
        }
        let name = world.mention_function(0, number);
        let line = statement(&mut world.random, |number| {
            format!("    x += {name}({number});")
        });
        world.add_body(0, vec![line]);
    }
    let more = statements(world, 0, 0, 1, 4);
    world.add_body(0, more);
}

/// Loads a plug-in and calls one of its functions.
pub(crate) fn call_plug_in(world: &mut World, module: usize, function: &str) {
    let name = world.modules[module].name.clone();
    let now = *world.random.pick(&["RTLD_NOW", "RTLD_LAZY"]);
    let print = world.print("x");
    let call = statement(&mut world.random, |number| {
        format!("    x += entry({number});")
    });
    let lines = vec![
        fixed("    {"),
        fixed(format!(
            "    void *plugin = dlopen(\"./{name}.so\", {now});"
        )),
        fixed(format!(
            "    unsigned (*entry)(unsigned) = (unsigned (*)(unsigned))dlsym(plugin, \"{function}\");"
        )),
        call,
        fixed(print),
        fixed("    }"),
    ];
    world.add_body(0, lines);
}

/// Prints all that `main` sees.
fn end_main(world: &mut World) {
    for number in world.visible(0) {
        if let Some(element) = world.element(0, number) {
            let print = world.print(&element);
            world.add_body(0, vec![fixed(print)]);
        }
    }
}

const INCLUDES: [&str; 5] = [
    "#define _GNU_SOURCE",
    "#include <dlfcn.h>",
    "#include <stdio.h>",
    "#include <stdlib.h>",
    "#include <string.h>",
];

fn write_module(world: &mut World, draft: &mut Draft, number: usize) {
    let early = match number {
        0 => std::mem::take(&mut world.early),
        _ => Vec::new(),
    };
    let module = &world.modules[number];
    let is_assembly = module.place == Place::Assembly;
    let mut lines = Vec::new();
    if is_assembly {
        lines.extend(module.variables.clone());
        lines.extend(module.bodies.clone());
        lines.push(fixed("\t.section .note.GNU-stack"));
    } else {
        lines.extend(INCLUDES.map(fixed));
        lines.push(fixed("struct pair { unsigned a, b; };"));
        lines.extend(module.declarations.iter().map(fixed));
        lines.extend(module.variables.clone());
        lines.extend(early);
        if number == 0 {
            lines.push(fixed("int main(void) {"));
            lines.push(fixed("    unsigned x = 1, a = 2;"));
        }
        lines.extend(module.bodies.clone());
        if number == 0 {
            lines.push(fixed("    return a == 3;"));
            lines.push(fixed("}"));
        }
    }
    let extension = if is_assembly { "s" } else { "c" };
    draft.files.insert(
        format!("{}.{extension}", module.name),
        DraftFile {
            kind: module.place.kind(),
            lines,
        },
    );
}
