//! Question: what do the graphs of one function look like, for a person?
//!
//! Source: the modules of this crate, printed as text and as DOT; `None` for a
//! function without a body.
//!
//! Why right: each view prints what the analysis of that name returns and adds
//! nothing but names and places. Names are escaped for DOT.
//!
//! Cost: linear in the function.

use crate::printing::Printer;
use crate::{
    ControlFlow, DominatorTree, PostDominators, control_flow, dominators, loops, post_dominators,
};
use knockon_program::{BlockId, Body, FunctionId, Program, VariableLocation, VariableLocationKind};
use std::fmt::Write;

pub fn dump_control_flow(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let mut text = view.title("control flow");
    for block in view.printer.body.block_ids() {
        let _ = write!(text, "{}", view.name(block));
        if let Some(lines) = view.lines(block) {
            let _ = write!(text, " ({lines})");
        }
        if !view.flow.is_reachable(block) {
            text.push_str(" (unreachable)");
        }
        let successors = view.names(view.flow.successors.of(block));
        let _ = writeln!(text, " -> {}", successors.unwrap_or("(end)".to_string()));
    }
    Some(text)
}

pub fn dump_control_flow_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    Some(view.dot("control flow", |block| {
        let lines = view.lines(block).map(|lines| format!("\n{lines}"));
        format!("{}{}", view.name(block), lines.unwrap_or_default())
    }))
}

pub fn dump_ssa(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let printer = view.printer;
    let parameters: Vec<String> = printer
        .function
        .parameters
        .iter()
        .enumerate()
        .map(|(at, one)| {
            format!(
                "{} {}",
                printer.type_name(one.type_id),
                printer.argument(at)
            )
        })
        .collect();
    let name = program.function_name(function);
    let mut text = format!("define @{name}({}) {{", parameters.join(", "));
    if let Some(place) = printer.place(printer.function.place) {
        let _ = write!(text, "  ; {place}");
    }
    text.push('\n');
    for block in printer.body.block_ids() {
        let _ = write!(text, "{}:", view.name(block));
        if let Some(before) = view.names(view.flow.predecessors.of(block)) {
            let _ = write!(text, "  ; from {before}");
        }
        text.push('\n');
        text.push_str(&view.instructions(block));
    }
    text.push_str("}\n");
    Some(text)
}

pub fn dump_ssa_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    Some(view.dot("ssa", |block| {
        format!("{}:\n{}", view.name(block), view.instructions(block))
    }))
}

/// The dominator tree and the post-dominator tree.
pub fn dump_dominators(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let mut text = view.title("dominators");
    for block in view.dominators().preorder() {
        let _ = writeln!(
            text,
            "{}",
            view.indented(*block, view.dominators().depth(*block))
        );
    }
    text.push('\n');
    text.push_str(&view.title("post-dominators"));
    text.push_str("(exit)\n");
    let tree = view.post_dominators();
    let mut stack: Vec<BlockId> = tree.children(None).iter().rev().copied().collect();
    while let Some(block) = stack.pop() {
        let _ = writeln!(text, "{}", view.indented(block, tree.depth(block)));
        stack.extend(tree.children(Some(block)).iter().rev());
    }
    Some(text)
}

/// Solid edges go from immediate dominator to block, dashed ones from block to
/// immediate post-dominator.
pub fn dump_dominators_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let tree = view.dominators();
    let post = view.post_dominators();
    let mut text = view.dot_title("dominators");
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

pub fn dump_loops(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let forest = loops(&view.flow, view.dominators());
    let mut text = view.title("loops");
    for id in forest.ids() {
        let one = forest.get(id);
        let indent = "  ".repeat(one.depth as usize - 1);
        let latches: Vec<BlockId> = forest.latches(id, &view.flow).collect();
        let exiting: Vec<BlockId> = forest.exiting(id, &view.flow).collect();
        let none = || "(none)".to_string();
        let _ = writeln!(
            text,
            "{indent}{} (depth {}): blocks {}; back from {}; leaves at {}",
            view.name(one.header),
            one.depth,
            view.names(forest.blocks.of(id)).unwrap_or_else(none),
            view.names(&latches).unwrap_or_else(none),
            view.names(&exiting).unwrap_or_else(none),
        );
    }
    for region in &forest.irreducible {
        let _ = writeln!(
            text,
            "irreducible: blocks {}; entered at {}",
            view.names(&region.blocks).unwrap_or_default(),
            view.names(&region.entries).unwrap_or_default(),
        );
    }
    if forest.loops.is_empty() && forest.irreducible.is_empty() {
        text.push_str("(none)\n");
    }
    Some(text)
}

/// The control-flow graph with each loop as a box around its blocks.
pub fn dump_loops_dot(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let forest = loops(&view.flow, view.dominators());
    let mut text = view.dot_title("loops");
    let mut open: Vec<crate::LoopId> = Vec::new();
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
    view.dot_nodes(&mut text, |block| view.name(block));
    text.push_str("}\n");
    Some(text)
}

struct View<'a> {
    program: &'a Program,
    printer: Printer<'a>,
    flow: ControlFlow,
    tree: DominatorTree<BlockId>,
}

impl<'a> View<'a> {
    fn new(program: &'a Program, id: FunctionId) -> Option<View<'a>> {
        let function = program.functions.get(id.index())?;
        let body: &Body = function.body.as_deref()?;
        if body.blocks.is_empty() {
            return None;
        }
        let flow = control_flow(body);
        Some(View {
            program,
            printer: Printer {
                program,
                function,
                body,
            },
            tree: dominators(&flow.successors, &flow.predecessors, BlockId(0)),
            flow,
        })
    }

    fn dominators(&self) -> &DominatorTree<BlockId> {
        &self.tree
    }

    fn post_dominators(&self) -> PostDominators<BlockId> {
        post_dominators(&self.flow.successors, &self.flow.predecessors, &[])
    }

    fn title(&self, what: &str) -> String {
        format!("{what} of {}\n", self.function_name())
    }

    fn function_name(&self) -> &str {
        self.program.name(self.printer.function.name)
    }

    fn name(&self, block: BlockId) -> String {
        self.printer.block_name(block)
    }

    fn names(&self, blocks: &[BlockId]) -> Option<String> {
        let names: Vec<String> = blocks.iter().map(|block| self.name(*block)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn indented(&self, block: BlockId, depth: u32) -> String {
        format!("{}{}", "  ".repeat(depth as usize), self.name(block))
    }

    /// The source lines of a block's instructions.
    fn lines(&self, block: BlockId) -> Option<String> {
        let body = self.printer.body;
        let lines = body
            .instructions_of(block)
            .map(|id| self.program.place(body.instruction(id).place))
            .filter(|place| place.is_known())
            .map(|place| place.line);
        let (mut first, mut last) = (u32::MAX, 0);
        for line in lines {
            first = first.min(line);
            last = last.max(line);
        }
        match (first, last) {
            (u32::MAX, _) => None,
            (first, last) if first == last => Some(format!("line {first}")),
            (first, last) => Some(format!("lines {first} to {last}")),
        }
    }

    fn instructions(&self, block: BlockId) -> String {
        let body = self.printer.body;
        let mut text = String::new();
        let mut locations = body.variable_locations.as_slice();
        let first = body.block(block).first;
        locations = &locations[locations.partition_point(|one| one.before < first)..];
        for id in body.instructions_of(block) {
            while let Some((location, rest)) = locations.split_first()
                && location.before <= id
            {
                let _ = writeln!(text, "  ; {}", self.location(location));
                locations = rest;
            }
            let line = format!("  {}", self.printer.instruction(id));
            match self.printer.place(body.instruction(id).place) {
                Some(place) => {
                    let _ = writeln!(text, "{line:<60} ; {place}");
                }
                None => {
                    let _ = writeln!(text, "{line}");
                }
            }
        }
        text
    }

    fn location(&self, location: &VariableLocation) -> String {
        let variables = &self.printer.body.variables;
        let name = variables
            .get(location.variable.index())
            .map_or("?", |variable| self.program.name(variable.name));
        let value = self.printer.operand(location.value);
        let part = if location.whole { "" } else { " (in part)" };
        match location.kind {
            VariableLocationKind::Declared => format!("{name} at {value}{part}"),
            VariableLocationKind::Value => format!("{name} = {value}{part}"),
        }
    }

    fn dot_title(&self, what: &str) -> String {
        let title = format!("{what} of {}", self.function_name());
        format!(
            "digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n",
            quoted(&title)
        )
    }

    fn dot(&self, what: &str, label: impl Fn(BlockId) -> String) -> String {
        let mut text = self.dot_title(what);
        self.dot_nodes(&mut text, label);
        text.push_str("}\n");
        text
    }

    fn dot_nodes(&self, text: &mut String, label: impl Fn(BlockId) -> String) {
        for block in self.printer.body.block_ids() {
            let _ = writeln!(text, "  b{} [label={}];", block.0, quoted(&label(block)));
            for next in self.flow.successors.of(block) {
                let _ = writeln!(text, "  b{} -> b{};", block.0, next.0);
            }
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
    use crate::random_bodies::{ProgramBuilder, random_program};
    use knockon_program::Operand;

    fn counting_loop() -> (Program, FunctionId) {
        let mut builder = ProgramBuilder::new();
        let observe = builder.declare("observe");
        let id = builder.define("subject", |body| {
            let variable = body.alloca(body.integer);
            let one = body.number(1);
            body.store(one, variable);
            body.jump(BlockId(1));
            body.block();
            let value = body.load(body.integer, variable);
            body.call(observe, [value]);
            body.store(Operand::Argument(0), variable);
            body.branch(value, BlockId(1), BlockId(2));
            body.block();
            body.end();
        });
        promote(&mut builder.program);
        (builder.program, id)
    }

    #[test]
    fn ssa_shows_phis_calls_and_parameters() {
        let (program, id) = counting_loop();
        let text = dump_ssa(&program, id).expect("a body");
        assert_eq!(
            text,
            "define @subject(i32 %argument0) {\n\
             b0:\n\
             \x20 br label %b1\n\
             b1:  ; from b0, b1\n\
             \x20 %1 = phi i32 [ 1, %b0 ], [ %argument0, %b1 ]\n\
             \x20 call void @observe(%1)\n\
             \x20 br %1, label %b1, label %b2\n\
             b2:  ; from b1\n\
             \x20 ret\n\
             }\n"
        );
    }

    #[test]
    fn loops_and_trees_name_their_blocks() {
        let (program, id) = counting_loop();
        assert_eq!(
            dump_loops(&program, id).expect("a body"),
            "loops of subject\nb1 (depth 1): blocks b1; back from b1; leaves at b1\n"
        );
        assert_eq!(
            dump_dominators(&program, id).expect("a body"),
            "dominators of subject\nb0\n  b1\n    b2\n\n\
             post-dominators of subject\n(exit)\n  b2\n    b1\n      b0\n"
        );
    }

    #[test]
    fn a_declaration_has_nothing_to_show() {
        let mut builder = ProgramBuilder::new();
        let id = builder.declare("external");
        assert_eq!(dump_ssa(&builder.program, id), None);
    }

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
