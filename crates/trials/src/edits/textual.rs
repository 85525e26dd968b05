//! Edits of programs that have no tree here, csmith's: lines of their functions are changed as text.
//! One statement stands on a line, and what is a declaration can be told by its first word.

use super::PairProgram;
use super::expressions::other_constant;
use crate::against_clang::Input;
use crate::random::Random;

/// The program after one to three edits.
pub fn textual_pair(old: &str, seed: u64) -> PairProgram {
    let mut random = Random::new(seed ^ 0x7e_87ed);
    let mut lines: Vec<String> = old.lines().map(str::to_string).collect();
    let mut edits = Vec::new();
    let wanted = match random.below(20) {
        0 => 0,
        1..=12 => 1,
        13..=17 => 2,
        _ => 3,
    };
    for _ in 0..200 {
        if edits.len() == wanted {
            break;
        }
        edits.extend(edit(&mut lines, &mut random));
    }
    let mut new = lines.join("\n");
    new.push('\n');
    PairProgram {
        old: old.to_string(),
        new,
        inputs: vec![Input::default()],
        edits,
    }
}

fn edit(lines: &mut Vec<String>, random: &mut Random) -> Option<String> {
    let place = random.below(lines.len());
    if !is_statement(&lines[place]) {
        return None;
    }
    let number = place + 1;
    match random.below(8) {
        0 | 1 if is_removable(&lines[place]) => {
            lines.remove(place);
            Some(format!("line {number} deleted"))
        }
        2 if is_removable(&lines[place]) => {
            let copy = lines[place].clone();
            lines.insert(place, copy);
            Some(format!("line {number} repeated"))
        }
        3 if is_removable(&lines[place])
            && lines.get(place + 1).is_some_and(|next| is_removable(next)) =>
        {
            lines.swap(place, place + 1);
            Some(format!("lines {number} and {} swapped", number + 1))
        }
        4 => {
            let other = other_operator(&lines[place], random)?;
            lines[place] = other;
            Some(format!("operator on line {number}"))
        }
        _ => {
            let other = other_number(&lines[place], random)?;
            lines[place] = other;
            Some(format!("constant on line {number}"))
        }
    }
}

/// A line inside a function.
fn is_statement(line: &str) -> bool {
    line.starts_with("    ") && line.trim_end().ends_with([';', '{'])
}

/// A whole statement that declares nothing and is no jump.
fn is_removable(line: &str) -> bool {
    const OTHERS: [&str; 20] = [
        "return", "goto", "break", "continue", "for", "if", "else", "const", "static", "volatile",
        "register", "struct", "union", "float", "int", "lbl_", "char", "unsigned", "int32_t",
        "double",
    ];
    let text = line.trim();
    let is_type = |word: &str| word.ends_with("_t");
    let first = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let first = first.into_iter().next().unwrap_or_default();
    is_statement(line)
        && text.ends_with(';')
        && !text.contains(['{', '}'])
        && !is_type(first)
        && !OTHERS.iter().any(|word| text.starts_with(word))
}

fn other_operator(line: &str, random: &mut Random) -> Option<String> {
    const CHANGES: [(&str, &str); 14] = [
        ("safe_add_func_", "safe_sub_func_"),
        ("safe_sub_func_", "safe_add_func_"),
        ("safe_mul_func_", "safe_add_func_"),
        ("safe_div_func_", "safe_mod_func_"),
        ("safe_mod_func_", "safe_div_func_"),
        (" & ", " | "),
        (" | ", " ^ "),
        (" ^ ", " & "),
        (" == ", " != "),
        (" != ", " == "),
        (" < ", " <= "),
        (" >= ", " > "),
        (" && ", " || "),
        (" || ", " && "),
    ];
    let usable = CHANGES.iter().filter(|(from, _)| line.contains(from));
    let usable: Vec<_> = usable.collect();
    let (from, to) = usable.get(random.below(usable.len()))?;
    let places: Vec<usize> = line.match_indices(from).map(|(place, _)| place).collect();
    let place = *random.pick(&places);
    Some(format!(
        "{}{to}{}",
        &line[..place],
        &line[place + from.len()..]
    ))
}

fn other_number(line: &str, random: &mut Random) -> Option<String> {
    let is_word = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_';
    let bytes = line.as_bytes();
    let mut numbers = Vec::new();
    for start in 0..bytes.len() {
        let begins = bytes[start].is_ascii_digit() && (start == 0 || !is_word(bytes[start - 1]));
        // The indices of arrays stay as they are: most others are out of bounds.
        if begins && (start == 0 || bytes[start - 1] != b'[') {
            let length = bytes[start..].iter().take_while(|byte| is_word(**byte));
            numbers.push((start, start + length.count()));
        }
    }
    let &(start, end) = numbers.get(random.below(numbers.len()))?;
    let literal = line[start..end].to_ascii_lowercase();
    let other = other_constant(&literal, random)?;
    Some(format!("{}{other}{}", &line[..start], &line[end..]))
}
