//! JSON with a final newline: the structs as they are.
//!
//! [`to_json`] prints every value on its own line. [`to_json_rows`] prints each
//! row of a table on one line, so that a report on a quarter million lines stays
//! readable, greppable and small.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

pub fn to_json<T: Serialize>(report: &T) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

pub fn to_json_rows<T: Serialize>(report: &T) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    let rows = Rows {
        pretty: PrettyFormatter::new(),
        depth: 0,
    };
    report.serialize(&mut Serializer::with_formatter(&mut bytes, rows))?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(|error| serde::ser::Error::custom(error.to_string()))
}

/// Pretty in the report and its tables, compact in a table's rows.
struct Rows {
    pretty: PrettyFormatter<'static>,
    depth: usize,
}

/// Values nested deeper than this stand on their row's line.
const TABLE_DEPTH: usize = 2;

impl Rows {
    fn open(&mut self) -> bool {
        self.depth += 1;
        self.depth <= TABLE_DEPTH
    }

    fn close(&mut self) -> bool {
        self.depth -= 1;
        self.depth < TABLE_DEPTH
    }

    fn is_table(&self) -> bool {
        self.depth <= TABLE_DEPTH
    }
}

fn separator<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
    writer.write_all(if first { b"" } else { b", " })
}

impl Formatter for Rows {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.open() {
            true => self.pretty.begin_array(writer),
            false => writer.write_all(b"["),
        }
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.close() {
            true => self.pretty.end_array(writer),
            false => writer.write_all(b"]"),
        }
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match self.is_table() {
            true => self.pretty.begin_array_value(writer, first),
            false => separator(writer, first),
        }
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.is_table() {
            true => self.pretty.end_array_value(writer),
            false => Ok(()),
        }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.open() {
            true => self.pretty.begin_object(writer),
            false => writer.write_all(b"{"),
        }
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.close() {
            true => self.pretty.end_object(writer),
            false => writer.write_all(b"}"),
        }
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match self.is_table() {
            true => self.pretty.begin_object_key(writer, first),
            false => separator(writer, first),
        }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        match self.is_table() {
            true => self.pretty.end_object_value(writer),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_table_stands_on_one_line_and_the_value_is_the_same() {
        let value = serde_json::json!({
            "a": {"b": 1}, "c": [], "d": [{"e": [1, {"f": 2}], "g": {}}, 3], "h": [[]],
        });
        let text = to_json_rows(&value).unwrap();
        assert_eq!(
            text,
            "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": [],\n  \"d\": [\n    {\"e\": [1, {\"f\": 2}], \"g\": {}},\n    3\n  ],\n  \"h\": [\n    []\n  ]\n}\n"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
