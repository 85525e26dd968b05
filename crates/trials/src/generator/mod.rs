//! Which program shall we try next? Closed random C programs from a seed: they need nothing but
//! the arguments and the standard input that come with them, end soon, and print what they
//! compute. Without `Shape::undefined` they are free of undefined behaviour on every input, by
//! construction: operations are guarded by the ranges of their operands (`arithmetic`), pointers
//! by the lifetimes of their targets (`scope`), order of evaluation by purity (`statements`).

mod arithmetic;
mod calls;
mod control;
mod expressions;
mod floating;
mod functions;
mod globals;
mod idioms;
pub mod integers;
mod output;
pub mod parse;
mod places;
pub mod print;
mod records;
mod scope;
mod statements;
pub mod syntax;
mod undefined;
pub mod walk;

pub use undefined::Undefined;

use crate::against_clang::Input;
use crate::random::Random;
use scope::{Context, EnumShape, Family, FunctionShape, RecordShape, Variable};
use syntax::*;

/// How large the program is and what it contains.
#[derive(Clone, Debug)]
pub struct Shape {
    pub functions: usize,
    /// Statements at the top of each function; blocks hold fewer.
    pub statements: usize,
    pub globals: usize,
    pub records: usize,
    pub block_depth: usize,
    pub expression_depth: usize,
    /// A bound on the work of a run, in expressions and statements.
    pub steps: u64,
    pub undefined: Option<Undefined>,
}

impl Shape {
    pub fn small() -> Shape {
        Shape {
            functions: 2,
            statements: 4,
            globals: 4,
            records: 1,
            block_depth: 2,
            expression_depth: 2,
            steps: 20_000,
            undefined: None,
        }
    }

    pub fn medium() -> Shape {
        Shape {
            functions: 5,
            statements: 7,
            globals: 8,
            records: 3,
            block_depth: 3,
            expression_depth: 3,
            steps: 100_000,
            undefined: None,
        }
    }

    pub fn large() -> Shape {
        Shape {
            functions: 12,
            statements: 10,
            globals: 16,
            records: 6,
            block_depth: 4,
            expression_depth: 4,
            steps: 400_000,
            undefined: None,
        }
    }

    pub fn with_undefined(self, undefined: Option<Undefined>) -> Shape {
        Shape { undefined, ..self }
    }

    /// One of the sizes, mostly small, as soaking wants them: many small programs
    /// find more in the same time than few large ones.
    pub fn any(random: &mut Random) -> Shape {
        match random.below(20) {
            0..=13 => Shape::small(),
            14..=18 => Shape::medium(),
            _ => Shape::large(),
        }
    }
}

/// A program with the input it is meant to run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    pub program: Program,
    /// Without the program's own name.
    pub arguments: Vec<String>,
    pub stdin: Vec<u8>,
}

impl Trial {
    pub fn input(&self) -> Input {
        Input {
            arguments: self.arguments.clone(),
            stdin: self.stdin.clone(),
        }
    }

    pub fn source(&self) -> String {
        print::program(&self.program)
    }
}

/// The program that belongs to a seed and a shape: always the same one.
pub fn generate(seed: u64, shape: &Shape) -> Trial {
    let mut generator = Generator {
        random: Random::new(seed),
        shape,
        names: 0,
        includes: Vec::new(),
        required: Vec::new(),
        items: Vec::new(),
        prototypes: Vec::new(),
        records: Vec::new(),
        enums: Vec::new(),
        families: Vec::new(),
        functions: Vec::new(),
        scopes: vec![Vec::new()],
        context: Context {
            pure: false,
            result: None,
            repeats: 1,
            cost: 0,
            breakable: false,
            continuable: false,
            depth: 0,
            limit: shape.steps,
        },
        in_main: false,
        index_depth: 0,
        list_depth: 0,
        call_depth: 0,
        plant_kind: None,
        plant: None,
    };
    generator.program()
}

struct Generator<'s> {
    random: Random,
    shape: &'s Shape,
    names: usize,
    includes: Vec<String>,
    required: Vec<&'static str>,
    items: Vec<Item>,
    prototypes: Vec<Item>,
    records: Vec<RecordShape>,
    enums: Vec<EnumShape>,
    families: Vec<Family>,
    functions: Vec<FunctionShape>,
    /// Innermost last; the first holds the globals, the second the parameters.
    scopes: Vec<Vec<Variable>>,
    context: Context,
    in_main: bool,
    index_depth: usize,
    list_depth: usize,
    call_depth: usize,
    /// The kind whose statements are being made.
    plant_kind: Option<Undefined>,
    /// Undefined behaviour still to be planted in the function under construction.
    plant: Option<Undefined>,
}

impl Generator<'_> {
    fn program(&mut self) -> Trial {
        for header in ["assert.h", "stdio.h", "string.h"] {
            self.include(header);
        }
        self.define(output::PRELUDE);
        self.define_enums();
        self.define_records();
        self.make_globals();
        self.make_families();
        let types_end = self.items.len();
        // Most of what is planted goes into `main`, where it is surely reached.
        let in_function = self.random.chance(35);
        let host = self.random.below(self.shape.functions.max(1));
        for number in 0..self.shape.functions {
            let host = in_function && number == host;
            self.plant = if host { self.shape.undefined } else { None };
            self.make_function();
            if self.random.chance(30) {
                self.make_table();
            }
        }
        // A pure function cannot hold the planted statements; then `main` does.
        self.plant = if in_function && self.plant.is_none() && self.planted_before() {
            None
        } else {
            self.shape.undefined
        };
        self.make_main();
        let prototypes = std::mem::take(&mut self.prototypes);
        self.items.splice(types_end..types_end, prototypes);
        let mut includes = std::mem::take(&mut self.includes);
        includes.sort();
        let program = Program {
            includes,
            items: std::mem::take(&mut self.items),
        };
        let arguments =
            (0..self.random.below(3)).map(|_| self.random.between(-99, 999).to_string());
        let arguments = arguments.collect();
        let stdin = self.input();
        Trial {
            program,
            arguments,
            stdin,
        }
    }

    fn planted_before(&self) -> bool {
        self.required.contains(&"planted")
    }

    fn make_main(&mut self) {
        self.in_main = true;
        self.context = Context {
            pure: false,
            result: None,
            repeats: 1,
            cost: 0,
            breakable: false,
            continuable: false,
            depth: 0,
            limit: self.shape.steps,
        };
        self.scopes.push(Vec::new());
        self.scopes.push(Vec::new());
        let mut body = Vec::new();
        self.greet(&mut body);
        let calls = self.shape.functions * 2;
        let first = self.random.below(self.shape.statements + 1);
        self.statements(first, &mut body);
        self.plant_here(&mut body);
        for _ in 0..calls {
            body.extend(self.call_statement());
            self.statements(1, &mut body);
        }
        if self.random.chance(15) {
            self.depart(&mut body);
        }
        self.statements(self.shape.statements, &mut body);
        for variable in self.scopes[0].clone() {
            self.mix_variable(&variable.data, Expression::name(&variable.name), &mut body);
        }
        let end = r#"printf("checksum %llu\n", checksum); return (int)(checksum & 63u);"#;
        let end = self.template(end, &[]);
        body.extend(end);
        let given = self.required.contains(&"arguments");
        let arguments = Parameter {
            name: "argv".to_string(),
            parameter_type: Type::Name("char".to_string()).pointer().pointer(),
        };
        let count = Parameter {
            name: "argc".to_string(),
            parameter_type: Type::Name("int".to_string()),
        };
        let signature = Signature {
            result: Type::Name("int".to_string()),
            parameters: if given {
                vec![count, arguments]
            } else {
                Vec::new()
            },
            variadic: false,
        };
        let main = Function {
            storage: Storage::Plain,
            name: "main".to_string(),
            signature,
            body,
        };
        self.items.push(Item::Function(main));
    }

    /// Plants what is to be planted in the function under construction.
    fn plant_here(&mut self, body: &mut Vec<Statement>) {
        if self.context.pure {
            return;
        }
        if let Some(kind) = self.plant.take() {
            let statements = self.planted(kind);
            body.extend(statements);
        }
    }

    fn input(&mut self) -> Vec<u8> {
        let mut input = Vec::new();
        for _ in 0..self.random.below(5) {
            let line = match self.random.below(3) {
                0 => self.word(),
                _ => self.random.between(-1000, 100_000).to_string().into_bytes(),
            };
            input.extend(line);
            input.push(if self.random.chance(70) { b'\n' } else { b' ' });
        }
        input
    }
}
