//! How is a description written? The head of `library.effects` explains the notation to its
//! reader; this module turns it into [`Effect`]s, line by line, and names the line of a mistake.
//! Here are lines, rows and words; [`clauses`] and [`fact_clauses`] are what a row consists of.

mod clauses;
mod fact_clauses;
mod uses;

use crate::effect::{Effect, Memory, Origin, Value, World};
use crate::facts::Facts;
use crate::table::{Library, LibraryObject, Row};
use clauses::add_clause;
use fact_clauses::add_fact;
use fixedbitset::FixedBitSet;
use uses::{Groups, Uses};

/// A line that is not in the notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct Malformed {
    pub line: usize,
    pub message: String,
}

type Parsed<T> = Result<T, String>;

/// Reads a whole file of descriptions.
pub(crate) fn parse(text: &'static str) -> Result<Library, Malformed> {
    let mut library = Library::default();
    let mut group = "";
    let mut groups = Groups::default();
    let mut uses_of_section = Uses::Everything;
    let mut uses_of_rows: Vec<(usize, Uses)> = Vec::new();
    for (line, parts) in logical_lines(text) {
        let malformed = |message| Malformed { line, message };
        let first = parts[0];
        if let Some(heading) = first.strip_prefix('[') {
            let (name, rest) = heading
                .split_once(']')
                .ok_or_else(|| malformed(format!("`{first}` lacks its `]`")))?;
            group = name;
            uses_of_section = uses::behind_heading(rest).map_err(malformed)?;
        } else if let Some(group) = first.strip_prefix("replaceable ") {
            groups.add(group, &parts[1..]).map_err(malformed)?;
        } else if let Some(first) = first.strip_prefix("unmodelled ") {
            let names = add_unmodelled(&mut library, first, &parts[1..]);
            names.map_err(malformed)?;
        } else if let Some((is_variable, rest)) = object_keyword(first) {
            add_objects(&mut library, is_variable, rest).map_err(malformed)?;
        } else {
            let (row, uses) = row(group, line, &parts).map_err(malformed)?;
            library.add_row(row).map_err(malformed)?;
            uses_of_rows.push((line, uses.unwrap_or_else(|| uses_of_section.clone())));
        }
    }
    groups.number(&mut library);
    for (row, (line, uses)) in uses_of_rows.iter().enumerate() {
        let numbers = groups.numbers_of(uses, &library);
        let malformed = |message| Malformed {
            line: *line,
            message,
        };
        library.set_uses(row, numbers.map_err(malformed)?);
    }
    library.check_objects().map_err(|message| Malformed {
        line: text.lines().count(),
        message,
    })?;
    Ok(library)
}

/// The lines without comments, an indented line joined to the one before it.
fn logical_lines(text: &'static str) -> Vec<(usize, Vec<&'static str>)> {
    let mut lines: Vec<(usize, Vec<&'static str>)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("").trim_end();
        if content.is_empty() {
            continue;
        }
        match lines.last_mut() {
            Some((_, parts)) if content.starts_with(' ') => parts.push(content.trim_start()),
            _ => lines.push((index + 1, vec![content])),
        }
    }
    lines
}

fn object_keyword(line: &'static str) -> Option<(bool, &'static str)> {
    line.strip_prefix("object ")
        .map(|rest| (false, rest))
        .or_else(|| line.strip_prefix("variable ").map(|rest| (true, rest)))
}

/// `stdin: holds @standard-input`, after the keyword. Several names are names of one object.
fn add_objects(library: &mut Library, is_variable: bool, rest: &'static str) -> Parsed<()> {
    let (names, contents) = rest.split_once(':').unwrap_or((rest, ""));
    let mut holds = Vec::new();
    let mut is_kept = false;
    for clause in contents.split(';') {
        let mut words = clause.split_whitespace();
        match words.next() {
            None => {}
            Some("kept") if is_variable => is_kept = true,
            Some("holds") => holds = words.map(library_name).collect::<Parsed<_>>()?,
            Some(other) => return Err(format!("an object `holds` things, it does not `{other}`")),
        }
    }
    let mut names = names.split_whitespace();
    library.add_object(LibraryObject {
        name: names.next().ok_or("an object has a name")?,
        other_names: names.collect(),
        is_variable,
        holds,
        is_kept,
    })
}

/// A row of functions without an effect.
fn add_unmodelled(library: &mut Library, first: &'static str, rest: &[&'static str]) -> Parsed<()> {
    let (names, clauses) = names_and_clauses([&[first], rest].concat().as_slice());
    let mut facts = Facts::default();
    for clause in clauses {
        let mut words = clause.split_whitespace();
        let Some(verb) = words.next() else {
            continue;
        };
        let words: Vec<&'static str> = words.collect();
        let is_known = add_fact(&mut facts, verb, &words);
        if !is_known.map_err(|message| format!("`{}`: {message}", clause.trim()))? {
            return Err(format!("`{verb}` does not stand beside the effect"));
        }
    }
    if names.is_empty() || facts == Facts::default() {
        return Err("a row without an effect is `unmodelled NAMES: CLAUSES`".into());
    }
    library.add_unmodelled(&names, facts)
}

/// `NAMES: CLAUSE; CLAUSE`, in any number of lines.
fn names_and_clauses(parts: &[&'static str]) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut names: Vec<&'static str> = Vec::new();
    let mut clauses: Vec<&'static str> = Vec::new();
    let mut has_colon = false;
    for part in parts {
        match part.split_once(':') {
            _ if has_colon => clauses.extend(part.split(';')),
            Some((last_names, first_clauses)) => {
                has_colon = true;
                names.extend(last_names.split_whitespace());
                clauses.extend(first_clauses.split(';'));
            }
            None => names.extend(part.split_whitespace()),
        }
    }
    (names, clauses)
}

fn row(group: &'static str, line: usize, parts: &[&'static str]) -> Parsed<(Row, Option<Uses>)> {
    let (names, clauses) = names_and_clauses(parts);
    let mut effect = Effect::default();
    let mut facts = Facts::default();
    let mut said = 0;
    let mut uses = None;
    for clause in clauses {
        let mut words = clause.split_whitespace();
        if let Some(verb) = words.next() {
            if verb == "uses" {
                uses = Some(Uses::of_words(words.collect())?);
                continue;
            }
            let words: Vec<&'static str> = words.collect();
            let in_clause = |message| format!("`{}`: {message}", clause.trim());
            if !add_fact(&mut facts, verb, &words).map_err(in_clause)? {
                said += 1;
                add_clause(&mut effect, verb, &words).map_err(in_clause)?;
            }
        }
    }
    if names.is_empty() || said == 0 {
        return Err("a row is `NAMES: CLAUSES`, and where nothing is to be said `pure`".into());
    }
    let row = Row {
        group,
        line,
        names,
        effect,
        facts,
        uses: FixedBitSet::new(),
    };
    Ok((row, uses))
}

fn extend<T: PartialEq>(
    list: &mut Vec<T>,
    words: &[&'static str],
    parse: impl Fn(&'static str) -> Parsed<T>,
) -> Parsed<()> {
    for word in words {
        let item = parse(word)?;
        if list.contains(&item) {
            return Err(format!("`{word}` is said twice"));
        }
        list.push(item);
    }
    Ok(())
}

fn single(words: &[&'static str]) -> Parsed<&'static str> {
    match words {
        [word] => Ok(word),
        _ => Err("takes one word".into()),
    }
}

fn arrow(word: &'static str) -> Parsed<(&'static str, &'static str)> {
    word.split_once('>')
        .ok_or_else(|| format!("`{word}` has no `>`"))
}

fn world(word: &str) -> Parsed<World> {
    Ok(match word {
        "output" => World::Output,
        "input" => World::Input,
        "files" => World::Files,
        "errno" => World::Errno,
        "environment" => World::Environment,
        "clock" => World::Clock,
        "random" => World::Random,
        "settings" => World::Settings,
        "processes" => World::Processes,
        _ => return Err(format!("the world has no part `{word}`")),
    })
}

fn origin(word: &'static str) -> Parsed<Origin> {
    if let Some(inner) = word.strip_prefix('[') {
        let inner = inner
            .strip_suffix(']')
            .ok_or_else(|| format!("`{word}` lacks its `]`"))?;
        return Ok(Origin::LoadedFrom(memory(inner)?));
    }
    if let Some(inner) = word.strip_prefix('=') {
        return Ok(Origin::Same(value(inner)?));
    }
    Ok(match word {
        "fresh" => Origin::Fresh,
        "variadics" => Origin::Variadics,
        _ => match value(word)? {
            Value::Library(name) => Origin::Library(name),
            value => Origin::Into(value),
        },
    })
}

fn memory(word: &'static str) -> Parsed<Memory> {
    if let Some(inner) = word.strip_prefix("**") {
        return Ok(Memory::ReachableFrom(value(inner)?));
    }
    if let Some(inner) = word.strip_prefix("*[*") {
        let inner = inner
            .strip_suffix(']')
            .ok_or_else(|| format!("`{word}` lacks its `]`"))?;
        return Ok(Memory::BehindLoaded(value(inner)?));
    }
    match word.strip_prefix('*') {
        Some(inner) => Ok(Memory::Behind(value(inner)?)),
        None => Err(format!("`{word}` is no memory: `*0`, `*[*0]`, `**0`")),
    }
}

fn value(word: &'static str) -> Parsed<Value> {
    if word == "fresh" {
        return Ok(Value::Fresh);
    }
    if word.starts_with('@') {
        return library_name(word).map(Value::Library);
    }
    match word.strip_suffix('+') {
        Some(number) => argument(number).map(Value::ArgumentsFrom),
        None => argument(word).map(Value::Argument),
    }
}

fn argument(word: &'static str) -> Parsed<u8> {
    word.parse()
        .map_err(|_| format!("`{word}` is no value: `0`, `2+`, `fresh`, `@name`"))
}

fn library_name(word: &'static str) -> Parsed<&'static str> {
    word.strip_prefix('@')
        .filter(|name| !name.is_empty())
        .ok_or_else(|| format!("`{word}` is no object of the library: `@name`"))
}
