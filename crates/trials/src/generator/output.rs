//! What does the program show? `printf` with every conversion, `puts`, `putchar`, and the checksum
//! that all results flow into.

use super::Generator;
use super::integers::{Kind, Value};
use super::places::is_scalar;
use super::scope::Data;
use super::syntax::*;

/// The functions every program has. A not-a-number is folded before it is shown, because neither
/// its sign nor its payload is fixed.
pub(super) const PRELUDE: &str = r#"
static unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) {
    checksum = (checksum ^ value) * 1099511628211uLL;
    checksum = checksum ^ (checksum >> 29);
}
static void mix_double(double value) {
    unsigned long long bits = 0;
    if (value != value) {
        value = 0.5;
    }
    memcpy(&bits, &value, sizeof(bits));
    mix(bits);
}
static void show_double(const char *label, double value) {
    if (value != value) {
        printf("%s nan\n", label);
    } else {
        printf("%s %.17g %a\n", label, value, value);
    }
}
"#;

impl Generator<'_> {
    /// A statement that prints or mixes something.
    pub(super) fn report(&mut self) -> Statement {
        self.spend(30);
        let call = match self.random.below(20) {
            0..=8 => {
                let value = self.integer(2).expression;
                let wide = Kind::UnsignedLongLong.c_type();
                Expression::call("mix", vec![Expression::cast(wide, value)])
            }
            9..=10 => {
                let value = self.floating(1).expression;
                Expression::call("mix_double", vec![value])
            }
            11..=12 => {
                let label = Expression::Text(self.fresh("real").into_bytes());
                let value = self.floating(2).expression;
                Expression::call("show_double", vec![label, value])
            }
            13 => Expression::call("puts", vec![self.word_or_own_name()]),
            14 => {
                let letter = self.integer(1).masked(15).expression;
                let letter = Expression::binary(Binary::Add, Expression::literal("'a'"), letter);
                Expression::call("putchar", vec![letter])
            }
            _ => self.printf(),
        };
        Statement::Expression(call)
    }

    /// A text, now and then the name of the function that it stands in.
    fn word_or_own_name(&mut self) -> Expression {
        let word = self.word();
        match word.len() % 3 {
            0 => Expression::Name("__func__".to_owned()),
            _ => Expression::Text(word),
        }
    }

    fn printf(&mut self) -> Expression {
        let mut format = self.fresh("t").into_bytes();
        let mut arguments = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            format.extend(b" ");
            match self.random.below(10) {
                0 => {
                    let text = self.word_or_own_name();
                    let forms = ["%s", "%10s", "%-6s|", "%.3s", "%%%s"];
                    format.extend(self.random.pick(&forms).bytes());
                    arguments.push(text);
                }
                1 => {
                    let value = self.integer(1).masked(31);
                    let base = Value::literal(64, Kind::Int);
                    format.extend(b"%c");
                    arguments.push(self.operation(Binary::Add, value, base).expression);
                }
                2 => {
                    // Decimal forms of finite values only: infinities and not-a-number have signs.
                    let value = self.integer(1);
                    let scale = *self
                        .random
                        .pick(&["3.0", "0.001", "1e10", "7.25e-9", "1.0"]);
                    let real = Expression::binary(
                        Binary::Divide,
                        Expression::cast(Type::Name("double".to_string()), value.expression),
                        Expression::literal(scale),
                    );
                    let forms = [
                        "%f", "%.3f", "%e", "%g", "%.0f", "%12.4f", "%-+9.2e|", "%a", "%.17g", "%G",
                    ];
                    format.extend(self.random.pick(&forms).bytes());
                    arguments.push(real);
                }
                _ => {
                    let value = self.integer(2);
                    let flags = *self
                        .random
                        .pick(&["", "", "", "5", "-7", "012", "+", " ", "#", ".4"]);
                    format.extend(self.conversion(value.kind, flags).bytes());
                    arguments.push(value.expression);
                }
            }
        }
        format.push(b'\n');
        arguments.insert(0, Expression::Text(format));
        Expression::call("printf", arguments)
    }

    fn conversion(&mut self, kind: Kind, flags: &str) -> String {
        let length = match kind {
            Kind::Char | Kind::SignedChar | Kind::UnsignedChar => *self.random.pick(&["hh", ""]),
            Kind::Short | Kind::UnsignedShort => *self.random.pick(&["h", ""]),
            Kind::Long => "l",
            Kind::UnsignedLong => *self.random.pick(&["l", "z"]),
            Kind::LongLong | Kind::UnsignedLongLong => "ll",
            _ => "",
        };
        let signed = kind.signed() || length.is_empty() && kind != Kind::UnsignedInt;
        let letters: &[&str] = if signed {
            &["d", "i", "d"]
        } else {
            &["u", "x", "X", "o"]
        };
        let letter = *self.random.pick(letters);
        // `#` has no meaning with decimal letters, `+` and blank none with unsigned ones.
        let pointless = match letter {
            "d" | "i" => flags == "#",
            _ => flags == "+" || flags == " " || (flags == "#" && letter == "u"),
        };
        let flags = if pointless { "" } else { flags };
        format!("%{flags}{length}{letter}")
    }

    /// Statements that mix every scalar reachable from a variable, for the end of `main`.
    pub(super) fn mix_variable(
        &mut self,
        data: &Data,
        place: Expression,
        body: &mut Vec<Statement>,
    ) {
        match data {
            Data::Array(element, length) => {
                let name = self.fresh("k");
                let mut inner = Vec::new();
                let index = Expression::name(&name);
                self.mix_variable(element, Expression::index(place, index), &mut inner);
                let text = format!("for (int {name} = 0; {name} < {length}; {name}++) {{}}");
                let mut loops = self.template(&text, &[]);
                if let Some(Statement::For(parts)) = loops.first_mut() {
                    parts.body = inner;
                }
                body.extend(loops);
            }
            Data::Record(record) => {
                for (name, field) in self.records[*record].fields.clone() {
                    self.mix_variable(&field, Expression::field(place.clone(), &name), body);
                }
            }
            Data::Float | Data::Double => {
                body.push(Statement::Expression(Expression::call(
                    "mix_double",
                    vec![place],
                )));
            }
            Data::Pointer(target, ..)
                if is_scalar(target) && !matches!(**target, Data::Pointer(..)) =>
            {
                let target_place = Expression::unary(Unary::Dereference, place);
                self.mix_variable(target, target_place, body);
            }
            Data::Pointer(..) | Data::FunctionPointer(_) => {}
            Data::Integer(_) | Data::Bits(..) | Data::Enum(_) => {
                let wide = Kind::UnsignedLongLong.c_type();
                let call = Expression::call("mix", vec![Expression::cast(wide, place)]);
                body.push(Statement::Expression(call));
            }
        }
    }
}
