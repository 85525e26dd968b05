//! **Question.** Is a program statically linked, so that nothing can be preloaded into it?
//!
//! An ELF file without an interpreter segment is. Of a script the interpreter in its first line
//! decides; where a file cannot be read the answer is no.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const PROGRAM_INTERPRETER: u32 = 3;

pub fn is_static(path: &Path) -> bool {
    let Some(start) = first_bytes(path) else {
        return false;
    };
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let interpreter = line
            .split(|byte| byte.is_ascii_whitespace())
            .find(|word| !word.is_empty());
        return interpreter
            .and_then(|word| first_bytes(Path::new(OsStr::from_bytes(word))))
            .is_some_and(|start| is_static_elf(&start));
    }
    is_static_elf(&start)
}

/// Program headers follow the file header directly in all programs that linkers write.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .ok()?
        .take(4096)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

fn is_static_elf(bytes: &[u8]) -> bool {
    if !bytes.starts_with(b"\x7fELF") {
        return false;
    }
    has_interpreter(bytes) == Some(false)
}

fn has_interpreter(bytes: &[u8]) -> Option<bool> {
    let wide = *bytes.get(4)? == 2;
    let big = *bytes.get(5)? == 2;
    let number = |at: usize, size: usize| -> Option<u64> {
        let field = bytes.get(at..at.checked_add(size)?)?;
        let fold = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if big {
            field.iter().fold(0, fold)
        } else {
            field.iter().rev().fold(0, fold)
        })
    };
    let (table, size, count) = if wide {
        (number(32, 8)?, number(54, 2)?, number(56, 2)?)
    } else {
        (number(28, 4)?, number(42, 2)?, number(44, 2)?)
    };
    for index in 0..count {
        let at = usize::try_from(table.checked_add(index * size)?).ok()?;
        if number(at, 4)? == u64::from(PROGRAM_INTERPRETER) {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn linking_decides() {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("a.c");
        fs::write(&source, "int main(void) { return 0; }").unwrap();
        for (flag, expected) in [("-static", true), ("-O0", false)] {
            let program = directory.path().join(flag);
            let status = Command::new("cc")
                .arg(flag)
                .arg(&source)
                .arg("-o")
                .arg(&program)
                .status()
                .unwrap();
            assert!(status.success());
            assert_eq!(is_static(&program), expected);
            let script = directory.path().join("script");
            fs::write(&script, format!("#! {} -x\n", program.display())).unwrap();
            assert_eq!(is_static(&script), expected);
        }
        assert!(!is_static(&source));
        assert!(!is_static(Path::new("/nonexistent")));
    }
}
