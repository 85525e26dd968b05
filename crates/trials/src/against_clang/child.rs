//! How is a generated program run safely? In a shell that sets its limits (CPU time, file size, no
//! core file) and then becomes the program; in its own directory, with an empty environment, its
//! output going to files, killed at its limit of CPU time.

use super::HarnessError;
use super::outcome::{Ending, Outcome, sanitizer_report};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// 512-byte blocks a program may write, and therefore the most we read back.
const OUTPUT_BLOCKS: u32 = 32768;

/// How the kernel ends a process at its limit of CPU time.
const KILLED: i32 = 9;
const CPU_TIME_EXCEEDED: i32 = 24;

/// Runs an executable in its directory. `name` keeps the files of several runs apart.
pub fn run(
    executable: &Path,
    name: &str,
    arguments: &[String],
    stdin: &Path,
    time_limit: Duration,
) -> Result<Outcome, HarnessError> {
    let directory = executable.parent().unwrap_or(Path::new("."));
    let (stdout, stderr) = (
        directory.join(format!("{name}.out")),
        directory.join(format!("{name}.err")),
    );
    let seconds = time_limit.as_secs().max(1);
    let limits =
        format!("ulimit -c 0; ulimit -t {seconds}; ulimit -f {OUTPUT_BLOCKS}; exec \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &limits, "sh"])
        .arg(executable)
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env(
            "ASAN_OPTIONS",
            "detect_leaks=0:symbolize=0:allocator_may_return_null=1:exitcode=86",
        )
        .env("UBSAN_OPTIONS", "symbolize=0:exitcode=86")
        .env("MSAN_OPTIONS", "symbolize=0:exitcode=86")
        .current_dir(directory)
        .stdin(Stdio::from(open(stdin)?))
        .stdout(Stdio::from(create(&stdout)?))
        .stderr(Stdio::from(create(&stderr)?));
    let mut child = command.spawn().map_err(|source| HarnessError::Start {
        program: "sh".to_string(),
        source,
    })?;
    // The limit is one of CPU time; a busy machine must not decide which programs are tried.
    let status = wait(&mut child, time_limit * 15).map_err(|source| HarnessError::File {
        path: executable.to_path_buf(),
        source,
    })?;
    let ending = match status {
        None => Ending::TimedOut,
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Code(code),
            (None, Some(KILLED | CPU_TIME_EXCEEDED)) => Ending::TimedOut,
            (None, signal) => Ending::Signal(signal.unwrap_or(0)),
        },
    };
    let report = sanitizer_report(&String::from_utf8_lossy(&read(&stderr)?));
    Ok(Outcome {
        stdout: read(&stdout)?,
        ending,
        undefined: report,
    })
}

/// Waits for the child, or kills it at the limit and gives nothing.
pub fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> HarnessError + '_ {
    |source| HarnessError::File {
        path: path.to_path_buf(),
        source,
    }
}

fn open(path: &Path) -> Result<File, HarnessError> {
    File::open(path).map_err(at(path))
}

fn create(path: &Path) -> Result<File, HarnessError> {
    File::create(path).map_err(at(path))
}

fn read(path: &Path) -> Result<Vec<u8>, HarnessError> {
    fs::read(path).map_err(at(path))
}
