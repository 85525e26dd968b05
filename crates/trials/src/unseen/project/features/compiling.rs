//! Ways in which text becomes code: units that are compiled twice, included, preprocessed as
//! assembly, compiled by the command that links, or refused by clang.

use super::super::code::statements;
use super::super::draft::{Draft, DraftFile, DraftLine, fixed, numbered, statement};
use super::super::world::World;
use super::{called_by_main, shown_by_main};
use crate::unseen::pair::Kind;

fn add(draft: &mut Draft, name: &str, kind: Kind, lines: Vec<DraftLine>) {
    draft
        .files
        .insert(name.to_owned(), DraftFile { kind, lines });
}

/// Lines of a file with one function that adds a number and prints.
fn one_function(world: &mut World, head: &str) -> Vec<DraftLine> {
    let print = world.print("a");
    vec![
        fixed("#include <stdio.h>"),
        fixed(format!("{head}(unsigned a) {{")),
        statement(&mut world.random, |number| format!("    a += {number};")),
        fixed(print),
        numbered(&mut world.random, |number| {
            format!("    return a * 3 + {number};")
        }),
        fixed("}"),
    ]
}

pub fn unit_compiled_twice(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let lines = one_function(world, "unsigned NAME");
    add(draft, &format!("t{fresh}.c"), Kind::Unit, lines);
    for side in ["l", "r"] {
        let name = format!("{side}{fresh}");
        world
            .commands
            .push(format!("gcc -O1 -DNAME={name} -c t{fresh}.c -o {name}.o"));
        world.link.push(format!("{name}.o"));
        shown_by_main(world, &name);
    }
}

pub fn included_unit(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("part{fresh}");
    let lines = one_function(world, &format!("static unsigned {name}"));
    let file = *world.random.pick(&["inc", "c", "h"]);
    let file = format!("{name}.{file}");
    add(draft, &file, Kind::Header, lines);
    world.declare(0, format!("#include \"{file}\""));
    called_by_main(world, &name);
}

pub fn forced_header(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let line = numbered(&mut world.random, |number| {
        format!("#define FORCED{fresh} {number}")
    });
    let file = format!("forced{fresh}.h");
    add(draft, &file, Kind::Header, vec![line]);
    world.modules[module]
        .flags
        .insert(format!("-include {file}"));
    let name = format!("forced{fresh}");
    let print = world.print("a");
    let lines = vec![
        fixed(format!("unsigned {name}(unsigned a) {{")),
        fixed(format!("    a += FORCED{fresh};")),
        fixed(print),
        fixed("    return a;"),
        fixed("}"),
    ];
    world.early_functions(module, lines);
    shown_by_main(world, &name);
}

pub fn preprocessed_assembly(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("low{fresh}");
    let macros = numbered(&mut world.random, |number| {
        format!("#define LOW{fresh} {number}")
    });
    add(draft, &format!("{name}.h"), Kind::Header, vec![macros]);
    let mut lines = vec![
        fixed(format!("#include \"{name}.h\"")),
        fixed("\t.text"),
        fixed(format!("\t.globl {name}")),
        fixed(format!("{name}:")),
        fixed(format!("\tleal LOW{fresh}(%rdi), %eax")),
    ];
    if let Some(number) = world.plain_number() {
        let global = world.globals[number].name.clone();
        lines.push(match world.random.chance(50) {
            true => fixed(format!("\tmovl %eax, {global}(%rip)")),
            false => fixed(format!("\taddl {global}(%rip), %eax")),
        });
    }
    lines.push(numbered(&mut world.random, |number| {
        format!("\taddl ${number}, %eax")
    }));
    lines.extend([fixed("\tret"), fixed("\t.section .note.GNU-stack")]);
    add(draft, &format!("{name}.S"), Kind::Assembly, lines);
    world.commands.push(format!("gcc -c {name}.S"));
    world.link.push(format!("{name}.o"));
    shown_by_main(world, &name);
}

pub fn unit_in_the_link_command(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("late{fresh}");
    let lines = one_function(world, &format!("unsigned {name}"));
    add(draft, &format!("{name}.c"), Kind::Unit, lines);
    world.link.push(format!("{name}.c"));
    shown_by_main(world, &name);
}

/// A function inside a function is gcc's own.
pub fn refused_unit(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let name = format!("nested{fresh}");
    let print = world.print("a");
    let mut lines = vec![
        fixed("#include <stdio.h>"),
        fixed(format!("unsigned {name}(unsigned a) {{")),
        fixed("    unsigned inner(unsigned b) { return a + b; }"),
        fixed(print),
    ];
    if let Some(number) = world.plain_number() {
        let global = world.globals[number].name.clone();
        lines.insert(1, fixed(format!("extern unsigned {global};")));
        lines.push(match world.random.chance(50) {
            true => statement(&mut world.random, |number| {
                format!("    {global} = a + {number};")
            }),
            false => statement(&mut world.random, |number| {
                format!("    a += {global} * {number};")
            }),
        });
    }
    lines.push(numbered(&mut world.random, |number| {
        format!("    return inner({number});")
    }));
    lines.push(fixed("}"));
    add(draft, &format!("{name}.c"), Kind::Refused, lines);
    world.commands.push(format!("gcc -O1 -c {name}.c"));
    world.link.push(format!("{name}.o"));
    shown_by_main(world, &name);
}

/// Assembly that does nothing but go on in a function.
pub fn jump_to_a_function(world: &mut World, _: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let name = format!("jump{fresh}");
    let mut lines = vec![
        fixed(format!("unsigned {name}_to(unsigned a) {{")),
        fixed("    unsigned x = a;"),
    ];
    lines.extend(statements(world, module, usize::MAX, 0, 2));
    lines.push(numbered(&mut world.random, |number| {
        format!("    return x + {number};")
    }));
    lines.push(fixed("}"));
    lines.push(fixed(format!(
        "__asm__(\".pushsection .text\\n.globl {name}\\n{name}: jmp {name}_to\\n.popsection\\n\");"
    )));
    world.early_functions(module, lines);
    shown_by_main(world, &name);
}
