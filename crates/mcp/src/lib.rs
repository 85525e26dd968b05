//! The engine's questions for editors and agents: a server of the Model Context Protocol.
//!
//! **The way of a call.** [`server`] takes it from the client and may cancel it; [`arguments`] says what a
//! tool is given, [`tools`] when to use it; [`questions`] asks the one [`knockon_engine::Session`] that
//! stays warm; [`rows`] puts the answer's rows in the order of their importance; [`pages`] lists as many
//! as fit and gives a cursor for the rest; [`refusal`] is what a client gets instead of an answer.
//!
//! **Nothing is left out silently.** Every message counts what it does not list, and what limits the
//! answer comes first.
//!
//! Standard output carries the protocol and nothing else.

mod arguments;
mod pages;
mod questions;
mod refusal;
mod rows;
mod server;
mod texts;
mod tools;

use knockon_engine::{Session, SessionOptions};
use rmcp::ServiceExt as _;
use server::{Running, Server};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The project that questions are about unless they name another one.
    pub directory: PathBuf,
    /// Build commands and functions of the program may run even if the user does not trust them.
    pub allow_run: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the server cannot start: {0}")]
    Runtime(#[from] std::io::Error),
    #[error("the client did not begin as the protocol says: {0}")]
    Beginning(String),
    #[error("the server ended unexpectedly: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// What a question that nobody waits for any more may take to end.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// Serves on standard input and output until the client closes them.
pub fn serve_on_standard_streams(options: ServerOptions) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let session = Arc::new(Session::new(SessionOptions::of(options.directory)));
    let running = Running::default();
    let server = Server::new(session, running.clone(), options.allow_run);
    let ended = runtime.block_on(async {
        let transport = rmcp::transport::stdio();
        let service = match server.serve(transport).await {
            Ok(service) => service,
            // A client that goes without a word has asked nothing.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Beginning(error.to_string())),
        };
        service.waiting().await?;
        Ok(())
    });
    running.cancel_all();
    runtime.shutdown_timeout(TIME_TO_END);
    ended
}
