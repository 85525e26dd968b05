//! Which lvalues can be read or written here? A walk from a visible variable through fields,
//! elements and pointers, every index inside its bound.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::scope::{Data, Place, Variable};
use super::syntax::{Expression, Type, Unary};

impl Generator<'_> {
    /// A random place for which `wanted` holds, reached from a random variable.
    pub(super) fn place(&mut self, wanted: impl Fn(&Place) -> bool) -> Option<Place> {
        for _ in 0..6 {
            let recent = self.random.chance(60);
            let variable = if recent && self.scopes.len() > 1 {
                let scope = 1 + self.random.below(self.scopes.len() - 1);
                let count = self.scopes[scope].len();
                let index = self.random.below(count);
                self.scopes[scope].get(index).cloned()
            } else {
                let count = self.variables().count();
                let index = self.random.below(count);
                self.variables().nth(index).cloned()
            };
            let Some(variable) = variable else { continue };
            let mut place = self.of_variable(&variable);
            for _ in 0..6 {
                if wanted(&place) && (is_scalar(&place.data) || self.random.chance(50)) {
                    return Some(place);
                }
                match self.step(place) {
                    Some(inner) => place = inner,
                    None => break,
                }
            }
        }
        None
    }

    pub(super) fn of_variable(&self, variable: &Variable) -> Place {
        // A pure function may write its own locals only, and nothing through pointers.
        let writable = variable.writable && (!self.context.pure || variable.level > 1);
        Place {
            expression: Expression::name(&variable.name),
            data: variable.data.clone(),
            range: variable.range,
            writable,
            addressable: variable.range.is_none(),
            level: variable.level,
            target_level: variable.target_level,
            store_level: variable.target_level,
        }
    }

    /// One step inwards: a field, an element, the target.
    pub(super) fn step(&mut self, place: Place) -> Option<Place> {
        match place.data.clone() {
            Data::Array(element, length) => {
                let index = self.index(length);
                let expression = Expression::index(place.expression.clone(), index);
                Some(Place {
                    expression,
                    data: *element,
                    ..place
                })
            }
            Data::Record(record) => self.step_into_field(place, record, false),
            Data::Pointer(target, count, constant) => {
                let inner = Place {
                    data: (*target).clone(),
                    writable: !constant && !self.context.pure,
                    addressable: true,
                    level: place.target_level,
                    store_level: 0,
                    ..place.clone()
                };
                if let Data::Record(record) = *target
                    && count == 1
                    && self.random.chance(80)
                {
                    return self.step_into_field(inner, record, true);
                }
                let expression = if count == 1 || self.random.chance(30) {
                    Expression::unary(Unary::Dereference, place.expression)
                } else {
                    let index = self.index(count);
                    Expression::index(place.expression, index)
                };
                Some(Place {
                    expression,
                    ..inner
                })
            }
            _ => None,
        }
    }

    fn step_into_field(&mut self, place: Place, record: usize, arrow: bool) -> Option<Place> {
        let shape = &self.records[record];
        let packed = shape.packed;
        let (name, data) = self.random.pick(&shape.fields).clone();
        let inner = Box::new(place.expression);
        let expression = if arrow {
            Expression::Arrow(inner, name)
        } else {
            Expression::Field(inner, name)
        };
        let addressable = place.addressable && !packed && !matches!(data, Data::Bits(..));
        Some(Place {
            expression,
            data,
            addressable,
            ..place
        })
    }

    /// An expression with a value in `0..length`.
    pub(super) fn index(&mut self, length: usize) -> Expression {
        let bound = Range::new(0, length as i128 - 1);
        let counters: Vec<Expression> = self
            .variables()
            .filter(|variable| variable.range.is_some_and(|range| range.inside(bound)))
            .map(|variable| Expression::name(&variable.name))
            .collect();
        if !counters.is_empty() && self.random.chance(70) {
            return self.random.pick(&counters).clone();
        }
        if self.index_depth > 0 || self.random.chance(40) {
            return Expression::literal(self.random.below(length));
        }
        self.index_depth += 1;
        let value = self.integer(1);
        self.index_depth -= 1;
        self.fitted(value, Kind::Int, bound)
    }

    /// The value of a scalar integer place.
    pub(super) fn read(&self, place: &Place) -> Option<Value> {
        let expression = place.expression.clone();
        match &place.data {
            Data::Integer(kind) => {
                let range = place.range.unwrap_or(kind.range());
                Some(Value::new(expression, *kind, range))
            }
            // Cast, because compilers disagree on the type of bit-fields and enumerations.
            Data::Bits(kind, width) => {
                let range = if kind.signed() {
                    let half = 1i128 << (width - 1);
                    Range::new(-half, half - 1)
                } else {
                    Range::new(0, (1i128 << width) - 1)
                };
                let kind = if *kind == Kind::Bool {
                    Kind::Int
                } else {
                    *kind
                };
                Some(Value::new(
                    Expression::cast(kind.c_type(), expression),
                    kind,
                    range,
                ))
            }
            Data::Enum(_) => {
                let int = Type::Name("int".to_string());
                let kind = Kind::Int;
                Some(Value::new(
                    Expression::cast(int, expression),
                    kind,
                    kind.range(),
                ))
            }
            _ => None,
        }
    }
}

pub(super) fn is_scalar(data: &Data) -> bool {
    !matches!(data, Data::Array(..) | Data::Record(_))
}

pub(super) fn is_integer(data: &Data) -> bool {
    matches!(data, Data::Integer(_) | Data::Bits(..) | Data::Enum(_))
}

pub(super) fn is_floating(data: &Data) -> bool {
    matches!(data, Data::Float | Data::Double)
}
