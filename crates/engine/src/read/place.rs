//! A line that the user names as `FILE:LINE`.

use crate::error::{Context as _, EngineError, Result, refuse};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
use std::collections::BTreeSet;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    pub file: String,
    pub line: u32,
}

impl FileLine {
    pub fn parse(text: &str) -> Result<FileLine> {
        let (file, line) = text
            .rsplit_once(':')
            .with_context(|| format!("`{text}` is not FILE:LINE"))?;
        let line = line.parse().map_err(|error| {
            EngineError::Refused(format!(
                "`{line}` in `{text}` is not a line number: {error}"
            ))
        })?;
        let file = file.strip_prefix("./").unwrap_or(file).to_owned();
        Ok(FileLine { file, line })
    }
}

/// The position of the line among those with code; else what is near.
pub fn find_line<'a>(
    asked: &FileLine,
    known: impl Iterator<Item = (&'a str, u32)>,
) -> Result<usize> {
    let known: Vec<(&str, u32)> = known.collect();
    let at = nearest_line(asked, &known)?;
    let (file, line) = known[at];
    if line != asked.line {
        refuse!(
            "line {} of {file} has no code; the nearest line with code is {line}",
            asked.line
        );
    }
    Ok(at)
}

/// The position of the nearest line with code in the file.
pub fn nearest_line(asked: &FileLine, known: &[(&str, u32)]) -> Result<usize> {
    let file = meant_file(&asked.file, known.iter().map(|row| row.0))?;
    let lines = known.iter().enumerate().filter(|(_, row)| row.0 == file);
    let nearest = lines.min_by_key(|(_, row)| row.1.abs_diff(asked.line));
    nearest
        .map(|(at, _)| at)
        .with_context(|| format!("{file} has no code"))
}

/// The file that a name means: the one of exactly this name, else the only one whose path ends with
/// it, or that it ends with.
pub fn meant_file<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> Result<&'a str> {
    let known: BTreeSet<&str> = known.collect();
    if let Some(exact) = known.get(asked) {
        return Ok(exact);
    }
    let is_end =
        |path: &&&str| Path::new(path).ends_with(asked) || Path::new(asked).ends_with(path);
    let files: Vec<&str> = known.iter().filter(is_end).copied().collect();
    match files[..] {
        [one] => Ok(one),
        [] => {
            let near = nearest_names(asked, known, 3);
            Err(EngineError::Unknown {
                message: format!(
                    "no code of {asked} is in the program{}",
                    did_you_mean(&near)
                ),
                nearest: near,
            })
        }
        _ => Err(EngineError::Ambiguous {
            message: format!(
                "{asked} is one of several files; say which: {}",
                files.join(", ")
            ),
            candidates: files.into_iter().map(str::to_owned).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_code_names_the_nearest_with_code() {
        let known = [("src/a.c", 3), ("src/a.c", 9)];
        let asked = FileLine::parse("a.c:5").unwrap();
        let error = find_line(&asked, known.into_iter()).unwrap_err();
        assert!(error.to_string().contains("nearest line with code is 3"));
        let asked = FileLine::parse("./src/a.c:9").unwrap();
        assert_eq!(find_line(&asked, known.into_iter()).unwrap(), 1);
    }

    #[test]
    fn the_end_of_a_path_means_one_file_or_is_refused() {
        let known = ["a.c", "one/a.c", "one/b.c", "two/b.c", "three/c.c"];
        let meant = |asked: &str| meant_file(asked, known.into_iter());
        assert_eq!(meant("a.c").unwrap(), "a.c");
        assert_eq!(meant("one/a.c").unwrap(), "one/a.c");
        assert_eq!(meant("c.c").unwrap(), "three/c.c");
        assert_eq!(meant("/tree/three/c.c").unwrap(), "three/c.c");
        let error = meant("b.c").unwrap_err();
        let EngineError::Ambiguous { candidates, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(candidates, ["one/b.c", "two/b.c"]);
        assert!(matches!(meant("d.c"), Err(EngineError::Unknown { .. })));
    }

    #[test]
    fn what_is_no_line_is_refused() {
        assert!(FileLine::parse("a.c").is_err());
        assert!(FileLine::parse("a.c:x").is_err());
    }
}
