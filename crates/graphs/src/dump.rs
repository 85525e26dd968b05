//! Question: what do the graphs of one function look like, for a person?
//!
//! Source: the modules of this crate, printed as text; `None` for a function without
//! a body. The same as graphs to draw: [`crate::dump_dot`].
//!
//! Why right: each view prints what the analysis of that name returns and adds
//! nothing but names and places.
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

/// The dominator tree and the post-dominator tree.
pub fn dump_dominators(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let mut text = view.title("dominators");
    for block in view.tree.preorder() {
        let _ = writeln!(text, "{}", view.indented(*block, view.tree.depth(*block)));
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

pub fn dump_loops(program: &Program, function: FunctionId) -> Option<String> {
    let view = View::new(program, function)?;
    let forest = loops(&view.flow, &view.tree);
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

/// One function with the graphs that every view needs.
pub(crate) struct View<'a> {
    pub program: &'a Program,
    pub printer: Printer<'a>,
    pub flow: ControlFlow,
    pub tree: DominatorTree<BlockId>,
}

impl<'a> View<'a> {
    pub fn new(program: &'a Program, id: FunctionId) -> Option<View<'a>> {
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

    pub fn post_dominators(&self) -> PostDominators<BlockId> {
        post_dominators(&self.flow.successors, &self.flow.predecessors, &[])
    }

    fn title(&self, what: &str) -> String {
        format!("{what} of {}\n", self.function_name())
    }

    pub fn function_name(&self) -> &str {
        self.program.name(self.printer.function.name)
    }

    pub fn name(&self, block: BlockId) -> String {
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
    pub fn lines(&self, block: BlockId) -> Option<String> {
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

    pub fn instructions(&self, block: BlockId) -> String {
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promote;
    use crate::random_bodies::ProgramBuilder;
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
}
