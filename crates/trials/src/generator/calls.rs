//! How are functions called? Directly, through a table or a pointer, for their value or for their
//! effect; with arguments whose evaluation has no side effects, and only where the work still fits.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::scope::{Data, FunctionShape};
use super::syntax::*;

impl Generator<'_> {
    /// Stores a result in a variable, or drops it.
    pub(super) fn keep(&mut self, call: Expression, result: Option<&Data>) -> Statement {
        if let Some(data) = result {
            // A plain name: evaluating it cannot depend on what the call does.
            let fitting: Vec<String> = self
                .variables()
                .filter(|variable| {
                    variable.writable
                        && variable.range.is_none()
                        && variable.data == *data
                        && (!self.context.pure || variable.level > 1)
                })
                .map(|variable| variable.name.clone())
                .collect();
            if !fitting.is_empty() && self.random.chance(85) {
                let place = Expression::Name(self.random.pick(&fitting).clone());
                return Statement::Expression(Expression::assign(place, call));
            }
        }
        Statement::Expression(call)
    }

    /// Arguments for these parameters; function pointers only to functions before `before`.
    pub(super) fn arguments(
        &mut self,
        parameters: &[(Data, Option<Range>)],
        before: usize,
    ) -> Option<Vec<Expression>> {
        let level = self.level();
        let mut arguments = Vec::new();
        for (data, range) in parameters {
            let argument = match (data, range) {
                (Data::Integer(kind), Some(range)) => {
                    let value = self.integer(1);
                    self.fitted(value, *kind, *range)
                }
                (Data::Pointer(target, count, constant), _) => {
                    self.address(target, *count, *constant, level)?
                }
                (Data::FunctionPointer(family), _) => self.member(*family, before)?,
                (data, _) => self.value_of(data),
            };
            arguments.push(argument);
        }
        Some(arguments)
    }

    /// The name of a function of this family made before `before`.
    pub(super) fn member(&mut self, family: usize, before: usize) -> Option<Expression> {
        let members: Vec<Expression> = self.functions[..before]
            .iter()
            .filter(|function| function.family == Some(family))
            .map(|function| Expression::name(&function.name))
            .collect();
        if members.is_empty() {
            None
        } else {
            Some(self.random.pick(&members).clone())
        }
    }

    /// What a call through a pointer to this family may cost at most.
    fn family_cost(&self, family: usize) -> u64 {
        let costs = self
            .functions
            .iter()
            .filter(|function| function.family == Some(family));
        costs.map(|function| function.cost).max().unwrap_or(0)
    }

    /// A call, with its function's result; `pure` asks for one without side effects.
    pub(super) fn call(&mut self, pure: bool) -> Option<(Expression, FunctionShape)> {
        if self.functions.is_empty() {
            return None;
        }
        if self.random.chance(20)
            && let Some(result) = self.indirect_call(pure)
        {
            return Some(result);
        }
        for _ in 0..4 {
            let index = self.random.below(self.functions.len());
            let shape = self.functions[index].clone();
            let through = shape.parameters.iter().filter_map(|(data, _)| match data {
                Data::FunctionPointer(family) => Some(*family),
                _ => None,
            });
            // A call through a pointer inside is accounted there with the costs known then.
            let impure_pointer = through
                .into_iter()
                .any(|family| !self.families[family].pure);
            if (pure || self.context.pure) && (!shape.pure || impure_pointer) {
                continue;
            }
            if !self.affordable(shape.cost) {
                continue;
            }
            let before = self.context.cost;
            self.spend(shape.cost);
            if let Some(arguments) = self.arguments(&shape.parameters, index) {
                return Some((Expression::call(&shape.name, arguments), shape));
            }
            self.context.cost = before;
        }
        None
    }

    /// A call through a table or a function pointer variable.
    fn indirect_call(&mut self, pure: bool) -> Option<(Expression, FunctionShape)> {
        let place = self.place(|place| matches!(place.data, Data::FunctionPointer(_)))?;
        let Data::FunctionPointer(family) = place.data else {
            return None;
        };
        let (cost, shape) = (self.family_cost(family), self.families[family].clone());
        let forbidden = (pure || self.context.pure) && !shape.pure;
        if forbidden || !self.affordable(cost) {
            return None;
        }
        self.spend(cost);
        let parameters: Vec<(Data, Option<Range>)> = shape
            .parameters
            .iter()
            .map(|kind| (Data::Integer(*kind), None))
            .collect();
        let arguments = self.arguments(&parameters, 0)?;
        let function = if self.random.chance(30) {
            Expression::unary(Unary::Dereference, place.expression)
        } else {
            place.expression
        };
        let called = FunctionShape {
            name: String::new(),
            result: Some(Data::Integer(shape.result)),
            parameters,
            pure: shape.pure,
            cost,
            family: Some(family),
        };
        Some((Expression::Call(Box::new(function), arguments), called))
    }

    /// A call of a pure function as an integer operand.
    pub(super) fn pure_call(&mut self, depth: usize) -> Option<Value> {
        // Operands come by the dozen: only cheap calls may be among them.
        let limit = self.context.limit;
        let room = self.context.cost.saturating_add(limit / 20);
        if self.call_depth > 0 || room > limit {
            return None;
        }
        self.context.limit = room;
        self.call_depth += 1;
        let called = self.call(true);
        self.call_depth -= 1;
        self.context.limit = limit;
        let (call, shape) = called?;
        match shape.result? {
            Data::Integer(kind) => Some(Value::new(call, kind, kind.range())),
            Data::Double | Data::Float => {
                let test =
                    Expression::binary(Binary::Less, call, Expression::literal(depth as i64));
                Some(Value::new(test, Kind::Int, Range::new(0, 1)))
            }
            Data::Record(record) => {
                let fields = self.records[record].fields.clone();
                let (name, data) = self.random.pick(&fields).clone();
                match data {
                    Data::Integer(kind) => {
                        let field = Expression::Field(Box::new(call), name);
                        Some(Value::new(field, kind, kind.range()))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A statement that calls a function, with side effects if it likes.
    pub(super) fn call_statement(&mut self) -> Option<Statement> {
        let (call, shape) = self.call(false)?;
        Some(self.keep(call, shape.result.as_ref()))
    }
}
