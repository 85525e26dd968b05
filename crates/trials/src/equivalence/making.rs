//! Which functions are compared? Random ones of the language: scalars of all widths, arrays that a
//! parameter counts, a record, global variables, calls of functions inside and outside of the
//! program, loops with every way out. They have undefined behaviour on some inputs (signed
//! arithmetic overflows) and never outside of their arrays; every local variable has a value, and
//! every loop ends.

mod expressions;

use super::language::*;
use crate::random::Random;

/// A function of a seed. A third of them have few bits of input, so that all of it can be tried.
pub fn random_function(random: &mut Random) -> Function {
    let mut maker = Maker::new(random);
    maker.declare_inputs();
    maker.make_helpers();
    let result = maker.integer();
    maker.function.result = result;
    maker.left = match maker.random.chance(60) {
        true => 1 + maker.random.below(3),
        false => 3 + maker.random.below(6),
    };
    let mut body = Vec::new();
    for _ in 0..1 + maker.random.below(2) {
        maker.declare_local(&mut body);
    }
    while maker.left > 0 {
        maker.statement(&mut body, 0);
    }
    let value = maker.combined();
    body.push(Statement::Return(value));
    maker.function.body = body;
    maker.function
}

struct Maker<'a> {
    random: &'a mut Random,
    function: Function,
    /// What can be read.
    readable: Vec<VariableId>,
    /// What may be changed.
    changeable: Vec<VariableId>,
    /// Counters of the loops around, with their bounds.
    counters: Vec<(VariableId, Expression)>,
    /// How many loops that can be left are around.
    loops: usize,
    /// Statements still to be made.
    left: usize,
    is_narrow: bool,
}

impl<'a> Maker<'a> {
    fn new(random: &'a mut Random) -> Maker<'a> {
        let is_narrow = random.chance(30);
        Maker {
            random,
            function: Function {
                variables: Vec::new(),
                arrays: Vec::new(),
                fields: Vec::new(),
                parameters: Vec::new(),
                result: INT,
                body: Vec::new(),
                helpers: Vec::new(),
            },
            readable: Vec::new(),
            changeable: Vec::new(),
            counters: Vec::new(),
            loops: 0,
            left: 0,
            is_narrow,
        }
    }

    fn integer(&mut self) -> Integer {
        match self.random.below(10) {
            0..3 => UNSIGNED,
            3..5 => INT,
            _ => *self.random.pick(&Integer::ALL),
        }
    }

    fn variable(&mut self, prefix: &str, is_global: bool, integer: Integer) -> VariableId {
        let id = VariableId(self.function.variables.len());
        self.function.variables.push(Variable {
            name: format!("{prefix}{}", id.0),
            is_global,
            integer,
        });
        id
    }

    fn array(&mut self, prefix: &str, integer: Integer, extent: Extent, place: Place) -> ArrayId {
        let id = ArrayId(self.function.arrays.len());
        self.function.arrays.push(Array {
            name: format!("{prefix}{}", id.0),
            integer,
            extent,
            place,
            values: Vec::new(),
        });
        id
    }

    fn declare_inputs(&mut self) {
        let scalars = 1 + self.random.below(3);
        for _ in 0..scalars {
            let integer = match self.is_narrow {
                true => Integer::ALL[self.random.below(2)],
                false => self.integer(),
            };
            let id = self.variable("a", false, integer);
            self.function.parameters.push(Parameter::Scalar(id));
            self.readable.push(id);
            if self.random.chance(50) {
                self.changeable.push(id);
            }
            if self.is_narrow && self.function.parameters.len() == 2 {
                return;
            }
        }
        if self.is_narrow {
            return;
        }
        if self.random.chance(65) {
            let count = self.variable("n", false, UNSIGNED);
            let integer = self.integer();
            for _ in 0..1 + self.random.below(2) {
                let extent = Extent::Counted(count);
                let id = self.array("p", integer, extent, Place::Parameter);
                self.function.parameters.push(Parameter::Array(id));
            }
            self.function.parameters.push(Parameter::Scalar(count));
            self.readable.push(count);
        }
        if self.random.chance(25) {
            self.function.parameters.push(Parameter::Record);
            for _ in 0..2 + self.random.below(3) {
                let integer = self.integer();
                self.function.fields.push(integer);
            }
        }
        for _ in 0..self.random.below(3) {
            let integer = self.integer();
            let id = self.variable("g", true, integer);
            self.readable.push(id);
            self.changeable.push(id);
        }
        if self.random.chance(20) {
            let integer = self.integer();
            self.array("t", integer, Extent::Fixed(8), Place::Global);
        }
        if self.random.chance(15) {
            let integer = self.integer();
            self.array("b", integer, Extent::Fixed(4), Place::Local);
        }
        if self.random.chance(15) {
            let integer = self.integer();
            let id = self.array("k", integer, Extent::Fixed(4), Place::Constant);
            let values = (0..4).map(|_| self.random.below(100) as i64).collect();
            self.function.arrays[id.0].values = values;
        }
    }

    /// Functions that the function calls: on scalars, sometimes on global variables.
    fn make_helpers(&mut self) {
        let count = [0, 0, 0, 1, 1, 2][self.random.below(6)];
        for number in 0..count {
            let outer = (self.readable.clone(), self.changeable.clone());
            let globals = |id: &VariableId, function: &Function| function.variables[id.0].is_global;
            let function = &self.function;
            self.readable.retain(|id| globals(id, function));
            self.changeable.retain(|id| globals(id, function));
            let arrays = std::mem::take(&mut self.function.arrays);
            let fields = std::mem::take(&mut self.function.fields);
            let mut parameters = Vec::new();
            for _ in 0..1 + self.random.below(3) {
                let integer = self.integer();
                let id = self.variable("x", false, integer);
                parameters.push(id);
                self.readable.push(id);
            }
            let mut body = Vec::new();
            self.left = self.random.below(4);
            self.declare_local(&mut body);
            while self.left > 0 {
                self.statement(&mut body, 1);
            }
            let value = self.combined();
            body.push(Statement::Return(value));
            let result = self.integer();
            self.function.helpers.push(Helper {
                name: format!("part{number}"),
                parameters,
                result,
                body,
            });
            (self.readable, self.changeable) = outer;
            self.function.arrays = arrays;
            self.function.fields = fields;
        }
        if self.function.helpers.len() == 2 && self.random.chance(40) {
            self.chain_helpers();
        }
    }

    /// The second calls the first.
    fn chain_helpers(&mut self) {
        let helper = self.function.helpers[0].clone();
        let inputs = self.function.helpers[1].parameters.clone();
        let target = self.variable("v", false, helper.result);
        let arguments = helper.parameters.iter();
        let arguments = arguments.map(|_| Expression::Variable(*self.random.pick(&inputs)));
        let call = Statement::Invoke(target, 0, arguments.collect());
        let body = &mut self.function.helpers[1].body;
        body.insert(0, call);
        if let Some(Statement::Return(value)) = body.last_mut() {
            let before = value.clone();
            *value = Expression::binary(Binary::Xor, before, Expression::Variable(target));
        }
    }

    /// All that the function has computed.
    fn combined(&mut self) -> Expression {
        let mut value = self.expression(2);
        for id in self.changeable.clone() {
            if !self.function.variables[id.0].is_global {
                let operator = *self.random.pick(&[Binary::Xor, Binary::Add, Binary::Or]);
                let left = Expression::Cast(UNSIGNED, Box::new(value));
                value = Expression::binary(operator, left, Expression::Variable(id));
            }
        }
        value
    }

    fn declare_local(&mut self, body: &mut Vec<Statement>) {
        let integer = self.integer();
        let value = self.expression(2);
        let id = self.variable("v", false, integer);
        body.push(Statement::Declare(id, value));
        self.readable.push(id);
        self.changeable.push(id);
    }

    fn statement(&mut self, body: &mut Vec<Statement>, depth: usize) {
        self.left = self.left.saturating_sub(1);
        match self.random.below(100) {
            0..14 => self.declare_local(body),
            14..50 => self.change(body),
            50..66 if depth < 3 => self.branch(body, depth),
            66..84 if depth < 2 => self.counted(body, depth),
            84..87 if depth < 2 => self.shrinking(body, depth),
            87..90 if depth < 2 => self.switch(body, depth),
            90..94 => self.call(body),
            94..96 => {
                let value = self.expression(1);
                match self.random.chance(50) {
                    true => body.push(Statement::Tell(value)),
                    false => {
                        let id = self.variable("v", false, UNSIGNED);
                        body.push(Statement::Ask(id, value));
                        self.readable.push(id);
                    }
                }
            }
            96..98 if self.loops > 0 => {
                let test = self.condition(1);
                let way = match self.random.chance(50) {
                    true => Statement::Break,
                    false => Statement::Continue,
                };
                body.push(Statement::If(test, vec![way], Vec::new()));
            }
            98.. => {
                let test = self.condition(1);
                let value = self.expression(1);
                let end = vec![Statement::Return(value)];
                body.push(Statement::If(test, end, Vec::new()));
            }
            _ => self.change(body),
        }
    }

    fn call(&mut self, body: &mut Vec<Statement>) {
        if self.function.helpers.is_empty() {
            return self.change(body);
        }
        let number = self.random.below(self.function.helpers.len());
        let helper = self.function.helpers[number].clone();
        let arguments = helper.parameters.iter();
        let arguments = arguments.map(|_| self.expression(1)).collect();
        let target = self.variable("v", false, helper.result);
        body.push(Statement::Invoke(target, number, arguments));
        self.readable.push(target);
    }

    fn target(&mut self) -> Option<Target> {
        let arrays = (0..self.function.arrays.len()).map(ArrayId);
        let is_variable = |id: &ArrayId| self.function.arrays[id.0].values.is_empty();
        let arrays: Vec<ArrayId> = arrays.filter(is_variable).collect();
        if !arrays.is_empty() && self.random.chance(30) {
            let array = *self.random.pick(&arrays);
            if let Some(index) = self.index(array) {
                return Some(Target::Element(array, index));
            }
        }
        if !self.function.fields.is_empty() && self.random.chance(20) {
            let field = self.random.below(self.function.fields.len());
            return Some(Target::Field(field));
        }
        match self.changeable.is_empty() {
            true => None,
            false => Some(Target::Variable(*self.random.pick(&self.changeable))),
        }
    }

    fn change(&mut self, body: &mut Vec<Statement>) {
        let Some(target) = self.target() else {
            return self.declare_local(body);
        };
        let integer = self.function.type_of_target(&target);
        let operators = [
            Binary::Add,
            Binary::Add,
            Binary::Xor,
            Binary::Subtract,
            Binary::Or,
            Binary::And,
            Binary::Multiply,
        ];
        let operator = *self.random.pick(&operators);
        let mut value = self.expression(2);
        match self.random.chance(65) {
            true => {
                if integer.joined(self.function.type_of(&value)).signed && self.random.chance(75) {
                    let wide = integer.promoted().unsigned();
                    value = Expression::Cast(wide, Box::new(value));
                }
                body.push(Statement::Update(target, operator, value));
            }
            false => body.push(Statement::Assign(target, value)),
        }
    }

    /// Statements of their own scope.
    fn block(&mut self, depth: usize, most: usize) -> Vec<Statement> {
        let (readable, changeable) = (self.readable.len(), self.changeable.len());
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(most) {
            self.statement(&mut body, depth);
        }
        self.readable.truncate(readable);
        self.changeable.truncate(changeable);
        body
    }

    fn branch(&mut self, body: &mut Vec<Statement>, depth: usize) {
        let test = self.condition(2);
        let yes = self.block(depth + 1, 2);
        let no = match self.random.chance(45) {
            true => self.block(depth + 1, 2),
            false => Vec::new(),
        };
        body.push(Statement::If(test, yes, no));
    }

    fn counted(&mut self, body: &mut Vec<Statement>, depth: usize) {
        let counts = self
            .function
            .arrays
            .iter()
            .filter_map(|row| match row.extent {
                Extent::Counted(count) => Some(count),
                Extent::Fixed(_) => None,
            });
        let counts: Vec<VariableId> = counts.collect();
        let bound = match counts.first() {
            Some(count) if self.random.chance(70) => Expression::Variable(*count),
            _ => Expression::Number(2 + self.random.below(7) as i64, UNSIGNED),
        };
        let start = *self.random.pick(&[0, 0, 0, 1, 2]);
        let counter = self.variable("i", false, UNSIGNED);
        self.readable.push(counter);
        self.counters.push((counter, bound.clone()));
        self.loops += 1;
        let inner = self.block(depth + 1, 3);
        self.loops -= 1;
        self.counters.pop();
        self.readable.retain(|id| *id != counter);
        body.push(Statement::Counted(Counted {
            counter,
            start,
            bound,
            body: inner,
        }));
    }

    /// `while (x != 0) { …; x = x / k; }`
    fn shrinking(&mut self, body: &mut Vec<Statement>, depth: usize) {
        let integer = self.integer().unsigned();
        let value = self.expression(1);
        let id = self.variable("w", false, integer);
        body.push(Statement::Declare(id, value));
        self.readable.push(id);
        // What goes on early would not make it smaller.
        let loops = std::mem::take(&mut self.loops);
        let mut inner = self.block(depth + 1, 2);
        self.loops = loops;
        let shrink = match self.random.chance(50) {
            true => Expression::binary(
                Binary::ShiftRight,
                Expression::Variable(id),
                Expression::Number(1 + self.random.below(3) as i64, INT),
            ),
            false => Expression::binary(
                Binary::Divide,
                Expression::Variable(id),
                Expression::Number(2 + self.random.below(9) as i64, UNSIGNED),
            ),
        };
        inner.push(Statement::Assign(Target::Variable(id), shrink));
        let zero = Expression::Number(0, INT);
        let test = Expression::binary(Binary::NotEqual, Expression::Variable(id), zero);
        body.push(Statement::While(test, inner));
        self.readable.retain(|other| *other != id);
    }

    fn switch(&mut self, body: &mut Vec<Statement>, depth: usize) {
        let loops = std::mem::take(&mut self.loops);
        let mask = Expression::Number(7, UNSIGNED);
        let value = Expression::binary(Binary::And, self.expression(1), mask);
        let first = self.random.below(4) as i64;
        let cases = (0..1 + self.random.below(3)).map(|number| {
            let inner = self.block(depth + 1, 2);
            (first + number as i64, inner)
        });
        let cases = cases.collect();
        let rest = self.block(depth + 1, 1);
        self.loops = loops;
        body.push(Statement::Switch(value, cases, rest));
    }
}
