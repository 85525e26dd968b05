use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

static CALLS: AtomicUsize = AtomicUsize::new(0);
thread_local! { static DEPTH: std::cell::Cell<u32> = const { std::cell::Cell::new(0) }; }

#[derive(Debug, Clone, PartialEq)]
enum Token { Number(f64), Word(String), Symbol(char), End }

#[derive(Debug)]
enum Trouble { Parse(std::num::ParseFloatError), Empty }
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "trouble: {self:?}") }
}
impl std::error::Error for Trouble {}
impl From<std::num::ParseFloatError> for Trouble { fn from(e: std::num::ParseFloatError) -> Self { Trouble::Parse(e) } }

trait Visit { fn visit(&mut self, token: &Token) -> Option<usize>; }
struct Count(BTreeMap<String, usize>);
impl Visit for Count {
    fn visit(&mut self, token: &Token) -> Option<usize> {
        match token {
            Token::Word(word) => { *self.0.entry(word.clone()).or_default() += 1; Some(word.len()) }
            Token::Number(n) if *n as i64 % 2 == 0 => Some(n.to_bits() as usize >> 60),
            Token::Symbol(c @ ('+' | '-')) => Some(*c as usize),
            _ => None,
        }
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, Trouble> {
    if text.is_empty() { return Err(Trouble::Empty); }
    let mut out = Vec::new();
    for part in text.split_whitespace() {
        CALLS.fetch_add(1, Ordering::AcqRel);
        out.push(match part.chars().next() {
            Some(c) if c.is_ascii_digit() => Token::Number(part.parse()?),
            Some(c) if c.is_alphabetic() => Token::Word(part.to_owned()),
            Some(c) => Token::Symbol(c),
            None => Token::End,
        });
    }
    Ok(out)
}

fn collatz(mut n: u128) -> (u32, i128) {
    let mut steps = 0u32;
    while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; steps = steps.wrapping_add(1); }
    (steps, -(n as i128))
}

fn main() {
    DEPTH.with(|d| d.set(d.get() + 1));
    let shared: Rc<dyn Fn(i32) -> i32> = Rc::new(|x| x.saturating_mul(3));
    let mut visitors: Vec<Box<dyn Visit>> = vec![Box::new(Count(BTreeMap::new()))];
    let line: String = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let seen: HashMap<usize, Token> = tokens(&line).unwrap_or_default().into_iter().enumerate().collect();
    let mut total = shared(7) as usize;
    for (index, token) in &seen {
        for visitor in &mut visitors { total += visitor.visit(token).map_or(*index, |n| n + 1); }
    }
    let caught = std::panic::catch_unwind(|| collatz(27));
    println!("{total} {:?} {} {:?}", caught.ok(), CALLS.load(Ordering::Relaxed), [1.5f32, -0.0].iter().sum::<f32>());
}
