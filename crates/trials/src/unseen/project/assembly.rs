//! Units in assembly, written by hand.

use super::draft::{DraftLine, fixed, numbered};
use super::world::{Image, World};
use crate::random::Random;

/// A function that adds a number, reads or writes a variable of the program, and may call.
pub fn define_function(world: &mut World, number: usize) {
    let function = world.functions[number].clone();
    let home = function.home;
    let name = &function.name;
    let mut lines = vec![
        fixed("\t.text"),
        fixed(format!("\t.globl {name}")),
        fixed(format!("\t.type {name}, @function")),
        fixed(format!("{name}:")),
        fixed("\tsubq $8, %rsp"),
        numbered(&mut world.random, |number| {
            format!("\taddl ${number}, %edi")
        }),
    ];
    if let Some(global) = world.plain_number() {
        let global = world.globals[global].name.clone();
        lines.push(match world.random.below(3) {
            0 => fixed(format!("\taddl {global}(%rip), %edi")),
            1 => fixed(format!("\tmovl %edi, {global}(%rip)")),
            _ => numbered(&mut world.random, |number| {
                format!("\taddl ${number}, {global}(%rip)")
            }),
        });
    }
    lines.push(fixed("\tmovl %edi, %eax"));
    let callable = world.callable(home, number + 1);
    let is_shown = |number: &usize| !world.functions[*number].is_static;
    let callable: Vec<usize> = callable.into_iter().filter(is_shown).collect();
    if let Some(&callee) = callable.get(world.random.below(callable.len()))
        && world.random.chance(60)
    {
        let callee = &world.functions[callee];
        let through = match world.image(callee.home) {
            Image::Executable => "",
            Image::Library | Image::PlugIn => "@PLT",
        };
        lines.push(fixed(format!("\tcall {}{through}", callee.name)));
    }
    lines.push(numbered(&mut world.random, |number| {
        format!("\tleal {number}(%rax), %eax")
    }));
    lines.extend([fixed("\taddq $8, %rsp"), fixed("\tret")]);
    lines.push(fixed(format!("\t.size {name}, .-{name}")));
    world.add_body(home, lines);
}

/// The lines that define a variable.
pub fn variable(random: &mut Random, name: &str) -> Vec<DraftLine> {
    vec![
        fixed("\t.data"),
        fixed(format!("\t.globl {name}")),
        fixed("\t.balign 4"),
        fixed(format!("\t.type {name}, @object")),
        fixed(format!("\t.size {name}, 4")),
        numbered(random, |number| format!("{name}: .long {number}")),
    ]
}
