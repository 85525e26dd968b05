//! Do two versions of a function behave alike when they run? Both are compiled by clang into one
//! program with a driver that calls them on the same inputs and compares result, memory, global
//! variables and calls to the outside.
//!
//! **Undefined behaviour** of the old version makes a case void, of the new one a difference. It is
//! seen by traps (`-fsanitize=undefined`, where left shifts mean what clang makes of them), by the
//! address sanitizer (memory has its exact size), and,
//! for variables without a value, by a pattern that they are filled with. A run that does not end
//! in 30 ms is void: that loops end is an assumption of every verdict.
//!
//! **Inputs.** All of them if the parameters have 16 bits together; otherwise constants of both
//! versions, planted values, small numbers, edges and random ones. Arrays may overlap or be
//! constants, functions outside look at all memory and change it.

use super::language::*;
use crate::against_clang::HarnessError;
use crate::against_clang::child::wait;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const RUNTIME: &str = include_str!("driver.c");

/// So many cases are run where not all can be.
const CASES: usize = 20_000;
/// Two parameters of a byte.
const ALL_BITS: u32 = 16;

/// What the driver needs to know.
pub struct Driven<'a> {
    /// The old version: its parameters, global variables and record.
    pub function: &'a Function,
    /// What each unit defines.
    pub names: [&'a [String]; 2],
    /// Numbers worth trying.
    pub numbers: &'a [u64],
}

/// What the runs said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// On so many cases that count.
    Same { counting: usize, is_all: bool },
    /// What was seen.
    Different(String),
    /// It cannot be told, and why.
    Nothing(String),
}

/// Runs both versions, which are in `old.c` and `new.c` of a directory.
pub fn run(clang: &Path, driven: &Driven<'_>, directory: &Path) -> Result<Told, HarnessError> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        |source| HarnessError::File { path, source }
    };
    let source = directory.join("driver.c");
    std::fs::write(&source, driven.text(directory)).map_err(at(&source))?;
    let program = directory.join("driver");
    let start = |source| HarnessError::Start {
        program: clang.display().to_string(),
        source,
    };
    let made = Command::new(clang)
        .args(["-std=gnu17", "-O0", "-g0", "-w"])
        .args(["-fsanitize=address,undefined", "-fsanitize-trap=undefined"])
        .arg("-fno-sanitize=pointer-overflow,function,shift-base")
        .arg("-fsanitize-recover=address")
        .arg("-ftrivial-auto-var-init=pattern")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .map_err(start)?;
    if !made.status.success() {
        let message = String::from_utf8_lossy(&made.stderr);
        let first = message.lines().find(|row| row.contains("error"));
        let first = first.unwrap_or_default().to_owned();
        return Ok(Told::Nothing(format!("does not compile: {first}")));
    }
    let output = directory.join("driver.out");
    let file = std::fs::File::create(&output).map_err(at(&output))?;
    let mut child = Command::new(&program)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(Stdio::null())
        .spawn()
        .map_err(start)?;
    let status = wait(&mut child, Duration::from_secs(60)).map_err(at(&program))?;
    let said = std::fs::read_to_string(&output).map_err(at(&output))?;
    let (first, rest) = said.split_once('\n').unwrap_or((&said, ""));
    let words: Vec<&str> = first.split(' ').collect();
    let is_over = status.is_some_and(|status| status.success());
    Ok(match words[..] {
        ["same", counting] if is_over => match counting.parse() {
            Ok(0) | Err(_) => Told::Nothing("the old version is undefined everywhere".to_owned()),
            Ok(counting) => Told::Same {
                counting,
                is_all: driven.bits().is_some(),
            },
        },
        ["different", ..] if is_over => Told::Different(format!("{first}\n{rest}")),
        _ => Told::Nothing("the driver does not end as it should".to_owned()),
    })
}

impl Driven<'_> {
    fn scalars(&self) -> Vec<VariableId> {
        let scalars = self.function.parameters.iter().filter_map(|row| match row {
            Parameter::Scalar(id) => Some(*id),
            _ => None,
        });
        scalars.collect()
    }

    fn count(&self) -> Option<VariableId> {
        let mut arrays = self.function.arrays.iter();
        arrays.find_map(|row| match row.extent {
            Extent::Counted(count) => Some(count),
            Extent::Fixed(_) => None,
        })
    }

    /// The bits of all input, if that is little.
    fn bits(&self) -> Option<u32> {
        let function = self.function;
        let is_scalar = |row: &Parameter| matches!(row, Parameter::Scalar(_));
        let is_only = function.parameters.iter().all(is_scalar)
            && !function.variables.iter().any(|row| row.is_global)
            && !function.arrays.iter().any(|row| row.place == Place::Global);
        let bits = self.scalars().into_iter();
        let bits: u32 = bits.map(|id| function.variables[id.0].integer.bits).sum();
        (is_only && bits <= ALL_BITS).then_some(bits)
    }

    /// Global variables and arrays: name, type and length.
    fn globals(&self) -> Vec<(&str, Integer, u32)> {
        let variables = self.function.variables.iter();
        let variables = variables.filter(|row| row.is_global);
        let variables = variables.map(|row| (row.name.as_str(), row.integer, 1));
        let arrays = self.function.arrays.iter();
        let arrays = arrays.filter_map(|row| match (row.place, row.extent) {
            (Place::Global, Extent::Fixed(length)) => {
                Some((row.name.as_str(), row.integer, length))
            }
            _ => None,
        });
        variables.chain(arrays).collect()
    }

    fn text(&self, directory: &Path) -> String {
        let mut text = RUNTIME.to_owned();
        for (side, names) in ["old", "new"].into_iter().zip(self.names) {
            for name in names {
                let _ = writeln!(text, "#define {name} {side}_{name}");
            }
            let path = directory.join(format!("{side}.c"));
            let _ = writeln!(text, "#include \"{}\"", path.display());
            for name in names {
                let _ = writeln!(text, "#undef {name}");
            }
        }
        for side in ["old", "new"] {
            self.write_run(&mut text, side);
        }
        self.write_inputs(&mut text);
        self.write_main(&mut text);
        text
    }

    /// Calls one version.
    fn write_run(&self, text: &mut String, side: &str) {
        let function = self.function;
        let _ = writeln!(text, "static int run_{side}(void)\n{{");
        let _ = writeln!(text, "    begin(&seen_{side});");
        let mut word = 0;
        let mut after = String::new();
        for (name, integer, length) in self.globals() {
            for at in 0..length {
                let place = match length {
                    1 => format!("{side}_{name}"),
                    _ => format!("{side}_{name}[{at}]"),
                };
                let _ = writeln!(
                    text,
                    "    {place} = ({})given_words[{word}];",
                    integer.name()
                );
                let _ = writeln!(after, "    seen_{side}.words[{word}] = {place};");
                word += 1;
            }
            let _ = writeln!(text, "    watch(&{side}_{name}, sizeof {side}_{name});");
        }
        if !function.fields.is_empty() {
            let _ = writeln!(
                text,
                "    struct {side}_record *record = malloc(sizeof *record);\n    memset(record, 0, sizeof *record);"
            );
            for (number, field) in function.fields.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "    record->m{number} = ({})given_words[{word}];",
                    field.name()
                );
                let _ = writeln!(after, "    seen_{side}.words[{word}] = record->m{number};");
                let _ = writeln!(
                    text,
                    "    watch(&record->m{number}, sizeof record->m{number});"
                );
                word += 1;
            }
            after.push_str("    free(record);\n");
        }
        let mut scalar = 0;
        let mut array = 0;
        let arguments = function.parameters.iter().map(|parameter| match parameter {
            Parameter::Scalar(id) if Some(*id) == self.count() => "given_count".to_owned(),
            Parameter::Scalar(id) => {
                scalar += 1;
                let integer = function.variables[id.0].integer.name();
                format!("({integer})given_scalars[{}]", scalar - 1)
            }
            Parameter::Array(id) => {
                array += 1;
                let integer = function.arrays[id.0].integer.name();
                match array {
                    1 => format!("({integer} *)blocks[0]"),
                    _ => format!(
                        "shape == 0 ? ({integer} *)blocks[1] : ({integer} *)blocks[0] + (shape - 1)"
                    ),
                }
            }
            Parameter::Record => "record".to_owned(),
        });
        let arguments: Vec<String> = arguments.collect();
        let _ = write!(
            text,
            "    int status = sigsetjmp(escape, 0);
    if (status == RETURNED) {{
        is_active = 1;
        seen_{side}.result = {side}_f({});
        is_active = 0;
    }}
    is_active = 0;
{after}    return end(status);
}}
",
            arguments.join(", ")
        );
    }

    fn write_inputs(&self, text: &mut String) {
        let numbers: Vec<String> = self.numbers.iter().map(|row| format!("{row}ul")).collect();
        let _ = write!(
            text,
            "static const unsigned long numbers[] = {{ 0, {} }};
static unsigned long number(void)
{{
    unsigned long edge = 1ul << next() % 64;
    switch (next() % 10) {{
    case 0: case 1: case 2: case 3:
        return numbers[next() % (sizeof numbers / sizeof *numbers)];
    case 4: case 5:
        return next() % 20 - 3;
    case 6:
        return edge + next() % 3 - 1;
    case 7:
        return -edge + next() % 3 - 1;
    default:
        return next();
    }}
}}
static void make_input(unsigned long number_of_case)
{{
    random_state = number_of_case * 0xd1342543de82ef95;
    case_key = next();
    is_fixed = next() % 8 == 0;
    for (int i = 0; i < 8; i++)
        given_scalars[i] = number();
    for (int i = 0; i < MOST_WORDS; i++)
        given_words[i] = number();
",
            numbers.join(", ")
        );
        if let Some(bits) = self.bits() {
            let mut low = 0;
            for (at, id) in self.scalars().into_iter().enumerate() {
                let _ = writeln!(text, "    given_scalars[{at}] = number_of_case >> {low};");
                low += self.function.variables[id.0].integer.bits;
            }
            debug_assert_eq!(low, bits);
        }
        let arrays = self.function.arrays.iter();
        let mut given = arrays.filter(|row| row.place == Place::Parameter);
        if let Some(first) = given.next() {
            let size = first.integer.bits / 8;
            let two = given.next().is_some();
            let _ = write!(
                text,
                "    given_count = next() % 5 ? next() % 8 : next() % 30;
    shape = {two} ? (next() % 3 ? 0 : 1 + next() % 2) : 0;
    block_count = {two} && shape == 0 ? 2 : 1;
    for (int i = 0; i < block_count; i++) {{
        block_sizes[i] = (given_count + (shape == 2)) * {size};
        for (unsigned long j = 0; j < block_sizes[i]; j += {size}) {{
            unsigned long element = number();
            memcpy(&given_blocks[i][j], &element, {size});
        }}
    }}
",
                two = u8::from(two)
            );
        }
        text.push_str("}\n");
    }

    fn write_main(&self, text: &mut String) {
        let cases = match self.bits() {
            Some(bits) => 1 << bits,
            None => CASES,
        };
        let _ = write!(
            text,
            "int main(void)
{{
    unsigned long counting = 0, late = 0;
    listen();
    for (unsigned long i = 0; i < {cases} && late < 30; i++) {{
        make_input(i);
        int status = run_old();
        late += status == LATE;
        if (status != RETURNED)
            continue;
        status = run_new();
        late += status == LATE;
        if (status == LATE)
            continue;
        counting++;
        if (status == UNDEFINED || memcmp(&seen_old, &seen_new, sizeof seen_old)) {{
            printf(\"different on case %lu%s\\n\", i, status == UNDEFINED ? \": the new version is undefined\" : \"\");
            show();
            return 0;
        }}
    }}
    printf(\"same %lu\\n\", counting);
    return 0;
}}
"
        );
    }
}
