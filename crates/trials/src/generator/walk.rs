//! Where can a program be edited? Every statement list and every expression, in the order of the
//! text, each before what it contains. The reducer and the makers of edits number them.

use super::syntax::*;

/// Calls `visit` with every list of statements, outer ones first.
pub fn statement_lists(program: &mut Program, visit: &mut dyn FnMut(&mut Vec<Statement>)) {
    for item in &mut program.items {
        if let Item::Function(function) = item {
            lists(&mut function.body, visit);
        }
    }
}

fn lists(body: &mut Vec<Statement>, visit: &mut dyn FnMut(&mut Vec<Statement>)) {
    visit(body);
    for statement in body {
        match statement {
            Statement::If(_, then, otherwise) => {
                lists(then, visit);
                lists(otherwise, visit);
            }
            Statement::While(_, inner) | Statement::DoWhile(inner, _) | Statement::Block(inner) => {
                lists(inner, visit)
            }
            Statement::For(parts) => lists(&mut parts.body, visit),
            Statement::Switch(_, sections) => {
                for section in sections {
                    lists(&mut section.body, visit);
                }
            }
            Statement::Declare(_)
            | Statement::Expression(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return(_)
            | Statement::Goto(_)
            | Statement::Label(_) => {}
        }
    }
}

/// Calls `visit` with every expression, outer ones first. Array bounds and case labels, which must
/// stay constant, are left out.
pub fn expressions(program: &mut Program, visit: &mut dyn FnMut(&mut Expression)) {
    for item in &mut program.items {
        match item {
            Item::Function(function) => in_statements(&mut function.body, visit),
            Item::Declaration(declared) => in_declaration(declared, visit),
            Item::Record(_) | Item::Enumeration(_) => {}
        }
    }
}

fn in_statements(body: &mut [Statement], visit: &mut dyn FnMut(&mut Expression)) {
    for statement in body {
        in_statement(statement, visit);
    }
}

fn in_statement(statement: &mut Statement, visit: &mut dyn FnMut(&mut Expression)) {
    match statement {
        Statement::Declare(declared) => in_declaration(declared, visit),
        Statement::Expression(value) => in_expression(value, visit),
        Statement::If(condition, then, otherwise) => {
            in_expression(condition, visit);
            in_statements(then, visit);
            in_statements(otherwise, visit);
        }
        Statement::While(condition, inner) => {
            in_expression(condition, visit);
            in_statements(inner, visit);
        }
        Statement::DoWhile(inner, condition) => {
            in_statements(inner, visit);
            in_expression(condition, visit);
        }
        Statement::For(parts) => {
            if let Some(start) = &mut parts.start {
                in_statement(start, visit);
            }
            if let Some(condition) = &mut parts.condition {
                in_expression(condition, visit);
            }
            if let Some(step) = &mut parts.step {
                in_expression(step, visit);
            }
            in_statements(&mut parts.body, visit);
        }
        Statement::Switch(value, sections) => {
            in_expression(value, visit);
            for section in sections {
                in_statements(&mut section.body, visit);
            }
        }
        Statement::Return(Some(value)) => in_expression(value, visit),
        Statement::Block(inner) => in_statements(inner, visit),
        Statement::Return(None)
        | Statement::Break
        | Statement::Continue
        | Statement::Goto(_)
        | Statement::Label(_) => {}
    }
}

fn in_declaration(declared: &mut Declaration, visit: &mut dyn FnMut(&mut Expression)) {
    if let Some(initial) = &mut declared.initialiser {
        in_initialiser(initial, visit);
    }
}

fn in_initialiser(initial: &mut Initialiser, visit: &mut dyn FnMut(&mut Expression)) {
    match initial {
        Initialiser::Expression(value) => in_expression(value, visit),
        Initialiser::List(elements) => {
            for (_, element) in elements {
                in_initialiser(element, visit);
            }
        }
    }
}

fn in_expression(value: &mut Expression, visit: &mut dyn FnMut(&mut Expression)) {
    visit(value);
    for child in children(value) {
        in_expression(child, visit);
    }
    if let Expression::Compound(_, initial) = value {
        in_initialiser(initial, visit);
    }
}

/// The operands of an expression.
pub fn children(value: &mut Expression) -> Vec<&mut Expression> {
    match value {
        Expression::Literal(_)
        | Expression::Text(_)
        | Expression::Name(_)
        | Expression::SizeOfType(_)
        | Expression::Compound(..) => Vec::new(),
        Expression::Unary(_, operand)
        | Expression::Cast(_, operand)
        | Expression::Field(operand, _)
        | Expression::Arrow(operand, _)
        | Expression::VariadicArgument(operand, _) => vec![operand],
        Expression::Binary(_, left, right)
        | Expression::Assign(_, left, right)
        | Expression::Comma(left, right)
        | Expression::Index(left, right) => vec![left, right],
        Expression::Conditional(condition, yes, no) => vec![condition, yes, no],
        Expression::Call(function, arguments) => {
            let mut all: Vec<&mut Expression> = vec![function];
            all.extend(arguments);
            all
        }
    }
}
