//! The reader's state, and the order in which a module is read.
//!
//! First the outline, so that every symbol has its id; then globals, aliases
//! and functions in text order; then what needs all of them.

use super::attributes::{AttributeList, Preamble};
use super::body::Draft;
use super::cursor::{Cursor, lossless, text_of, unescaped};
use super::debug_info::DebugInfo;
use super::fault::{Fault, Read};
use super::metadata;
use super::outline::{ItemKind, Outline, outline};
use super::type_table::{KnownTypes, TypeBulk};
use hashbrown::HashMap;
use knockon_program::{
    AliasId, BlockId, Caveat, CaveatKind, Constant, ConstantId, DataLayout, FunctionId, GlobalId,
    InitialiserEntry, Name, PlaceId, Program, TypeId, Unit,
};
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

pub(crate) struct Reader<'t> {
    pub(crate) cursor: Cursor<'t>,
    pub(crate) program: Program,
    pub(crate) outline: Outline<'t>,
    symbols: HashMap<&'t [u8], Symbol, FxBuildHasher>,
    pub(crate) known: KnownTypes,
    /// Of each composite type; by [`TypeId`].
    pub(crate) bulks: Vec<TypeBulk>,
    pub(crate) depth: u32,
    pub(crate) attribute_groups: HashMap<u64, Rc<AttributeList>, FxBuildHasher>,
    /// The code is for a machine of this kind.
    pub(crate) is_x86: bool,
    pub(crate) debug: DebugInfo,
    pub(crate) draft: Draft<'t>,
    /// Where each function's body stands; by [`FunctionId`].
    bodies: Vec<(u32, u32)>,
    /// Labels of functions whose block addresses are taken.
    labels: HashMap<FunctionId, HashMap<&'t [u8], BlockId, FxBuildHasher>, FxBuildHasher>,
    /// Reused between calls.
    pub(crate) argument_types: Vec<TypeId>,
    pub(crate) recent_integers: Box<[(TypeId, u128, ConstantId); 256]>,
    /// How many bytes short texts may still grow to.
    growth: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Symbol {
    pub(crate) constant: ConstantId,
    /// One of the `llvm.dbg` functions, whose calls are debug records.
    pub(crate) is_debug_record: bool,
}

/// Of constructors that state none.
const DEFAULT_PRIORITY: u32 = 65_535;

pub(crate) fn read(text: &[u8], file: &str) -> Read<Program> {
    let outline = outline(text)?;
    let mut program = Program::new();
    let known = KnownTypes::new(&mut program);
    let debug = DebugInfo::new(outline.nodes.dense_len());
    let mut reader = Reader {
        cursor: Cursor::new(text, 0),
        program,
        outline,
        symbols: HashMap::default(),
        known,
        bulks: Vec::new(),
        depth: 0,
        attribute_groups: HashMap::default(),
        is_x86: false,
        debug,
        draft: Draft::default(),
        bodies: Vec::new(),
        labels: HashMap::default(),
        argument_types: Vec::new(),
        recent_integers: Box::new([(TypeId(u32::MAX), 0, ConstantId(0)); 256]),
        growth: (1 << 20) + text.len().saturating_mul(16),
    };
    reader.unit(file);
    reader.register_symbols()?;
    reader.items()?;
    reader.initialisers();
    reader.check_labels()?;
    Ok(reader.program)
}

impl<'t> Reader<'t> {
    fn unit(&mut self, file: &str) {
        let quoted = |text: Option<&'t [u8]>| text.map(|raw| text_of(raw).into_owned());
        if let Some(layout) = self.outline.layout {
            self.program.layout = DataLayout::parse(&lossless(&unescaped(layout)));
        }
        let mut source = quoted(self.outline.source).unwrap_or_else(|| file.to_owned());
        if let Some(path) = metadata::rust_source(self.cursor.text, &self.outline) {
            source = path;
        }
        let triple = quoted(self.outline.triple).unwrap_or_default();
        let machine = triple.split('-').next().unwrap_or_default();
        self.is_x86 = matches!(
            machine,
            "x86_64" | "amd64" | "i386" | "i486" | "i586" | "i686"
        );
        let producer = metadata::producer(self.cursor.text, &self.outline).unwrap_or_default();
        let lines = self.outline.assembly.iter();
        let lines: Vec<String> = lines.map(|line| text_of(line).into_owned()).collect();
        let assembly = lines.join("\n");
        let names = &mut self.program.names;
        let unit = Unit {
            source: names.intern(&source),
            target_triple: names.intern(&triple),
            producer: names.intern(&producer),
            assembly: names.intern(&assembly),
            unread_flags: Name(0),
            hidden: Vec::new(),
            binds_itself: false,
        };
        self.program.units.push(unit);
        if !assembly.is_empty() {
            self.caveat(
                CaveatKind::InlineAssembly,
                PlaceId(0),
                format!("module-level assembly of {source}"),
            );
        }
    }

    fn register_symbols(&mut self) -> Read<()> {
        let (mut globals, mut aliases, mut functions) = (0, 0, 0);
        self.symbols.reserve(self.outline.items.len());
        for item in &self.outline.items {
            let constant = match item.kind {
                ItemKind::Global => {
                    globals += 1;
                    Constant::Global(GlobalId(globals - 1))
                }
                ItemKind::Alias => {
                    aliases += 1;
                    Constant::Alias(AliasId(aliases - 1))
                }
                ItemKind::Function => {
                    functions += 1;
                    self.bodies.push(item.body);
                    Constant::Function(FunctionId(functions - 1))
                }
            };
            let symbol = Symbol {
                constant: self.program.constants.intern(constant),
                is_debug_record: item.name.starts_with(b"llvm.dbg."),
            };
            if self.symbols.insert(item.name, symbol).is_some() {
                return Err(Fault::new(
                    item.at as usize,
                    format!("symbol @{} is defined twice", text_of(item.name)),
                ));
            }
        }
        Ok(())
    }

    fn items(&mut self) -> Read<()> {
        for index in 0..self.outline.items.len() {
            let item = &self.outline.items[index];
            let (kind, name, body) = (item.kind, item.name, item.body);
            self.cursor.at = item.at as usize;
            match kind {
                ItemKind::Function => self.function(name, body)?,
                ItemKind::Global | ItemKind::Alias => self.data(name, &mut Preamble::default())?,
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn symbol(&self, name: &'t [u8], at: usize) -> Read<Symbol> {
        match self.symbols.get(name) {
            Some(symbol) => Ok(*symbol),
            None => Err(Fault::new(
                at,
                format!("symbol @{} is never defined or declared", text_of(name)),
            )),
        }
    }

    /// The name of a symbol: its text, or `@N` for an unnamed one.
    pub(crate) fn symbol_name(&mut self, raw: &[u8]) -> Name {
        if raw.iter().all(u8::is_ascii_digit) {
            return self.program.names.intern(&format!("@{}", lossless(raw)));
        }
        self.program.names.intern(&text_of(raw))
    }

    pub(crate) fn caveat(&mut self, kind: CaveatKind, place: PlaceId, message: String) {
        let function = self.draft.function;
        self.program.caveats.push(Caveat {
            kind,
            function,
            place,
            message,
        });
    }

    /// Accounts for memory that is not in proportion to the text.
    pub(crate) fn spend(&mut self, bytes: usize) -> Read<()> {
        match self.growth.checked_sub(bytes) {
            Some(rest) => {
                self.growth = rest;
                Ok(())
            }
            None => Err(self
                .cursor
                .fault("too many wide constants for a text of this size")),
        }
    }

    /// `llvm.global_ctors` and `llvm.global_dtors`: rows `{ priority, function, data }`.
    fn initialisers(&mut self) {
        let mut constructors = self.initialiser_list("llvm.global_ctors");
        constructors.extend(self.listed_in_sections(&[".preinit_array", ".init_array", ".ctors"]));
        constructors.sort_by_key(|entry| entry.priority);
        let mut destructors = self.initialiser_list("llvm.global_dtors");
        destructors.extend(self.listed_in_sections(&[".fini_array", ".dtors"]));
        destructors.sort_by_key(|entry| std::cmp::Reverse(entry.priority));
        self.program.constructors = constructors;
        self.program.destructors = destructors;
    }

    /// The functions that variables in these sections hold: whoever puts them there by hand gets
    /// them called as those of the lists are. A number behind a dot is their priority.
    fn listed_in_sections(&self, sections: &[&str]) -> Vec<InitialiserEntry> {
        let program = &self.program;
        let mut found = Vec::new();
        for global in &program.globals {
            let section = program.name(global.section);
            let Some(rest) = sections.iter().find_map(|name| section.strip_prefix(name)) else {
                continue;
            };
            let stated = rest.strip_prefix('.').and_then(|rest| rest.parse().ok());
            let priority = stated.unwrap_or(DEFAULT_PRIORITY);
            let mut work: Vec<ConstantId> = global.initialiser.into_iter().collect();
            while let Some(constant) = work.pop() {
                match program.constant(constant) {
                    Constant::Aggregate { elements, .. } => work.extend(elements.iter().rev()),
                    _ => found.extend(
                        program
                            .called_function(constant)
                            .map(|function| InitialiserEntry { priority, function }),
                    ),
                }
            }
        }
        found
    }

    fn initialiser_list(&self, name: &str) -> Vec<InitialiserEntry> {
        let program = &self.program;
        let Some(name) = program.names.find(name) else {
            return Vec::new();
        };
        let list = program.globals.iter().find(|global| global.name == name);
        let Some(Constant::Aggregate { elements, .. }) = list
            .and_then(|global| global.initialiser)
            .map(|id| program.constant(id))
        else {
            return Vec::new();
        };
        let entry = |row: &ConstantId| match program.constant(*row) {
            Constant::Aggregate { elements, .. } => {
                let priority = match program.constant(*elements.first()?) {
                    Constant::Integer { bits, .. } => *bits as u32,
                    _ => return None,
                };
                let function = program.called_function(*elements.get(1)?)?;
                Some(InitialiserEntry { priority, function })
            }
            _ => None,
        };
        elements.iter().filter_map(entry).collect()
    }

    /// The block that a label names in any function of the module: labels stand
    /// at the start of a line, whatever else is indented.
    pub(crate) fn block_named(
        &mut self,
        function: FunctionId,
        label: &[u8],
        at: usize,
    ) -> Read<BlockId> {
        let text = self.cursor.text;
        if !self.labels.contains_key(&function) {
            let body = self.bodies.get(function.index()).copied().unwrap_or((0, 0));
            let labels = labels_of(text, body);
            self.labels.insert(function, labels);
        }
        let found = self
            .labels
            .get(&function)
            .and_then(|labels| labels.get(label));
        found
            .copied()
            .ok_or_else(|| Fault::new(at, format!("the function has no block %{}", text_of(label))))
    }

    /// What was assumed of labels must be what was read.
    fn check_labels(&self) -> Read<()> {
        for (function, labels) in &self.labels {
            let body = self.program.function(*function).body.as_ref();
            for (label, block) in labels {
                let read = body.and_then(|body| body.blocks.get(block.index()));
                let name = read.map(|block| self.program.name(block.name));
                if name != Some(&*text_of(label)) {
                    return Err(Fault::new(
                        0,
                        "a function whose block addresses are taken must have its labels at the start of lines",
                    ));
                }
            }
        }
        Ok(())
    }
}

fn labels_of(text: &[u8], (start, end): (u32, u32)) -> HashMap<&[u8], BlockId, FxBuildHasher> {
    let mut labels = HashMap::default();
    let mut cursor = Cursor::new(&text[..end as usize], start as usize);
    let mut blocks = 0;
    cursor.skip_space();
    while cursor.at < cursor.text.len() {
        let before = cursor.at;
        let name = cursor.name();
        if let Ok(name) = name
            && cursor.peek() == b':'
        {
            labels.insert(name, BlockId(blocks));
            blocks += 1;
        } else if blocks == 0 {
            // The entry block has no label.
            blocks = 1;
        }
        cursor.at = before;
        // The next line that is neither indented, empty nor a comment.
        loop {
            cursor.skip_line();
            cursor.at += 1;
            if cursor.at >= cursor.text.len()
                || !matches!(cursor.peek(), b' ' | b'\t' | b'\n' | b'\r' | b';')
            {
                break;
            }
        }
    }
    labels
}
