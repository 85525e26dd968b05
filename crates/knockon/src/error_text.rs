//! An error and its causes in one line, each said once.

/// `what failed: why`. Errors of libraries often end with their cause's words already.
pub fn error_text(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        if text.ends_with(&words) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&words);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[derive(Debug, thiserror::Error)]
    #[error("a/b.c: {source}")]
    struct NotRead {
        source: std::io::Error,
    }

    #[test]
    fn a_cause_that_an_error_already_names_is_said_once() {
        let failed: Result<(), NotRead> = Err(NotRead {
            source: std::io::Error::other("no space left"),
        });
        let error = failed.context("cannot compare").unwrap_err();
        assert_eq!(error_text(&error), "cannot compare: a/b.c: no space left");
        let error = anyhow::anyhow!("first").context("second");
        assert_eq!(error_text(&error), "second: first");
    }
}
