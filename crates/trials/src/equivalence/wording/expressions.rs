//! The wordings of expressions.

use super::Writer;
use crate::equivalence::language::*;

impl Writer<'_> {
    /// A value that is computed in any case: it may get a variable or a function of its own.
    pub(super) fn value(&mut self, value: &Expression) -> String {
        if value.children().is_empty() || !self.random.chance(self.rate / 2) {
            return self.expression(value);
        }
        let integer = self.function.type_of(value).name();
        match self.random.chance(60) {
            true => {
                let text = self.expression(value);
                let name = self.fresh("value");
                self.line(format!("{integer} {name} = {text};"));
                name
            }
            false => self.function_of(value),
        }
    }

    /// A call of a new function that computes the value.
    fn function_of(&mut self, value: &Expression) -> String {
        let integer = self.function.type_of(value).name();
        let mut variables: Vec<VariableId> = Vec::new();
        let mut arrays: Vec<ArrayId> = Vec::new();
        let mut has_record = false;
        for part in value.parts() {
            match part {
                Expression::Variable(id) if !self.function.variables[id.0].is_global => {
                    variables.push(*id);
                }
                Expression::Element(id, _) if !self.function.arrays[id.0].place.is_of_file() => {
                    arrays.push(*id);
                }
                Expression::Field(_) => has_record = true,
                _ => {}
            }
        }
        variables.sort_unstable();
        variables.dedup();
        arrays.sort_unstable();
        arrays.dedup();
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        let kept = (self.variables.clone(), self.walk.take());
        for id in &variables {
            arguments.push(self.variables[id.0].clone());
            let name = self.fresh("x");
            let type_name = self.function.variables[id.0].integer.name();
            parameters.push(format!("{type_name} {name}"));
            self.variables[id.0] = name;
        }
        for id in &arrays {
            let name = &self.arrays[id.0];
            arguments.push(name.clone());
            let type_name = self.function.arrays[id.0].integer.name();
            parameters.push(format!("const {type_name} *{name}"));
        }
        if has_record {
            arguments.push(self.record.clone());
            parameters.push(format!("struct record *{}", self.record));
        }
        if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let text = self.expression(value);
        (self.variables, self.walk) = kept;
        let name = self.fresh("extracted");
        self.names.push(name.clone());
        let head = format!("static {integer} {name}({}) {{", parameters.join(", "));
        let body = format!("    return {text};");
        self.before.extend([head, body, "}".to_owned()]);
        format!("{name}({})", arguments.join(", "))
    }

    /// In parentheses.
    pub(super) fn condition(&mut self, test: &Expression) -> String {
        let text = self.expression(test);
        match text.starts_with('(') && text.ends_with(')') {
            true => format!("({text})"),
            false => format!("({text} != 0)"),
        }
    }

    pub(super) fn target(&mut self, target: &Target) -> String {
        match target {
            Target::Variable(id) => self.variables[id.0].clone(),
            Target::Element(id, index) => self.element(*id, index),
            Target::Field(number) => self.field(*number),
        }
    }

    fn element(&mut self, id: ArrayId, index: &Expression) -> String {
        if let Some((array, counter, pointer)) = &self.walk
            && *array == id
            && *index == Expression::Variable(*counter)
        {
            return format!("*{pointer}");
        }
        let index = self.expression(index);
        let array = self.arrays[id.0].clone();
        match self.varies() {
            true => format!("*({array} + {index})"),
            false => format!("{array}[{index}]"),
        }
    }

    fn field(&mut self, number: usize) -> String {
        let record = self.record.clone();
        match self.varies() {
            true => format!("(*{record}).m{number}"),
            false => format!("{record}->m{number}"),
        }
    }

    pub(super) fn expression(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Number(value, integer) => self.number(*value, *integer),
            Expression::Variable(id) => self.variables[id.0].clone(),
            Expression::Element(id, index) => self.element(*id, index),
            Expression::Field(number) => self.field(*number),
            Expression::Unary(operator, inner) => self.unary(*operator, inner),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Conditional(test, yes, no) => {
                let test = self.condition(test);
                let (yes, no) = (self.expression(yes), self.expression(no));
                match self.varies() {
                    true => format!("(!{test} ? {no} : {yes})"),
                    false => format!("({test} ? {yes} : {no})"),
                }
            }
            Expression::Cast(integer, inner) => {
                let text = self.expression(inner);
                let name = integer.name();
                match self.varies().then_some((integer.bits, integer.signed)) {
                    Some((8, false)) => format!("({name})({text} & 255)"),
                    Some((16, false)) => format!("({name})({text} & 65535)"),
                    Some((32, _)) => format!("({name})(unsigned long){text}"),
                    _ => format!("({name}){text}"),
                }
            }
        }
    }

    fn number(&mut self, value: i64, integer: Integer) -> String {
        if value > 4 && self.random.chance(self.rate / 4) {
            let one = self.random.below(4) as i64 + 1;
            let (rest, one) = (integer.literal(value - one), integer.literal(one));
            return format!("({rest} + {one})");
        }
        integer.literal(value)
    }

    fn unary(&mut self, operator: Unary, inner: &Expression) -> String {
        let integer = self.function.type_of(inner).promoted();
        let text = self.expression(inner);
        match (operator, self.varies()) {
            (Unary::Minus, true) => format!("(0 - {text})"),
            (Unary::Minus, false) => format!("(-{text})"),
            (Unary::Complement, true) if !integer.signed => format!("(-{text} - 1)"),
            (Unary::Complement, true) => format!("({text} ^ -1)"),
            (Unary::Complement, false) => format!("(~{text})"),
            (Unary::Not, true) => format!("({text} == 0)"),
            (Unary::Not, false) => format!("(!{text})"),
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expression, right: &Expression) -> String {
        let both = self
            .function
            .type_of(left)
            .joined(self.function.type_of(right));
        let constant = match right {
            Expression::Number(value, _) => Some(*value),
            _ => None,
        };
        let (one, two) = (self.expression(left), self.expression(right));
        let symbol = operator.symbol();
        if self.varies()
            && let Some(text) = self.other_way(operator, both, (&one, &two), constant)
        {
            return text;
        }
        format!("({one} {symbol} {two})")
    }

    /// Another wording, if there is one.
    fn other_way(
        &mut self,
        operator: Binary,
        both: Integer,
        (one, two): (&str, &str),
        constant: Option<i64>,
    ) -> Option<String> {
        let name = both.name();
        let power = constant.filter(|value| value.count_ones() == 1 && *value > 0);
        let power = power.map(i64::trailing_zeros);
        let swapped = Some(format!("({two} {} {one})", operator.symbol()));
        let choice = self.random.below(3);
        match (operator, both.signed) {
            (Binary::Multiply, false) if power.is_some() => {
                Some(format!("(({name}){one} << {})", power.unwrap_or_default()))
            }
            (Binary::Multiply, false) if constant == Some(3) => {
                Some(format!("(({name}){one} + ({name}){one} + ({name}){one})"))
            }
            (Binary::Divide, false) if power.is_some() => {
                Some(format!("(({name}){one} >> {})", power.unwrap_or_default()))
            }
            (Binary::Remainder, false) if power.is_some() => {
                let mask = both.literal(constant.unwrap_or_default() - 1);
                Some(format!("(({name}){one} & {mask})"))
            }
            (Binary::Subtract, false) => Some(format!("(({name}){one} + (~({name}){two} + 1))")),
            (Binary::Xor, false) if choice == 0 => Some(format!(
                "((({name}){one} | {two}) - (({name}){one} & {two}))"
            )),
            (Binary::Xor, _) if choice == 1 => {
                Some(format!("(({one} | {two}) & ~({one} & {two}))"))
            }
            (Binary::Add, false) if choice == 0 => Some(format!(
                "((({name}){one} ^ {two}) + 2 * (({name}){one} & {two}))"
            )),
            (Binary::Or, false) if choice == 0 => Some(format!(
                "(({name}){one} + (({name}){two} & ~({name}){one}))"
            )),
            (Binary::Add | Binary::Multiply | Binary::And | Binary::Or | Binary::Xor, _) => swapped,
            (Binary::Less, _) if choice == 0 => Some(format!("(!({one} >= {two}))")),
            (Binary::Less, _) if choice == 1 => Some(format!("({one} <= {two} && {one} != {two})")),
            (Binary::Less, _) => Some(format!("({two} > {one})")),
            (Binary::LessEqual, _) if choice == 0 => Some(format!("(!({one} > {two}))")),
            (Binary::LessEqual, _) => Some(format!("({two} >= {one})")),
            (Binary::Greater, _) if choice == 0 => Some(format!("(!({one} <= {two}))")),
            (Binary::Greater, _) => Some(format!("({two} < {one})")),
            (Binary::GreaterEqual, _) if choice == 0 => Some(format!("(!({one} < {two}))")),
            (Binary::GreaterEqual, _) => Some(format!("({two} <= {one})")),
            (Binary::Equal, _) if choice == 0 => Some(format!("(!({one} != {two}))")),
            (Binary::Equal, _) if choice == 1 => Some(format!("(({one} ^ {two}) == 0)")),
            (Binary::NotEqual, _) if choice == 0 => Some(format!("(!({one} == {two}))")),
            (Binary::Equal | Binary::NotEqual, _) => swapped,
            (Binary::LogicalAnd, _) if choice == 0 => Some(format!("(!(!{one} || !{two}))")),
            (Binary::LogicalAnd, _) => Some(format!("({one} ? {two} != 0 : 0)")),
            (Binary::LogicalOr, _) if choice == 0 => Some(format!("(!(!{one} && !{two}))")),
            (Binary::LogicalOr, _) => Some(format!("({one} ? 1 : {two} != 0)")),
            _ => None,
        }
    }
}
