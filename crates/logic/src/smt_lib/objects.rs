//! Where objects can be. C promises that the address of an object is not null, that the address
//! behind its last byte is still an address, and that two live objects share no byte.
//!
//! An object of unknown size is said to have one byte: every program's real memory keeps that too,
//! so nothing unsatisfiable becomes so by it; it only leaves more room to models. Objects of no
//! size may be anywhere.
//!
//! Each pair takes one disjunction, since their order in memory is not known.

use crate::terms::{Sort, Symbol, SymbolId, SymbolKind};
use std::fmt::Write;

#[derive(Clone)]
pub(super) struct Object {
    symbol: SymbolId,
    name: String,
    bytes: u64,
}

impl Object {
    pub(super) fn of(row: &Symbol, symbol: SymbolId, name: &str) -> Option<Object> {
        let SymbolKind::Object { size } = row.kind else {
            return None;
        };
        (row.sort == Sort::Bits(64)).then(|| Object {
            symbol,
            name: name.to_owned(),
            bytes: size.unwrap_or(1),
        })
    }
}

pub(super) fn assert_layout(objects: &[Object], text: &mut String) {
    for (at, object) in objects.iter().enumerate() {
        let Object { name, bytes, .. } = object;
        let last = u64::MAX - bytes;
        writeln!(text, "(assert (not (= {name} #x{:016x})))", 0).ok();
        writeln!(text, "(assert (bvule {name} #x{last:016x}))").ok();
        if *bytes == 0 {
            continue;
        }
        let end = format!("(bvadd {name} #x{bytes:016x})");
        for other in objects[..at].iter().filter(|other| other.bytes > 0) {
            let Object {
                name: second,
                bytes: size,
                ..
            } = other;
            let behind = format!("(bvadd {second} #x{size:016x})");
            writeln!(
                text,
                "(assert (or (bvule {end} {second}) (bvule {behind} {name})))"
            )
            .ok();
        }
    }
}

pub(super) fn is_layout(objects: &[Object], address_of: impl Fn(SymbolId) -> u64) -> bool {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for object in objects {
        let address = address_of(object.symbol);
        let Some(end) = address.checked_add(object.bytes) else {
            return false;
        };
        if address == 0 {
            return false;
        }
        if object.bytes > 0 {
            ranges.push((address, end));
        }
    }
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}
