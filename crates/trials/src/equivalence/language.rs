//! What a random function is before it is worded in C: a small typed language whose constructs each
//! have several wordings. Expressions have no effects; C's conversions apply to them, so that
//! [`Function::type_of`] tells which rewrites are right.

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Integer {
    pub bits: u32,
    pub signed: bool,
}

pub const INT: Integer = Integer {
    bits: 32,
    signed: true,
};
pub const UNSIGNED: Integer = Integer {
    bits: 32,
    signed: false,
};

impl Integer {
    pub const ALL: [Integer; 8] = {
        let mut all = [INT; 8];
        let mut number = 0;
        while number < 8 {
            all[number] = Integer {
                bits: 8 << (number / 2),
                signed: number % 2 == 0,
            };
            number += 1;
        }
        all
    };

    pub fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (16, false) => "unsigned short",
            (32, true) => "int",
            (32, false) => "unsigned",
            (_, true) => "long",
            (_, false) => "unsigned long",
        }
    }

    pub fn promoted(self) -> Integer {
        match self.bits < 32 {
            true => INT,
            false => self,
        }
    }

    /// The type of arithmetic on both.
    pub fn joined(self, other: Integer) -> Integer {
        let (one, two) = (self.promoted(), other.promoted());
        match one.bits.cmp(&two.bits) {
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Less => two,
            std::cmp::Ordering::Equal => Integer {
                bits: one.bits,
                signed: one.signed && two.signed,
            },
        }
    }

    pub fn unsigned(self) -> Integer {
        Integer {
            signed: false,
            ..self
        }
    }

    /// A constant of the type.
    pub fn literal(self, value: i64) -> String {
        let suffix = match (self.bits, self.signed) {
            (64, true) => "l",
            (64, false) => "ul",
            (_, true) => "",
            (_, false) => "u",
        };
        match value < 0 {
            true if self.signed => format!("(-{}{suffix})", value.unsigned_abs()),
            true if self.bits == 64 => format!("{}{suffix}", value as u64),
            true => format!("{}{suffix}", value as u32),
            false => format!("{value}{suffix}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub usize);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub is_global: bool,
    pub integer: Integer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As many elements as this parameter says.
    Counted(VariableId),
    Fixed(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Parameter,
    Global,
    Local,
    /// A table that nothing writes.
    Constant,
}

impl Place {
    /// Functions reach it by its name.
    pub fn is_of_file(self) -> bool {
        matches!(self, Place::Global | Place::Constant)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    pub name: String,
    pub integer: Integer,
    pub extent: Extent,
    pub place: Place,
    /// Of a constant one.
    pub values: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Complement,
    Not,
}

pub use crate::generator::syntax::Binary;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Of a type that is its own promotion.
    Number(i64, Integer),
    Variable(VariableId),
    Element(ArrayId, Box<Expression>),
    /// Of the record that the function is given.
    Field(usize),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Integer, Box<Expression>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Variable(VariableId),
    Element(ArrayId, Expression),
    Field(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Declared by the loop; nothing else in it changes it.
    pub counter: VariableId,
    pub start: i64,
    /// A number, or a variable that the loop does not change.
    pub bound: Expression,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Declare(VariableId, Expression),
    Assign(Target, Expression),
    /// The target with an operation applied to it.
    Update(Target, Binary, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Counted(Counted),
    /// Ends because its body makes something smaller.
    While(Expression, Vec<Statement>),
    Switch(Expression, Vec<(i64, Vec<Statement>)>, Vec<Statement>),
    Break,
    Continue,
    Return(Expression),
    /// A call of a function of the unit, by number.
    Invoke(VariableId, usize, Vec<Expression>),
    /// A call of a function that is not part of the program.
    Ask(VariableId, Expression),
    Tell(Expression),
}

/// A function of scalars that the function calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    pub name: String,
    pub parameters: Vec<VariableId>,
    pub result: Integer,
    pub body: Vec<Statement>,
}

/// The function `f` with all that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub variables: Vec<Variable>,
    pub arrays: Vec<Array>,
    /// The types of the fields of the record; empty: there is none.
    pub fields: Vec<Integer>,
    pub parameters: Vec<Parameter>,
    pub result: Integer,
    pub body: Vec<Statement>,
    pub helpers: Vec<Helper>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Scalar(VariableId),
    Array(ArrayId),
    Record,
}

impl Function {
    pub fn type_of(&self, expression: &Expression) -> Integer {
        match expression {
            Expression::Number(_, integer) | Expression::Cast(integer, _) => *integer,
            Expression::Variable(id) => self.variables[id.0].integer,
            Expression::Element(id, _) => self.arrays[id.0].integer,
            Expression::Field(number) => self.fields[*number],
            Expression::Unary(Unary::Not, _) => INT,
            Expression::Unary(_, inner) => self.type_of(inner).promoted(),
            Expression::Binary(operator, left, right) => match operator {
                Binary::ShiftLeft | Binary::ShiftRight => self.type_of(left).promoted(),
                operator if is_arithmetic(*operator) => {
                    self.type_of(left).joined(self.type_of(right))
                }
                _ => INT,
            },
            Expression::Conditional(_, yes, no) => self.type_of(yes).joined(self.type_of(no)),
        }
    }

    pub fn type_of_target(&self, target: &Target) -> Integer {
        match target {
            Target::Variable(id) => self.variables[id.0].integer,
            Target::Element(id, _) => self.arrays[id.0].integer,
            Target::Field(number) => self.fields[*number],
        }
    }
}

/// The operands are joined to one type, which is that of the result.
pub fn is_arithmetic(operator: Binary) -> bool {
    use Binary::*;
    matches!(
        operator,
        Multiply | Divide | Remainder | Add | Subtract | And | Xor | Or
    )
}

impl Expression {
    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Expression::Number(..) | Expression::Variable(_) | Expression::Field(_) => Vec::new(),
            Expression::Element(_, one) | Expression::Unary(_, one) | Expression::Cast(_, one) => {
                vec![one]
            }
            Expression::Binary(_, one, two) => vec![one, two],
            Expression::Conditional(one, two, three) => vec![one, two, three],
        }
    }

    pub fn children_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Expression::Number(..) | Expression::Variable(_) | Expression::Field(_) => Vec::new(),
            Expression::Element(_, one) | Expression::Unary(_, one) | Expression::Cast(_, one) => {
                vec![one]
            }
            Expression::Binary(_, one, two) => vec![one, two],
            Expression::Conditional(one, two, three) => vec![one, two, three],
        }
    }

    /// All parts, itself included.
    pub fn parts(&self) -> Vec<&Expression> {
        let mut parts = vec![self];
        let mut next = 0;
        while next < parts.len() {
            parts.extend(parts[next].children());
            next += 1;
        }
        parts
    }

    pub fn mentions(&self, variable: VariableId) -> bool {
        let is_it = |part: &&Expression| **part == Expression::Variable(variable);
        self.parts().iter().any(is_it)
    }
}

impl Statement {
    /// The lists of statements inside.
    pub fn bodies(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::If(_, yes, no) => vec![yes, no],
            Statement::Counted(counted) => vec![&counted.body],
            Statement::While(_, body) => vec![body],
            Statement::Switch(_, cases, rest) => {
                cases.iter().map(|case| &case.1).chain([rest]).collect()
            }
            _ => Vec::new(),
        }
    }

    pub fn bodies_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If(_, yes, no) => vec![yes, no],
            Statement::Counted(counted) => vec![&mut counted.body],
            Statement::While(_, body) => vec![body],
            Statement::Switch(_, cases, rest) => cases
                .iter_mut()
                .map(|case| &mut case.1)
                .chain([rest])
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The expressions of the statement itself.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut all: Vec<&Expression> = Vec::new();
        match self {
            Statement::Assign(target, value) | Statement::Update(target, _, value) => {
                if let Target::Element(_, index) = target {
                    all.push(index);
                }
                all.push(value);
            }
            Statement::Declare(_, value)
            | Statement::If(value, ..)
            | Statement::While(value, _)
            | Statement::Switch(value, ..)
            | Statement::Return(value)
            | Statement::Ask(_, value)
            | Statement::Tell(value) => all.push(value),
            Statement::Counted(counted) => all.push(&counted.bound),
            Statement::Invoke(_, _, arguments) => all.extend(arguments),
            Statement::Break | Statement::Continue => {}
        }
        all
    }

    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let mut all: Vec<&mut Expression> = Vec::new();
        match self {
            Statement::Assign(target, value) | Statement::Update(target, _, value) => {
                if let Target::Element(_, index) = target {
                    all.push(index);
                }
                all.push(value);
            }
            Statement::Declare(_, value)
            | Statement::If(value, ..)
            | Statement::While(value, _)
            | Statement::Switch(value, ..)
            | Statement::Return(value)
            | Statement::Ask(_, value)
            | Statement::Tell(value) => all.push(value),
            Statement::Counted(counted) => all.push(&mut counted.bound),
            Statement::Invoke(_, _, arguments) => all.extend(arguments),
            Statement::Break | Statement::Continue => {}
        }
        all
    }
}
