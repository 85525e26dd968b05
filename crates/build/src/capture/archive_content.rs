//! **Question.** Which members does an archive on disk really have?
//!
//! The recorded commands say what was put into an archive, but not that it was deleted in between
//! or was there before. The file itself says so. Reads the System V format that GNU ar and llvm-ar
//! write, thin archives too; anything else gives no answer.

use std::fs;
use std::path::Path;

const HEADER_SIZE: usize = 60;

/// The file names of the members, in order; nothing if the file is not such an archive.
pub fn member_names(path: &Path) -> Option<Vec<String>> {
    parse(&fs::read(path).ok()?)
}

fn parse(bytes: &[u8]) -> Option<Vec<String>> {
    let thin = bytes.starts_with(b"!<thin>\n");
    if !thin && !bytes.starts_with(b"!<arch>\n") {
        return None;
    }
    let mut names = Vec::new();
    let mut long_names: &[u8] = &[];
    let mut at = 8;
    while at + HEADER_SIZE <= bytes.len() {
        let header = &bytes[at..at + HEADER_SIZE];
        let name = header[..16].trim_ascii_end();
        let size: usize = std::str::from_utf8(header[48..58].trim_ascii())
            .ok()?
            .parse()
            .ok()?;
        at += HEADER_SIZE;
        let special = matches!(name, b"/" | b"//" | b"/SYM64/");
        if special || !thin {
            let content = bytes.get(at..at.checked_add(size)?)?;
            at += size + size % 2;
            if name == b"//" {
                long_names = content;
            }
        }
        if !special {
            names.push(member_name(name, long_names)?);
        }
    }
    Some(names)
}

fn member_name(name: &[u8], long_names: &[u8]) -> Option<String> {
    let full = match name.strip_prefix(b"/") {
        Some(offset) => {
            // A thin archive inside another appends `:OFFSET`.
            let digits = offset.split(|&byte| byte == b':').next()?;
            let start: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
            let rest = long_names.get(start..)?;
            &rest[..memchr::memmem::find(rest, b"/\n")?]
        }
        None => name.strip_suffix(b"/").unwrap_or(name),
    };
    let file_name = full.rsplit(|&byte| byte == b'/').next()?;
    String::from_utf8(file_name.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn names_are_those_that_ar_lists() {
        let directory = tempfile::tempdir().unwrap();
        let members = ["a.o", "a_rather_long_member_name.o", "b with space.o"];
        for (length, member) in members.iter().enumerate() {
            fs::write(directory.path().join(member), vec![b'x'; length + 1]).unwrap();
        }
        for operation in ["rc", "rcT"] {
            let archive = format!("{operation}.a");
            let status = Command::new("ar")
                .current_dir(directory.path())
                .args([operation, &archive])
                .args(members)
                .status()
                .unwrap();
            assert!(status.success());
            assert_eq!(
                member_names(&directory.path().join(&archive)).unwrap(),
                members
            );
        }
    }

    #[test]
    fn what_is_no_archive_has_no_members() {
        let header = b"!<arch>\n/99             0           0     0     644     99        `\n";
        for bytes in [&b""[..], b"\x7fELF", header] {
            assert_eq!(parse(bytes), None);
        }
        assert_eq!(parse(b"!<arch>\n"), Some(Vec::new()));
    }
}
