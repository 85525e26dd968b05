//! What a solver answers to `(get-value …)`: numbers, truth values, and arrays of bytes as stores
//! over a constant array.
//!
//! Nothing here is trusted: text that cannot be read is no value, and a model made of the values is
//! evaluated before it counts.

use super::expressions::{Expression, read};
use crate::terms::Sort;
use crate::terms::evaluation::{Bytes, Value};

/// The values in an answer, one per sort that was asked for.
pub fn read_values(answer: &str, sorts: &[Sort]) -> Option<Vec<Value>> {
    let Expression::List(pairs) = read(answer)? else {
        return None;
    };
    if pairs.len() != sorts.len() {
        return None;
    }
    let read_pair = |(pair, sort): (&Expression<'_>, &Sort)| match pair {
        Expression::List(pair) if pair.len() == 2 => value(&pair[1], *sort, &mut Vec::new()),
        _ => None,
    };
    pairs.iter().zip(sorts).map(read_pair).collect()
}

fn value<'a>(
    expression: &Expression<'a>,
    sort: Sort,
    bound: &mut Vec<(&'a str, Value)>,
) -> Option<Value> {
    match expression {
        Expression::Atom("true") => Some(Value::Boolean(true)),
        Expression::Atom("false") => Some(Value::Boolean(false)),
        Expression::Atom(atom) => match bound.iter().rev().find(|entry| entry.0 == *atom) {
            Some((_, value)) => Some(value.clone()),
            None => number(atom).map(Value::Bits),
        },
        Expression::List(parts) => match &parts[..] {
            [Expression::Atom("let"), Expression::List(bindings), body] => {
                let before = bound.len();
                for binding in bindings {
                    let Expression::List(binding) = binding else {
                        return None;
                    };
                    let [Expression::Atom(name), given] = &binding[..] else {
                        return None;
                    };
                    // Only arrays are long enough to be shared.
                    let given = value(given, Sort::Memory, bound)?;
                    bound.push((name, given));
                }
                let found = value(body, sort, bound);
                bound.truncate(before);
                found
            }
            [
                Expression::Atom("_"),
                Expression::Atom(digits),
                Expression::Atom(_),
            ] => {
                let digits = digits.strip_prefix("bv")?;
                digits.parse().ok().map(Value::Bits)
            }
            [Expression::Atom("store"), array, address, byte] => {
                let Value::Memory(mut memory) = value(array, Sort::Memory, bound)? else {
                    return None;
                };
                let address = value(address, Sort::Bits(64), bound)?.bits();
                let byte = value(byte, Sort::Bits(8), bound)?.bits();
                memory.put(u64::try_from(address).ok()?, u8::try_from(byte).ok()?);
                Some(Value::Memory(memory))
            }
            [Expression::List(head), rest] => match &head[..] {
                [Expression::Atom("as"), Expression::Atom("const"), _] => {
                    let rest = value(rest, Sort::Bits(8), bound)?.bits();
                    Some(Value::Memory(Bytes {
                        rest: u8::try_from(rest).ok()?,
                        ..Bytes::default()
                    }))
                }
                _ => None,
            },
            _ => None,
        },
    }
    .filter(|value| match (value, sort) {
        (Value::Boolean(_), Sort::Boolean) | (Value::Memory(_), Sort::Memory) => true,
        (Value::Bits(value), Sort::Bits(width)) => value & !crate::terms::mask(width) == 0,
        _ => false,
    })
}

fn number(atom: &str) -> Option<u128> {
    let (digits, radix) = match atom.as_bytes() {
        [b'#', b'x', ..] => (&atom[2..], 16),
        [b'#', b'b', ..] => (&atom[2..], 2),
        _ => return None,
    };
    // Rust would take a sign.
    let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_plain.then(|| u128::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const SORT: &str = "(Array (_ BitVec 64) (_ BitVec 8))";

    #[test]
    fn values_of_both_solvers_are_read() {
        let answer = format!(
            "((s0 #x0f)\n (s1 #b0101) (s2 true) ((f s0) (_ bv7 32))\n (s3 (let ((a!1 (store \
             ((as const {SORT}) #x01) #x0000000000000002 #x05))) (store a!1 #x0000000000000003 \
             #b00000111))))"
        );
        let sorts = [
            Sort::Bits(8),
            Sort::Bits(4),
            Sort::Boolean,
            Sort::Bits(32),
            Sort::Memory,
        ];
        let memory = Bytes {
            rest: 1,
            others: [(2, 5), (3, 7)].into(),
        };
        assert_eq!(
            read_values(&answer, &sorts),
            Some(vec![
                Value::Bits(15),
                Value::Bits(5),
                Value::Boolean(true),
                Value::Bits(7),
                Value::Memory(memory),
            ])
        );
    }

    #[test]
    fn what_is_no_value_of_the_sort_is_none() {
        for answer in [
            "",
            "(",
            "((s0 #x0f",
            "((s0 #x0f)) more",
            "((s0 #x1ff))",
            "((s0 true))",
            "((s0 (lambda ((x Int)) x)))",
            "((s0 #x0f) (s1 #x00))",
            "(error \"no\")",
            "((s0 #x))",
            "((s0 #x+1))",
        ] {
            assert_eq!(read_values(answer, &[Sort::Bits(8)]), None, "{answer}");
        }
        let deep = "(".repeat(100_000);
        assert_eq!(read_values(&deep, &[Sort::Bits(8)]), None);
    }
}
