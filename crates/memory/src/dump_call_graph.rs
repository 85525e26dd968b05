//! **Question.** What does a call graph look like, for a person?
//!
//! **Source.** [`CallGraph`], as text or in the language of Graphviz; of one function its calls
//! and who calls it, or all of the program. Intrinsics are left out: they call nothing.
//!
//! **Cost.** Linear in what is printed.

use crate::call_graph::{CallGraph, CallSiteId, Entries};
use knockon_program::{FunctionId, PlaceId, Program, is_compiler_name};
use std::collections::BTreeSet;
use std::fmt::Write;

/// `names` are the functions' names as they are to be shown.
pub fn dump_call_graph(
    program: &Program,
    graph: &CallGraph,
    names: &[String],
    only: Option<FunctionId>,
) -> String {
    let view = View {
        program,
        graph,
        names,
    };
    let mut text = String::new();
    if only.is_none() {
        for (kind, list) in entries(&graph.entries) {
            if !list.is_empty() {
                let _ = writeln!(text, "{kind}: {}", view.list(list));
            }
        }
    }
    for (id, function, _) in program.defined_functions() {
        if only.is_some_and(|only| only != id) {
            continue;
        }
        let _ = write!(text, "{}", names[id.index()]);
        match view.place(function.place) {
            Some(place) => {
                let _ = writeln!(text, " ({place})");
            }
            None => text.push('\n'),
        }
        for site in graph.sites_of(id) {
            view.site(&mut text, site);
        }
    }
    if let Some(only) = only {
        let callers: BTreeSet<FunctionId> = (0..graph.sites.len())
            .map(CallSiteId::from)
            .filter(|site| view.may_enter(*site, only))
            .map(|site| graph.site(site).caller)
            .collect();
        let callers: Vec<FunctionId> = callers.into_iter().collect();
        if !callers.is_empty() {
            let _ = writeln!(text, "called from: {}", view.list(&callers));
        }
        for (kind, list) in entries(&graph.entries) {
            if list.contains(&only) {
                let _ = writeln!(text, "called from outside: {kind}");
            }
        }
    }
    text
}

/// Solid edges are calls, dashed ones callbacks; functions without a body are dashed.
pub fn dump_call_graph_dot(
    program: &Program,
    graph: &CallGraph,
    names: &[String],
    only: Option<FunctionId>,
) -> String {
    let view = View {
        program,
        graph,
        names,
    };
    let mut nodes: BTreeSet<FunctionId> = only.into_iter().collect();
    let mut edges: BTreeSet<(FunctionId, FunctionId, bool)> = BTreeSet::new();
    for site in (0..graph.sites.len()).map(CallSiteId::from) {
        let caller = graph.site(site).caller;
        if only.is_none_or(|only| only == caller || view.may_enter(site, only)) {
            nodes.insert(caller);
            let wanted =
                |callee: &&FunctionId| only.is_none_or(|only| only == caller || only == **callee);
            let called = graph.targets.of(site).iter().chain(view.externals(site));
            for callee in called.filter(wanted) {
                edges.insert((caller, *callee, false));
            }
            for callee in graph.callbacks.of(site).iter().filter(wanted) {
                edges.insert((caller, *callee, true));
            }
        }
    }
    if only.is_none() {
        nodes.extend(program.defined_functions().map(|(id, ..)| id));
    }
    nodes.extend(edges.iter().map(|(_, callee, _)| *callee));
    let mut text = String::from("digraph \"call graph\" {\n  node [shape=box];\n");
    for id in nodes {
        let style = match program.function(id).body {
            Some(_) => "",
            None => ", style=dashed",
        };
        let name = quoted(&names[id.index()]);
        let _ = writeln!(text, "  f{} [label={name}{style}];", id.0);
    }
    for (caller, callee, is_callback) in edges {
        let style = match is_callback {
            true => " [style=dashed]",
            false => "",
        };
        let _ = writeln!(text, "  f{} -> f{}{style};", caller.0, callee.0);
    }
    text.push_str("}\n");
    text
}

fn entries(entries: &Entries) -> [(&'static str, &[FunctionId]); 6] {
    [
        ("constructors", &entries.constructors),
        ("main", &entries.mains),
        ("library", &entries.library),
        ("exit handlers", &entries.exit_handlers),
        ("destructors", &entries.destructors),
        ("at any time", &entries.anytime),
    ]
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.extend(character.escape_default()),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

struct View<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    names: &'a [String],
}

impl View<'_> {
    fn externals(&self, site: CallSiteId) -> impl Iterator<Item = &FunctionId> {
        let is_intrinsic = |id: &FunctionId| is_compiler_name(self.program.function_name(*id));
        let externals = self.graph.externals.of(site).iter();
        externals.filter(move |id| !is_intrinsic(id))
    }

    fn may_enter(&self, site: CallSiteId, function: FunctionId) -> bool {
        let targets = self.graph.targets.of(site);
        let callbacks = self.graph.callbacks.of(site);
        targets.binary_search(&function).is_ok() || callbacks.binary_search(&function).is_ok()
    }

    /// One line a call; nothing for an intrinsic.
    fn site(&self, text: &mut String, site: CallSiteId) {
        let row = self.graph.site(site);
        let targets = self.graph.targets.of(site);
        let callbacks = self.graph.callbacks.of(site);
        let externals: Vec<FunctionId> = self.externals(site).copied().collect();
        let mut parts: Vec<String> = Vec::new();
        let lists = [
            ("", targets),
            ("external ", &externals[..]),
            ("calls back ", callbacks),
        ];
        for (kind, list) in lists {
            if !list.is_empty() {
                parts.push(format!("{kind}{}", self.list(list)));
            }
        }
        if row.calls_unmodelled {
            parts.push("unknown code".to_owned());
        }
        if row.exits {
            parts.push("runs the exit handlers".to_owned());
        }
        if parts.is_empty() {
            return;
        }
        let place = self
            .program
            .function(row.caller)
            .body
            .as_ref()
            .and_then(|body| self.place(body.instruction(row.instruction).place));
        let place = place.unwrap_or_else(|| "(no place)".to_owned());
        let _ = writeln!(text, "  {place}: {}", parts.join("; "));
    }

    fn list(&self, functions: &[FunctionId]) -> String {
        let names: Vec<&str> = functions
            .iter()
            .map(|id| self.names[id.index()].as_str())
            .collect();
        names.join(", ")
    }

    fn place(&self, place: PlaceId) -> Option<String> {
        let place = self.program.place(place);
        place
            .is_known()
            .then(|| format!("{}:{}", self.program.file_path(place.file), place.line))
    }
}
