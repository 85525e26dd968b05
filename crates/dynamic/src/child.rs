//! The process that runs code of the program: limited, watched, and ended as a whole.
//!
//! It begins in a directory of its own with an environment of our choice and no open file but its
//! three streams. The runtime, which is linked in front of the program's code, makes it a session of
//! its own and sets what cannot be taken back: limits of time, memory, file sizes and processes, no
//! network, no file written outside of the directory (`runtime/runtime.c`). What the kernel does
//! not permit is told by its first line of output.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a run left behind.
pub struct Finished {
    pub status: Option<ExitStatus>,
    pub output: Vec<u8>,
    pub messages: Vec<u8>,
    /// It was ended at the deadline.
    pub is_late: bool,
}

/// More than any run has to say.
const LARGEST_OUTPUT: usize = 8 << 20;

/// What a program finds as its own name.
const NAME: &str = "knockon-replay";

/// Sanitizers report and end, and start no other program.
const VARIABLES: [(&str, &str); 3] = [
    (
        "ASAN_OPTIONS",
        "detect_leaks=0:symbolize=0:hard_rss_limit_mb=1024:allocator_may_return_null=1:handle_abort=0:detect_stack_use_after_return=0",
    ),
    ("UBSAN_OPTIONS", "symbolize=0:print_stacktrace=0"),
    ("LC_ALL", "C"),
];

/// Runs a program to its end.
pub fn run(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    time_limit: Duration,
    interrupted: &AtomicBool,
) -> std::io::Result<Finished> {
    let deadline = Instant::now() + time_limit;
    let mut whole = Whole(
        Command::new(program)
            // Programs print their name: it is the same for both versions.
            .arg0(NAME)
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .envs(VARIABLES)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?,
    );
    let (Some(mut output), Some(mut messages)) = (whole.0.stdout.take(), whole.0.stderr.take())
    else {
        return Err(std::io::Error::other("a pipe is missing"));
    };
    let mut read: [Vec<u8>; 2] = Default::default();
    let mut is_open = [true, true];
    let mut is_late = false;
    while is_open != [false, false] {
        if Instant::now() >= deadline || interrupted.load(Ordering::Relaxed) {
            is_late = true;
            break;
        }
        let mut polled = Vec::new();
        if is_open[0] {
            polled.push(PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN));
        }
        if is_open[1] {
            polled.push(PollFd::from_borrowed_fd(messages.as_fd(), PollFlags::IN));
        }
        let pause = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        match poll(&mut polled, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<bool> = polled.iter().map(|row| !row.revents().is_empty()).collect();
        let mut ready = ready.into_iter();
        for number in 0..2 {
            if !is_open[number] || !ready.next().unwrap_or(false) {
                continue;
            }
            let mut buffer = [0; 64 << 10];
            let count = match number {
                0 => output.read(&mut buffer)?,
                _ => messages.read(&mut buffer)?,
            };
            is_open[number] = count > 0;
            if read[number].len() < LARGEST_OUTPUT {
                read[number].extend_from_slice(&buffer[..count]);
            }
        }
    }
    let status = match is_late {
        true => None,
        false => Some(whole.0.wait()?),
    };
    let [output, messages] = read;
    Ok(Finished {
        status,
        output,
        messages,
        is_late,
    })
}

/// The child and all that it started.
struct Whole(Child);

impl Drop for Whole {
    fn drop(&mut self) {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        // Before it is reaped its number names no other process.
        if let (Some(pid), Ok(None)) = (pid, self.0.try_wait()) {
            kill_process_group(pid, Signal::KILL).ok();
            kill_process(pid, Signal::KILL).ok();
            self.0.wait().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_does_not_end_is_ended() {
        let start = Instant::now();
        let directory = tempfile::tempdir().unwrap();
        let done = run(
            Path::new("/bin/sleep"),
            &["100"],
            directory.path(),
            Duration::from_millis(100),
            &AtomicBool::new(false),
        )
        .unwrap();
        assert!(done.is_late && done.status.is_none());
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn nothing_of_the_environment_is_passed_on() {
        let directory = tempfile::tempdir().unwrap();
        let limit = Duration::from_secs(20);
        let run = run(
            Path::new("/usr/bin/env"),
            &[],
            directory.path(),
            limit,
            &AtomicBool::new(false),
        );
        let output = String::from_utf8(run.unwrap().output).unwrap();
        let names: Vec<&str> = output
            .lines()
            .filter_map(|row| row.split('=').next())
            .collect();
        assert_eq!(names, ["ASAN_OPTIONS", "LC_ALL", "UBSAN_OPTIONS"]);
    }
}
