//! The tools, as a client reads about them.

use crate::arguments::{
    AfterArguments, DiffArguments, EquivArguments, SliceArguments, WhyArguments,
};
use crate::questions::Question;
use crate::refusal::Refusal;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

pub const INSTRUCTIONS: &str = "Knockon says what an edit of a C program does to the rest of it, and why. \
Call `diff` after an edit; then `why` for a line of its answer, `equiv` to have it shown that a refactored function \
does the same. `slice` and `after` need no edit. Every answer begins with what limits it: read that first. \
An answer with `truncated: true` goes on with its `cursor`. The first question reads the program, later ones are \
answered from what is kept; each looks first whether files changed.";

const DIFF: &str = "What does an edit do to the rest of the program? Use it after editing C code, before a commit, or \
between two revisions; without arguments it compares HEAD with the working tree. Each line gets a verdict: \
`changed` (it is edited), `possible` (it may behave differently; the score from 0 to 1 is for ranking; it is not a probability), \
`unaffected` (it cannot behave differently on any input, under the listed assumptions). `output` says whether the \
program's output may differ; `executables` names the test programs that the change reaches. Lines come by importance \
with the steps by which the change reaches them. Costs: the first call compiles what is not in the cache and takes up \
to `budget_seconds`; a repeated call takes a fraction of a second.";

const WHY: &str = "How does the change come to one line or function, or what keeps it away? Use it on a line of \
`diff`'s answer, or on code that you expect to be safe. `reasons` is a path from the edit to the line, one step each; \
for an unaffected line `cut_by` says what keeps the change away. Answered from `diff`'s analysis if the options are \
the same, in a few hundredths of a second.";

const SLICE: &str = "What may a line influence (forward), or what may influence it (backward)? Use it before an edit, \
or to find where a wrong value may come from. It needs no change and is about one version. With `test` it slices one \
run of a test instead: only what did happen. Costs: reading the program once, then seconds on large programs.";

const EQUIV: &str = "Does a function do the same in both versions? Use it after a refactoring. `equivalent` is a proof \
for every input under the listed assumptions, `different` comes with an input on which both versions were run and \
differ, `unknown` says what could not be shown. Give the function's name if only one matters. Costs: up to \
`budget_seconds`. Functions run only if the user trusts the project (`knockon trust`), or started the server with \
--allow-run; else a difference is not found.";

const AFTER: &str = "Which functions may execute after a function was entered, or before it? A quick, coarse bound \
on what an edit of the function could ever influence; `diff` and `slice` are finer. With `why` each comes with an \
example path of calls. Costs: reading the program once, then well below a second.";

/// All tools.
pub fn tools() -> Vec<Tool> {
    vec![
        tool::<DiffArguments>("diff", DIFF),
        tool::<WhyArguments>("why", WHY),
        tool::<SliceArguments>("slice", SLICE),
        tool::<EquivArguments>("equiv", EQUIV),
        tool::<AfterArguments>("after", AFTER),
    ]
}

fn tool<T: JsonSchema>(name: &'static str, description: &'static str) -> Tool {
    // Nothing of the project is written: what is kept goes to the cache.
    let annotations = ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .open_world(false);
    Tool::new(name, description, Arc::new(schema_of::<T>())).with_annotations(annotations)
}

fn schema_of<T: JsonSchema>() -> JsonObject {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    schema
}

/// The question that a call asks; `None` if there is no such tool.
pub fn question(name: &str, arguments: JsonObject) -> Option<Result<Question, Refusal>> {
    Some(match name {
        "diff" => read(arguments).map(Question::Diff),
        "why" => read(arguments).map(Question::Why),
        "slice" => read(arguments).map(Question::Slice),
        "equiv" => read(arguments).map(Question::Equiv),
        "after" => read(arguments).map(Question::After),
        _ => return None,
    })
}

/// Arguments that the tool does not have are refused: ignored ones would change the answer silently.
fn read<T: JsonSchema + DeserializeOwned>(mut arguments: JsonObject) -> Result<T, Refusal> {
    let schema = schema_of::<T>();
    let known = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = known
        .into_iter()
        .flatten()
        .map(|(name, _)| &**name)
        .collect();
    let unknown = arguments
        .keys()
        .find(|name| !names.contains(&name.as_str()));
    if let Some(unknown) = unknown {
        return Err(Refusal {
            nearest: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Refusal::invalid(format!(
                "there is no argument `{unknown}`; there are: {}",
                names.join(", ")
            ))
        });
    }
    // `null` is how some clients say that they do not give an argument.
    arguments.retain(|_, value| !value.is_null());
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Refusal::invalid(format!("the arguments cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(name: &str, arguments: Value) -> Result<Question, Refusal> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        question(name, arguments).expect("a tool")
    }

    #[test]
    fn every_tool_has_a_flat_schema_with_a_description_of_each_argument() {
        for tool in tools() {
            assert!(
                tool.description
                    .as_ref()
                    .is_some_and(|text| text.len() > 100)
            );
            let text = serde_json::to_string(&tool.input_schema).unwrap();
            assert!(!text.contains("$ref") && !text.contains("allOf"), "{text}");
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                assert!(
                    property.get("description").is_some(),
                    "{}: {name}",
                    tool.name
                );
            }
            assert!(properties.contains_key("max_characters") && properties.contains_key("cursor"));
        }
    }

    #[test]
    fn an_argument_that_the_tool_does_not_have_is_refused() {
        let refusal = asked("diff", json!({"budget": 3})).unwrap_err();
        assert!(
            refusal.message.contains("budget_seconds"),
            "{}",
            refusal.message
        );
        assert!(asked("why", json!({})).is_err());
        assert!(asked("diff", json!({"level": "deep"})).is_err());
    }

    #[test]
    fn the_arguments_of_a_tool_are_read() {
        let question = asked(
            "diff",
            json!({"old": "HEAD~1", "staged": true, "cursor": null,
            "directory": "/p", "only": ["*.c"], "max_characters": 5000}),
        );
        let Ok(Question::Diff(arguments)) = question else {
            panic!("{question:?}");
        };
        assert_eq!(arguments.versions.old.as_deref(), Some("HEAD~1"));
        assert!(arguments.versions.staged && arguments.output.cursor.is_none());
        assert_eq!(arguments.output.max_characters, Some(5000));
    }
}
