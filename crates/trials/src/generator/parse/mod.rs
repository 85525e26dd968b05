//! How does C text become a tree? A recursive-descent parser for the C that `print` writes: no
//! typedefs but the library's, one declarator a declaration. The generator writes its idioms as C
//! templates: `$0`, `$1` … stand for given expressions, `#` inside a name for a fresh number.
//! Generated programs that were saved are read back through it to be reduced or edited.

mod body;
mod declarations;
mod tokens;

use super::syntax::*;
use thiserror::Error;
use tokens::{Token, tokens};

#[derive(Clone, Debug, Error, PartialEq)]
#[error("line {line}: expected {expected}, found `{found}`")]
pub struct ParseError {
    pub line: usize,
    pub expected: String,
    pub found: String,
}

/// Reads a whole program.
pub fn program(text: &str) -> Result<Program, ParseError> {
    let mut includes = Vec::new();
    let mut rest = String::new();
    for line in text.lines() {
        match line.strip_prefix("#include <") {
            Some(name) => includes.push(name.trim_end_matches('>').to_string()),
            None => rest.push_str(line),
        }
        rest.push('\n');
    }
    Ok(Program {
        includes,
        items: items(&rest)?,
    })
}

/// Reads definitions at file scope.
pub fn items(text: &str) -> Result<Vec<Item>, ParseError> {
    let mut parser = Parser::new(text, &[])?;
    let mut items = Vec::new();
    while parser.peek() != &Token::End {
        items.push(parser.item()?);
    }
    Ok(items)
}

/// Reads statements; `holes` fill `$0`, `$1`, ….
pub fn statements(text: &str, holes: &[Expression]) -> Result<Vec<Statement>, ParseError> {
    let mut parser = Parser::new(text, holes)?;
    let mut statements = Vec::new();
    while parser.peek() != &Token::End {
        statements.push(parser.statement()?);
    }
    Ok(statements)
}

/// Reads one expression; `holes` fill `$0`, `$1`, ….
pub fn expression(text: &str, holes: &[Expression]) -> Result<Expression, ParseError> {
    Parser::new(text, holes)?.expression()
}

struct Parser<'a> {
    tokens: Vec<(usize, Token)>,
    position: usize,
    holes: &'a [Expression],
}

impl<'a> Parser<'a> {
    fn new(text: &str, holes: &'a [Expression]) -> Result<Self, ParseError> {
        Ok(Parser {
            tokens: tokens(text)?,
            position: 0,
            holes,
        })
    }

    fn peek(&self) -> &Token {
        self.ahead(0)
    }

    fn ahead(&self, distance: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + distance).min(last)].1
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.position += 1;
        token
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.position += usize::from(found);
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.position += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.accept(symbol) {
            Ok(())
        } else {
            self.fail(&format!("`{symbol}`"))
        }
    }

    fn word(&mut self) -> Result<String, ParseError> {
        match self.peek().clone() {
            Token::Word(word) => {
                self.position += 1;
                Ok(word)
            }
            _ => self.fail("a name"),
        }
    }

    fn fail<T>(&self, expected: &str) -> Result<T, ParseError> {
        let at = self.position.min(self.tokens.len() - 1);
        let (line, found) = &self.tokens[at];
        let found = format!("{found:?}");
        Err(ParseError {
            line: *line,
            expected: expected.to_string(),
            found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, generate, print};
    use super::*;

    #[test]
    fn parsing_inverts_printing() {
        for seed in 0..60 {
            let text = generate(seed, &Shape::medium()).source();
            let tree = program(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(
                print::program(&tree) == text,
                "seed {seed} prints differently"
            );
            // Trees with a negated literal print like one with a negative literal, which is what
            // parsing gives; from then on the tree is stable too.
            assert!(
                program(&print::program(&tree)) == Ok(tree),
                "seed {seed} parses differently"
            );
        }
    }

    #[test]
    fn declarators_read_inside_out() {
        let text = "static int *(*table[3])(const char *, int (*)[4]);";
        let printed = print::program(&Program {
            includes: Vec::new(),
            items: items(text).unwrap(),
        });
        assert_eq!(printed.trim(), text);
    }

    #[test]
    fn errors_name_the_line() {
        let error = program("int x;\nint f(void) {\n    return (;\n}\n").unwrap_err();
        assert_eq!(error.line, 3);
    }
}
