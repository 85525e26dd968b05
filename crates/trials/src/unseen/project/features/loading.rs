//! Shared libraries and plug-ins: who sees whose symbols, and who calls whom.

use super::super::draft::{Draft, DraftFile, DraftLine, fixed, numbered, statement};
use super::super::world::World;
use super::{shown_by_main, small_function};
use crate::unseen::pair::Kind;

/// How a library of one file is made, and whether its source is kept.
struct Library<'a> {
    name: &'a str,
    is_plug_in: bool,
    flags: &'a str,
    options: &'a str,
}

fn add_library(world: &mut World, draft: &mut Draft, library: &Library<'_>, lines: Vec<DraftLine>) {
    let Library {
        name,
        is_plug_in,
        flags,
        options,
    } = library;
    let is_prebuilt = world.random.chance(30);
    let kind = match (is_prebuilt, is_plug_in) {
        (true, true) => Kind::PrebuiltPlugIn,
        (true, false) => Kind::PrebuiltSharedLibrary,
        (false, true) => Kind::PlugIn,
        (false, false) => Kind::SharedLibrary,
    };
    let mut all = vec![fixed("#include <stdio.h>")];
    all.extend(lines);
    draft
        .files
        .insert(format!("{name}.c"), DraftFile { kind, lines: all });
    let command = format!("gcc -O1{flags} -fPIC -shared -o lib{name}.so {name}.c{options}");
    match is_prebuilt {
        true => draft.prepare.push(format!("{command} && rm {name}.c")),
        false => world.commands.push(command),
    }
    if !is_plug_in {
        world.link.push(format!("-l{name}"));
    }
}

/// A function that calls another one and prints what it gets.
fn asking(world: &mut World, name: &str, asked: &str) -> Vec<DraftLine> {
    let print = world.print("a");
    vec![
        fixed(format!("unsigned {name}(unsigned a) {{")),
        numbered(&mut world.random, |number| {
            format!("    a = {asked}(a + {number});")
        }),
        fixed(print),
        fixed("    return a;"),
        fixed("}"),
    ]
}

fn adding(world: &mut World, head: &str) -> Vec<DraftLine> {
    vec![
        fixed(format!("{head}(unsigned a) {{")),
        numbered(&mut world.random, |number| {
            format!("    return a + {number};")
        }),
        fixed("}"),
    ]
}

/// A library and the program define a function, and the library's may be kept to itself.
pub fn hidden_symbol(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (name, both) = (format!("own{fresh}"), format!("both{fresh}"));
    let (flags, head, options) = *world.random.pick(&[
        ("", "", ""),
        ("", "__attribute__((visibility(\"hidden\"))) ", ""),
        ("", "__attribute__((visibility(\"protected\"))) ", ""),
        ("", "__attribute__((weak)) ", ""),
        ("", "", "script"),
        ("", "", " -Wl,-Bsymbolic"),
        (" -fno-semantic-interposition", "", ""),
    ]);
    let options = match options {
        "script" => {
            let text = format!("{{ global: {name}; local: *; }};");
            draft.files.insert(
                format!("{name}.map"),
                DraftFile {
                    kind: Kind::Nothing,
                    lines: vec![fixed(text)],
                },
            );
            format!(" -Wl,--version-script={name}.map")
        }
        other => other.to_owned(),
    };
    let mut lines = adding(world, &format!("{head}unsigned {both}"));
    lines.extend(asking(world, &name, &both));
    let library = Library {
        name: &name,
        is_plug_in: false,
        flags,
        options: &options,
    };
    add_library(world, draft, &library, lines);
    let module = world.own_module();
    let lines = small_function(world, module, &format!("unsigned {both}(unsigned a)"));
    world.early_functions(module, lines);
    shown_by_main(world, &name);
    shown_by_main(world, &both);
}

/// A library and the program define a variable.
pub fn interposed_variable(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (name, both) = (format!("own{fresh}"), format!("value{fresh}"));
    let print = world.print("a");
    let lines = vec![
        numbered(&mut world.random, |number| {
            format!("unsigned {both} = {number};")
        }),
        fixed(format!("unsigned {name}(unsigned a) {{")),
        statement(&mut world.random, |number| {
            format!("    {both} += {number};")
        }),
        fixed(format!("    a += {both};")),
        fixed(print),
        fixed("    return a;"),
        fixed("}"),
    ];
    let options = *world.random.pick(&["", "", " -Wl,-Bsymbolic"]);
    let library = Library {
        name: &name,
        is_plug_in: false,
        flags: "",
        options,
    };
    add_library(world, draft, &library, lines);
    if world.random.chance(60) {
        let module = world.own_module();
        let line = numbered(&mut world.random, |number| {
            format!("unsigned {both} = {number};")
        });
        world.modules[module].variables.push(line);
    }
    world.declare(0, format!("extern unsigned {both};"));
    shown_by_main(world, &name);
    let print = world.print(&both);
    let write = statement(&mut world.random, |number| {
        format!("    {both} += {number};")
    });
    world.add_body(0, vec![write, fixed(print)]);
    shown_by_main(world, &name);
}

/// A library calls a function of the program if it has one.
pub fn optional_hook(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (name, hook) = (format!("own{fresh}"), format!("hook{fresh}"));
    let asked = format!("!{hook} ? a : {hook}");
    let mut lines = vec![fixed(format!(
        "extern unsigned {hook}(unsigned a) __attribute__((weak));"
    ))];
    lines.extend(asking(world, &name, &asked));
    let library = Library {
        name: &name,
        is_plug_in: false,
        flags: "",
        options: "",
    };
    add_library(world, draft, &library, lines);
    if world.random.chance(70) {
        let module = world.own_module();
        let lines = small_function(world, module, &format!("unsigned {hook}(unsigned a)"));
        world.early_functions(module, lines);
    }
    shown_by_main(world, &name);
}

/// A library keeps a function of the program and calls it later.
pub fn registered_function(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (name, kept) = (format!("own{fresh}"), format!("kept{fresh}"));
    let mut lines = vec![
        fixed(format!("static unsigned (*{kept})(unsigned);")),
        fixed(format!(
            "void keep{fresh}(unsigned (*function)(unsigned)) {{"
        )),
        fixed(format!("    {kept} = function;")),
        fixed("}"),
    ];
    lines.extend(asking(world, &name, &kept));
    let library = Library {
        name: &name,
        is_plug_in: false,
        flags: "",
        options: "",
    };
    add_library(world, draft, &library, lines);
    let module = world.own_module();
    let mut lines = small_function(
        world,
        module,
        &format!("static unsigned given{fresh}(unsigned a)"),
    );
    lines.push(fixed(format!("void give{fresh}(void) {{")));
    lines.push(fixed(format!("    keep{fresh}(given{fresh});")));
    lines.push(fixed("}"));
    world.declare(
        module,
        format!("void keep{fresh}(unsigned (*function)(unsigned));"),
    );
    world.early_functions(module, lines);
    world.declare(0, format!("void give{fresh}(void);"));
    world.add_body(0, vec![fixed(format!("    give{fresh}();"))]);
    shown_by_main(world, &name);
}

/// One plug-in uses what another one defines, and the program finds that by name.
pub fn plug_ins_that_see_each_other(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let (first, second) = (format!("first{fresh}"), format!("second{fresh}"));
    let value = format!("value{fresh}");
    let lines = vec![
        numbered(&mut world.random, |number| {
            format!("unsigned {value} = {number};")
        }),
        fixed(format!("unsigned step{fresh}(unsigned a) {{")),
        statement(&mut world.random, |number| {
            format!("    {value} += {number};")
        }),
        numbered(&mut world.random, |number| {
            format!("    return a + {number};")
        }),
        fixed("}"),
    ];
    let library = |name| Library {
        name,
        is_plug_in: true,
        flags: "",
        options: "",
    };
    add_library(world, draft, &library(&first), lines);
    let print = world.print(&value);
    let mut lines = vec![
        fixed(format!("extern unsigned {value};")),
        fixed(format!("unsigned step{fresh}(unsigned a);")),
    ];
    lines.extend(asking(world, &second, &format!("step{fresh}")));
    let end = lines.len() - 2;
    lines.insert(end, fixed(print));
    add_library(world, draft, &library(&second), lines);
    let (entry, found) = (world.print("x"), world.print("*value"));
    let lines = vec![
        fixed("    {"),
        fixed(format!(
            "    dlopen(\"./lib{first}.so\", RTLD_NOW | RTLD_GLOBAL);"
        )),
        fixed(format!(
            "    void *plugin = dlopen(\"./lib{second}.so\", RTLD_NOW);"
        )),
        fixed(format!(
            "    unsigned (*entry)(unsigned) = (unsigned (*)(unsigned))dlsym(plugin, \"{second}\");"
        )),
        statement(&mut world.random, |number| {
            format!("    x = entry({number});")
        }),
        fixed(entry),
        fixed(format!(
            "    unsigned *value = dlsym(RTLD_DEFAULT, \"{value}\");"
        )),
        fixed(found),
        fixed("    }"),
    ];
    world.add_body(0, lines);
}

/// The program's function in the library's place calls the library's.
pub fn next_definition(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let count = format!("next{fresh}");
    let lines = vec![
        fixed("#define _GNU_SOURCE"),
        fixed("#include <dlfcn.h>"),
        fixed(format!("unsigned {count};")),
        fixed("int atoi(const char *text) {"),
        statement(&mut world.random, |number| {
            format!("    {count} += {number};")
        }),
        fixed("    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, \"atoi\");"),
        numbered(&mut world.random, |number| {
            format!("    return next(text) + {number};")
        }),
        fixed("}"),
    ];
    let (file, object) = (format!("n{fresh}.c"), format!("n{fresh}.o"));
    let is_prebuilt = world.random.chance(30);
    let kind = match is_prebuilt {
        true => Kind::PrebuiltObject,
        false => Kind::Unit,
    };
    draft.files.insert(file.clone(), DraftFile { kind, lines });
    match is_prebuilt {
        true => draft
            .prepare
            .push(format!("gcc -O1 -c {file} && rm {file}")),
        false => world.commands.push(format!("gcc -O1 -c {file}")),
    }
    world.link.push(object);
    world.declare(0, format!("extern unsigned {count};"));
    let print = [world.print("x"), world.print(&count)];
    let call =
        fixed("    { char text[20]; snprintf(text, 20, \"%u\", x % 1000); x = atoi(text); }");
    world.add_body(0, vec![call]);
    world.add_body(0, print.map(fixed).to_vec());
}
