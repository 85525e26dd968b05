//! Which rows has an answer, and which of them come first?
//!
//! Each list of a report is a table. A table's rows are sorted by importance: what changed, then what
//! is possible by its score, then the rest. The tables are then merged so that a page shows the
//! beginning of each: a table of weight 8 gives eight rows where one of weight 1 gives one.

use serde_json::{Map, Value};
use std::cmp::Ordering;

/// What a report says once.
pub type Head = Map<String, Value>;

/// One row of a table: what it puts where.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub table: String,
    pub verdict: Option<String>,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The names that lead to the list or object.
    pub path: Vec<String>,
    /// The name in an object; of a list, the next place.
    pub key: Option<String>,
    pub value: Value,
}

/// The lists of a report that have a weight of their own, in the order in which equals come.
const WEIGHTS: [(&str, usize); 8] = [
    ("reasons", 1000),
    ("notes", 1000),
    ("definitions", 8),
    ("lines", 8),
    ("leads_to", 8),
    ("relation", 8),
    ("functions", 3),
    ("hunks", 3),
];

fn weight(table: &str) -> (usize, usize) {
    let at = WEIGHTS.iter().position(|(name, _)| *name == table);
    at.map_or((WEIGHTS.len(), 1), |at| (at, WEIGHTS[at].1))
}

/// Takes a report apart. What stays in the head has an empty list for each table.
pub fn rows_of(report: Value) -> (Head, Vec<Row>) {
    let Value::Object(mut head) = report else {
        return (Head::new(), Vec::new());
    };
    let mut tables: Vec<(String, Vec<Row>)> = Vec::new();
    let why = head.remove("why");
    for (name, value) in &mut head {
        match value {
            Value::Array(list) => {
                let mut rows: Vec<Row> = std::mem::take(list)
                    .into_iter()
                    .map(|value| row_of_list(name, value))
                    .collect();
                rows.sort_by(by_importance);
                tables.push((name.clone(), rows));
            }
            Value::Object(relation) if name == "relation" => {
                let relation = std::mem::take(relation);
                tables.push((name.clone(), rows_of_relation(relation, why.as_ref())));
            }
            _ => {}
        }
    }
    (head, merged(tables))
}

fn row_of_list(table: &str, value: Value) -> Row {
    Row {
        table: table.to_owned(),
        verdict: text_of(&value, "verdict").map(str::to_owned),
        cells: vec![Cell {
            path: vec![table.to_owned()],
            key: None,
            value,
        }],
    }
}

/// A pair of functions a row, with its reason if reasons were asked for.
fn rows_of_relation(relation: Map<String, Value>, why: Option<&Value>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (function, related) in relation {
        let path = |first: &str| vec![first.to_owned(), function.clone()];
        let row = |cells| Row {
            table: "relation".to_owned(),
            verdict: None,
            cells,
        };
        let related = match related {
            Value::Array(related) if !related.is_empty() => related,
            none => {
                let no_reasons = why.and_then(|why| why.get(&function)).cloned();
                let cells = [("relation", Some(none)), ("why", no_reasons)];
                let cells = cells.into_iter().filter_map(|(table, value)| {
                    Some(Cell {
                        path: vec![table.to_owned()],
                        key: Some(function.clone()),
                        value: value?,
                    })
                });
                rows.push(row(cells.collect()));
                continue;
            }
        };
        for other in related {
            let name = other.as_str().unwrap_or_default().to_owned();
            let reason = why.and_then(|why| why.get(&function)?.get(&name)).cloned();
            let reason = reason.map(|value| Cell {
                path: path("why"),
                key: Some(name),
                value,
            });
            let mut cells = vec![Cell {
                path: path("relation"),
                key: None,
                value: other,
            }];
            cells.extend(reason);
            rows.push(row(cells));
        }
    }
    rows
}

fn text_of<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

fn by_importance(one: &Row, two: &Row) -> Ordering {
    let class = |row: &Row| {
        let kind = row
            .cells
            .first()
            .and_then(|cell| text_of(&cell.value, "kind"));
        match (row.table.as_str(), row.verdict.as_deref(), kind) {
            ("caveats", _, Some("unit-failed" | "budget")) => 0,
            (_, Some("changed" | "different"), _) => 0,
            (_, Some("affected"), _) => 1,
            (_, Some("possible" | "unknown"), _) => 2,
            (_, Some("unaffected" | "equivalent"), _) => 4,
            _ => 3,
        }
    };
    let score = |row: &Row| {
        let cell = row.cells.first();
        let score = cell.and_then(|cell| cell.value.get("score")?.as_f64());
        score.unwrap_or(0.0)
    };
    let order = class(one).cmp(&class(two));
    order.then_with(|| score(two).total_cmp(&score(one)))
}

/// The rows of all tables, each table's in its own order.
fn merged(tables: Vec<(String, Vec<Row>)>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, table) in tables {
        let (order, weight) = weight(&name);
        for (number, row) in table.into_iter().enumerate() {
            rows.push((number / weight, order, row));
        }
    }
    rows.sort_by_key(|row| (row.0, row.1));
    rows.into_iter().map(|(_, _, row)| row).collect()
}

/// Puts rows back into the report.
pub fn report_of(head: &Head, rows: &[Row]) -> Value {
    let mut report = Value::Object(head.clone());
    for cell in rows.iter().flat_map(|row| &row.cells) {
        let mut place = &mut report;
        for name in &cell.path {
            if !place.is_object() {
                *place = Value::Object(Map::new());
            }
            place = &mut place[name.as_str()];
        }
        match (&cell.key, place) {
            (Some(key), place) => {
                if !place.is_object() {
                    *place = Value::Object(Map::new());
                }
                place[key.as_str()] = cell.value.clone();
            }
            (None, Value::Array(list)) => list.push(cell.value.clone()),
            (None, place) => *place = Value::Array(vec![cell.value.clone()]),
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(rows: &[Row]) -> Vec<String> {
        let names = rows.iter().map(|row| row.cells[0].value["n"].to_string());
        names.collect()
    }

    #[test]
    fn what_changed_comes_first_then_what_is_possible_by_its_score() {
        let (head, rows) = rows_of(json!({"schema": "s", "lines": [
            {"n": 1, "verdict": "unaffected", "score": 0.0},
            {"n": 2, "verdict": "possible", "score": 0.2},
            {"n": 3, "verdict": "possible", "score": 0.9},
            {"n": 4, "verdict": "changed", "score": 1.0},
        ]}));
        assert_eq!(
            head,
            *json!({"schema": "s", "lines": []}).as_object().unwrap()
        );
        assert_eq!(names(&rows), ["4", "3", "2", "1"]);
    }

    #[test]
    fn every_table_is_on_the_first_page() {
        let lines: Vec<Value> = (0..100).map(|n| json!({"n": n})).collect();
        let caveats = json!([{"kind": "other"}, {"kind": "budget"}]);
        let (_, rows) = rows_of(json!({"lines": lines, "caveats": caveats}));
        let tables: Vec<&str> = rows.iter().map(|row| row.table.as_str()).collect();
        assert_eq!(tables[8], "caveats");
        assert_eq!(rows[8].cells[0].value["kind"], "budget");
        assert_eq!(tables[17], "caveats");
    }

    #[test]
    fn a_report_that_is_taken_apart_and_put_together_is_the_same() {
        let report = json!({
            "schema": "knockon.after/1",
            "relation": {"f": ["g", "h"], "lonely": []},
            "why": {
                "f": {"g": {"kind": "calls", "path": []}, "h": {"kind": "follows", "path": []}},
                "lonely": {},
            },
            "caveats": [],
        });
        let (head, rows) = rows_of(report.clone());
        assert_eq!(rows.len(), 3);
        assert_eq!(report_of(&head, &rows), report);
    }
}
