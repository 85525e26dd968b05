//! Does LLVM's `opt` see the same graphs?
//!
//! Pure comparisons of what Knockon computed with what `opt` printed; running
//! `opt` is the caller's business. They stand here and not with the graphs
//! because they compare with another tool, and no analysis needs them.

mod printed_graphs;
mod promoted;

pub use printed_graphs::compare_printed_graphs;
pub use promoted::compare_promotion;

/// What was compared, so that an empty list of disagreements means something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub functions: usize,
    /// Blocks, or instructions for promotion.
    pub items: usize,
    pub disagreements: Vec<Disagreement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub function: String,
    pub message: String,
}

impl Agreement {
    fn disagree(&mut self, function: &str, message: impl Into<String>) {
        self.disagreements.push(Disagreement {
            function: function.to_string(),
            message: message.into(),
        });
    }
}
