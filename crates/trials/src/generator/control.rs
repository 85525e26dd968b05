//! Which paths does a run take? Branches, loops with a bound that only the loop itself moves,
//! switches that fall through, jumps forwards over a block and backwards a bounded number of times.

use super::Generator;
use super::integers::{Kind, Range, Value};
use super::syntax::*;

impl Generator<'_> {
    pub(super) fn control(&mut self, body: &mut Vec<Statement>) {
        let size = 1 + self.random.below(self.shape.statements.clamp(2, 5));
        match self.random.below(20) {
            0..=5 => self.branch(size, body),
            6..=10 => self.counted_loop(size, body),
            11..=12 => self.while_loop(size, body),
            13 => self.do_loop(size, body),
            14 => self.endless_loop(size, body),
            15..=17 => self.switch(size, body),
            18 => self.jump_over(size, body),
            _ => self.jump_back(size, body),
        }
    }

    fn branch(&mut self, size: usize, body: &mut Vec<Statement>) {
        let depth = self.shape.expression_depth;
        let condition = self.condition(depth).expression;
        let then = self.block(size, 1);
        let otherwise = if self.random.chance(45) {
            self.block(size, 1)
        } else {
            Vec::new()
        };
        body.push(Statement::If(condition, then, otherwise));
    }

    /// The body of a loop that runs at most `turns` times.
    fn looped(&mut self, size: usize, turns: u64) -> Vec<Statement> {
        let before = (self.context.breakable, self.context.continuable);
        (self.context.breakable, self.context.continuable) = (true, true);
        let body = self.block(size, turns);
        (self.context.breakable, self.context.continuable) = before;
        body
    }

    /// Makes an expression that a loop evaluates once a turn.
    fn each_turn(&mut self, turns: i128, make: impl FnOnce(&mut Self) -> Value) -> Value {
        let before = self.context.repeats;
        self.context.repeats = before.saturating_mul(turns as u64 + 1);
        let value = make(self);
        self.context.repeats = before;
        value
    }

    fn turns(&mut self) -> i128 {
        let most = if self.affordable(3000) { 12 } else { 4 };
        i128::from(self.random.between(1, most))
    }

    fn counted_loop(&mut self, size: usize, body: &mut Vec<Statement>) {
        let kinds = [
            Kind::Int,
            Kind::Int,
            Kind::UnsignedInt,
            Kind::UnsignedLong,
            Kind::Long,
            Kind::Short,
            Kind::SignedChar,
        ];
        let kind = *self.random.pick(&kinds);
        let turns = self.turns();
        let name = self.fresh("i");
        let counter = Expression::name(&name);
        let literal = |value: i128| Value::literal(value, Kind::Int).expression;
        let (first, condition, step) = match self.random.below(4) {
            0 => {
                // The bound is computed, but never above `turns`.
                let value = self.each_turn(turns, |generator| generator.integer(1));
                let bound = self.fitted(value, Kind::Int, Range::new(0, turns));
                let condition = Expression::binary(Binary::Less, counter.clone(), bound);
                (
                    literal(0),
                    condition,
                    Some(Expression::unary(Unary::PostIncrement, counter)),
                )
            }
            1 => {
                let test = Expression::unary(Unary::PostDecrement, counter);
                (
                    literal(turns),
                    Expression::binary(Binary::Greater, test, literal(0)),
                    None,
                )
            }
            2 => {
                let condition = Expression::binary(Binary::Less, counter.clone(), literal(turns));
                let two = Box::new(literal(2));
                (
                    literal(0),
                    condition,
                    Some(Expression::Assign(
                        Some(Binary::Add),
                        Box::new(counter),
                        two,
                    )),
                )
            }
            _ => {
                let condition = Expression::binary(Binary::Less, counter.clone(), literal(turns));
                (
                    literal(0),
                    condition,
                    Some(Expression::unary(Unary::PreIncrement, counter)),
                )
            }
        };
        let start = Statement::Declare(Declaration {
            storage: Storage::Plain,
            name: name.clone(),
            declared_type: kind.c_type(),
            initialiser: Some(Initialiser::Expression(first)),
        });
        self.scopes.push(Vec::new());
        self.counter(&name, kind, Range::new(0, turns - 1));
        let inner = self.looped(size, turns as u64);
        self.scopes.pop();
        body.push(Statement::For(Box::new(ForLoop {
            start: Some(start),
            condition: Some(condition),
            step,
            body: inner,
        })));
    }

    fn while_loop(&mut self, size: usize, body: &mut Vec<Statement>) {
        let turns = self.turns();
        let name = self.fresh("n");
        let down = self.random.chance(50);
        let declared = Value::literal(turns, Kind::Int).expression;
        body.push(integer_declaration(&name, declared));
        let counter = Expression::name(&name);
        self.counter(&name, Kind::Int, Range::new(-1, turns));
        let zero = Expression::literal(0);
        if down {
            let test = Expression::unary(Unary::PostDecrement, counter);
            let condition = Expression::binary(Binary::Greater, test, zero);
            let inner = self.looped(size, turns as u64);
            body.push(Statement::While(condition, inner));
        } else {
            let mut condition = Expression::binary(Binary::Greater, counter.clone(), zero);
            if self.random.chance(50) {
                let extra = self
                    .each_turn(turns, |generator| generator.condition(1))
                    .expression;
                condition = Expression::binary(Binary::LogicalAnd, condition, extra);
            }
            let mut inner = self.looped(size, turns as u64);
            let step = Expression::unary(Unary::PreDecrement, counter);
            inner.insert(0, Statement::Expression(step));
            body.push(Statement::While(condition, inner));
        }
    }

    fn do_loop(&mut self, size: usize, body: &mut Vec<Statement>) {
        let turns = self.turns();
        let name = self.fresh("n");
        body.push(integer_declaration(&name, Expression::literal(0)));
        self.counter(&name, Kind::Int, Range::new(0, turns));
        let inner = self.looped(size, turns as u64);
        let step = Expression::unary(Unary::PreIncrement, Expression::Name(name));
        let bound = Expression::literal(turns);
        let condition = Expression::binary(Binary::Less, step, bound);
        body.push(Statement::DoWhile(inner, condition));
    }

    fn endless_loop(&mut self, size: usize, body: &mut Vec<Statement>) {
        let turns = self.turns();
        let name = self.fresh("n");
        body.push(integer_declaration(&name, Expression::literal(0)));
        self.counter(&name, Kind::Int, Range::new(0, turns + 1));
        let mut inner = self.looped(size, turns as u64);
        let step = Expression::unary(Unary::PostIncrement, Expression::Name(name));
        let done = Expression::binary(Binary::GreaterEqual, step, Expression::literal(turns));
        inner.insert(0, Statement::If(done, vec![Statement::Break], Vec::new()));
        body.push(Statement::For(Box::new(ForLoop {
            start: None,
            condition: None,
            step: None,
            body: inner,
        })));
    }

    fn switch(&mut self, size: usize, body: &mut Vec<Statement>) {
        let value = self.integer(2);
        let enumerated = !self.enums.is_empty() && self.random.chance(30);
        let (selector, labels): (Expression, Vec<Expression>) = if enumerated {
            let index = self.random.below(self.enums.len());
            let constants = self.enums[index].constants.clone();
            // Two constants of one enumeration may be equal, two labels may not.
            let mut seen = Vec::new();
            let distinct = constants.into_iter().filter(|(_, value)| {
                let new = !seen.contains(value);
                seen.push(*value);
                new
            });
            let labels = distinct.map(|(name, _)| Expression::Name(name)).collect();
            (value.masked(3).expression, labels)
        } else {
            let mask = *self.random.pick(&[3, 7, 15]);
            let low = self.random.between(-2, 2);
            let labels = (0..=mask)
                .map(|label| Expression::literal(label + low))
                .collect();
            let masked = value.masked(i128::from(mask));
            let shifted = self.operation(
                Binary::Add,
                masked,
                Value::literal(i128::from(low), Kind::Int),
            );
            (shifted.expression, labels)
        };
        let breakable = self.context.breakable;
        self.context.breakable = true;
        let mut sections = Vec::new();
        let mut labels = labels
            .into_iter()
            .filter(|_| self.random.chance(60))
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        while labels.peek().is_some() && sections.len() < 5 {
            let count = 1 + self.random.below(2);
            let group: Vec<Option<Expression>> = labels.by_ref().take(count).map(Some).collect();
            sections.push(self.section(group, size));
        }
        if self.random.chance(70) {
            let at = self.random.below(sections.len() + 1);
            let section = self.section(vec![None], size);
            sections.insert(at, section);
        }
        self.context.breakable = breakable;
        body.push(Statement::Switch(selector, sections));
    }

    fn section(&mut self, labels: Vec<Option<Expression>>, size: usize) -> Section {
        let mut body = vec![Statement::Block(self.block(size.min(2), 1))];
        if self.random.chance(70) {
            body.push(Statement::Break);
        }
        Section { labels, body }
    }

    fn jump_over(&mut self, size: usize, body: &mut Vec<Statement>) {
        let label = self.fresh("past");
        let condition = self.condition(2).expression;
        body.push(Statement::If(
            condition,
            vec![Statement::Goto(label.clone())],
            Vec::new(),
        ));
        body.push(Statement::Block(self.block(size, 1)));
        body.push(Statement::Label(label));
    }

    fn jump_back(&mut self, size: usize, body: &mut Vec<Statement>) {
        let turns = self.turns().min(4);
        let (label, name) = (self.fresh("again"), self.fresh("tries"));
        body.push(integer_declaration(&name, Expression::literal(0)));
        body.push(Statement::Label(label.clone()));
        body.push(Statement::Block(self.block(size, turns as u64)));
        let step = Expression::unary(Unary::PreIncrement, Expression::Name(name));
        let again = Expression::binary(Binary::Less, step, Expression::literal(turns));
        body.push(Statement::If(
            again,
            vec![Statement::Goto(label)],
            Vec::new(),
        ));
    }
}

fn integer_declaration(name: &str, value: Expression) -> Statement {
    Statement::Declare(Declaration {
        storage: Storage::Plain,
        name: name.to_string(),
        declared_type: Kind::Int.c_type(),
        initialiser: Some(Initialiser::Expression(value)),
    })
}
