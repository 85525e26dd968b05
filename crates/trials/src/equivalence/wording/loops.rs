//! The wordings of loops: kinds of loops, peeled, unrolled, walked with a pointer, counted down,
//! split, as a recursion.

use super::{Around, Writer, may_be_read};
use crate::equivalence::language::*;

impl Writer<'_> {
    pub(super) fn shrinking(&mut self, test: &Expression, body: &[Statement], result: Integer) {
        self.loops.push(Around {
            leave: "break;".to_owned(),
            go_on: "continue;".to_owned(),
        });
        let plain = self.condition(test);
        match self.varies().then(|| self.random.below(4)) {
            Some(0) => {
                self.open("for (;;)");
                self.line(format!("if (!{plain})"));
                self.line("    break;");
                self.statements(body, result);
                self.close("");
            }
            Some(1) => {
                self.open(format!("if {plain}"));
                self.open("do");
                self.statements(body, result);
                self.close(&format!(" while {plain};"));
                self.close("");
            }
            Some(2) => {
                let label = self.fresh("again");
                self.line(format!("{label}:;"));
                self.open(format!("if {plain}"));
                self.statements(body, result);
                self.line(format!("goto {label};"));
                self.close("");
            }
            _ => self.block(format!("while {plain}"), body, result),
        }
        self.loops.pop();
    }

    pub(super) fn counted(&mut self, counted: &Counted, result: Integer) {
        let is_plain = !counted.body.iter().any(leaves_or_goes_on);
        let way = match self.varies() {
            true => self.random.below(14),
            false => 13,
        };
        match way {
            0 if is_plain => self.peeled(counted, result),
            1 if is_plain => self.unrolled(counted, result),
            2 if is_plain && self.recursive(counted) => {}
            3 if self.backwards(counted) => {}
            4 if is_plain && self.split(counted) => {}
            5 | 6 if self.walked(counted, result) => {}
            7 if is_plain && self.written_out(counted, result) => {}
            8 => self.with_goto(counted, result),
            9 => self.guarded(counted, result),
            10 => self.while_more(counted, result),
            11 | 12 => self.with_while(counted, result),
            _ => self.with_for(counted, result),
        }
    }

    fn inside(&mut self, go_on: String, body: &[Statement], result: Integer) {
        self.loops.push(Around {
            leave: "break;".to_owned(),
            go_on,
        });
        self.statements(body, result);
        self.loops.pop();
    }

    /// The counter's name, its start and its test.
    fn parts(&mut self, counted: &Counted) -> (String, String, String) {
        let name = self.rename(counted.counter);
        let integer = self.function.variables[counted.counter.0].integer;
        let start = integer.promoted().literal(counted.start);
        let bound = self.expression(&counted.bound);
        let test = match self.varies() {
            true => format!("({bound} > {name})"),
            false => format!("({name} < {bound})"),
        };
        (name, start, test)
    }

    fn counter_type(&self, counted: &Counted) -> &'static str {
        self.function.variables[counted.counter.0].integer.name()
    }

    fn with_for(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        self.open(format!(
            "for ({integer} {name} = {start}; {test}; {name}++)"
        ));
        self.inside("continue;".to_owned(), &counted.body, result);
        self.close("");
    }

    fn with_while(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.open(format!("while {test}"));
        let go_on = format!("{{ {name}++; continue; }}");
        self.inside(go_on, &counted.body, result);
        self.line(format!("{name}++;"));
        self.close("");
        self.close("");
    }

    fn while_more(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        let more = self.fresh("more");
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.line(format!("int {more} = {test};"));
        self.open(format!("while ({more})"));
        let go_on = format!("{{ {name}++; {more} = {test}; continue; }}");
        self.inside(go_on, &counted.body, result);
        self.line(format!("{name}++;"));
        self.line(format!("{more} = {test};"));
        self.close("");
        self.close("");
    }

    fn guarded(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.open(format!("if {test}"));
        self.open("do");
        let go_on = format!("{{ {name}++; continue; }}");
        self.inside(go_on, &counted.body, result);
        self.line(format!("{name}++;"));
        self.close(&format!(" while {test};"));
        self.close("");
        self.close("");
    }

    fn with_goto(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        let (again, over) = (self.fresh("again"), self.fresh("over"));
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.line(format!("{again}:;"));
        self.open(format!("if {test}"));
        self.loops.push(Around {
            leave: format!("goto {over};"),
            go_on: format!("{{ {name}++; goto {again}; }}"),
        });
        self.statements(&counted.body, result);
        self.loops.pop();
        self.line(format!("{name}++;"));
        self.line(format!("goto {again};"));
        self.close("");
        self.line(format!("{over}:;"));
        self.close("");
    }

    fn peeled(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.open(format!("if {test}"));
        self.block("", &counted.body, result);
        self.line(format!("{name}++;"));
        self.open(format!("for (; {test}; {name}++)"));
        self.statements(&counted.body, result);
        self.close("");
        self.close("");
        self.close("");
    }

    fn unrolled(&mut self, counted: &Counted, result: Integer) {
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        let bound = self.expression(&counted.bound);
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.open(format!("while ({name} + 1 < {bound})"));
        for _ in 0..2 {
            self.block("", &counted.body, result);
            self.line(format!("{name}++;"));
        }
        self.close("");
        self.block(format!("if {test}"), &counted.body, result);
        self.close("");
    }

    /// A loop over a known number is as many copies.
    fn written_out(&mut self, counted: &Counted, result: Integer) -> bool {
        let Expression::Number(bound, _) = counted.bound else {
            return false;
        };
        let integer = self.counter_type(counted);
        for number in counted.start..bound {
            self.open("");
            let name = self.rename(counted.counter);
            self.line(format!("{integer} {name} = {number};"));
            self.statements(&counted.body, result);
            self.close("");
        }
        true
    }

    fn walked(&mut self, counted: &Counted, result: Integer) -> bool {
        let over = self.function.arrays.iter().position(|row| {
            let Extent::Counted(count) = row.extent else {
                return false;
            };
            counted.bound == Expression::Variable(count)
        });
        let (Some(array), 0, None) = (over, counted.start, &self.walk) else {
            return false;
        };
        let (name, start, test) = self.parts(counted);
        let integer = self.counter_type(counted);
        let element = self.function.arrays[array].integer.name();
        let base = self.arrays[array].clone();
        let bound = self.expression(&counted.bound);
        let pointer = self.fresh("walk");
        self.open("");
        self.line(format!("{integer} {name} = {start};"));
        self.line(format!("{element} *{pointer} = {base};"));
        let test = match self.random.chance(50) {
            true => format!("({pointer} < {base} + {bound})"),
            false => test,
        };
        self.open(format!("while {test}"));
        self.walk = Some((ArrayId(array), counted.counter, pointer.clone()));
        let step = format!("{name}++, {pointer}++;");
        self.inside(format!("{{ {step} continue; }}"), &counted.body, result);
        self.walk = None;
        self.line(step);
        self.close("");
        self.close("");
        true
    }

    /// A sum may be added up from its end.
    fn backwards(&mut self, counted: &Counted) -> bool {
        let [Statement::Update(Target::Variable(sum), operator, value)] = &counted.body[..] else {
            return false;
        };
        let both = self.function.variables[sum.0]
            .integer
            .joined(self.function.type_of(value));
        let is_sum = match operator {
            Binary::Add => !both.signed,
            Binary::Xor | Binary::Or | Binary::And => true,
            _ => false,
        };
        if !is_sum || may_be_read(self.function, *sum, value) {
            return false;
        }
        let (name, start, _) = self.parts(counted);
        let integer = self.counter_type(counted);
        let bound = self.expression(&counted.bound);
        self.open("");
        self.line(format!("{integer} {name} = {bound};"));
        self.open(format!("while ({name} > {start})"));
        self.line(format!("{name}--;"));
        self.statement(&counted.body[0], self.function.result);
        self.close("");
        self.close("");
        true
    }

    /// Two sums in a loop of their own each.
    fn split(&mut self, counted: &Counted) -> bool {
        let [one, two] = &counted.body[..] else {
            return false;
        };
        let parts = |statement: &Statement| match statement {
            Statement::Update(Target::Variable(id), _, value) => Some((*id, value.clone())),
            _ => None,
        };
        let (Some((left, value)), Some((right, other))) = (parts(one), parts(two)) else {
            return false;
        };
        let function = self.function;
        let is_read = may_be_read(function, right, &value) || may_be_read(function, left, &other);
        if left == right || is_read {
            return false;
        }
        for statement in [one, two] {
            let part = Counted {
                body: vec![statement.clone()],
                ..counted.clone()
            };
            self.with_for(&part, self.function.result);
        }
        true
    }

    /// A loop that changes one variable is a function that calls itself.
    fn recursive(&mut self, counted: &Counted) -> bool {
        let is_fit = |statement: &Statement| {
            matches!(statement, Statement::Update(Target::Variable(_), ..))
                || matches!(statement, Statement::Assign(Target::Variable(_), _))
        };
        let changed = |statement: &Statement| match statement {
            Statement::Update(Target::Variable(id), ..)
            | Statement::Assign(Target::Variable(id), _) => Some(*id),
            _ => None,
        };
        let Some(changing) = counted.body.first().and_then(changed) else {
            return false;
        };
        let is_one = |statement: &Statement| changed(statement) == Some(changing);
        let is_global = self.function.variables[changing.0].is_global;
        let fits = counted.body.iter().all(|row| is_fit(row) && is_one(row));
        let has_record = counted.body.iter().flat_map(Statement::expressions);
        let has_record = has_record
            .flat_map(Expression::parts)
            .any(|part| matches!(part, Expression::Field(_)));
        if !fits || is_global || has_record || self.walk.is_some() {
            return false;
        }
        let mut variables: Vec<VariableId> = vec![changing];
        let mut arrays: Vec<ArrayId> = Vec::new();
        let expressions = counted.body.iter().flat_map(Statement::expressions);
        for part in expressions
            .chain([&counted.bound])
            .flat_map(Expression::parts)
        {
            match part {
                Expression::Variable(id) if !self.function.variables[id.0].is_global => {
                    variables.push(*id);
                }
                Expression::Element(id, _) if !self.function.arrays[id.0].place.is_of_file() => {
                    arrays.push(*id);
                }
                _ => {}
            }
        }
        variables.retain(|id| *id != counted.counter);
        variables.sort_unstable();
        variables.dedup();
        arrays.sort_unstable();
        arrays.dedup();
        self.write_recursion(counted, changing, &variables, &arrays);
        true
    }

    fn write_recursion(
        &mut self,
        counted: &Counted,
        changing: VariableId,
        variables: &[VariableId],
        arrays: &[ArrayId],
    ) {
        let kept = self.variables.clone();
        let function = self.fresh("repeat");
        self.names.push(function.clone());
        let integer = self.function.variables[counted.counter.0].integer;
        let start = integer.promoted().literal(counted.start);
        let counter = self.fresh("i");
        self.variables[counted.counter.0] = counter.clone();
        let mut parameters = vec![format!("{} {counter}", integer.name())];
        let (mut first, mut again) = (vec![start], vec![format!("{counter} + 1")]);
        for id in variables {
            let row = &self.function.variables[id.0];
            let name = self.fresh("x");
            parameters.push(format!("{} {name}", row.integer.name()));
            first.push(kept[id.0].clone());
            again.push(name.clone());
            self.variables[id.0] = name;
        }
        for id in arrays {
            let name = self.arrays[id.0].clone();
            let type_name = self.function.arrays[id.0].integer.name();
            parameters.push(format!("const {type_name} *{name}"));
            first.push(name.clone());
            again.push(name);
        }
        let outer = (std::mem::take(&mut self.lines), self.depth);
        self.depth = 0;
        let type_name = self.function.variables[changing.0].integer.name();
        let changing_name = self.variables[changing.0].clone();
        let bound = self.expression(&counted.bound);
        self.open(format!(
            "static {type_name} {function}({})",
            parameters.join(", ")
        ));
        self.line(format!("if (!({counter} < {bound}))"));
        self.line(format!("    return {changing_name};"));
        self.statements(&counted.body, self.function.result);
        self.line(format!("return {function}({});", again.join(", ")));
        self.close("");
        let written = std::mem::replace(&mut self.lines, outer.0);
        self.depth = outer.1;
        self.before.extend(written);
        self.variables = kept;
        let target = self.variables[changing.0].clone();
        self.line(format!("{target} = {function}({});", first.join(", ")));
    }
}

/// The loop around is left or continued from inside.
fn leaves_or_goes_on(statement: &Statement) -> bool {
    match statement {
        Statement::Break | Statement::Continue => true,
        Statement::Counted(_) | Statement::While(..) => false,
        other => other.bodies().into_iter().flatten().any(leaves_or_goes_on),
    }
}
