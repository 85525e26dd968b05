//! Why the two differ, line by line, as somebody found out who looked: rows of
//! `program | who reports it | FILE:LINES | why`, where LINES is `*` or numbers and ranges.

use super::Line;
use anyhow::{Context, Result, bail};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporter {
    Knockon,
    FramaC,
}

impl Reporter {
    pub fn name(self) -> &'static str {
        match self {
            Reporter::Knockon => "Knockon",
            Reporter::FramaC => "Frama-C",
        }
    }
}

struct Row {
    program: String,
    reporter: Reporter,
    file: String,
    /// First and last line.
    ranges: Vec<(u32, u32)>,
    why: String,
}

pub struct Explanations {
    rows: Vec<Row>,
}

const UNEXPLAINED: &str = "unexplained";

impl Explanations {
    pub fn read(path: &Path) -> Result<Explanations> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        parse(&text).with_context(|| path.display().to_string())
    }

    /// The lines grouped by explanation, in the order of the rows; then the unexplained ones.
    pub fn of(
        &self,
        program: &str,
        reporter: Reporter,
        lines: &[Line],
    ) -> Vec<(Reporter, Vec<Line>, String)> {
        let mut groups: Vec<(Reporter, Vec<Line>, String)> = Vec::new();
        for line in lines {
            let row = self
                .rows
                .iter()
                .find(|row| row.program == program && row.reporter == reporter && row.holds(line));
            let why = row.map_or(UNEXPLAINED, |row| &row.why);
            match groups.iter_mut().find(|group| group.2 == why) {
                Some(group) => group.1.push(line.clone()),
                None => groups.push((reporter, vec![line.clone()], why.to_owned())),
            }
        }
        groups
    }
}

impl Row {
    fn holds(&self, (file, line): &Line) -> bool {
        let within = |(first, last): &(u32, u32)| (*first..=*last).contains(line);
        self.file == *file && self.ranges.iter().any(within)
    }
}

fn parse(text: &str) -> Result<Explanations> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.trim().is_empty() {
            continue;
        }
        rows.push(row(line).with_context(|| format!("line {}", number + 1))?);
    }
    Ok(Explanations { rows })
}

fn row(line: &str) -> Result<Row> {
    let parts: Vec<&str> = line.splitn(4, '|').map(str::trim).collect();
    let [program, reporter, lines, why] = parts[..] else {
        bail!("a row is PROGRAM | WHO | FILE:LINES | WHY");
    };
    let reporter = match reporter {
        "knockon" => Reporter::Knockon,
        "frama-c" => Reporter::FramaC,
        other => bail!("`{other}` is neither `knockon` nor `frama-c`"),
    };
    let (file, lines) = lines.rsplit_once(':').context("FILE:LINES has no colon")?;
    let ranges = match lines {
        "*" => vec![(0, u32::MAX)],
        lines => lines.split(',').map(range).collect::<Result<_>>()?,
    };
    Ok(Row {
        program: program.to_owned(),
        reporter,
        file: file.to_owned(),
        ranges,
        why: why.to_owned(),
    })
}

fn range(text: &str) -> Result<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let text = text.trim();
        text.parse()
            .with_context(|| format!("`{text}` is no line number"))
    };
    Ok((number(first)?, number(last)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_without_a_row_is_unexplained() {
        let known = parse("# why\np | knockon | a.c:3,7-9 | exits\n").expect("rows");
        let lines = [3, 5, 8].map(|line| ("a.c".to_owned(), line));
        let found = known.of("p", Reporter::Knockon, &lines);
        let texts: Vec<(usize, &str)> = found.iter().map(|row| (row.1.len(), &*row.2)).collect();
        assert_eq!(texts, [(2, "exits"), (1, UNEXPLAINED)]);
        assert_eq!(known.of("p", Reporter::FramaC, &lines)[0].2, UNEXPLAINED);
    }

    #[test]
    fn a_row_that_is_none_is_an_error_with_its_line() {
        let error = parse("\np | someone | a.c:1 | why")
            .err()
            .expect("an error");
        assert_eq!(
            format!("{error:#}"),
            "line 2: `someone` is neither `knockon` nor `frama-c`"
        );
    }
}
