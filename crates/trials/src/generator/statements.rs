//! Which statement comes next? Declarations, assignments and calls; in each, at most one part has
//! side effects and nothing unsequenced beside it reads what that part writes.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::places::{is_floating, is_integer};
use super::scope::{Data, Variable};
use super::syntax::*;

impl Generator<'_> {
    /// Appends about `count` statements.
    pub(super) fn statements(&mut self, count: usize, body: &mut Vec<Statement>) {
        for _ in 0..count {
            if !self.affordable(40) {
                return;
            }
            self.statement(body);
        }
    }

    /// Statements in a scope of their own, run at most `repeats` times each time around.
    pub(super) fn block(&mut self, count: usize, repeats: u64) -> Vec<Statement> {
        let before = self.context.repeats;
        self.context.repeats = before.saturating_mul(repeats);
        self.context.depth += 1;
        self.scopes.push(Vec::new());
        let mut body = Vec::new();
        self.statements(count, &mut body);
        self.scopes.pop();
        self.context.depth -= 1;
        self.context.repeats = before;
        body
    }

    fn statement(&mut self, body: &mut Vec<Statement>) {
        self.spend(3);
        let deep = self.context.depth >= self.shape.block_depth;
        match self.random.below(100) {
            0..=21 => body.push(self.declaration()),
            22..=45 => body.extend(self.assignment()),
            46..=54 => body.extend(self.update()),
            55..=63 => body.extend(self.call_statement()),
            64..=73 if !self.context.pure => body.push(self.report()),
            74..=81 if !self.context.pure => self.idiom(body),
            64..=93 if !deep => self.control(body),
            94..=96 => body.extend(self.jump()),
            _ => body.extend(self.chained_assignment()),
        }
    }

    pub(super) fn declaration(&mut self) -> Statement {
        if self.random.chance(25)
            && let Some(statement) = self.pointer_declaration()
        {
            return statement;
        }
        let data = self.object_data();
        let name = self.fresh("v");
        let fixed = !self.context.pure && self.random.chance(8);
        let initial = self.initialiser(&data, fixed);
        let storage = if fixed {
            Storage::Static
        } else {
            Storage::Plain
        };
        let declared = self.c_type(&data);
        let constant = self.random.chance(5);
        let declared_type = if constant && !matches!(data, Data::Array(..)) {
            declared.constant()
        } else {
            declared
        };
        let writable = !matches!(declared_type, Type::Qualified(..));
        let level = if fixed { 0 } else { self.level() };
        let declaration = Declaration {
            storage,
            name: name.clone(),
            declared_type,
            initialiser: Some(initial),
        };
        self.declare(Variable {
            name,
            data,
            range: None,
            writable,
            level,
            target_level: level,
        });
        Statement::Declare(declaration)
    }

    fn pointer_declaration(&mut self) -> Option<Statement> {
        let level = self.level();
        if self.random.chance(15)
            && let Some(statement) = self.function_pointer_declaration()
        {
            return Some(statement);
        }
        let target = match self.random.below(10) {
            0..=1 if !self.records.is_empty() => {
                Data::Record(self.random.below(self.records.len()))
            }
            2..=3 => {
                let place = self
                    .place(|place| place.addressable && matches!(place.data, Data::Pointer(..)))?;
                place.data
            }
            _ => {
                let place = self.place(|place| place.addressable && is_integer(&place.data))?;
                place.data
            }
        };
        let count = *self.random.pick(&[1, 1, 1, 2, 3]);
        let constant = self.context.pure || self.random.chance(20);
        let constant = constant && !matches!(target, Data::Pointer(..));
        if matches!(target, Data::Pointer(..)) && self.context.pure {
            return None;
        }
        let address = self.address(&target, count, constant, level)?;
        let data = Data::Pointer(Box::new(target), count, constant);
        let name = self.fresh("q");
        let declaration = Declaration {
            storage: Storage::Plain,
            name: name.clone(),
            declared_type: self.c_type(&data),
            initialiser: Some(Initialiser::Expression(address)),
        };
        self.declare(Variable {
            name,
            data,
            range: None,
            writable: true,
            level,
            target_level: level,
        });
        Some(Statement::Declare(declaration))
    }

    fn function_pointer_declaration(&mut self) -> Option<Statement> {
        let family = self.random.below(self.families.len());
        let data = Data::FunctionPointer(family);
        let Expression::Name(function) = self.value_of(&data) else {
            return None;
        };
        let name = self.fresh("op");
        let level = self.level();
        let declaration = Declaration {
            storage: Storage::Plain,
            name: name.clone(),
            declared_type: self.c_type(&data),
            initialiser: Some(Initialiser::Expression(Expression::Name(function))),
        };
        // Never reassigned, so that its cost is known where it is called.
        self.declare(Variable {
            name,
            data,
            range: None,
            writable: false,
            level,
            target_level: level,
        });
        Some(Statement::Declare(declaration))
    }

    fn assignment(&mut self) -> Option<Statement> {
        let place = self.place(|place| {
            place.writable && !matches!(place.data, Data::Array(..) | Data::FunctionPointer(_))
        })?;
        let value = match &place.data {
            Data::Pointer(target, count, constant) => {
                self.address(target, *count, *constant, place.store_level)?
            }
            data => self.value_of(data),
        };
        Some(Statement::Expression(Expression::assign(
            place.expression,
            value,
        )))
    }

    /// `+=`, `<<=`, `++` and the like.
    fn update(&mut self) -> Option<Statement> {
        let place = self.place(|place| {
            let data = &place.data;
            place.writable
                && (matches!(data, Data::Integer(kind) if *kind != Kind::Bool) || is_floating(data))
        })?;
        let Data::Integer(kind) = place.data else {
            let operators = [
                Binary::Add,
                Binary::Subtract,
                Binary::Multiply,
                Binary::Divide,
            ];
            let operator = *self.random.pick(&operators);
            let value = Box::new(self.floating(1).expression);
            let update = Expression::Assign(Some(operator), Box::new(place.expression), value);
            return Some(Statement::Expression(update));
        };
        if counts_freely(kind) && self.random.chance(35) {
            let step = self.increment();
            return Some(Statement::Expression(Expression::unary(
                step,
                place.expression,
            )));
        }
        let (operator, value) = self.update_operand(kind);
        let update =
            Expression::Assign(Some(operator), Box::new(place.expression), Box::new(value));
        Some(Statement::Expression(update))
    }

    fn increment(&mut self) -> Unary {
        *self.random.pick(&[
            Unary::PreIncrement,
            Unary::PreDecrement,
            Unary::PostIncrement,
            Unary::PostDecrement,
        ])
    }

    /// An operator and operand that are defined for every value of a variable of `kind`.
    fn update_operand(&mut self, kind: Kind) -> (Binary, Expression) {
        use Binary::*;
        let operator = *self.random.pick(&[
            Add, Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight, And, Or, Xor,
        ]);
        let value = self.integer(2);
        match operator {
            Divide | Remainder => {
                let positive = self.operation(Add, value.masked(15), Value::literal(1, Kind::Int));
                (operator, positive.expression)
            }
            ShiftLeft if kind.signed() || kind.bits() < 32 => (Xor, value.expression),
            ShiftLeft | ShiftRight => {
                let most = i128::from(kind.promoted().bits()) - 1;
                (operator, value.masked(most).expression)
            }
            Add | Subtract | Multiply => {
                let common = Kind::common(kind, value.kind);
                let exact = kind
                    .range()
                    .converted(common)
                    .exact(operator, value.range.converted(common));
                let defined = !common.signed() || exact.inside(common.range());
                let value = if defined {
                    value
                } else {
                    value.cast(Kind::UnsignedLongLong)
                };
                (operator, value.expression)
            }
            _ => (operator, value.expression),
        }
    }

    /// Side effects inside an expression: `a = b = e`, `a = b++ + 3`, `a = (b = e, b * 2)`.
    fn chained_assignment(&mut self) -> Option<Statement> {
        let pure = self.context.pure;
        let names: Vec<(String, Kind)> = self
            .variables()
            .filter(|variable| variable.writable && (!pure || variable.level > 1))
            .filter_map(|variable| match variable.data {
                Data::Integer(kind) if variable.range.is_none() && kind != Kind::Bool => {
                    Some((variable.name.clone(), kind))
                }
                _ => None,
            })
            .collect();
        if names.len() < 2 {
            return None;
        }
        let (inner, kind) = self.random.pick(&names).clone();
        let (outer, _) = self.random.pick(&names).clone();
        if inner == outer {
            return None;
        }
        let (inner, outer) = (Expression::Name(inner), Expression::Name(outer));
        let depth = self.shape.expression_depth;
        let value = match self.random.below(3) {
            0 => {
                let value = self.integer(depth).expression;
                Expression::assign(inner, value)
            }
            1 if counts_freely(kind) => {
                let step = self.increment();
                let stepped = Value::new(Expression::unary(step, inner), kind, kind.range());
                let operator = *self
                    .random
                    .pick(&[Binary::Add, Binary::Subtract, Binary::Xor]);
                let other = self.literal(Kind::Int);
                self.operation(operator, stepped, other).expression
            }
            _ => {
                let value = self.integer(depth).expression;
                let first = Expression::assign(inner.clone(), value);
                let read = Value::new(inner, kind, kind.range());
                let other = self.literal(Kind::Int);
                let second = self.operation(Binary::Multiply, read, other).expression;
                Expression::Comma(Box::new(first), Box::new(second))
            }
        };
        Some(Statement::Expression(Expression::assign(outer, value)))
    }

    /// `break`, `continue` or `return` behind a condition.
    fn jump(&mut self) -> Option<Statement> {
        let jump = match self.random.below(3) {
            0 if self.context.breakable => Statement::Break,
            1 if self.context.continuable => Statement::Continue,
            _ if self.context.depth > 0 => match self.context.result.clone() {
                Some(data) => Statement::Return(Some(self.value_of(&data))),
                None if self.in_main => return None,
                None => Statement::Return(None),
            },
            _ => return None,
        };
        let condition = self.condition(2).expression;
        Some(Statement::If(condition, vec![jump], Vec::new()))
    }

    /// A counter with a known range that only the loop itself changes.
    pub(super) fn counter(&mut self, name: &str, kind: Kind, range: Range) {
        let level = self.level();
        self.declare(Variable {
            name: name.to_string(),
            data: Data::Integer(kind),
            range: Some(range),
            writable: false,
            level,
            target_level: level,
        });
    }
}

/// Whether `++` and `--` are defined for every value.
fn counts_freely(kind: Kind) -> bool {
    kind != Kind::Bool && (!kind.signed() || kind.bits() < 32)
}
