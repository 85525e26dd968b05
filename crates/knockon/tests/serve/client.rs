//! A client of the protocol in a hundred lines: each message is a line of JSON.

use crate::knockon_command;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// What any answer may take here.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last: u64,
    cancelled: Vec<u64>,
}

impl Client {
    /// Starts the server and shakes hands with it.
    pub fn start(directory: &Path) -> Client {
        let mut server = knockon_command(directory, env!("CARGO_BIN_EXE_knockon"))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("knockon starts");
        let (sender, messages) = channel();
        let output = server.stdout.take().expect("its output");
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                // Whatever is no message of the protocol ends the test.
                let message = serde_json::from_str(&line).expect("a message");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client {
            input: server.stdin.take(),
            server,
            messages,
            last: 0,
            cancelled: Vec::new(),
        };
        let hello = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        assert_eq!(hello["serverInfo"]["name"], "knockon", "{hello}");
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: Value) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{message}").expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// Sends a request and returns its number.
    fn begin(&mut self, method: &str, parameters: Value) -> u64 {
        self.last += 1;
        self.send(json!({
            "jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters,
        }));
        self.last
    }

    pub fn request(&mut self, method: &str, parameters: Value) -> Value {
        let number = self.begin(method, parameters);
        let mut message = self.messages.recv_timeout(PATIENCE).expect("an answer");
        // An answer may be on its way when its question is cancelled.
        while self.cancelled.iter().any(|one| message["id"] == *one) {
            message = self.messages.recv_timeout(PATIENCE).expect("an answer");
        }
        assert_eq!(message["id"], number, "{message}");
        assert_eq!(message["error"], Value::Null, "{message}");
        message["result"].clone()
    }

    /// Calls a tool and does not wait.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> u64 {
        let parameters = json!({"name": tool, "arguments": arguments});
        self.begin("tools/call", parameters)
    }

    pub fn cancel(&mut self, number: u64) {
        self.cancelled.push(number);
        self.send(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number},
        }));
    }

    pub fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let parameters = json!({"name": tool, "arguments": arguments});
        self.request("tools/call", parameters)
    }

    /// The structured answer.
    pub fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// Why there is none.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The server ends when its client goes, and has said nothing else.
    pub fn close(mut self) {
        drop(self.input.take());
        let status = self.server.wait().expect("it ends");
        assert!(status.success(), "{status}");
        assert_eq!(self.messages.try_recv().ok(), None);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
