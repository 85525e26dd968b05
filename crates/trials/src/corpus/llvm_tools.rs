//! LLVM's own tools, as programs.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::process::{Command, Stdio};

/// The tools of the LLVM that the IR was printed by; another version may refuse it.
pub struct LlvmTools {
    suffix: String,
}

impl LlvmTools {
    pub fn find(major: u32) -> Result<LlvmTools> {
        for suffix in [format!("-{major}"), String::new()] {
            let works = Command::new(format!("opt{suffix}"))
                .arg("--version")
                .output()
                .is_ok_and(|output| {
                    String::from_utf8_lossy(&output.stdout).contains(&format!("version {major}."))
                });
            if works {
                return Ok(LlvmTools { suffix });
            }
        }
        bail!("opt-{major} is missing; install llvm-{major} (`make setup`)")
    }

    /// What `llvm-bcanalyzer` prints of the bitcode.
    pub fn bitcode_dump(&self, ir: &[u8]) -> Result<Vec<u8>> {
        let bitcode = self.filter("llvm-as", &["-o", "-", "-"], ir)?.stdout;
        Ok(self
            .filter("llvm-bcanalyzer", &["--dump", "-"], &bitcode)?
            .stdout)
    }

    /// Dominators, post-dominators and loops of every function, as `opt` prints them.
    pub fn printed_graphs(&self, ir: &[u8]) -> Result<String> {
        let passes = "-passes=function(print<domtree>,print<postdomtree>,print<loops>)";
        let output = self.filter("opt", &[passes, "-disable-output", "-"], ir)?;
        Ok(String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// The unit after `mem2reg`.
    pub fn promoted(&self, ir: &[u8]) -> Result<Vec<u8>> {
        let arguments = ["-passes=function(mem2reg)", "-S", "-o", "-", "-"];
        Ok(self.filter("opt", &arguments, ir)?.stdout)
    }

    fn filter(&self, tool: &str, arguments: &[&str], input: &[u8]) -> Result<std::process::Output> {
        let name = format!("{tool}{}", self.suffix);
        let mut child = Command::new(&name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        let mut stdin = child.stdin.take().context("a pipe to the tool")?;
        let input = input.to_vec();
        // The tool writes while it reads: feed it from a thread of its own.
        let feeder = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output()?;
        let _ = feeder.join();
        if !output.status.success() {
            bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output)
    }
}
