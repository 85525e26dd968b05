//! How is a program written as C? One statement a line, parentheses only where the grammar needs
//! them (and around operands that compilers warn about never). Parsing the text gives the same
//! tree back: the tests of `parse` hold the two together.

use super::syntax::*;
use std::fmt::Write;

/// The C text of a program.
pub fn program(program: &Program) -> String {
    let mut text = String::new();
    for include in &program.includes {
        let _ = writeln!(text, "#include <{include}>");
    }
    for item in &program.items {
        text.push('\n');
        print_item(item, &mut text);
    }
    text
}

fn print_item(item: &Item, text: &mut String) {
    match item {
        Item::Record(record) => print_record(record, text),
        Item::Enumeration(enumeration) => {
            let _ = writeln!(text, "enum {} {{", enumeration.name);
            for (name, value) in &enumeration.constants {
                match value {
                    Some(value) => {
                        let _ = writeln!(text, "    {name} = {},", at_level(value, ASSIGN));
                    }
                    None => {
                        let _ = writeln!(text, "    {name},");
                    }
                }
            }
            text.push_str("};\n");
        }
        Item::Declaration(declared) => {
            let _ = writeln!(text, "{};", declaration(declared));
        }
        Item::Function(function) => {
            let signature = Type::Function(Box::new(function.signature.clone()));
            let head = declarator(&signature, function.name.clone());
            let _ = writeln!(text, "{}{head} {{", storage(function.storage));
            print_statements(&function.body, 1, text);
            text.push_str("}\n");
        }
    }
}

fn print_record(record: &Record, text: &mut String) {
    let keyword = if record.union { "union" } else { "struct" };
    let _ = writeln!(text, "{keyword} {} {{", record.name);
    for field in &record.fields {
        let written = declarator(&field.field_type, field.name.clone());
        match field.bits {
            Some(bits) => {
                let _ = writeln!(text, "    {written} : {bits};");
            }
            None => {
                let _ = writeln!(text, "    {written};");
            }
        }
    }
    text.push_str(if record.packed {
        "} __attribute__((packed));\n"
    } else {
        "};\n"
    });
}

fn storage(storage: Storage) -> &'static str {
    match storage {
        Storage::Plain => "",
        Storage::Static => "static ",
        Storage::Extern => "extern ",
    }
}

fn declaration(declared: &Declaration) -> String {
    let mut text = format!(
        "{}{}",
        storage(declared.storage),
        declarator(&declared.declared_type, declared.name.clone())
    );
    if let Some(initial) = &declared.initialiser {
        let _ = write!(text, " = {}", initialiser(initial));
    }
    text
}

fn initialiser(initial: &Initialiser) -> String {
    match initial {
        Initialiser::Expression(value) => at_level(value, ASSIGN),
        Initialiser::List(elements) => {
            let written: Vec<String> = elements
                .iter()
                .map(|(designator, element)| match designator {
                    Some(Designator::Field(name)) => format!(".{name} = {}", initialiser(element)),
                    Some(Designator::Index(index)) => {
                        format!("[{}] = {}", expression(index), initialiser(element))
                    }
                    None => initialiser(element),
                })
                .collect();
            format!("{{{}}}", written.join(", "))
        }
    }
}

/// A type with the declared name (or nothing) in the middle.
fn declarator(declared: &Type, inner: String) -> String {
    match declared {
        Type::Name(name) => join(name, &inner),
        Type::Struct(name) => join(&format!("struct {name}"), &inner),
        Type::Union(name) => join(&format!("union {name}"), &inner),
        Type::Enum(name) => join(&format!("enum {name}"), &inner),
        Type::Qualified(qualifier, target) => {
            let word = match qualifier {
                Qualifier::Const => "const",
                Qualifier::Volatile => "volatile",
            };
            match **target {
                Type::Pointer(_) => declarator(target, join(word, &inner)),
                _ => format!("{word} {}", declarator(target, inner)),
            }
        }
        Type::Pointer(target) => match **target {
            Type::Array(..) | Type::Function(_) => declarator(target, format!("(*{inner})")),
            _ => declarator(target, format!("*{inner}")),
        },
        Type::Array(element, length) => {
            let length = length.as_deref().map(expression).unwrap_or_default();
            declarator(element, format!("{inner}[{length}]"))
        }
        Type::Function(signature) => {
            let mut parameters: Vec<String> = signature
                .parameters
                .iter()
                .map(|parameter| declarator(&parameter.parameter_type, parameter.name.clone()))
                .collect();
            if signature.variadic {
                parameters.push("...".to_string());
            }
            if parameters.is_empty() {
                parameters.push("void".to_string());
            }
            declarator(
                &signature.result,
                format!("{inner}({})", parameters.join(", ")),
            )
        }
    }
}

fn join(word: &str, inner: &str) -> String {
    match inner.chars().next() {
        None => word.to_string(),
        Some('[') => format!("{word}{inner}"),
        Some(_) => format!("{word} {inner}"),
    }
}

/// The C text of a type without a name.
pub fn type_name(named: &Type) -> String {
    declarator(named, String::new())
}

fn print_statements(statements: &[Statement], depth: usize, text: &mut String) {
    for statement in statements {
        print_statement(statement, depth, text);
    }
}

fn print_statement(statement: &Statement, depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    let _ = match statement {
        Statement::Declare(declared) => writeln!(text, "{indent}{};", declaration(declared)),
        Statement::Expression(value) => writeln!(text, "{indent}{};", expression(value)),
        Statement::If(condition, then, otherwise) => {
            let _ = writeln!(text, "{indent}if ({}) {{", expression(condition));
            print_statements(then, depth + 1, text);
            if otherwise.is_empty() {
                writeln!(text, "{indent}}}")
            } else {
                let _ = writeln!(text, "{indent}}} else {{");
                print_statements(otherwise, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
        }
        Statement::While(condition, body) => {
            let _ = writeln!(text, "{indent}while ({}) {{", expression(condition));
            print_statements(body, depth + 1, text);
            writeln!(text, "{indent}}}")
        }
        Statement::DoWhile(body, condition) => {
            let _ = writeln!(text, "{indent}do {{");
            print_statements(body, depth + 1, text);
            writeln!(text, "{indent}}} while ({});", expression(condition))
        }
        Statement::For(parts) => {
            let start = match &parts.start {
                Some(Statement::Declare(declared)) => declaration(declared),
                Some(Statement::Expression(value)) => expression(value),
                _ => String::new(),
            };
            let condition = parts.condition.as_ref().map(expression).unwrap_or_default();
            let step = parts.step.as_ref().map(expression).unwrap_or_default();
            let _ = writeln!(text, "{indent}for ({start}; {condition}; {step}) {{");
            print_statements(&parts.body, depth + 1, text);
            writeln!(text, "{indent}}}")
        }
        Statement::Switch(value, sections) => {
            let _ = writeln!(text, "{indent}switch ({}) {{", expression(value));
            for section in sections {
                for label in &section.labels {
                    let _ = match label {
                        Some(value) => writeln!(text, "{indent}case {}:", expression(value)),
                        None => writeln!(text, "{indent}default:"),
                    };
                }
                // A declaration may not follow a label before C23; a null statement may.
                if section.body.is_empty()
                    || matches!(section.body.first(), Some(Statement::Declare(_)))
                {
                    let _ = writeln!(text, "{indent}    ;");
                }
                print_statements(&section.body, depth + 1, text);
            }
            writeln!(text, "{indent}}}")
        }
        Statement::Break => writeln!(text, "{indent}break;"),
        Statement::Continue => writeln!(text, "{indent}continue;"),
        Statement::Return(None) => writeln!(text, "{indent}return;"),
        Statement::Return(Some(value)) => writeln!(text, "{indent}return {};", expression(value)),
        Statement::Goto(label) => writeln!(text, "{indent}goto {label};"),
        Statement::Label(label) => writeln!(text, "{label}: ;"),
        Statement::Block(body) => {
            let _ = writeln!(text, "{indent}{{");
            print_statements(body, depth + 1, text);
            writeln!(text, "{indent}}}")
        }
    };
}

const COMMA: u8 = 0;
const ASSIGN: u8 = 1;
const CONDITIONAL: u8 = 2;
/// Added to `Binary::precedence`, which starts at 1.
const BINARY: u8 = 2;
const UNARY: u8 = 13;
const POSTFIX: u8 = 14;
const PRIMARY: u8 = 15;

/// The C text of an expression.
pub fn expression(value: &Expression) -> String {
    at_level(value, COMMA)
}

/// The text of `value` where the grammar wants at least `level`.
fn at_level(value: &Expression, level: u8) -> String {
    let (own, text) = written(value);
    if own < level {
        format!("({text})")
    } else {
        text
    }
}

fn list(values: &[Expression]) -> String {
    let written: Vec<String> = values.iter().map(|value| at_level(value, ASSIGN)).collect();
    written.join(", ")
}

fn written(value: &Expression) -> (u8, String) {
    match value {
        Expression::Literal(spelling) if spelling.starts_with('-') => (UNARY, spelling.clone()),
        Expression::Literal(spelling) => (PRIMARY, spelling.clone()),
        Expression::Text(bytes) => (PRIMARY, string_literal(bytes)),
        Expression::Name(name) => (PRIMARY, name.clone()),
        Expression::Unary(operator, operand) => unary(*operator, operand),
        Expression::Binary(operator, left, right) => {
            let own = BINARY + operator.precedence();
            let text = format!(
                "{} {} {}",
                at_level(left, own),
                operator.symbol(),
                at_level(right, own + 1)
            );
            (own, text)
        }
        Expression::Assign(operator, place, value) => {
            let symbol = operator.map(Binary::symbol).unwrap_or_default();
            let text = format!(
                "{} {symbol}= {}",
                at_level(place, UNARY),
                at_level(value, ASSIGN)
            );
            (ASSIGN, text)
        }
        // A comma here, or inside an index, would split the arguments of a macro.
        Expression::Conditional(condition, yes, no) => {
            let text = format!(
                "{} ? {} : {}",
                at_level(condition, CONDITIONAL + 1),
                at_level(yes, ASSIGN),
                at_level(no, CONDITIONAL)
            );
            (CONDITIONAL, text)
        }
        Expression::Comma(first, second) => (
            COMMA,
            format!("{}, {}", at_level(first, COMMA), at_level(second, ASSIGN)),
        ),
        Expression::Call(function, arguments) => (
            POSTFIX,
            format!("{}({})", at_level(function, POSTFIX), list(arguments)),
        ),
        Expression::Index(array, index) => (
            POSTFIX,
            format!("{}[{}]", at_level(array, POSTFIX), at_level(index, ASSIGN)),
        ),
        Expression::Field(record, name) => {
            (POSTFIX, format!("{}.{name}", at_level(record, POSTFIX)))
        }
        Expression::Arrow(pointer, name) => {
            (POSTFIX, format!("{}->{name}", at_level(pointer, POSTFIX)))
        }
        Expression::Cast(target, value) => (
            UNARY,
            format!("({}){}", type_name(target), at_level(value, UNARY)),
        ),
        Expression::Compound(target, initial) => (
            POSTFIX,
            format!("({}){}", type_name(target), initialiser(initial)),
        ),
        Expression::SizeOfType(target) => (UNARY, format!("sizeof({})", type_name(target))),
        Expression::VariadicArgument(list, target) => (
            POSTFIX,
            format!("va_arg({}, {})", at_level(list, ASSIGN), type_name(target)),
        ),
    }
}

fn unary(operator: Unary, operand: &Expression) -> (u8, String) {
    let prefix = match operator {
        Unary::Plus => "+",
        Unary::Minus => "-",
        Unary::Complement => "~",
        Unary::Not => "!",
        Unary::AddressOf => "&",
        Unary::Dereference => "*",
        Unary::PreIncrement => "++",
        Unary::PreDecrement => "--",
        // Parenthesised always: `sizeof (int)x` would be a type followed by rubbish.
        Unary::SizeOf => return (UNARY, format!("sizeof({})", expression(operand))),
        Unary::PostIncrement => return (POSTFIX, format!("{}++", at_level(operand, POSTFIX))),
        Unary::PostDecrement => return (POSTFIX, format!("{}--", at_level(operand, POSTFIX))),
    };
    let inner = at_level(operand, UNARY);
    // `- -x` must not become `--x`.
    let clash = prefix.chars().last() == inner.chars().next();
    let text = if clash && matches!(prefix, "+" | "-" | "&" | "++" | "--") {
        format!("{prefix}({inner})")
    } else {
        format!("{prefix}{inner}")
    };
    (UNARY, text)
}

fn string_literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'?' => text.push_str("\\?"),
            0x20..=0x7e => text.push(byte as char),
            // Always three digits, so that a following digit is not swallowed.
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}
