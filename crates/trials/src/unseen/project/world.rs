//! What a project is made of: modules, each in its place, and the symbols that they define and use.
//! A function calls only functions with higher numbers, so every run ends.

use super::draft::DraftLine;
use crate::random::Random;
use crate::unseen::pair::Kind;
use std::collections::BTreeSet;

/// Where the code of a module goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Unit,
    /// One of the archives that the Makefile builds.
    Archive(usize),
    Assembly,
    CompiledAssembly,
    PrebuiltObject,
    PrebuiltArchive,
    SharedLibrary,
    PrebuiltSharedLibrary,
    PlugIn,
    PrebuiltPlugIn,
}

/// Code that one step of linking or loading puts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Image {
    Executable,
    Library,
    PlugIn,
}

impl Place {
    pub fn image(self) -> Image {
        match self {
            Place::SharedLibrary | Place::PrebuiltSharedLibrary => Image::Library,
            Place::PlugIn | Place::PrebuiltPlugIn => Image::PlugIn,
            Place::Unit
            | Place::Archive(_)
            | Place::Assembly
            | Place::CompiledAssembly
            | Place::PrebuiltObject
            | Place::PrebuiltArchive => Image::Executable,
        }
    }

    /// Whether the linker always takes it.
    pub fn is_always_linked(self) -> bool {
        !matches!(self, Place::Archive(_) | Place::PrebuiltArchive)
    }

    pub fn kind(self) -> Kind {
        match self {
            Place::Unit => Kind::Unit,
            Place::Archive(_) => Kind::ArchiveMember,
            Place::Assembly => Kind::Assembly,
            Place::CompiledAssembly => Kind::CompiledAssembly,
            Place::PrebuiltObject => Kind::PrebuiltObject,
            Place::PrebuiltArchive => Kind::PrebuiltArchive,
            Place::SharedLibrary => Kind::SharedLibrary,
            Place::PrebuiltSharedLibrary => Kind::PrebuiltSharedLibrary,
            Place::PlugIn => Kind::PlugIn,
            Place::PrebuiltPlugIn => Kind::PrebuiltPlugIn,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    pub place: Place,
    /// Flags of its compilation.
    pub flags: BTreeSet<String>,
    /// What happens to its object before it is linked.
    pub steps: Vec<String>,
    pub declarations: BTreeSet<String>,
    /// Definitions of variables, after the declarations.
    pub variables: Vec<DraftLine>,
    pub bodies: Vec<DraftLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Number,
    Array,
    Record,
    /// A pointer to the function with this number.
    Function(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Plain,
    Common,
    Weak,
    ThreadLocal,
    Static,
}

#[derive(Clone, Debug)]
pub struct Global {
    pub name: String,
    pub home: usize,
    pub shape: Shape,
    pub storage: Storage,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub home: usize,
    pub is_static: bool,
}

pub struct World {
    pub random: Random,
    /// The first one holds `main`.
    pub modules: Vec<Module>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// Options and inputs of the program's link, besides the modules.
    pub link: Vec<String>,
    /// Whether plug-ins may mention what the program defines.
    pub exports: bool,
    pub whole_archives: bool,
    /// Commands of the build besides those of the modules.
    pub commands: Vec<String>,
    /// Files that the build makes among the sources.
    pub ignored: Vec<String>,
    /// What stands in front of `main`.
    pub early: Vec<DraftLine>,
    words: usize,
}

impl World {
    pub fn new(random: Random) -> World {
        World {
            random,
            modules: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            link: Vec::new(),
            exports: false,
            whole_archives: false,
            commands: Vec::new(),
            ignored: Vec::new(),
            early: Vec::new(),
            words: 0,
        }
    }

    pub fn place(&self, module: usize) -> Place {
        self.modules[module].place
    }

    pub fn image(&self, module: usize) -> Image {
        self.place(module).image()
    }

    /// A number for names that nothing else has.
    pub fn fresh(&mut self) -> usize {
        self.words += 1;
        self.words
    }

    /// A line that prints this with a word of its own.
    pub fn print(&mut self, value: &str) -> String {
        let word = self.fresh();
        format!("    printf(\"w{word} %u\\n\", {value});")
    }

    /// Whether code of one module may mention what another one defines.
    pub fn sees(&self, from: usize, home: usize) -> bool {
        if from == home {
            return true;
        }
        match (self.image(from), self.image(home)) {
            (_, Image::Library) => true,
            (_, Image::PlugIn) => false,
            (Image::Executable | Image::Library, Image::Executable) => true,
            (Image::PlugIn, Image::Executable) => {
                self.exports && (self.place(home).is_always_linked() || self.whole_archives)
            }
        }
    }

    /// Functions that a module may call, with numbers from `least` on.
    pub fn callable(&self, from: usize, least: usize) -> Vec<usize> {
        let may = |number: &usize| {
            let function = &self.functions[*number];
            self.sees(from, function.home) && (!function.is_static || function.home == from)
        };
        (least..self.functions.len()).filter(may).collect()
    }

    pub fn visible(&self, from: usize) -> Vec<usize> {
        let may = |number: &usize| {
            let global = &self.globals[*number];
            self.sees(from, global.home)
                && (global.storage != Storage::Static || global.home == from)
        };
        (0..self.globals.len()).filter(may).collect()
    }

    pub fn declare(&mut self, module: usize, text: impl Into<String>) {
        self.modules[module].declarations.insert(text.into());
    }

    /// The name of a function, declared where it is used.
    pub fn mention_function(&mut self, from: usize, number: usize) -> String {
        let function = self.functions[number].clone();
        let linkage = if function.is_static { "static " } else { "" };
        self.declare(
            from,
            format!("{linkage}unsigned {}(unsigned a);", function.name),
        );
        function.name
    }

    /// The name of a variable, declared where it is used.
    pub fn mention_global(&mut self, from: usize, number: usize) -> String {
        let global = self.globals[number].clone();
        if global.home != from {
            let name = &global.name;
            let thread = match global.storage {
                Storage::ThreadLocal => "__thread ",
                Storage::Plain | Storage::Common | Storage::Weak | Storage::Static => "",
            };
            let text = match global.shape {
                Shape::Number => format!("unsigned {name};"),
                Shape::Array => format!("unsigned {name}[4];"),
                Shape::Record => format!("struct pair {name};"),
                Shape::Function(_) => format!("unsigned (*{name})(unsigned);"),
            };
            self.declare(from, format!("extern {thread}{text}"));
        }
        global.name
    }

    /// An element of a variable that can be read and written, if it is no pointer.
    pub fn element(&mut self, from: usize, number: usize) -> Option<String> {
        let shape = self.globals[number].shape;
        if matches!(shape, Shape::Function(_)) {
            return None;
        }
        let name = self.mention_global(from, number);
        Some(match shape {
            Shape::Array => {
                let index = *self.random.pick(&["x & 3", "1", "2", "x >> 2 & 3"]);
                format!("{name}[{index}]")
            }
            Shape::Record => format!("{name}.{}", self.random.pick(&["a", "b"])),
            Shape::Number | Shape::Function(_) => name,
        })
    }

    /// Some element that a module may access.
    pub fn some_element(&mut self, from: usize) -> Option<String> {
        let visible = self.visible(from);
        for _ in 0..4 {
            let number = *visible.get(self.random.below(visible.len()))?;
            if let Some(element) = self.element(from, number) {
                return Some(element);
            }
        }
        None
    }

    /// A plain number with external linkage in the program itself.
    pub fn plain_number(&mut self) -> Option<usize> {
        let is_plain = |number: &usize| {
            let global = &self.globals[*number];
            global.shape == Shape::Number
                && matches!(global.storage, Storage::Plain | Storage::Weak)
                && self.image(global.home) == Image::Executable
                && self.place(global.home).is_always_linked()
        };
        let numbers: Vec<usize> = (0..self.globals.len()).filter(is_plain).collect();
        numbers.get(self.random.below(numbers.len())).copied()
    }

    /// A module in C of the program itself that is always linked.
    pub fn own_module(&mut self) -> usize {
        let is_own = |module: &usize| matches!(self.place(*module), Place::Unit);
        let own: Vec<usize> = (0..self.modules.len()).filter(is_own).collect();
        own[self.random.below(own.len())]
    }

    /// Adds what is no statement of `main`.
    pub fn early_functions(&mut self, module: usize, lines: Vec<DraftLine>) {
        match module {
            0 => self.early.extend(lines),
            _ => self.modules[module].bodies.extend(lines),
        }
    }

    pub fn add_body(&mut self, module: usize, lines: Vec<DraftLine>) {
        self.modules[module].bodies.extend(lines);
    }
}
