//! What is an object called, whatever its number?
//!
//! Two versions of a program allocate different numbers of objects in a different order, so a
//! pointer is observed by its object's *name*. An object of the stack or the heap is named by the
//! call path (the names of the calls in progress, outermost first), the node that allocates, and
//! how many objects of that very name there were before: none of these depends on what other paths
//! allocate. A block that a library function allocates belongs to the node that calls the library,
//! and so does the path of what the library calls back. Globals and functions are named by their
//! symbol; a constant that the compiler made up (`.str.3`) by its content, since its number says
//! how many others stand before it. All labels of a function share a name: the blocks of two
//! versions are not paired, and where a jump leads is seen by what runs. Names also give objects
//! their numbers (see `objects`), for programs that look at the bytes of an address.
//!
//! Where two versions are compared, the names of nodes, functions and globals come from their
//! pairing ([`ObserveRequest`]).
//!
//! Cost: a row for every object ever made, since what a dead one was called may still be asked; one
//! count for each name.

use super::{Memory, Site, SiteId, object_and_offset, object_of};
use crate::hash::Hash;
use crate::machine::Machine;
use crate::observations::ObserveRequest;
use knockon_program::{
    Constant, ConstantId, FunctionId, GlobalId, GlobalVariable, Linkage, Node, Program,
};
use rustc_hash::FxHashMap;

/// How deep constants that point to constants are looked into.
const DEEPEST_CONTENT: u32 = 8;

/// Present only when observations are recorded.
pub(crate) struct Naming {
    nodes: FxHashMap<Node, u64>,
    salt: u64,
    functions: Vec<u64>,
    globals: Vec<GlobalName>,
    parameters: FxHashMap<(FunctionId, u32), u64>,
    /// Of the calls in progress, innermost last.
    paths: Vec<u64>,
    counts: FxHashMap<u64, u64>,
    /// By object number.
    names: FxHashMap<u32, u64>,
}

#[derive(Clone, Copy)]
struct GlobalName {
    name: u64,
    /// Other globals of the same name are the same to any program that may not compare them.
    is_content: bool,
}

impl Naming {
    pub(crate) fn new(program: &Program, request: &ObserveRequest) -> Naming {
        let content = Content { program, request };
        let global_name = |id: GlobalId| match request.names.globals.get(&id) {
            Some(name) => GlobalName {
                name: *name,
                is_content: false,
            },
            None => content.global_name(&program.globals[id.index()]),
        };
        Naming {
            nodes: request.names.sites.clone(),
            salt: request.names.salt,
            functions: (program.function_ids())
                .map(|id| content.function(id))
                .collect(),
            globals: (0..program.globals.len())
                .map(|index| global_name(GlobalId::from_index(index)))
                .collect(),
            parameters: request.names.parameters.clone(),
            paths: Vec::new(),
            counts: FxHashMap::default(),
            names: FxHashMap::default(),
        }
    }

    fn node(&self, node: Node) -> u64 {
        match self.nodes.get(&node) {
            Some(name) => *name,
            None => {
                let (function, instruction) = node;
                let function = self.functions[function.index()];
                Hash::of_words([self.salt, function, u64::from(instruction.0)])
            }
        }
    }

    fn path(&self) -> u64 {
        self.paths.last().copied().unwrap_or_default()
    }

    /// A call begins at this node; at none when the system calls.
    fn enter(&mut self, call: Option<Node>) {
        let path = match call {
            Some(node) => Hash::of_words([self.path(), self.node(node)]),
            None => 0,
        };
        self.paths.push(path);
    }

    fn numbered(&mut self, name: u64) -> u64 {
        let count = self.counts.entry(name).or_default();
        *count += 1;
        Hash::of_words([name, *count])
    }

    /// The name of an object that this site makes now.
    pub(super) fn name(&mut self, site: Site) -> u64 {
        match site {
            Site::Global(global) => {
                let GlobalName { name, is_content } = self.globals[global.index()];
                if is_content {
                    name
                } else {
                    self.numbered(name)
                }
            }
            Site::Function(function) | Site::Block(function, _) => {
                Hash::of_words([self.functions[function.index()]])
            }
            Site::Library(name) => self.numbered(Hash::of_text(name)),
            Site::Instruction(function, instruction) => {
                let node = self.node((function, instruction));
                self.numbered(Hash::of_words([self.path(), node]))
            }
        }
    }

    /// The object of this number is called so.
    pub(super) fn set(&mut self, object: u32, name: u64) {
        self.names.insert(object, name);
    }
}

/// What constants hold, in the words of the pairing where two versions are compared.
struct Content<'a> {
    program: &'a Program,
    request: &'a ObserveRequest,
}

impl Content<'_> {
    fn function(&self, id: FunctionId) -> u64 {
        match self.request.names.functions.get(&id) {
            Some(name) => *name,
            None => Hash::of_text(self.program.function_name(id)),
        }
    }

    /// The compiler's own constants by content, everything else by its symbol.
    fn global_name(&self, global: &GlobalVariable) -> GlobalName {
        let symbol = self.program.name(global.name);
        let made_up = global.linkage == Linkage::Private
            || global.linkage == Linkage::Internal && symbol.starts_with('.');
        match global.initialiser {
            Some(initialiser) if made_up => {
                let mut hash = Hash::START;
                self.add(initialiser, DEEPEST_CONTENT, &mut hash);
                GlobalName {
                    name: hash.value() as u64,
                    is_content: global.is_constant,
                }
            }
            _ => GlobalName {
                name: Hash::of_text(symbol),
                is_content: false,
            },
        }
    }

    fn add(&self, constant: ConstantId, depth: u32, hash: &mut Hash) {
        let program = self.program;
        if depth == 0 {
            return;
        }
        let mut add_bits = |bits: &u128| {
            hash.add(*bits as u64);
            hash.add((*bits >> 64) as u64);
        };
        match program.constant(constant) {
            Constant::Integer { bits, .. } | Constant::Float { bits, .. } => add_bits(bits),
            Constant::WideInteger { words, .. } => words.iter().for_each(|word| hash.add(*word)),
            Constant::Bytes { bytes, .. } => {
                hash.add(bytes.len() as u64);
                for byte in bytes.iter() {
                    hash.add(u64::from(*byte));
                }
            }
            Constant::Aggregate { elements, .. } => {
                hash.add(elements.len() as u64);
                for element in elements.iter() {
                    self.add(*element, depth, hash);
                }
            }
            Constant::Expression(expression) => {
                hash.add(expression.operands.len() as u64);
                for operand in &expression.operands {
                    self.add(*operand, depth, hash);
                }
            }
            Constant::Global(id) => {
                let global = &program.globals[id.index()];
                match global.initialiser {
                    Some(content) if global.linkage == Linkage::Private => {
                        self.add(content, depth - 1, hash);
                    }
                    _ => hash.add(match self.request.names.globals.get(id) {
                        Some(name) => *name,
                        None => Hash::of_text(program.name(global.name)),
                    }),
                }
            }
            Constant::Function(id) => hash.add(self.function(*id)),
            Constant::Alias(id) => {
                hash.add(Hash::of_text(
                    program.name(program.aliases[id.index()].name),
                ));
            }
            Constant::Zero(type_id) => hash.add(program.size_of(*type_id)),
            Constant::Null(_)
            | Constant::Undefined(_)
            | Constant::Poison(_)
            | Constant::BlockAddress { .. }
            | Constant::Assembly { .. }
            | Constant::Metadata(_) => hash.add(0),
        }
    }
}

impl Memory {
    /// With names for objects if observations are recorded. A trace needs numbers in the order of
    /// creation.
    pub(crate) fn named(mut self, program: &Program, request: Option<&ObserveRequest>) -> Memory {
        self.naming = request.map(|request| Box::new(Naming::new(program, request)));
        if self.naming.is_some() && self.tracer.is_none() {
            self.objects.number_by_name();
        }
        self
    }

    /// The name of the object that an address points into and the offset in it; `None` if it never
    /// was an address.
    pub(crate) fn identity(&self, address: u64) -> Option<(u64, i64)> {
        let (object, offset) = object_and_offset(address);
        let name = self.naming.as_ref()?.names.get(&object)?;
        Some((*name, offset))
    }

    /// The address of a new object that is named as if the instruction at this site had made it.
    pub(crate) fn named_as(&mut self, address: u64, site: SiteId) -> u64 {
        let site = self.sites.get(site);
        match &mut self.naming {
            Some(naming) => {
                let name = naming.name(site);
                self.renamed(address, name)
            }
            None => address,
        }
    }

    /// The address of a new object that is the copy of an argument of the innermost call.
    pub(crate) fn named_parameter(
        &mut self,
        address: u64,
        function: FunctionId,
        number: u32,
    ) -> u64 {
        match &mut self.naming {
            Some(naming) => {
                let known = naming.parameters.get(&(function, number));
                let parameter = known.copied().unwrap_or(u64::from(number));
                let function = naming.functions[function.index()];
                let name = Hash::of_words([naming.path(), function, parameter]);
                let name = naming.numbered(name);
                self.renamed(address, name)
            }
            None => address,
        }
    }

    fn renamed(&mut self, address: u64, name: u64) -> u64 {
        let number = self.objects.rename(object_of(address), name);
        if let Some(naming) = &mut self.naming {
            naming.names.remove(&object_of(address));
            naming.set(number, name);
        }
        u64::from(number) << 32
    }

    pub(crate) fn leave_path(&mut self) {
        if let Some(naming) = &mut self.naming {
            naming.paths.pop();
        }
    }
}

impl Machine<'_> {
    /// A frame is about to be pushed: by the call at which the innermost frame is, whether it calls
    /// directly or through the library.
    pub(crate) fn enter_path(&mut self) {
        if let Some(naming) = &mut self.memory.naming {
            let call = self.frames.last().and_then(|frame| {
                let action = frame.next.checked_sub(1)?;
                Some((frame.code.function, *frame.code.origins.get(action)?))
            });
            naming.enter(call);
        }
    }
}
