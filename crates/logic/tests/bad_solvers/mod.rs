//! Programs that behave like a solver until it matters.

use knockon_logic::solver::{SolverKind, SolverProgram};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What each does when asked, and when asked for values.
const KINDS: [(&str, &str, &str); 14] = [
    ("says-unsat", "echo unsat", "echo '()'"),
    ("says-sat", "echo sat", "echo '()'"),
    (
        "invents-a-model",
        "echo sat",
        "echo '((s0 #x01) (s1 #x02))'",
    ),
    ("invents-one-value", "echo sat", "echo '((s0 #x00000001))'"),
    ("says-both", "echo sat; echo unsat", "echo '()'"),
    ("reports-an-error", "echo '(error \"no\")'; echo unsat", ":"),
    ("crashes", "kill -SEGV $$", ":"),
    ("ends", "echo unsat; exit 0", ":"),
    ("hangs", "sleep 1000", ":"),
    ("hangs-at-values", "echo sat", "sleep 1000"),
    ("prints-garbage", "head -c 3000 /dev/urandom", ":"),
    ("floods", "cat /dev/zero", ":"),
    ("floods-its-messages", "cat /dev/zero >&2", ":"),
    ("eats-memory", "tail -c 4G /dev/zero", ":"),
];

pub struct BadSolvers {
    directory: tempfile::TempDir,
}

impl BadSolvers {
    pub fn new() -> BadSolvers {
        let bad = BadSolvers {
            directory: tempfile::tempdir().unwrap(),
        };
        for (name, check, values) in KINDS {
            bad.write(name, &listening(check, values));
        }
        bad.write("crashes-at-start", "#!/bin/sh\nexit 1\n");
        bad.write(
            "does-not-read",
            &format!("#!/bin/sh\n{MARK}\nexec <&-\nsleep 1000\n"),
        );
        bad.write(
            "answers-before-it-is-asked",
            &format!("#!/bin/sh\n{MARK}\necho unsat\necho knockon-1\necho unsat\nsleep 1000\n"),
        );
        let any = "seed=$(( (seed * 1103515245 + 12345) % 2147483648 )); \
                   case $(( seed / 65536 % 7 )) in 0|1) echo unsat;; 2|3) echo sat;; \
                   4) exit 3;; 5) sleep 1000;; *) echo 'gar(bage';; esac";
        let script = listening(any, "echo '((s0 #x00000003))'");
        bad.write("random", &script.replace(MARK, &format!("{MARK}\nseed=$$")));
        bad.write(
            "honest-once",
            &format!(
                "#!/bin/sh\n{MARK}\ntold=\nwhile read -r line; do printf '%s\\n' \"$line\"; \
                 case $line in '(echo'*) [ -z \"$told\" ] || break; told=1;; esac; \
                 done | z3 -in -smt2\n"
            ),
        );
        bad.write(
            "denies",
            &format!("#!/bin/sh\n{MARK}\nz3 -in -smt2 | sed -u -E 's/^(sat|unknown)$/unsat/'\n"),
        );
        bad.write(
            "claims",
            &format!("#!/bin/sh\n{MARK}\nz3 -in -smt2 | sed -u -E 's/^unknown$/unsat/'\n"),
        );
        bad
    }

    fn write(&self, name: &str, script: &str) {
        write_program(&self.path(name), script);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn program(&self, name: &str) -> SolverProgram {
        SolverProgram {
            kind: SolverKind::Z3,
            path: self.path(name),
        }
    }

    pub fn all(&self) -> Vec<SolverProgram> {
        let others = [
            "crashes-at-start",
            "does-not-read",
            "answers-before-it-is-asked",
        ];
        let names = KINDS.iter().map(|kind| kind.0).chain(others);
        names.map(|name| self.program(name)).collect()
    }

    /// Does something else each time.
    pub fn random(&self) -> SolverProgram {
        self.program("random")
    }

    pub fn hanging(&self) -> SolverProgram {
        self.program("hangs")
    }

    pub fn crashing(&self) -> SolverProgram {
        self.program("crashes")
    }

    pub fn babbling(&self) -> SolverProgram {
        self.program("prints-garbage")
    }

    /// z3, but for that it calls everything unsatisfiable.
    pub fn denying(&self) -> SolverProgram {
        self.program("denies")
    }

    /// z3, but for that it calls unsatisfiable what it does not know.
    pub fn claiming(&self) -> SolverProgram {
        self.program("claims")
    }

    /// z3, for its trial and one question.
    pub fn honest_once(&self) -> SolverProgram {
        self.program("honest-once")
    }

    /// No process that one of them is or has started is left.
    pub fn assert_all_ended(&self) {
        let begin = Instant::now();
        loop {
            let left = self.processes();
            if left.is_empty() {
                return;
            }
            assert!(begin.elapsed() < Duration::from_secs(5), "{left:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn processes(&self) -> Vec<String> {
        let wanted = self.directory.path().to_str().unwrap().as_bytes();
        let holds = |path: PathBuf| {
            let bytes = std::fs::read(path).unwrap_or_default();
            bytes.windows(wanted.len()).any(|part| part == wanted)
        };
        std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter(|entry| {
                holds(entry.path().join("cmdline")) || holds(entry.path().join("environ"))
            })
            .map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
            .collect()
    }
}

/// Makes what a script starts recognisable.
const MARK: &str = "export KNOCKON_BAD_SOLVER=\"$0\"";

fn listening(check: &str, values: &str) -> String {
    format!(
        "#!/bin/sh\n{MARK}\nwhile read -r line; do case $line in\n'(check-sat'*) {check};;\n\
         '(get-value'*) {values};;\n'(echo'*) line=${{line#*\\\"}}; echo \"${{line%%\\\"*}}\";;\n\
         esac; done\n"
    )
}

/// Written by another process: a child that this one forks meanwhile would hold the file open for
/// writing, and it could not be run.
fn write_program(path: &Path, script: &str) {
    let status = Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(script)
        .status()
        .unwrap();
    assert!(status.success());
}
