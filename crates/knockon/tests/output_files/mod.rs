//! `-o FILE`: whole or not at all, with the rights of any new file.

use super::{directory_with, knockon, knockon_command, stderr};
use std::os::unix::fs::PermissionsExt as _;

const FILE: &str = "int main(void) { return 0; }\n";

fn diff_to(file: &str) -> [&str; 5] {
    ["diff", "a.c", "a.c", "-o", file]
}

#[test]
fn a_report_has_the_rights_that_the_umask_leaves() {
    for (umask, mode) in [("022", 0o644), ("027", 0o640), ("077", 0o600)] {
        let directory = directory_with(&[("a.c", FILE)]);
        let command = format!(
            "umask {umask} && exec {} {}",
            env!("CARGO_BIN_EXE_knockon"),
            diff_to("report").join(" ")
        );
        let output = knockon_command(directory.path(), "sh")
            .args(["-c", &command])
            .output()
            .expect("sh runs");
        assert!(output.status.success(), "{}", stderr(&output));
        let report = directory.path().join("report");
        let rights = std::fs::metadata(&report).expect("a report").permissions();
        assert_eq!(rights.mode() & 0o777, mode, "umask {umask}");
        let names = std::fs::read_dir(directory.path()).expect("the directory");
        let names: Vec<_> = names
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert!(
            !names
                .iter()
                .any(|name| name.to_string_lossy().starts_with(".tmp")),
            "{names:?}"
        );
    }
}

#[test]
fn a_link_is_followed_and_stays() {
    let directory = directory_with(&[("a.c", FILE), ("there/report", "old")]);
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("there/report", &link).expect("a link");
    assert!(knockon(directory.path(), &diff_to("link")).status.success());
    assert!(link.is_symlink());
    let text = std::fs::read_to_string(directory.path().join("there/report"));
    assert!(text.expect("a report").contains("Nothing changed."));
}

/// `/dev/full` is a disk without room; as a device it is written to, not replaced.
#[test]
fn a_full_disk_is_an_error_that_names_the_file_and_the_reason() {
    let directory = directory_with(&[("a.c", FILE)]);
    let output = knockon(directory.path(), &diff_to("/dev/full"));
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("cannot write the report to /dev/full"),
        "{text}"
    );
    assert!(text.contains("No space left on device"), "{text}");
    let output = knockon(directory.path(), &diff_to("no/such/directory/report"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("No such file or directory"));
}
