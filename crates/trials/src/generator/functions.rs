//! Which functions does the program have? Functions are made in order and
//! call only earlier ones, or themselves with a smaller `depth`, so every program ends; each
//! knows an upper bound of its work, so every program ends soon.

use super::Generator;
use super::integers::{Kind, Range};
use super::scope::{Context, Data, Family, FunctionShape, Variable};
use super::syntax::*;

impl Generator<'_> {
    pub(super) fn make_families(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            let count = 1 + self.random.below(3);
            let parameters = (0..count).map(|_| *self.random.pick(&Kind::ALL)).collect();
            let result = *self.random.pick(&Kind::ALL);
            let pure = self.random.chance(50);
            self.families.push(Family {
                result,
                parameters,
                pure,
            });
        }
    }

    pub(super) fn make_function(&mut self) {
        let family = self
            .random
            .chance(35)
            .then(|| self.random.below(self.families.len()));
        let (result, parameters, pure) = match family {
            Some(family) => {
                let family = &self.families[family];
                let parameters = family
                    .parameters
                    .iter()
                    .map(|kind| (Data::Integer(*kind), None))
                    .collect();
                (Some(Data::Integer(family.result)), parameters, family.pure)
            }
            None => {
                let pure = self.random.chance(35);
                let result = self.result_data(pure);
                let count = self.random.below(5);
                let parameters = (0..count)
                    .map(|_| (self.parameter_data(pure), None))
                    .collect();
                (result, parameters, pure)
            }
        };
        let mut shape = FunctionShape {
            name: self.fresh(if pure { "pure" } else { "work" }),
            result,
            parameters,
            pure,
            cost: 0,
            family,
        };
        let recursive = family.is_none() && self.random.chance(25);
        let (most, self_calls) = (self.random.between(1, 4) as i128, 1 + self.random.below(2));
        if recursive {
            let depth = (Data::Integer(Kind::Int), Some(Range::new(0, most)));
            shape.parameters.insert(0, depth);
        }
        let activations = if recursive {
            (0..=most as u32)
                .map(|level| (self_calls as u64).pow(level))
                .sum()
        } else {
            1
        };
        let names: Vec<String> = shape.parameters.iter().map(|_| self.fresh("p")).collect();
        self.enter(&shape, &names, activations);
        let mut body = Vec::new();
        self.statements(self.shape.statements, &mut body);
        self.plant_here(&mut body);
        if recursive {
            for _ in 0..self_calls {
                body.extend(self.self_call(&shape, &names[0]));
            }
            self.statements(self.shape.statements / 4, &mut body);
        }
        if let Some(data) = shape.result.clone() {
            let value = self.value_of(&data);
            body.push(Statement::Return(Some(value)));
        }
        shape.cost = self.context.cost + 5 * activations;
        self.scopes.truncate(1);
        let storage = if self.random.chance(60) {
            Storage::Static
        } else {
            Storage::Plain
        };
        let signature = self.signature(&shape, &names);
        if self.random.chance(25) {
            self.prototypes.push(Item::Declaration(Declaration {
                storage,
                name: shape.name.clone(),
                declared_type: Type::Function(Box::new(signature.clone())),
                initialiser: None,
            }));
        }
        let function = Function {
            storage,
            name: shape.name.clone(),
            signature,
            body,
        };
        self.items.push(Item::Function(function));
        self.functions.push(shape);
    }

    /// Opens the scope of a function's parameters.
    fn enter(&mut self, shape: &FunctionShape, names: &[String], activations: u64) {
        self.context = Context {
            pure: shape.pure,
            result: shape.result.clone(),
            repeats: activations,
            cost: 0,
            breakable: false,
            continuable: false,
            depth: 0,
            limit: self.shape.steps / 20,
        };
        self.scopes.push(Vec::new());
        let level = self.level();
        for ((data, range), name) in shape.parameters.iter().zip(names) {
            self.declare(Variable {
                name: name.clone(),
                data: data.clone(),
                range: *range,
                writable: range.is_none(),
                level,
                target_level: 1,
            });
        }
    }

    fn signature(&self, shape: &FunctionShape, names: &[String]) -> Signature {
        let parameters = shape
            .parameters
            .iter()
            .zip(names)
            .map(|((data, _), name)| Parameter {
                name: name.clone(),
                parameter_type: self.c_type(data),
            });
        Signature {
            result: match &shape.result {
                Some(data) => self.c_type(data),
                None => Type::Name("void".to_string()),
            },
            parameters: parameters.collect(),
            variadic: false,
        }
    }

    fn result_data(&mut self, pure: bool) -> Option<Data> {
        match self.random.below(10) {
            0 if !pure => None,
            1..=2 if !self.records.is_empty() => {
                Some(Data::Record(self.random.below(self.records.len())))
            }
            _ => Some(self.scalar_data()),
        }
    }

    fn parameter_data(&mut self, pure: bool) -> Data {
        match self.random.below(20) {
            0..=2 if !self.records.is_empty() => {
                Data::Record(self.random.below(self.records.len()))
            }
            3..=6 => {
                let target = match self.random.below(4) {
                    0 if !self.records.is_empty() => {
                        Data::Record(self.random.below(self.records.len()))
                    }
                    1 => Data::Array(Box::new(Data::Integer(Kind::Int)), 3),
                    _ => self.scalar_data(),
                };
                let count = *self.random.pick(&[1, 1, 2, 3, 4]);
                let constant = pure || self.random.chance(40);
                // `const` on an array parameter's rows would need a cast in every call.
                let constant = constant && !matches!(target, Data::Array(..));
                Data::Pointer(Box::new(target), count, constant)
            }
            7 => Data::FunctionPointer(self.random.below(self.families.len())),
            _ => self.scalar_data(),
        }
    }

    /// `if (depth > 0) place = self(depth - 1, …);`
    fn self_call(&mut self, shape: &FunctionShape, depth: &str) -> Vec<Statement> {
        let mut shape = shape.clone();
        let rest = shape.parameters.split_off(1);
        let Some(mut arguments) = self.arguments(&rest, self.functions.len()) else {
            return Vec::new();
        };
        let less = Expression::binary(
            Binary::Subtract,
            Expression::name(depth),
            Expression::literal(1),
        );
        arguments.insert(0, less);
        let call = Expression::call(&shape.name, arguments);
        let statement = self.keep(call, shape.result.as_ref());
        let test = Expression::binary(
            Binary::Greater,
            Expression::name(depth),
            Expression::literal(0),
        );
        vec![Statement::If(test, vec![statement], Vec::new())]
    }

    /// A value of any type, without side effects.
    pub(super) fn value_of(&mut self, data: &Data) -> Expression {
        match data {
            Data::Integer(_) | Data::Bits(..) => {
                let depth = self.shape.expression_depth;
                self.integer(depth).expression
            }
            Data::Float | Data::Double => self.floating(2).expression,
            Data::Record(record) => self.record_value(*record),
            Data::Enum(index) => {
                let constants = &self.enums[*index].constants;
                Expression::name(&self.random.pick(constants).0)
            }
            Data::FunctionPointer(family) => {
                let before = self.functions.len();
                self.member(*family, before)
                    .unwrap_or_else(|| Expression::literal(0))
            }
            Data::Array(..) | Data::Pointer(..) => Expression::literal(0),
        }
    }
}
