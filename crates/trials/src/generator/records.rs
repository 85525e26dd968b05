//! Which structs, unions and enumerations does the program have, and how are objects of every type
//! given a first value? Everything is initialised in full: what C leaves out of an initialiser
//! list is zero.

use super::Generator;
use super::integers::{Kind, Value};
use super::scope::{Data, EnumShape, Place, RecordShape};
use super::syntax::*;

impl Generator<'_> {
    pub(super) fn define_enums(&mut self) {
        for _ in 0..self.random.below(3) {
            let name = self.fresh("colour");
            let mut next = 0i128;
            let mut constants = Vec::new();
            let mut syntax = Vec::new();
            for _ in 0..2 + self.random.below(5) {
                let constant = self.fresh("C");
                let explicit = self.random.chance(30);
                if explicit {
                    next = i128::from(self.random.between(-20, 1000));
                }
                let value = explicit.then(|| Value::literal(next, Kind::Int).expression);
                syntax.push((constant.clone(), value));
                constants.push((constant, next));
                next += 1;
            }
            self.items.push(Item::Enumeration(Enumeration {
                name: name.clone(),
                constants: syntax,
            }));
            self.enums.push(EnumShape { name, constants });
        }
    }

    pub(super) fn define_records(&mut self) {
        for _ in 0..self.shape.records {
            let union = self.random.chance(20);
            let packed = !union && self.random.chance(12);
            let name = self.fresh(if union { "either" } else { "record" });
            let mut fields = Vec::new();
            let mut syntax = Vec::new();
            for _ in 0..1 + self.random.below(6) {
                let data = self.field_data(union);
                let field = self.fresh("f");
                let bits = match data {
                    Data::Bits(_, width) => Some(width),
                    _ => None,
                };
                let field_type = self.c_type(&data);
                syntax.push(Field {
                    name: field.clone(),
                    field_type,
                    bits,
                });
                fields.push((field, data));
            }
            if union {
                // Every byte of every member is then given by the first one's initialiser.
                let bytes = Data::Array(Box::new(Data::Integer(Kind::UnsignedLongLong)), 2);
                let field = self.fresh("whole");
                let field_type = self.c_type(&bytes);
                syntax.insert(
                    0,
                    Field {
                        name: field.clone(),
                        field_type,
                        bits: None,
                    },
                );
                fields.insert(0, (field, bytes));
            }
            let record = Record {
                union,
                packed,
                name: name.clone(),
                fields: syntax,
            };
            self.items.push(Item::Record(record));
            self.records.push(RecordShape {
                name,
                union,
                packed,
                fields,
            });
        }
    }

    fn field_data(&mut self, in_union: bool) -> Data {
        match self.random.below(20) {
            // Bytes of a union may be anything: no floating-point members (signalling patterns
            // change when loaded), no _Bool (only 0 and 1 are values), no enumerations.
            0..=8 if in_union => {
                let kinds = &Kind::ALL[1..];
                Data::Integer(*self.random.pick(kinds))
            }
            9..=19 if in_union => {
                let element = *self
                    .random
                    .pick(&[Kind::UnsignedChar, Kind::Short, Kind::Int]);
                Data::Array(Box::new(Data::Integer(element)), 2 + self.random.below(3))
            }
            0..=1 => Data::Double,
            2 => Data::Float,
            3..=6 => {
                let kind = *self.random.pick(&[Kind::Int, Kind::UnsignedInt]);
                Data::Bits(kind, 1 + self.random.below(31) as u32)
            }
            7..=8 if !self.records.is_empty() => self.small_record(),
            9..=11 => {
                let element = self.scalar_data();
                Data::Array(Box::new(element), 1 + self.random.below(6))
            }
            _ => self.scalar_data(),
        }
    }

    fn small_record(&mut self) -> Data {
        let record = self.random.below(self.records.len());
        let nested = self.records[record]
            .fields
            .iter()
            .any(|(_, data)| matches!(data, Data::Record(_)));
        if nested {
            Data::Integer(Kind::Int)
        } else {
            Data::Record(record)
        }
    }

    pub(super) fn scalar_data(&mut self) -> Data {
        match self.random.below(20) {
            0 => Data::Float,
            1..=2 => Data::Double,
            3 if !self.enums.is_empty() => Data::Enum(self.random.below(self.enums.len())),
            _ => Data::Integer(*self.random.pick(&Kind::ALL)),
        }
    }

    /// A type for a variable that is no pointer.
    pub(super) fn object_data(&mut self) -> Data {
        match self.random.below(20) {
            0..=2 if !self.records.is_empty() => {
                Data::Record(self.random.below(self.records.len()))
            }
            3..=5 => {
                let element = self.scalar_data();
                let length = *self.random.pick(&[2, 3, 4, 5, 7, 8]);
                Data::Array(Box::new(element), length)
            }
            6 => {
                let row = Data::Array(Box::new(self.scalar_data()), 2 + self.random.below(3));
                Data::Array(Box::new(row), 2 + self.random.below(3))
            }
            7 if !self.records.is_empty() => {
                let record = Data::Record(self.random.below(self.records.len()));
                Data::Array(Box::new(record), 2 + self.random.below(2))
            }
            _ => self.scalar_data(),
        }
    }

    /// A full initialiser; of constants only when `constant`. Not for pointers.
    pub(super) fn initialiser(&mut self, data: &Data, constant: bool) -> Initialiser {
        // Long lists of deep expressions would drown everything else.
        self.list_depth += 1;
        let depth = 3usize.saturating_sub(self.list_depth);
        let initial = self.initialiser_of_depth(data, constant, depth);
        self.list_depth -= 1;
        initial
    }

    fn initialiser_of_depth(&mut self, data: &Data, constant: bool, depth: usize) -> Initialiser {
        let value = match data {
            Data::Integer(kind) if constant => self.literal(*kind).expression,
            Data::Bits(_, width) if constant => {
                let mask = (1i128 << (width - 1)) - 1;
                Value::literal(i128::from(self.random.bits() >> 1) & mask, Kind::Int).expression
            }
            Data::Bits(..) | Data::Integer(_) => self.integer(depth).expression,
            Data::Enum(index) => {
                let constants = &self.enums[*index].constants;
                let (name, _) = self.random.pick(constants);
                Expression::name(name)
            }
            Data::Float | Data::Double if constant => self.floating_literal().expression,
            Data::Float | Data::Double => self.floating(depth.min(1)).expression,
            Data::Array(element, length) => return self.list(element, *length, constant),
            Data::Record(record) => {
                let shape = self.records[*record].clone();
                let used = if shape.union { 1 } else { shape.fields.len() };
                let designated = self.random.chance(30);
                let mut elements = Vec::new();
                for (name, field) in shape.fields.iter().take(used) {
                    if designated && !shape.union && self.random.chance(25) {
                        continue;
                    }
                    let designator = designated.then(|| Designator::Field(name.clone()));
                    elements.push((designator, self.initialiser(field, constant)));
                }
                if elements.is_empty() {
                    let zero = Initialiser::Expression(Expression::literal(0));
                    let first_is_nested = matches!(
                        shape.fields.first(),
                        Some((_, Data::Array(..) | Data::Record(_)))
                    );
                    let zero = if first_is_nested {
                        Initialiser::List(vec![(None, zero)])
                    } else {
                        zero
                    };
                    elements.push((None, zero));
                }
                return Initialiser::List(elements);
            }
            Data::Pointer(..) | Data::FunctionPointer(_) => Expression::literal(0),
        };
        Initialiser::Expression(value)
    }

    fn list(&mut self, element: &Data, length: usize, constant: bool) -> Initialiser {
        let text = matches!(element, Data::Integer(Kind::Char)) && self.random.chance(50);
        if text {
            let mut word = self.word();
            word.truncate(length.saturating_sub(1));
            return Initialiser::Expression(Expression::Text(word));
        }
        let scalar = !matches!(element, Data::Array(..) | Data::Record(_));
        if scalar && self.random.chance(20) {
            let index = Expression::literal(self.random.below(length));
            let value = self.initialiser(element, constant);
            return Initialiser::List(vec![(Some(Designator::Index(index)), value)]);
        }
        let given = if scalar && self.random.chance(20) {
            1 + length / 2
        } else {
            length
        };
        let elements = (0..given)
            .map(|_| (None, self.initialiser(element, constant)))
            .collect();
        Initialiser::List(elements)
    }

    /// An expression of record type without side effects.
    pub(super) fn record_value(&mut self, record: usize) -> Expression {
        let wanted = Data::Record(record);
        if self.random.chance(75)
            && let Some(place) = self.place(|place: &Place| place.data == wanted)
        {
            return place.expression;
        }
        let initial = self.initialiser(&wanted, false);
        Expression::Compound(self.c_type(&wanted), Box::new(initial))
    }

    /// The address of at least `count` elements of `target` that live at `level` or longer.
    pub(super) fn address(
        &mut self,
        target: &Data,
        count: usize,
        constant: bool,
        level: usize,
    ) -> Option<Expression> {
        for _ in 0..5 {
            let element = target.clone();
            let found = self.place(move |place| match &place.data {
                data if *data == element => {
                    count == 1
                        && place.addressable
                        && place.level <= level
                        && (place.writable || constant)
                }
                Data::Array(inner, length) => {
                    **inner == element
                        && *length >= count
                        && place.addressable
                        && place.level <= level
                        && (place.writable || constant)
                }
                Data::Pointer(inner, length, fixed) => {
                    **inner == element
                        && *length >= count
                        && place.target_level <= level
                        && (constant || !fixed)
                }
                _ => false,
            });
            let Some(place) = found else { continue };
            let (spare, decays) = match &place.data {
                Data::Array(inner, length) if **inner == *target => (length - count, true),
                Data::Pointer(inner, length, _) if **inner == *target => (length - count, true),
                _ => (0, false),
            };
            if !decays {
                return Some(Expression::address(place.expression));
            }
            let offset = self.random.below(spare + 1);
            if offset == 0 && self.random.chance(60) {
                return Some(place.expression);
            }
            let offset = Expression::literal(offset);
            return Some(if self.random.chance(50) {
                Expression::binary(Binary::Add, place.expression, offset)
            } else {
                Expression::address(Expression::index(place.expression, offset))
            });
        }
        None
    }
}
