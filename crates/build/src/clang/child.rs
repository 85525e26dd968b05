//! A compiler process with limits: its output, its messages, its CPU time.
//!
//! One loop polls both pipes and the process itself, so neither a full pipe nor a
//! process that lingers can block; every 50 ms it looks at the deadline and at the
//! interruption flag. The child is its own process group and is killed as a group.
//!
//! CPU time is the kernel's own account in nanoseconds (`/proc/PID/schedstat`), read
//! after the process has ended and before it is reaped; clang runs its parts in one
//! thread of one process, so that is all of it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group,
    pidfd_open, prlimit, waitid,
};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ids in the decoded program are 32 bits wide, and so are offsets into the text.
const LARGEST_OUTPUT: usize = u32::MAX as usize;
/// What is kept of the messages.
const LARGEST_MESSAGES: usize = 1 << 20;
const BETWEEN_LOOKS: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) messages: Vec<u8>,
    /// User and system time.
    pub(crate) cpu_time: Duration,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ChildError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("{0}")]
    Failed(#[from] io::Error),
    #[error("stopped after {} seconds", .0.as_secs())]
    TimeLimit(Duration),
    #[error("interrupted")]
    Interrupted,
    #[error("its output is larger than 4 GiB")]
    TooMuchOutput,
}

impl From<rustix::io::Errno> for ChildError {
    fn from(error: rustix::io::Errno) -> ChildError {
        ChildError::Failed(error.into())
    }
}

/// Runs the command to its end.
pub(crate) fn run(
    command: &mut Command,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> Result<Finished, ChildError> {
    let deadline = Instant::now() + time_limit;
    let mut group = Group {
        child: command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(ChildError::Start)?,
        reaped: false,
    };
    let pid = group.pid()?;
    restrict(pid, time_limit);
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    let mut output = Stream::new(group.child.stdout.take().map(OwnedFd::from), LARGEST_OUTPUT);
    let mut messages = Stream::new(
        group.child.stderr.take().map(OwnedFd::from),
        LARGEST_MESSAGES,
    );
    if let Some(pipe) = &output.pipe {
        // Fewer wake-ups for megabytes of text; the default size works too.
        rustix::pipe::fcntl_setpipe_size(pipe, 1 << 20).ok();
    }
    let mut ended = false;
    while !(ended && output.pipe.is_none() && messages.pipe.is_none()) {
        if interrupted.load(Ordering::Relaxed) {
            return Err(ChildError::Interrupted);
        }
        if Instant::now() >= deadline {
            return Err(ChildError::TimeLimit(time_limit));
        }
        let [process_ready, output_ready, messages_ready] = ready([
            (!ended).then_some(&process),
            output.pipe.as_ref(),
            messages.pipe.as_ref(),
        ])?;
        ended |= process_ready;
        if output_ready {
            output.read()?;
            if output.discarded {
                return Err(ChildError::TooMuchOutput);
            }
        }
        if messages_ready {
            messages.read()?;
        }
    }
    // Leaves the process to be reaped, so that its account can still be read.
    waitid(
        WaitId::Pid(pid),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    )?;
    let cpu_time = cpu_time(pid);
    let status = group.child.wait()?;
    group.reaped = true;
    Ok(Finished {
        status,
        output: output.bytes,
        messages: messages.bytes,
        cpu_time,
    })
}

/// Which of these can be read, or have ended; waits for a while.
fn ready<const COUNT: usize>(
    sources: [Option<&OwnedFd>; COUNT],
) -> Result<[bool; COUNT], ChildError> {
    let mut polled: Vec<PollFd<'_>> = sources
        .iter()
        .flatten()
        .map(|source| PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN))
        .collect();
    match poll(&mut polled, Some(&BETWEEN_LOOKS)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let mut answers = polled.iter().map(|entry| !entry.revents().is_empty());
    Ok(sources.map(|source| source.is_some() && answers.next().unwrap_or(false)))
}

/// Limits that the kernel keeps even if this process is killed.
fn restrict(pid: Pid, time_limit: Duration) {
    let seconds = time_limit.as_secs() + 1;
    for (resource, limit) in [(Resource::Cpu, seconds), (Resource::Core, 0)] {
        let limit = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        // The child may have ended already; the deadline above holds in any case.
        prlimit(Some(pid), resource, limit).ok();
    }
}

fn cpu_time(pid: Pid) -> Duration {
    let account = std::fs::read_to_string(format!("/proc/{}/schedstat", pid.as_raw_nonzero()));
    let nanoseconds = account
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|field| field.parse().ok()));
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

struct Stream {
    /// `None` at its end.
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
    limit: usize,
    discarded: bool,
}

impl Stream {
    fn new(pipe: Option<OwnedFd>, limit: usize) -> Stream {
        Stream {
            pipe,
            bytes: Vec::new(),
            limit,
            discarded: false,
        }
    }

    fn read(&mut self) -> Result<(), ChildError> {
        let Some(pipe) = &self.pipe else {
            return Ok(());
        };
        // Doubling from 64 KiB: the vector's own growth, without one read per 32 bytes.
        self.bytes
            .reserve((64 << 10).max(self.bytes.len().min(1 << 20)));
        match rustix::io::read(pipe, rustix::buffer::spare_capacity(&mut self.bytes)) {
            Ok(0) => self.pipe = None,
            Ok(_) if self.bytes.len() > self.limit => {
                self.bytes.truncate(self.limit);
                self.discarded = true;
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Ends the child with all that it started, unless it was reaped.
struct Group {
    child: Child,
    reaped: bool,
}

impl Group {
    fn pid(&self) -> io::Result<Pid> {
        i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the process id is out of range"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            if let Ok(pid) = self.pid() {
                kill_process_group(pid, Signal::KILL).ok();
            }
            self.child.wait().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Finished, ChildError> {
        run(
            Command::new("/bin/sh").args(["-c", script]),
            limit,
            &AtomicBool::new(false),
        )
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn both_streams_are_read_whole() {
        let done = shell(
            "head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2; exit 3",
            LONG,
        )
        .unwrap();
        assert_eq!(
            (done.output.len(), done.messages.len()),
            (3_000_000, 300_000)
        );
        assert_eq!(done.status.code(), Some(3));
    }

    #[test]
    fn deadline_ends_the_whole_group() {
        let start = Instant::now();
        let result = shell("sleep 100 & sleep 100", Duration::from_millis(200));
        assert!(matches!(result, Err(ChildError::TimeLimit(_))));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn interruption_ends_the_child() {
        let result = run(
            Command::new("/bin/sleep").arg("100"),
            LONG,
            &AtomicBool::new(true),
        );
        assert!(matches!(result, Err(ChildError::Interrupted)));
    }

    #[test]
    fn cpu_time_is_that_of_the_child() {
        let busy = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done", LONG).unwrap();
        let idle = shell("sleep 0.2", LONG).unwrap();
        assert!(
            busy.cpu_time > idle.cpu_time,
            "{:?} {:?}",
            busy.cpu_time,
            idle.cpu_time
        );
    }
}
