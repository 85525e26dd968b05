//! Code and data that come from other texts than C: assembly, bytes, templates.

use super::super::draft::{Draft, DraftFile, fixed, numbered};
use super::super::world::{Place, World};
use super::shown_by_main;
use crate::unseen::pair::Kind;

pub fn module_assembly(world: &mut World, _: &mut Draft) {
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

pub fn included_bytes(world: &mut World, draft: &mut Draft) {
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

pub fn linked_bytes(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let extension = *world.random.pick(&["", ".txt", ".bin"]);
    let file = format!("data{fresh}{extension}");
    let text = numbered(&mut world.random, |number| format!("{number}"));
    draft.files.insert(
        file.clone(),
        DraftFile {
            kind: Kind::LinkedBytes,
            lines: vec![text, fixed("end")],
        },
    );
    let command = match world.random.chance(50) {
        true => format!("ld -r -b binary -o data{fresh}.o {file}"),
        false => {
            format!("objcopy -I binary -O elf64-x86-64 -B i386:x86-64 {file} data{fresh}.o")
        }
    };
    world.commands.push(command);
    world.link.push(format!("data{fresh}.o"));
    let name = format!("_binary_{}_start", file.replace('.', "_"));
    world.declare(0, format!("extern const unsigned char {name}[];"));
    let read = fixed(format!("    x = {name}[0] * 256u + {name}[1];"));
    let print = world.print("x");
    world.add_body(0, vec![read, fixed(print)]);
}

pub fn generated_header(world: &mut World, draft: &mut Draft) {
    let fresh = world.fresh();
    let module = world.own_module();
    let line = numbered(&mut world.random, |number| {
        format!("#define SCALE{fresh} (@BASE@ + {number})")
    });
    let template = *world
        .random
        .pick(&["scale.h.in", "scale.txt", "scale.tmpl", "scale"]);
    let template = template.replace("scale", &format!("scale{fresh}"));
    draft.files.insert(
        template.clone(),
        DraftFile {
            kind: Kind::Template,
            lines: vec![line],
        },
    );
    world
        .commands
        .insert(0, format!("sed 's/@BASE@/7/' {template} > scale{fresh}.h"));
    world.ignored.push(format!("scale{fresh}.h"));
    reader_of_macro(world, module, fresh);
}

pub fn shared_header(world: &mut World, draft: &mut Draft) {
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
