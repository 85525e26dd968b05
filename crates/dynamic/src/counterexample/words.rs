//! A counterexample in words: the call, what it is given, and what was seen.

use super::{Example, number, stream_name};
use crate::bridge::Value;
use crate::input::{Argument, Pointer};
use knockon_change::{Side, Sides};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

impl Example<'_> {
    /// The call in words, with names of objects.
    pub fn call_in_words(&self) -> String {
        let pointer = |pointer: Pointer| match pointer {
            Pointer::Null => "null".to_owned(),
            Pointer::Into { object, offset } => {
                let name = match self.globals.get(object.0 as usize) {
                    Some(global) => format!("&{}", global.name),
                    None => format!("&object {}", object.0),
                };
                match offset {
                    0 => name,
                    offset => format!("{name} + {offset}"),
                }
            }
            Pointer::Stream(stream) => stream_name(stream).to_owned(),
        };
        let input = &self.witness.input;
        let arguments: Vec<String> = input
            .arguments
            .iter()
            .zip(&self.signature.parameters)
            .map(|(argument, value)| match argument {
                Argument::Number(bits) => match value {
                    Value::Float => format!("{:?}", f32::from_bits(*bits as u32)),
                    Value::Double => format!("{:?}", f64::from_bits(*bits)),
                    Value::Integer(_) | Value::Pointer => number(*value, *bits),
                },
                Argument::Pointer(place) => pointer(*place),
            })
            .collect();
        format!("{}({})", self.names.new, arguments.join(", "))
    }

    /// What is given besides the arguments, one row each.
    pub fn given_in_words(&self) -> Vec<String> {
        let input = &self.witness.input;
        let mut rows = Vec::new();
        for object in &input.objects {
            let name = match self.globals.get(object.id.0 as usize) {
                Some(global) => global.name.clone(),
                None => format!("object {}", object.id.0),
            };
            let mut row = format!("{name} is {}", content(&object.bytes));
            for (offset, pointer) in &object.pointers {
                let target = match pointer {
                    Pointer::Null => continue,
                    Pointer::Into { object, .. } => format!("object {}", object.0),
                    Pointer::Stream(stream) => stream_name(*stream).to_owned(),
                };
                let _ = write!(row, ", at {offset} a pointer to {target}");
            }
            rows.push(row);
        }
        if let Some(bytes) = &input.standard_input {
            rows.push(format!("standard input is {}", content(bytes)));
        }
        if !self.externals.is_empty() {
            let results: Vec<String> = input
                .results
                .iter()
                .map(|result| (*result as i64).to_string())
                .collect();
            let names: Vec<&str> = self.externals.iter().map(|row| row.name.as_str()).collect();
            rows.push(format!(
                "{} return {} in this order",
                names.join(" and "),
                results.join(", ")
            ));
        }
        rows
    }
}

/// Rows of one version that the other does not have, or not so often. Where both have the same rows
/// in another order, those between the first and the last that stand elsewhere.
pub fn differing(seen: &Sides<Vec<String>>, side: Side) -> Vec<String> {
    let (own, other) = (seen.of(side), seen.of(side.other()));
    let more = more_often(own, other);
    if !more.is_empty() || !more_often(other, own).is_empty() {
        return more;
    }
    let both = || own.iter().zip(other).map(|(one, two)| one != two);
    let first = both().position(|differs| differs);
    let last = both().rposition(|differs| differs);
    match (first, last) {
        (Some(first), Some(last)) => own[first..=last].to_vec(),
        _ => Vec::new(),
    }
}

fn more_often(own: &[String], other: &[String]) -> Vec<String> {
    let mut left: FxHashMap<&str, usize> = FxHashMap::default();
    for row in other {
        *left.entry(row).or_default() += 1;
    }
    let is_more = |row: &&String| match left.get_mut(row.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    own.iter().filter(is_more).cloned().collect()
}

/// Text where it is text.
fn content(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let is_text = |byte: &u8| (32..127).contains(byte);
    if !bytes.is_empty() && text.len() < bytes.len() && text.iter().all(is_text) && text.len() > 1 {
        return format!("{:?}", String::from_utf8_lossy(text));
    }
    let mut row = String::new();
    for byte in bytes.iter().take(64) {
        let _ = write!(row, "{byte:02x} ");
    }
    match bytes.len() {
        0 => "empty".to_owned(),
        1..=64 => row.trim_end().to_owned(),
        more => format!("{}… ({more} bytes)", row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing_rows(old: &[&str], new: &[&str]) -> [Vec<String>; 2] {
        let owned = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect();
        let seen = Sides {
            old: owned(old),
            new: owned(new),
        };
        [Side::Old, Side::New].map(|side| differing(&seen, side))
    }

    #[test]
    fn rows_that_are_the_same_in_both_are_left_out() {
        let same: Vec<String> = Vec::new();
        assert_eq!(
            differing_rows(&["returns 1"], &["returns 1", "prints \"x\""]),
            [same.clone(), vec!["prints \"x\"".to_owned()]]
        );
        assert_eq!(
            differing_rows(
                &["calls a", "calls a", "returns 1"],
                &["calls a", "returns 1"]
            ),
            [vec!["calls a".to_owned()], same]
        );
        let [old, new] = differing_rows(&["a", "b", "c", "r"], &["a", "c", "b", "r"]);
        assert_eq!(
            (old, new),
            (
                ["b", "c"].map(str::to_owned).to_vec(),
                ["c", "b"].map(str::to_owned).to_vec()
            )
        );
    }
}
