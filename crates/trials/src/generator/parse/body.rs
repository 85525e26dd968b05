//! Statements and expressions: precedence climbing over `Binary::precedence`.

use super::super::syntax::*;
use super::tokens::Token;
use super::{ParseError, Parser};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Result<Vec<Statement>, ParseError> {
        self.expect("{")?;
        let mut body = Vec::new();
        while !self.accept("}") {
            body.push(self.statement()?);
        }
        Ok(body)
    }

    /// The body of `if`, `while`, …: a block, or one statement.
    fn body(&mut self) -> Result<Vec<Statement>, ParseError> {
        if self.is("{") {
            self.block()
        } else {
            Ok(vec![self.statement()?])
        }
    }

    fn parenthesised(&mut self) -> Result<Expression, ParseError> {
        self.expect("(")?;
        let value = self.expression()?;
        self.expect(")")?;
        Ok(value)
    }

    pub(super) fn statement(&mut self) -> Result<Statement, ParseError> {
        if self.is("{") {
            return Ok(Statement::Block(self.block()?));
        }
        if self.starts_type() || self.is_word("static") || self.is_word("extern") {
            return Ok(Statement::Declare(self.declaration()?));
        }
        if self.accept_word("if") {
            let condition = self.parenthesised()?;
            let then = self.body()?;
            let otherwise = if self.accept_word("else") {
                self.body()?
            } else {
                Vec::new()
            };
            return Ok(Statement::If(condition, then, otherwise));
        }
        if self.accept_word("while") {
            let condition = self.parenthesised()?;
            return Ok(Statement::While(condition, self.body()?));
        }
        if self.accept_word("do") {
            let body = self.body()?;
            if !self.accept_word("while") {
                return self.fail("`while`");
            }
            let condition = self.parenthesised()?;
            self.expect(";")?;
            return Ok(Statement::DoWhile(body, condition));
        }
        if self.accept_word("for") {
            return self.for_loop();
        }
        if self.accept_word("switch") {
            return self.switch();
        }
        let statement = if self.accept_word("break") {
            Statement::Break
        } else if self.accept_word("continue") {
            Statement::Continue
        } else if self.accept_word("return") {
            let value = if self.is(";") {
                None
            } else {
                Some(self.expression()?)
            };
            Statement::Return(value)
        } else if self.accept_word("goto") {
            Statement::Goto(self.word()?)
        } else if matches!(self.peek(), Token::Word(_))
            && matches!(self.ahead(1), Token::Symbol(":"))
        {
            let label = self.word()?;
            self.expect(":")?;
            Statement::Label(label)
        } else {
            Statement::Expression(self.expression()?)
        };
        self.expect(";")?;
        Ok(statement)
    }

    fn for_loop(&mut self) -> Result<Statement, ParseError> {
        self.expect("(")?;
        let start = if self.accept(";") {
            None
        } else if self.starts_type() {
            Some(Statement::Declare(self.declaration()?))
        } else {
            let value = self.expression()?;
            self.expect(";")?;
            Some(Statement::Expression(value))
        };
        let condition = if self.is(";") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(";")?;
        let step = if self.is(")") {
            None
        } else {
            Some(self.expression()?)
        };
        self.expect(")")?;
        let body = self.body()?;
        Ok(Statement::For(Box::new(ForLoop {
            start,
            condition,
            step,
            body,
        })))
    }

    fn switch(&mut self) -> Result<Statement, ParseError> {
        let value = self.parenthesised()?;
        self.expect("{")?;
        let mut sections: Vec<Section> = Vec::new();
        while !self.accept("}") {
            let label = if self.accept_word("case") {
                Some(Some(self.expression()?))
            } else if self.accept_word("default") {
                Some(None)
            } else {
                None
            };
            match label {
                Some(label) => {
                    self.expect(":")?;
                    match sections.last_mut() {
                        Some(last) if last.body.is_empty() => last.labels.push(label),
                        _ => sections.push(Section {
                            labels: vec![label],
                            body: Vec::new(),
                        }),
                    }
                    // The null statement `print` puts before a declaration.
                    self.accept(";");
                }
                None => {
                    let statement = self.statement()?;
                    match sections.last_mut() {
                        Some(last) => last.body.push(statement),
                        None => return self.fail("`case`"),
                    }
                }
            }
        }
        Ok(Statement::Switch(value, sections))
    }

    pub(super) fn expression(&mut self) -> Result<Expression, ParseError> {
        let mut value = self.assignment()?;
        while self.accept(",") {
            value = Expression::Comma(Box::new(value), Box::new(self.assignment()?));
        }
        Ok(value)
    }

    pub(super) fn assignment(&mut self) -> Result<Expression, ParseError> {
        let place = self.conditional()?;
        let Token::Symbol(symbol) = *self.peek() else {
            return Ok(place);
        };
        let operator = if symbol == "=" {
            None
        } else {
            let compound = |operator: &&Binary| symbol == format!("{}=", operator.symbol());
            match Binary::ALL
                .iter()
                .filter(|operator| operator.precedence() > 2)
                .find(compound)
            {
                // `<=` and `>=` end in `=` but compare; conditional() has consumed those.
                Some(operator) if !matches!(operator.precedence(), 6 | 7) => Some(*operator),
                _ => return Ok(place),
            }
        };
        self.position += 1;
        let value = self.assignment()?;
        Ok(Expression::Assign(
            operator,
            Box::new(place),
            Box::new(value),
        ))
    }

    fn conditional(&mut self) -> Result<Expression, ParseError> {
        let condition = self.binary(1)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.conditional()?;
        Ok(Expression::conditional(condition, yes, no))
    }

    fn binary(&mut self, lowest: u8) -> Result<Expression, ParseError> {
        let mut left = self.unary()?;
        while let Token::Symbol(symbol) = *self.peek() {
            let Some(operator) = Binary::ALL
                .iter()
                .find(|operator| operator.symbol() == symbol)
            else {
                break;
            };
            if operator.precedence() < lowest {
                break;
            }
            self.position += 1;
            let right = self.binary(operator.precedence() + 1)?;
            left = Expression::binary(*operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, ParseError> {
        if self.accept_word("sizeof") {
            if self.is("(") {
                self.position += 1;
                let result = if self.starts_type() {
                    Expression::SizeOfType(self.type_name()?)
                } else {
                    Expression::unary(Unary::SizeOf, self.expression()?)
                };
                self.expect(")")?;
                return Ok(result);
            }
            return Ok(Expression::unary(Unary::SizeOf, self.unary()?));
        }
        let Token::Symbol(symbol) = *self.peek() else {
            return self.postfix();
        };
        let operator = match symbol {
            "+" => Unary::Plus,
            "-" => Unary::Minus,
            "~" => Unary::Complement,
            "!" => Unary::Not,
            "&" => Unary::AddressOf,
            "*" => Unary::Dereference,
            "++" => Unary::PreIncrement,
            "--" => Unary::PreDecrement,
            "(" => {
                self.position += 1;
                if self.starts_type() {
                    let target = self.type_name()?;
                    self.expect(")")?;
                    if self.is("{") {
                        let initial = Box::new(self.initialiser()?);
                        return self.suffix(Expression::Compound(target, initial));
                    }
                    return Ok(Expression::cast(target, self.unary()?));
                }
                self.position -= 1;
                return self.postfix();
            }
            _ => return self.fail("an expression"),
        };
        self.position += 1;
        let negative_literal = operator == Unary::Minus && matches!(self.peek(), Token::Literal(_));
        let operand = self.unary()?;
        match operand {
            // One spelling, so that printing and parsing are inverse.
            Expression::Literal(spelling) if negative_literal => {
                Ok(Expression::Literal(format!("-{spelling}")))
            }
            operand => Ok(Expression::unary(operator, operand)),
        }
    }

    fn postfix(&mut self) -> Result<Expression, ParseError> {
        let value = match self.peek().clone() {
            Token::Symbol("(") => self.parenthesised()?,
            Token::Literal(spelling) => {
                self.position += 1;
                Expression::Literal(spelling)
            }
            Token::Text(mut bytes) => {
                self.position += 1;
                while let Token::Text(more) = self.peek().clone() {
                    bytes.extend(more);
                    self.position += 1;
                }
                Expression::Text(bytes)
            }
            Token::Hole(index) => match self.holes.get(index) {
                Some(filling) => {
                    self.position += 1;
                    filling.clone()
                }
                None => return self.fail("a hole that is filled"),
            },
            Token::Word(word) if word == "va_arg" => {
                self.position += 1;
                self.expect("(")?;
                let list = self.assignment()?;
                self.expect(",")?;
                let target = self.type_name()?;
                self.expect(")")?;
                Expression::VariadicArgument(Box::new(list), target)
            }
            Token::Word(word) => {
                self.position += 1;
                Expression::Name(word)
            }
            _ => return self.fail("an expression"),
        };
        self.suffix(value)
    }

    fn suffix(&mut self, mut value: Expression) -> Result<Expression, ParseError> {
        loop {
            if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                value = Expression::index(value, index);
            } else if self.accept(".") {
                value = Expression::Field(Box::new(value), self.word()?);
            } else if self.accept("->") {
                value = Expression::Arrow(Box::new(value), self.word()?);
            } else if self.accept("++") {
                value = Expression::unary(Unary::PostIncrement, value);
            } else if self.accept("--") {
                value = Expression::unary(Unary::PostDecrement, value);
            } else if self.accept("(") {
                let mut arguments = Vec::new();
                while !self.accept(")") {
                    arguments.push(self.assignment()?);
                    if !self.is(")") {
                        self.expect(",")?;
                    }
                }
                value = Expression::Call(Box::new(value), arguments);
            } else {
                return Ok(value);
            }
        }
    }
}
