//! Units that the compiler refuses, and what of its words says why.

/// A unit that did not compile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailedUnit {
    pub file: String,
    /// The compiler's own words.
    pub message: String,
    /// It is a part of the program all the same, whose content tells its versions apart.
    pub is_followed: bool,
}

impl std::fmt::Display for FailedUnit {
    /// In one line.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = first_error(&self.message);
        // The compiler names the file itself where it has a place in it.
        if !error.starts_with(&self.file) {
            write!(formatter, "{}: ", self.file)?;
        }
        formatter.write_str(error)
    }
}

/// The line of a compiler's message that says what is wrong: the first ones may tell how a header was
/// included.
pub fn first_error(message: &str) -> &str {
    let mut lines = message.lines();
    let error = lines.find(|line| line.contains("error: "));
    error.unwrap_or_else(|| message.lines().next().unwrap_or_default())
}
