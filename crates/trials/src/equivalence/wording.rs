//! How is a function said in C? In one of many ways that mean the same: two wordings of one function
//! are a refactoring. Each construct draws one of its wordings; `rate` is how often it is not the
//! plain one.
//!
//! Every wording is undefined on exactly the inputs on which the plain one is: arithmetic is
//! reordered for unsigned types only, and nothing is evaluated that was guarded before.

mod branches;
mod expressions;
mod loops;

use super::language::*;
use crate::random::Random;

/// A unit of C that holds the function `f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worded {
    pub text: String,
    /// What the unit defines or declares as its own.
    pub names: Vec<String>,
}

/// Words a function; of each hundred constructs so many in another way than the plain one.
pub fn worded(function: &Function, random: &mut Random, rate: usize) -> Worded {
    let mut writer = Writer {
        function,
        random,
        rate,
        variables: function
            .variables
            .iter()
            .map(|row| row.name.clone())
            .collect(),
        arrays: function.arrays.iter().map(|row| row.name.clone()).collect(),
        record: "r".to_owned(),
        lines: Vec::new(),
        depth: 0,
        before: Vec::new(),
        names: vec!["f".to_owned()],
        next: 0,
        loops: Vec::new(),
        walk: None,
    };
    writer.unit()
}

/// How the loop around is left and continued.
struct Around {
    leave: String,
    go_on: String,
}

struct Writer<'a> {
    function: &'a Function,
    random: &'a mut Random,
    rate: usize,
    /// How each variable is written.
    variables: Vec<String>,
    arrays: Vec<String>,
    record: String,
    lines: Vec<String>,
    depth: usize,
    /// Lines of functions that stand before the one that is written.
    before: Vec<String>,
    names: Vec<String>,
    next: usize,
    loops: Vec<Around>,
    /// An element at a counter that a pointer walks over.
    walk: Option<(ArrayId, VariableId, String)>,
}

impl Writer<'_> {
    fn varies(&mut self) -> bool {
        self.random.chance(self.rate)
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}_{}", self.next)
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let row = format!("{}{}", "    ".repeat(self.depth), text.as_ref());
        self.lines.push(row);
    }

    fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        match head.is_empty() {
            true => self.line("{"),
            false => self.line(format!("{head} {{")),
        }
        self.depth += 1;
    }

    fn close(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(format!("}}{tail}"));
    }

    fn unit(&mut self) -> Worded {
        let function = self.function;
        let mut head = vec![
            "extern unsigned ask(unsigned);".to_owned(),
            "extern void tell(unsigned);".to_owned(),
        ];
        if !function.fields.is_empty() {
            self.names.push("record".to_owned());
            head.push("struct record {".to_owned());
            for (number, field) in function.fields.iter().enumerate() {
                head.push(format!("    {} m{number};", field.name()));
            }
            head.push("};".to_owned());
        }
        for row in function.variables.iter().filter(|row| row.is_global) {
            self.names.push(row.name.clone());
            head.push(format!("{} {};", row.integer.name(), row.name));
        }
        for row in &function.arrays {
            let Extent::Fixed(length) = row.extent else {
                continue;
            };
            if !row.place.is_of_file() {
                continue;
            }
            self.names.push(row.name.clone());
            let (element, name) = (row.integer.name(), &row.name);
            let values: Vec<String> = row.values.iter().map(i64::to_string).collect();
            let values = values.join(", ");
            head.push(match (row.place, self.varies()) {
                (Place::Constant, true) => {
                    format!("static {element} {name}[{length}] = {{{values}}};")
                }
                (Place::Constant, false) => {
                    format!("static const {element} {name}[{length}] = {{{values}}};")
                }
                _ => format!("{element} {name}[{length}];"),
            });
        }
        for helper in &function.helpers {
            self.names.push(helper.name.clone());
            let parameters = helper.parameters.iter().map(|id| {
                let name = self.rename(*id);
                format!("{} {name}", function.variables[id.0].integer.name())
            });
            let parameters: Vec<String> = parameters.collect();
            let (result, name) = (helper.result.name(), &helper.name);
            self.open(format!("static {result} {name}({})", parameters.join(", ")));
            self.statements(&helper.body, helper.result);
            self.close("");
            head.append(&mut self.before);
            head.append(&mut self.lines);
        }
        let parameters = function.parameters.iter().map(|parameter| match parameter {
            Parameter::Scalar(id) => {
                let name = self.rename(*id);
                format!("{} {name}", function.variables[id.0].integer.name())
            }
            Parameter::Array(id) => {
                let row = &function.arrays[id.0];
                format!("{} *{}", row.integer.name(), row.name)
            }
            Parameter::Record => "struct record *r".to_owned(),
        });
        let parameters: Vec<String> = parameters.collect();
        let result = function.result;
        self.open(format!("{} f({})", result.name(), parameters.join(", ")));
        for row in &function.arrays {
            if let (Place::Local, Extent::Fixed(length)) = (row.place, row.extent) {
                let (element, name) = (row.integer.name(), &row.name);
                self.line(format!("{element} {name}[{length}] = {{0}};"));
            }
        }
        self.statements(&function.body, result);
        self.close("");
        head.append(&mut self.before);
        head.append(&mut self.lines);
        Worded {
            text: head.join("\n") + "\n",
            names: std::mem::take(&mut self.names),
        }
    }

    /// Another name for a local variable.
    fn rename(&mut self, id: VariableId) -> String {
        let plain = self.function.variables[id.0].name.clone();
        let name = match self.varies() {
            true => self.fresh(&plain),
            false => plain,
        };
        self.variables[id.0] = name.clone();
        name
    }

    fn declare(&mut self, id: VariableId, value: &str) {
        let name = self.rename(id);
        let integer = self.function.variables[id.0].integer.name();
        match self.varies().then(|| self.random.below(4)) {
            Some(0) => {
                self.line(format!("struct {{ {integer} it; }} {name};"));
                self.line(format!("{name}.it = {value};"));
                self.variables[id.0] = format!("{name}.it");
            }
            Some(1) => {
                self.line(format!("{integer} {name}[1];"));
                self.line(format!("{name}[0] = {value};"));
                self.variables[id.0] = format!("{name}[0]");
            }
            Some(2) => {
                self.line(format!("{integer} {name};"));
                self.line(format!("{name} = {value};"));
            }
            _ => self.line(format!("{integer} {name} = {value};")),
        }
    }

    fn statements(&mut self, body: &[Statement], result: Integer) {
        let mut body: Vec<&Statement> = body.iter().collect();
        for at in 1..body.len() {
            if are_independent(body[at - 1], body[at], self.function) && self.varies() {
                body.swap(at - 1, at);
            }
        }
        let ends = matches!(body.last(), Some(Statement::Return(_)));
        for (at, statement) in body.iter().enumerate() {
            if self.random.chance(self.rate / 8) {
                self.dead_code();
            }
            // What follows a branch that returns may as well be its other way.
            if let Statement::If(test, yes, no) = statement
                && no.is_empty()
                && ends
                && matches!(yes.last(), Some(Statement::Return(_)))
                && self.varies()
            {
                let test = self.condition(test);
                self.open(format!("if {test}"));
                self.statements(yes, result);
                self.close(" else {");
                self.depth += 1;
                let rest: Vec<Statement> = body[at + 1..].iter().copied().cloned().collect();
                self.statements(&rest, result);
                self.close("");
                return;
            }
            self.statement(statement, result);
        }
    }

    fn block(&mut self, head: impl AsRef<str>, body: &[Statement], result: Integer) {
        self.open(head);
        self.statements(body, result);
        self.close("");
    }

    fn dead_code(&mut self) {
        let name = self.fresh("unused");
        match self.random.below(3) {
            0 => self.line(format!("unsigned {name} = 17u;")),
            1 => {
                self.line(format!("unsigned {name} = 3u;"));
                self.open(format!("if ({name} > 5u)"));
                self.line("tell(1u);");
                self.close("");
            }
            _ => {
                self.open("if (0)");
                self.line("return 0;");
                self.close("");
            }
        }
    }

    fn statement(&mut self, statement: &Statement, result: Integer) {
        match statement {
            Statement::Declare(id, value) => {
                let value = self.value(value);
                self.declare(*id, &value);
            }
            Statement::Assign(target, value) => {
                let value = self.value(value);
                let target = self.target(target);
                self.line(format!("{target} = {value};"));
            }
            Statement::Update(target, operator, value) => self.update(target, *operator, value),
            Statement::If(test, yes, no) => self.branch(test, yes, no, result),
            Statement::Counted(counted) => self.counted(counted, result),
            Statement::While(test, body) => self.shrinking(test, body, result),
            Statement::Switch(value, cases, rest) => self.switch(value, cases, rest, result),
            Statement::Break => {
                let leave = self.loops.last().map(|row| row.leave.clone());
                self.line(leave.unwrap_or_default());
            }
            Statement::Continue => {
                let go_on = self.loops.last().map(|row| row.go_on.clone());
                self.line(go_on.unwrap_or_default());
            }
            Statement::Return(value) => {
                let value = self.value(value);
                match self.random.chance(self.rate / 2) {
                    true => {
                        let name = self.fresh("result");
                        self.line(format!("{} {name} = {value};", result.name()));
                        self.line(format!("return {name};"));
                    }
                    false => self.line(format!("return {value};")),
                }
            }
            Statement::Invoke(target, helper, arguments) => {
                self.invoke(*target, *helper, arguments);
            }
            Statement::Ask(target, value) => {
                let value = self.value(value);
                self.declare(*target, &format!("ask({value})"));
            }
            Statement::Tell(value) => {
                let value = self.value(value);
                self.line(format!("tell({value});"));
            }
        }
    }

    fn update(&mut self, target: &Target, operator: Binary, value: &Expression) {
        let value = self.value(value);
        let integer = self.function.type_of_target(target).name();
        let mut place = self.target(target);
        if !matches!(target, Target::Variable(_)) && self.varies() {
            let name = self.fresh("at");
            self.line(format!("{integer} *{name} = &{place};"));
            place = format!("*{name}");
        }
        let symbol = operator.symbol();
        match self.varies().then(|| self.random.below(3)) {
            Some(0) => self.line(format!("{place} = ({integer})({place} {symbol} {value});")),
            Some(1) => {
                let name = self.fresh("was");
                self.line(format!("{integer} {name} = {place};"));
                self.line(format!("{place} = {name} {symbol} {value};"));
            }
            Some(_) => self.line(format!("{place} = {place} {symbol} {value};")),
            None => self.line(format!("{place} {symbol}= {value};")),
        }
    }

    fn invoke(&mut self, target: VariableId, number: usize, arguments: &[Expression]) {
        let function = self.function;
        let helper = &function.helpers[number];
        let Some((Statement::Return(value), body)) = helper.body.split_last() else {
            return;
        };
        let can_be_inlined = !body.iter().any(may_return);
        let values: Vec<String> = arguments.iter().map(|value| self.value(value)).collect();
        if !can_be_inlined || !self.varies() {
            let call = format!("{}({})", helper.name, values.join(", "));
            return self.declare(target, &call);
        }
        let name = self.rename(target);
        self.line(format!("{} {name};", helper.result.name()));
        self.open("");
        for (id, value) in helper.parameters.iter().zip(values) {
            let parameter = self.rename(*id);
            let integer = function.variables[id.0].integer.name();
            self.line(format!("{integer} {parameter} = {value};"));
        }
        self.statements(body, helper.result);
        let value = self.value(value);
        self.line(format!("{name} = {value};"));
        self.close("");
    }
}

fn may_return(statement: &Statement) -> bool {
    matches!(statement, Statement::Return(_))
        || statement.bodies().into_iter().flatten().any(may_return)
}

/// Two statements that change different variables and do not look at each other's.
fn are_independent(one: &Statement, two: &Statement, function: &Function) -> bool {
    let parts = |statement: &Statement| match statement {
        Statement::Assign(Target::Variable(id), value)
        | Statement::Update(Target::Variable(id), _, value)
        | Statement::Declare(id, value) => Some((*id, value.clone())),
        _ => None,
    };
    match (parts(one), parts(two)) {
        (Some((one, left)), Some((two, right))) => {
            one != two && !may_be_read(function, two, &left) && !may_be_read(function, one, &right)
        }
        _ => false,
    }
}

/// A pointer may point to a global variable.
fn may_be_read(function: &Function, variable: VariableId, by: &Expression) -> bool {
    let reads_memory =
        |part: &&Expression| matches!(part, Expression::Element(..) | Expression::Field(_));
    by.mentions(variable)
        || function.variables[variable.0].is_global && by.parts().iter().any(reads_memory)
}
