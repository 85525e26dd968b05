//! The server: lists the tools, and answers calls on threads that may block.
//!
//! A call that the client cancels gets no answer, as the protocol says; its question ends within a few
//! hundredths of a second, and the session can be asked again.

use crate::pages::{Counts, Listing, Page, counts, limit};
use crate::questions::{Answer, Asker, Question};
use crate::refusal::Refusal;
use crate::rows::{Row, rows_of};
use crate::texts::text_within;
use crate::tools::{INSTRUCTIONS, question, tools};
use knockon_engine::{Cancellation, Session};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// The questions that are being answered.
#[derive(Clone, Default)]
pub struct Running {
    cancellations: Arc<Mutex<Vec<(u64, Cancellation)>>>,
}

impl Running {
    fn begin(&self) -> (u64, Cancellation) {
        let mut all = self
            .cancellations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let number = all.last().map_or(0, |(last, _)| last + 1);
        let cancellation = Cancellation::new();
        all.push((number, cancellation.clone()));
        (number, cancellation)
    }

    fn end(&self, number: u64) {
        let mut all = self
            .cancellations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.retain(|(other, _)| *other != number);
    }

    pub fn cancel_all(&self) {
        let all = self
            .cancellations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (_, cancellation) in &*all {
            cancellation.cancel();
        }
    }
}

pub struct Server {
    session: Arc<Session>,
    running: Running,
    allow_run: bool,
}

impl Server {
    pub fn new(session: Arc<Session>, running: Running, allow_run: bool) -> Server {
        Server {
            session,
            running,
            allow_run,
        }
    }

    async fn answer(
        &self,
        question: Question,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Refusal> {
        let (session, allow_run) = (self.session.clone(), self.allow_run);
        let (number, cancellation) = self.running.begin();
        let (asked, running) = (cancellation.clone(), self.running.clone());
        let answering = tokio::task::spawn_blocking(move || {
            let asker = Asker {
                session: &session,
                allow_run,
                cancellation: &asked,
            };
            let answer = bounded_answer(&asker, &question);
            running.end(number);
            answer
        });
        tokio::select! {
            ended = answering => {
                ended.unwrap_or_else(|error| Err(Refusal::new("failed", error.to_string())))
            }
            () = context.ct.cancelled() => {
                cancellation.cancel();
                Err(Refusal::new("cancelled", "the request was cancelled"))
            }
        }
    }
}

fn bounded_answer(asker: &Asker<'_>, question: &Question) -> Result<CallToolResult, Refusal> {
    let output = question.output();
    let room = limit(output.max_characters)?;
    message(asker.ask(question)?, room, output.cursor.as_deref())
}

/// What a client reads as the structured answer, around the page.
#[derive(Serialize)]
struct Envelope {
    /// What limits the answer, the worst first.
    limits: Vec<String>,
    /// All rows by table and verdict.
    counts: Counts,
    /// Rows that are counted and not listed, on no page.
    #[serde(skip_serializing_if = "Counts::is_empty")]
    only_counted: Counts,
    /// Which state of the inputs the answer is about.
    inputs: String,
    #[serde(flatten)]
    page: Page,
}

/// As much of the answer as fits.
fn message(answer: Answer, room: usize, cursor: Option<&str>) -> Result<CallToolResult, Refusal> {
    let (head, rows) = rows_of(answer.report);
    let counts_of_all = counts(&rows);
    let is_hidden =
        |row: &Row| answer.hides_unaffected && row.verdict.as_deref() == Some("unaffected");
    let (hidden, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_hidden);
    let listing = Listing::new(head, rows, &answer.inputs);
    let position = match cursor {
        Some(cursor) => listing.position(cursor)?,
        None => 0,
    };
    let limits = text_within(&answer.limits.join("\n"), room / 8);
    let text = match cursor {
        Some(_) => String::new(),
        None => text_within(&answer.text, room / 4),
    };
    let mut envelope = Envelope {
        limits: limits.lines().map(str::to_owned).collect(),
        counts: counts_of_all,
        only_counted: counts(&hidden),
        inputs: answer.inputs,
        page: Page::empty(),
    };
    let around = serde_json::to_string(&envelope).map_err(failed)?;
    let mut text = [limits, text].join("\n").trim().to_owned();
    // The sentence about the page.
    let written = text.chars().count() + 400;
    let left = room.saturating_sub(around.chars().count() + written);
    envelope.page = listing.page(position, left);
    text.push_str(&page_sentence(&envelope, listing.rows.len()));
    let mut result = CallToolResult::structured(serde_json::to_value(&envelope).map_err(failed)?);
    result.content = vec![ContentBlock::text(text)];
    Ok(result)
}

fn page_sentence(envelope: &Envelope, total: usize) -> String {
    let page = &envelope.page;
    let mut text = String::new();
    if page.truncated || page.first > 0 {
        text.push_str(&format!(
            "\nRows {} to {} of {total} are in the structured answer.",
            page.first + 1,
            page.last
        ));
    }
    if let Some(cursor) = &page.cursor {
        text.push_str(&format!(
            " TRUNCATED: {} rows are left out; for the next, ask the same with `cursor`: \"{cursor}\".",
            total - page.last
        ));
    }
    if page.shortened > 0 {
        text.push_str(&format!(" {} values are shortened.", page.shortened));
    }
    let hidden: usize = envelope
        .only_counted
        .values()
        .flat_map(|table| table.values())
        .sum();
    if hidden > 0 {
        text.push_str(&format!(
            "\n{hidden} unaffected rows are counted and not listed; `include_unaffected` lists them."
        ));
    }
    text
}

fn failed(error: serde_json::Error) -> Refusal {
    Refusal::new("failed", error.to_string())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        let implementation = Implementation::new("knockon", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(tools)
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let asked = match question(&request.name, arguments) {
            Some(asked) => asked,
            None => {
                let message = format!("there is no tool {}", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        let result = match asked {
            Ok(question) => self.answer(question, context).await,
            Err(refusal) => Err(refusal),
        };
        let result = result.or_else(|refusal| {
            let value = serde_json::to_value(&refusal)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let mut result = CallToolResult::structured_error(value);
            result.content = vec![ContentBlock::text(refusal.message)];
            Ok::<_, ErrorData>(result)
        })?;
        Ok(result.into())
    }
}
