//! JSON: the structs as they are, pretty-printed, with a final newline.

use serde::Serialize;

pub fn to_json<T: Serialize>(report: &T) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}
