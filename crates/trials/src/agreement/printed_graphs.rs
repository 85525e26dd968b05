//! Our dominators, post-dominators and loops against the text of
//! `opt -passes='function(print<domtree>,print<postdomtree>,print<loops>)'`.
//!
//! A tree is compared as the set of (block, parent) pairs, loops as the set of
//! (header, depth, blocks, latches, exiting blocks). Blocks are known by name.
//! LLVM 16 prints no title before loops, so they belong to the function of the
//! last title.

use super::Agreement;
use knockon_graphs::{control_flow, dominators, loops, post_dominators};
use knockon_program::{BlockId, Body, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// `printed` is what `opt` wrote to standard error for the unit that `program`
/// was read from.
pub fn compare_printed_graphs(program: &Program, printed: &str) -> Agreement {
    let bodies: HashMap<&str, &Body> = program
        .defined_functions()
        .map(|(id, _, body)| (program.function_name(id), body))
        .collect();
    let mut agreement = Agreement::default();
    for (function, theirs) in parse(printed) {
        let Some(body) = bodies.get(function) else {
            agreement.disagree(function, "not a function that was read");
            continue;
        };
        agreement.functions += 1;
        agreement.items += body.blocks.len();
        let ours = ours(program, body);
        for (graph, ours, theirs) in [
            ("dominators", &ours.dominators, &theirs.dominators),
            (
                "post-dominators",
                &ours.post_dominators,
                &theirs.post_dominators,
            ),
        ] {
            for block in ours.keys().chain(theirs.keys()).collect::<BTreeSet<_>>() {
                let (our, their) = (ours.get(block), theirs.get(block));
                if our != their {
                    agreement.disagree(
                        function,
                        format!("{graph}: above {block} we have {our:?}, opt has {their:?}"),
                    );
                }
            }
        }
        for only in ours.loops.difference(&theirs.loops) {
            agreement.disagree(function, format!("only we have the loop {only:?}"));
        }
        for only in theirs.loops.difference(&ours.loops) {
            agreement.disagree(function, format!("only opt has the loop {only:?}"));
        }
    }
    agreement
}

/// Parents by block; the root's parent is the empty name, the virtual exit is
/// called `exit node`.
#[derive(Default)]
struct Graphs {
    dominators: BTreeMap<String, String>,
    post_dominators: BTreeMap<String, String>,
    loops: BTreeSet<PrintedLoop>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct PrintedLoop {
    header: String,
    depth: u32,
    blocks: BTreeSet<String>,
    latches: BTreeSet<String>,
    exiting: BTreeSet<String>,
}

const EXIT: &str = "exit node";

fn ours(program: &Program, body: &Body) -> Graphs {
    let name = |block: BlockId| program.name(body.block(block).name).to_string();
    let names = |blocks: &mut dyn Iterator<Item = BlockId>| blocks.map(name).collect();
    let flow = control_flow(body);
    let tree = dominators(&flow.successors, &flow.predecessors, BlockId(0));
    let post = post_dominators(&flow.successors, &flow.predecessors, &[]);
    let forest = loops(&flow, &tree);
    let mut graphs = Graphs::default();
    for block in body.block_ids() {
        if tree.is_reachable(block) {
            let above = tree.immediate_dominator(block).map_or(String::new(), name);
            graphs.dominators.insert(name(block), above);
        }
        let after = post.immediate_post_dominator(block);
        let after = after.map_or(EXIT.to_string(), name);
        graphs.post_dominators.insert(name(block), after);
    }
    graphs
        .post_dominators
        .insert(EXIT.to_string(), String::new());
    for id in forest.ids() {
        graphs.loops.insert(PrintedLoop {
            header: name(forest.get(id).header),
            depth: forest.get(id).depth,
            blocks: names(&mut forest.blocks.of(id).iter().copied()),
            latches: names(&mut forest.latches(id, &flow)),
            exiting: names(&mut forest.exiting(id, &flow)),
        });
    }
    graphs
}

fn parse(printed: &str) -> BTreeMap<&str, Graphs> {
    enum Section {
        Dominators,
        PostDominators,
    }
    let mut functions: BTreeMap<&str, Graphs> = BTreeMap::new();
    let mut function = "";
    let mut section = Section::Dominators;
    let mut above: Vec<String> = Vec::new();
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("DominatorTree for function: ") {
            (function, section) = (name, Section::Dominators);
            above.clear();
        } else if let Some(name) = line.strip_prefix("PostDominatorTree for function: ") {
            (function, section) = (name, Section::PostDominators);
            above.clear();
        } else if let Some((level, block)) = tree_line(line) {
            above.truncate(level.saturating_sub(1));
            let parent = above.last().cloned().unwrap_or_default();
            above.push(block.clone());
            let graphs = functions.entry(function).or_default();
            match section {
                Section::Dominators => graphs.dominators.insert(block, parent),
                Section::PostDominators => graphs.post_dominators.insert(block, parent),
            };
        } else if let Some(found) = loop_line(line) {
            functions.entry(function).or_default().loops.insert(found);
        }
    }
    functions
}

/// `  [3] %if.then {4294967295,4294967295} [2]`.
fn tree_line(line: &str) -> Option<(usize, String)> {
    let (level, rest) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
    let level = level.parse().ok()?;
    if rest.trim_start().starts_with("<<exit node>>") {
        return Some((level, EXIT.to_string()));
    }
    Some((level, block_name(rest)?.0))
}

/// `Loop at depth 1 containing: %a<header><exiting>,%b<latch>`.
fn loop_line(line: &str) -> Option<PrintedLoop> {
    let (_, rest) = line.split_once("Loop at depth ")?;
    let (depth, mut rest) = rest.split_once(" containing: ")?;
    let mut found = PrintedLoop {
        depth: depth.parse().ok()?,
        ..PrintedLoop::default()
    };
    while let Some((block, after)) = block_name(rest) {
        let (marks, next) = after.split_once(',').unwrap_or((after, ""));
        if marks.contains("<header>") {
            found.header.clone_from(&block);
        }
        if marks.contains("<latch>") {
            found.latches.insert(block.clone());
        }
        if marks.contains("<exiting>") {
            found.exiting.insert(block.clone());
        }
        found.blocks.insert(block);
        rest = next;
    }
    Some(found)
}

/// A block's name at the start of the text, `%name` or `%"quoted \22name"`, and
/// what follows it.
fn block_name(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start().strip_prefix('%')?;
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, rest) = quoted.split_once('"')?;
        return Some((unescape(name), rest));
    }
    let end = text.find([' ', '<', ',']).unwrap_or(text.len());
    Some((text[..end].to_string(), &text[end..]))
}

fn unescape(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, escaped) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_read_by_level() {
        let printed = "\
PostDominatorTree for function: f
=============================--------------------------------
Inorder PostDominator Tree: DFSNumbers invalid: 0 slow queries.
  [1]  <<exit node>> {4294967295,4294967295} [0]
    [2] %if.end {4294967295,4294967295} [1]
      [3] %\"a \\22b\" {4294967295,4294967295} [2]
    [2] %0 {4294967295,4294967295} [1]
Roots: %if.end %0
";
        let parents = &parse(printed)["f"].post_dominators;
        assert_eq!(parents["if.end"], EXIT);
        assert_eq!(parents["a \"b"], "if.end");
        assert_eq!(parents["0"], EXIT);
    }

    #[test]
    fn loops_are_read_with_their_marks() {
        let line = "    Parallel Loop at depth 2 containing: %a<header><exiting>,%b<latch>,%c";
        let found = loop_line(line).expect("a loop");
        assert_eq!((found.header.as_str(), found.depth), ("a", 2));
        assert_eq!(found.blocks.len(), 3);
        assert!(found.latches.contains("b") && found.exiting.contains("a"));
    }

    const LOOP: &str = "\
define void @f(i1 %c) {
entry:
  br label %head
head:
  br i1 %c, label %head, label %done
done:
  ret void
}
";

    fn printed(parent_level_of_done: usize) -> String {
        format!(
            "DominatorTree for function: f
  [1] %entry {{0,0}} [0]
    [2] %head {{0,0}} [1]
      [{parent_level_of_done}] %done {{0,0}} [2]
PostDominatorTree for function: f
  [1]  <<exit node>> {{0,0}} [0]
    [2] %done {{0,0}} [1]
      [3] %head {{0,0}} [2]
        [4] %entry {{0,0}} [3]
Loop at depth 1 containing: %head<header><latch><exiting>
"
        )
    }

    #[test]
    fn the_right_text_agrees_and_another_parent_does_not() {
        let program = knockon_llvm::read_unit(LOOP.as_bytes(), "f.ll").expect("a unit");
        let right = compare_printed_graphs(&program, &printed(3));
        assert_eq!((right.functions, right.items), (1, 3));
        assert_eq!(right.disagreements, []);
        let wrong = compare_printed_graphs(&program, &printed(2));
        assert_eq!(wrong.disagreements.len(), 1);
    }

    #[test]
    fn a_missing_loop_is_a_disagreement() {
        let program = knockon_llvm::read_unit(LOOP.as_bytes(), "f.ll").expect("a unit");
        let text = printed(3).replace("Loop at depth", "No loop at level");
        assert_eq!(
            compare_printed_graphs(&program, &text).disagreements.len(),
            1
        );
    }
}
