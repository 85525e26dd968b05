//! A line that the user names as `FILE:LINE`.

use anyhow::{Context, Result, bail};
use knockon_build::nearest_name::{did_you_mean, nearest_names};
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
        let line = line
            .parse()
            .with_context(|| format!("`{line}` in `{text}` is not a line number"))?;
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
        bail!(
            "line {} of {file} has no code; the nearest line with code is {line}",
            asked.line
        );
    }
    Ok(at)
}

/// The position of the nearest line with code in the file.
pub fn nearest_line(asked: &FileLine, known: &[(&str, u32)]) -> Result<usize> {
    let is_file = |path: &str| {
        path == asked.file
            || Path::new(path).ends_with(&asked.file)
            || Path::new(&asked.file).ends_with(path)
    };
    let exact = known.iter().any(|(path, _)| *path == asked.file);
    let is_meant = |path: &str| match exact {
        true => path == asked.file,
        false => is_file(path),
    };
    let mut files: Vec<&str> = known
        .iter()
        .map(|row| row.0)
        .filter(|path| is_meant(path))
        .collect();
    files.dedup();
    match files[..] {
        [] => {
            let mut paths: Vec<&str> = known.iter().map(|row| row.0).collect();
            paths.dedup();
            let near = nearest_names(&asked.file, paths, 3);
            bail!(
                "no code of {} is in the program{}",
                asked.file,
                did_you_mean(&near)
            )
        }
        [_] => {}
        _ => bail!(
            "{} is one of several files; say which: {}",
            asked.file,
            files.join(", ")
        ),
    }
    let lines = known.iter().enumerate().filter(|(_, row)| is_meant(row.0));
    let nearest = lines.min_by_key(|(_, row)| row.1.abs_diff(asked.line));
    nearest
        .map(|(at, _)| at)
        .with_context(|| format!("{} has no code", files[0]))
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
    fn what_is_no_line_is_refused() {
        assert!(FileLine::parse("a.c").is_err());
        assert!(FileLine::parse("a.c:x").is_err());
    }
}
