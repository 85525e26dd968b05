//! A diff in any format.

use crate::{DiffReport, Extent, Format, RenderError, Style, to_json_rows};
use crate::{diff_terminal, dot, github, html, markdown, sarif};

impl DiffReport {
    /// `style` and `extent` are the terminal view's.
    pub fn render(
        &self,
        format: Format,
        style: Style,
        extent: Extent,
    ) -> Result<String, RenderError> {
        Ok(match format {
            Format::Terminal => diff_terminal::diff_terminal(self, style, extent),
            Format::Json => to_json_rows(self)?,
            Format::Sarif => sarif::diff_sarif(self)?,
            Format::Html => html::diff_html(self)?,
            Format::Github => github::diff_github(self),
            Format::Markdown => markdown::diff_markdown(self),
            Format::Dot => dot::diff_dot(self),
        })
    }
}
