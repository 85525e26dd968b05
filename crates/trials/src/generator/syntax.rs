//! What is a generated program? A plain tree of C syntax: the generator builds it, edits and the
//! reducer change it, `print` writes it. It is syntax only: types of expressions and ranges of
//! values are known to the generator, not kept here.

/// A whole translation unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Header names, as in `#include <name>`.
    pub includes: Vec<String>,
    pub items: Vec<Item>,
}

/// One thing at file scope.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Record(Record),
    Enumeration(Enumeration),
    /// A global variable or a prototype.
    Declaration(Declaration),
    Function(Function),
}

/// A struct or union definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub union: bool,
    pub packed: bool,
    pub name: String,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub field_type: Type,
    pub bits: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    pub name: String,
    pub constants: Vec<(String, Option<Expression>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Plain,
    Static,
    Extern,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    pub storage: Storage,
    pub name: String,
    pub declared_type: Type,
    pub initialiser: Option<Initialiser>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Initialiser {
    Expression(Expression),
    List(Vec<(Option<Designator>, Initialiser)>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Designator {
    Field(String),
    Index(Expression),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub storage: Storage,
    pub name: String,
    pub signature: Signature,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub result: Type,
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Empty in prototypes and function pointer types.
    pub name: String,
    pub parameter_type: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `int`, `unsigned long`, `double`, `void`, or a library type such as `size_t`.
    Name(String),
    Struct(String),
    Union(String),
    Enum(String),
    Qualified(Qualifier, Box<Type>),
    Pointer(Box<Type>),
    Array(Box<Type>, Option<Box<Expression>>),
    Function(Box<Signature>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    Const,
    Volatile,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    Declare(Declaration),
    Expression(Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    While(Expression, Vec<Statement>),
    DoWhile(Vec<Statement>, Expression),
    For(Box<ForLoop>),
    Switch(Expression, Vec<Section>),
    Break,
    Continue,
    Return(Option<Expression>),
    Goto(String),
    Label(String),
    Block(Vec<Statement>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// A declaration, an expression statement, or nothing.
    pub start: Option<Statement>,
    pub condition: Option<Expression>,
    pub step: Option<Expression>,
    pub body: Vec<Statement>,
}

/// Labels and the statements up to the next label; without a closing `break` it falls through.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// `None` is `default`.
    pub labels: Vec<Option<Expression>>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number or character constant exactly as spelt.
    Literal(String),
    /// The bytes of a string literal, without the closing zero.
    Text(Vec<u8>),
    Name(String),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `=` or, with an operator, `op=`.
    Assign(Option<Binary>, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Comma(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Expression>),
    Index(Box<Expression>, Box<Expression>),
    /// `a.field`
    Field(Box<Expression>, String),
    /// `a->field`
    Arrow(Box<Expression>, String),
    Cast(Type, Box<Expression>),
    /// `(type){…}`
    Compound(Type, Box<Initialiser>),
    SizeOfType(Type),
    /// `va_arg(list, type)`
    VariadicArgument(Box<Expression>, Type),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
    AddressOf,
    Dereference,
    SizeOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

impl Binary {
    /// How C writes it.
    pub fn symbol(self) -> &'static str {
        use Binary::*;
        match self {
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            Add => "+",
            Subtract => "-",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            Less => "<",
            Greater => ">",
            LessEqual => "<=",
            GreaterEqual => ">=",
            Equal => "==",
            NotEqual => "!=",
            And => "&",
            Xor => "^",
            Or => "|",
            LogicalAnd => "&&",
            LogicalOr => "||",
        }
    }

    /// Higher binds tighter; the numbers of C's grammar levels, from `||` = 1 to `*` = 10.
    pub fn precedence(self) -> u8 {
        use Binary::*;
        match self {
            Multiply | Divide | Remainder => 10,
            Add | Subtract => 9,
            ShiftLeft | ShiftRight => 8,
            Less | Greater | LessEqual | GreaterEqual => 7,
            Equal | NotEqual => 6,
            And => 5,
            Xor => 4,
            Or => 3,
            LogicalAnd => 2,
            LogicalOr => 1,
        }
    }

    pub const ALL: [Binary; 18] = [
        Binary::Multiply,
        Binary::Divide,
        Binary::Remainder,
        Binary::Add,
        Binary::Subtract,
        Binary::ShiftLeft,
        Binary::ShiftRight,
        Binary::Less,
        Binary::Greater,
        Binary::LessEqual,
        Binary::GreaterEqual,
        Binary::Equal,
        Binary::NotEqual,
        Binary::And,
        Binary::Xor,
        Binary::Or,
        Binary::LogicalAnd,
        Binary::LogicalOr,
    ];
}

impl Type {
    pub fn pointer(self) -> Type {
        Type::Pointer(Box::new(self))
    }

    pub fn array(self, length: usize) -> Type {
        let length = Expression::Literal(length.to_string());
        Type::Array(Box::new(self), Some(Box::new(length)))
    }

    pub fn constant(self) -> Type {
        Type::Qualified(Qualifier::Const, Box::new(self))
    }
}

impl Expression {
    pub fn name(name: &str) -> Expression {
        Expression::Name(name.to_string())
    }

    pub fn literal(value: impl ToString) -> Expression {
        Expression::Literal(value.to_string())
    }

    pub fn unary(operator: Unary, operand: Expression) -> Expression {
        Expression::Unary(operator, Box::new(operand))
    }

    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    pub fn assign(place: Expression, value: Expression) -> Expression {
        Expression::Assign(None, Box::new(place), Box::new(value))
    }

    pub fn conditional(test: Expression, yes: Expression, no: Expression) -> Expression {
        Expression::Conditional(Box::new(test), Box::new(yes), Box::new(no))
    }

    pub fn call(function: &str, arguments: Vec<Expression>) -> Expression {
        Expression::Call(Box::new(Expression::name(function)), arguments)
    }

    pub fn index(array: Expression, index: Expression) -> Expression {
        Expression::Index(Box::new(array), Box::new(index))
    }

    pub fn field(record: Expression, name: &str) -> Expression {
        Expression::Field(Box::new(record), name.to_string())
    }

    pub fn cast(target: Type, value: Expression) -> Expression {
        Expression::Cast(target, Box::new(value))
    }

    pub fn address(place: Expression) -> Expression {
        Expression::unary(Unary::AddressOf, place)
    }
}
