//! Several definitions of one symbol, and what of archives is linked at all.

use super::super::draft::{Draft, DraftFile, DraftLine, fixed, numbered, statement};
use super::super::world::{Image, World};
use super::{is_compiled_c, shown_by_main, small_function, some_module};
use crate::unseen::pair::Kind;

/// A function that a library or plug-in and the program define.
pub fn interposed_function(world: &mut World, _: &mut Draft) {
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
        Image::PlugIn => super::super::call_plug_in(world, dynamic, &entry),
        Image::Executable => {}
    }
    shown_by_main(world, &name);
}

/// Two archives, and the order in which the linker sees them decides.
pub fn function_of_two_archives(world: &mut World, draft: &mut Draft) {
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
pub fn function_of_two_objects(world: &mut World, _: &mut Draft) {
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

/// A member of an archive that nothing asks for but an option of the link.
pub fn pulled_member(world: &mut World, draft: &mut Draft) {
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

pub fn linker_script(world: &mut World, draft: &mut Draft) {
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
    line.edits.push(super::super::draft::Edit::Instead(format!(
        "INPUT(r{fresh}.o)"
    )));
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

/// A file with one function that prints and adds a number.
fn one_function(world: &mut World, name: &str) -> Vec<DraftLine> {
    let print = world.print("a");
    vec![
        fixed("#include <stdio.h>"),
        fixed(format!("unsigned {name}(unsigned a) {{")),
        fixed(print),
        numbered(&mut world.random, |number| {
            format!("    return a + {number};")
        }),
        fixed("}"),
    ]
}

/// Two libraries, or a library and an archive: the first one on the command line that defines it.
pub fn function_of_two_libraries(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let mut inputs = Vec::new();
    for side in ["l", "r"] {
        let lines = one_function(world, &format!("lib{fresh}"));
        let name = format!("{side}{fresh}");
        let is_shared = side == "l" || world.random.chance(50);
        let kind = match is_shared {
            true => Kind::SharedLibrary,
            false => Kind::ArchiveMember,
        };
        draft
            .files
            .insert(format!("{name}.c"), DraftFile { kind, lines });
        world.commands.push(format!("gcc -O1 -fPIC -c {name}.c"));
        world.commands.push(match is_shared {
            true => format!("gcc -shared -o lib{name}.so {name}.o"),
            false => format!("ar rcs lib{name}.a {name}.o"),
        });
        inputs.push(format!("-l{name}"));
    }
    if world.random.chance(50) {
        inputs.reverse();
    }
    world.link.extend(inputs);
    shown_by_main(world, &format!("lib{fresh}"));
}

/// A common symbol of a unit makes the linker take a member that gives it a value.
pub fn common_symbol_of_a_member(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("block{fresh}");
    let print = world.print(&name);
    let lines = vec![
        fixed("#include <stdio.h>"),
        match world.random.chance(70) {
            true => numbered(&mut world.random, |number| {
                format!("unsigned {name} = {number};")
            }),
            false => fixed(format!("unsigned {name};")),
        },
        fixed("__attribute__((constructor)) static void begin(void) {"),
        statement(&mut world.random, |number| {
            format!("    {name} += {number};")
        }),
        fixed(print),
        fixed("}"),
    ];
    let kind = Kind::ArchiveMember;
    draft
        .files
        .insert(format!("{name}.c"), DraftFile { kind, lines });
    let flag = *world.random.pick(&["", " -fcommon"]);
    world.commands.push(format!("gcc -O1{flag} -c {name}.c"));
    world.commands.push(format!("ar rcs lib{name}.a {name}.o"));
    world.link.push(format!("lib{name}.a"));
    let module = world.own_module();
    world.modules[module].flags.insert("-fcommon".to_owned());
    world.modules[module]
        .variables
        .push(fixed(format!("unsigned {name};")));
    world.declare(0, format!("extern unsigned {name};"));
    let print = world.print(&name);
    world.add_body(0, vec![fixed(print)]);
}

/// A symbol that the linker is told, and that a member of an archive defines, too.
pub fn defined_symbol_of_a_member(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (name, other) = (format!("told{fresh}"), format!("real{fresh}"));
    for (file, function, kind) in [
        (format!("{name}.c"), &name, Kind::ArchiveMember),
        (format!("{other}.c"), &other, Kind::Unit),
    ] {
        let lines = one_function(world, function);
        draft.files.insert(file.clone(), DraftFile { kind, lines });
        world.commands.push(format!("gcc -O1 -c {file}"));
    }
    world.commands.push(format!("ar rcs lib{name}.a {name}.o"));
    world.link.push(format!("{other}.o"));
    world.link.push(format!("lib{name}.a"));
    if world.random.chance(70) {
        world.link.push(format!("-Wl,--defsym={name}={other}"));
    }
    shown_by_main(world, &name);
}
