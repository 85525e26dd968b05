//! A solver process, and talk with it that always ends.
//!
//! One loop polls its three pipes, none of which blocks: neither a solver that does not read nor one
//! that floods its output or its messages can stop it. It looks at the deadline and at the
//! interruption flag every 50 ms. What was asked has been answered when the process echoes a line
//! that was sent behind the question; each question has another one, so that late or extra output
//! is never taken for an answer.
//!
//! The process is a group of its own: a Ctrl-C at the terminal reaches only the one who then ends
//! it. It is killed as a group when dropped, and reaped.

use super::SolverProgram;
use knockon_program::TimeLimit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// More than any model takes.
const LARGEST_ANSWER: usize = 64 << 20;
/// What is kept of the messages: the end.
const LARGEST_MESSAGES: usize = 2000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("ended without an answer{0}")]
    Ended(String),
    #[error("its pipes failed: {0}")]
    Failed(#[from] io::Error),
    #[error("no answer before the deadline")]
    Late,
    #[error("no end of its answer before the deadline")]
    Unfinished,
    #[error("interrupted")]
    Interrupted,
    #[error("its answer is not one that a solver gives")]
    NotAnAnswer,
    #[error("it answered plain questions wrongly: {0}")]
    Untrue(String),
    #[error("it failed to answer plain questions")]
    Unusable,
}

impl From<rustix::io::Errno> for ProcessError {
    fn from(error: rustix::io::Errno) -> ProcessError {
        ProcessError::Failed(error.into())
    }
}

pub(super) struct Process {
    child: Child,
    input: OwnedFd,
    output: OwnedFd,
    messages: OwnedFd,
    has_messages: bool,
    last_messages: Vec<u8>,
    /// Questions so far.
    questions: u64,
}

impl Process {
    pub(super) fn start(program: &SolverProgram, memory_limit: u64) -> Result<Self, ProcessError> {
        let mut child = Command::new(&program.path)
            .args(program.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(ProcessError::Start)?;
        let (Some(input), Some(output), Some(messages)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(ProcessError::Start(io::Error::other("a pipe is missing")));
        };
        let process = Process {
            child,
            input: input.into(),
            output: output.into(),
            messages: messages.into(),
            has_messages: true,
            last_messages: Vec::new(),
            questions: 0,
        };
        for pipe in [&process.input, &process.output, &process.messages] {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        if let Some(pid) = process.pid() {
            for (resource, limit) in [(Resource::As, memory_limit), (Resource::Core, 0)] {
                let limit = Rlimit {
                    current: Some(limit),
                    maximum: Some(limit),
                };
                // One that has ended already is found out by its pipes.
                prlimit(Some(pid), resource, limit).ok();
            }
        }
        Ok(process)
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// What it says to a text of commands. After an error the process is of no more use.
    pub(super) fn converse(
        &mut self,
        text: &str,
        deadline: Instant,
        limit: TimeLimit<'_>,
    ) -> Result<String, ProcessError> {
        self.questions += 1;
        let mark = format!("knockon-{}", self.questions);
        let asked = format!("{text}(echo \"{mark}\")\n");
        let mut unsent = asked.as_bytes();
        let mut answer: Vec<u8> = Vec::new();
        let mut looked = 0;
        loop {
            if limit.is_over() {
                return Err(ProcessError::Interrupted);
            }
            let now = Instant::now();
            if now >= deadline {
                return Err(match answer.is_empty() {
                    true => ProcessError::Late,
                    false => ProcessError::Unfinished,
                });
            }
            let pause = BETWEEN_LOOKS.min(deadline - now);
            let [can_send, can_read, has_messages] = self.ready(!unsent.is_empty(), pause)?;
            if has_messages {
                self.read_messages()?;
            }
            if can_send {
                match rustix::io::write(&self.input, unsent) {
                    Ok(count) => unsent = &unsent[count..],
                    Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                    Err(rustix::io::Errno::PIPE) => return Err(self.ended()),
                    Err(error) => return Err(error.into()),
                }
            }
            if !can_read {
                continue;
            }
            answer.reserve(64 << 10);
            match rustix::io::read(&self.output, rustix::buffer::spare_capacity(&mut answer)) {
                Ok(0) => return Err(self.ended()),
                Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if answer.len() > LARGEST_ANSWER {
                return Err(ProcessError::NotAnAnswer);
            }
            // Whole lines only, each once.
            while let Some(length) = answer[looked..].iter().position(|byte| *byte == b'\n') {
                let line = answer[looked..looked + length].trim_ascii();
                let line = line.strip_prefix(b"\"").unwrap_or(line);
                let line = line.strip_suffix(b"\"").unwrap_or(line);
                if line == mark.as_bytes() {
                    let is_whole = answer.len() == looked + length + 1 && unsent.is_empty();
                    answer.truncate(looked);
                    return match (is_whole, String::from_utf8(answer)) {
                        (true, Ok(answer)) => Ok(answer),
                        _ => Err(ProcessError::NotAnAnswer),
                    };
                }
                looked += length + 1;
            }
        }
    }

    /// Whether the input takes text, the output has some, the messages have some.
    fn ready(&self, to_send: bool, pause: Duration) -> Result<[bool; 3], ProcessError> {
        let pipes = [
            to_send.then_some((&self.input, PollFlags::OUT)),
            Some((&self.output, PollFlags::IN)),
            self.has_messages.then_some((&self.messages, PollFlags::IN)),
        ];
        let mut polled: Vec<PollFd<'_>> = pipes
            .iter()
            .flatten()
            .map(|(pipe, flags)| PollFd::from_borrowed_fd(pipe.as_fd(), *flags))
            .collect();
        let pause = Timespec {
            tv_sec: pause.as_secs() as _,
            tv_nsec: pause.subsec_nanos() as _,
        };
        match poll(&mut polled, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut answers = polled.iter().map(|entry| !entry.revents().is_empty());
        Ok(pipes.map(|pipe| pipe.is_some() && answers.next().unwrap_or(false)))
    }

    fn read_messages(&mut self) -> Result<(), ProcessError> {
        let mut buffer = [0; 4096];
        match rustix::io::read(&self.messages, &mut buffer) {
            Ok(0) => self.has_messages = false,
            Ok(count) => {
                self.last_messages.extend_from_slice(&buffer[..count]);
                let surplus = self.last_messages.len().saturating_sub(LARGEST_MESSAGES);
                self.last_messages.drain(..surplus);
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// With the last line that it wrote before it ended.
    fn ended(&mut self) -> ProcessError {
        while self.has_messages && matches!(self.ready(false, Duration::ZERO), Ok([_, _, true])) {
            if self.read_messages().is_err() {
                break;
            }
        }
        let messages = String::from_utf8_lossy(&self.last_messages);
        ProcessError::Ended(match messages.trim().lines().last() {
            Some(line) => format!(": {line}"),
            None => String::new(),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Not reaped yet, so the number still names this group and no other.
        if let Some(pid) = self.pid() {
            kill_process_group(pid, Signal::KILL).ok();
        }
        self.child.wait().ok();
    }
}
