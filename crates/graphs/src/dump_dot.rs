//! Question: what do the graphs of one function look like, drawn?
//!
//! Source: the views of [`crate::dump`] in the language of Graphviz; `None` for a
//! function without a body.
//!
//! Why right: nodes are blocks by number, so names cannot clash; names and
//! instructions are quoted.
//!
//! Cost: linear in the function.

use crate::dump::View;
use crate::{LoopId, loops};
use knockon_program::{BlockId, FunctionId, Program};
use std::fmt::Write;

pub fn dump_control_flow_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    Some(dot(&view, "control flow", |block| {
        let lines = view.lines(block).map(|lines| format!("\n{lines}"));
        format!("{}{}", view.name(block), lines.unwrap_or_default())
    }))
}

pub fn dump_ssa_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    Some(dot(&view, "ssa", |block| {
        format!("{}:\n{}", view.name(block), view.instructions(block))
    }))
}

/// Solid edges go from immediate dominator to block, dashed ones from block to
/// immediate post-dominator.
pub fn dump_dominators_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let tree = &view.tree;
    let post = view.post_dominators();
    let mut text = dot_title(&view, "dominators");
    text.push_str("  exit [label=\"(exit)\"];\n");
    for block in view.printer.body.block_ids() {
        let _ = writeln!(
            text,
            "  b{} [label={}];",
            block.0,
            quoted(&view.name(block))
        );
        if let Some(above) = tree.immediate_dominator(block) {
            let _ = writeln!(text, "  b{} -> b{};", above.0, block.0);
        }
        let after = match post.immediate_post_dominator(block) {
            Some(after) => format!("b{}", after.0),
            None => "exit".to_string(),
        };
        let _ = writeln!(text, "  b{} -> {after} [style=dashed];", block.0);
    }
    text.push_str("}\n");
    Some(text)
}

/// The control-flow graph with each loop as a box around its blocks.
pub fn dump_loops_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let forest = loops(&view.flow, &view.tree);
    let mut text = dot_title(&view, "loops");
    let mut open: Vec<LoopId> = Vec::new();
    for id in forest.ids() {
        while open
            .last()
            .is_some_and(|last| forest.get(id).parent != Some(*last))
        {
            open.pop();
            text.push_str("  }\n");
        }
        open.push(id);
        let header = format!("loop {}", view.name(forest.get(id).header));
        let _ = writeln!(
            text,
            "  subgraph cluster{} {{ label={};",
            id.0,
            quoted(&header)
        );
        for block in forest.blocks.of(id) {
            if forest.innermost(*block) == Some(id) {
                let _ = writeln!(text, "  b{};", block.0);
            }
        }
    }
    for _ in open {
        text.push_str("  }\n");
    }
    dot_nodes(&view, &mut text, |block| view.name(block));
    text.push_str("}\n");
    Some(text)
}

fn dot_title(view: &View, what: &str) -> String {
    let title = format!("{what} of {}", view.function_name());
    format!(
        "digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n",
        quoted(&title)
    )
}

fn dot(view: &View, what: &str, label: impl Fn(BlockId) -> String) -> String {
    let mut text = dot_title(view, what);
    dot_nodes(view, &mut text, label);
    text.push_str("}\n");
    text
}

fn dot_nodes(view: &View, text: &mut String, label: impl Fn(BlockId) -> String) {
    for block in view.printer.body.block_ids() {
        let _ = writeln!(text, "  b{} [label={}];", block.0, quoted(&label(block)));
        for next in view.flow.successors.of(block) {
            let _ = writeln!(text, "  b{} -> b{};", block.0, next.0);
        }
    }
}

/// A DOT string; `\l` ends a line that is set to the left.
fn quoted(text: &str) -> String {
    let several = text.contains('\n');
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\l"),
            _ => quoted.push(character),
        }
    }
    if several && !text.ends_with('\n') {
        quoted.push_str("\\l");
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promote;
    use crate::random_bodies::random_program;

    #[test]
    fn every_dot_is_balanced() {
        for seed in 0..200 {
            let mut builder = random_program(seed);
            promote(&mut builder.program);
            let id = builder.program.functions_named("subject")[0];
            for dump in [
                dump_control_flow_dot,
                dump_ssa_dot,
                dump_dominators_dot,
                dump_loops_dot,
            ] {
                let text = dump(&builder.program, id).expect("a body");
                let mut depth = 0i32;
                let mut in_string = false;
                let mut characters = text.chars();
                while let Some(character) = characters.next() {
                    match character {
                        '\\' => drop(characters.next()),
                        '"' => in_string = !in_string,
                        '{' if !in_string => depth += 1,
                        '}' if !in_string => depth -= 1,
                        _ => {}
                    }
                    assert!(depth >= 0, "seed {seed}");
                }
                assert_eq!((depth, in_string), (0, false), "seed {seed}: {text}");
            }
        }
    }
}
