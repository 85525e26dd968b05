//! What the IR does not show counts: every pair here has a line whose difference is seen by running
//! both versions, and comes from something outside of the IR. See `unseen_pairs` for the format.
//!
//! `UNSEEN="WORD WORD"` runs only the pairs whose name holds one of the words.

mod unseen_pairs;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use unseen_pairs::trees::Trees;
use unseen_pairs::{Mark, Pair, verdicts};

fn pairs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unseen_fixtures");
    let wanted = std::env::var("UNSEEN").unwrap_or_default();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let mut words = wanted.split(' ');
            words.any(|word| name(path).contains(word))
        })
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

/// What is wrong with a pair.
struct Finding {
    name: String,
    texts: Vec<String>,
}

/// `None` if this machine cannot run the pair.
fn judge(path: &Path) -> Option<Finding> {
    let pair = Pair::parse(&std::fs::read_to_string(path).expect("a fixture"));
    if !pair.can_run() {
        return None;
    }
    Some(Finding {
        name: name(path),
        texts: match Trees::of(&pair) {
            Ok(trees) => verdicts::wrong(&trees, &pair),
            Err(broken) => vec![broken],
        },
    })
}

fn judge_all(paths: &[PathBuf]) -> Vec<Finding> {
    let (next, findings) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let finding = judge(path);
            findings.lock().expect("no panic").extend(finding);
        }
    };
    // Half of the time is waiting for short processes.
    let threads = 1 + std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut findings = findings.into_inner().expect("no panic");
    findings.sort_by(|one: &Finding, other| one.name.cmp(&other.name));
    findings
}

#[test]
fn what_differs_outside_of_the_ir_is_never_unaffected() {
    let mut account = String::new();
    for finding in judge_all(&pairs()) {
        if !finding.texts.is_empty() {
            account += &format!("{}\n  {}\n", finding.name, finding.texts.join("\n  "));
        }
    }
    assert!(account.is_empty(), "\n{account}");
}

#[test]
fn there_are_enough_pairs() {
    if std::env::var_os("UNSEEN").is_some() {
        return;
    }
    let differing = pairs()
        .iter()
        .map(|path| Pair::parse(&std::fs::read_to_string(path).expect("a fixture")))
        .filter(|pair| pair.differing().next().is_some())
        .count();
    assert!(differing >= 215, "{differing} pairs that differ");
}

#[test]
fn marks_tell_both_versions_and_what_is_expected() {
    let pair = Pair::parse(
        "//- prepare gcc -c b.c
//- equiv f
//- /main.c
int a;  // was: int b;
  printf(\"x %d\\n\", a);  // differs
// removed: gone();
  puts(\"// not a mark\");  // same
  printf(\"y %d\\n\", 1);  // differs, was: f();
  new();  // added
//- /data old
1
//- /data new
2
",
    );
    assert_eq!(
        pair.old["main.c"],
        "int b;\n  printf(\"x %d\\n\", a);\ngone();\n  puts(\"// not a mark\");\n  f();\n"
    );
    assert_eq!(
        pair.new["main.c"],
        "int a;\n  printf(\"x %d\\n\", a);\n  puts(\"// not a mark\");\n  printf(\"y %d\\n\", 1);\n  new();\n"
    );
    assert_eq!((&*pair.old["data"], &*pair.new["data"]), ("1\n", "2\n"));
    let marks: Vec<_> = pair
        .marks
        .iter()
        .map(|line| (line.line, line.mark, line.word.as_deref()))
        .collect();
    assert_eq!(
        marks,
        [
            (2, Mark::Differs, Some("x")),
            (3, Mark::Same, None),
            (4, Mark::Differs, Some("y"))
        ]
    );
    assert_eq!(pair.different_functions, ["f"]);
    assert_eq!(pair.prepare, ["gcc -c b.c"]);
}
