//! **Question.** Which file does a linker take for a library of the system?
//!
//! Looks where linkers of this machine look: the standard directories, those of its own target and
//! those of its gcc. A compiler for another machine has other directories, which are not known: its
//! libraries are not found, and a reader assumes the widest. No compiler is asked, since none that
//! was recorded is ever run.

use std::path::{Path, PathBuf};

const STANDARD: [&str; 5] = ["/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

/// The directories of this machine, in the order in which they are searched.
pub fn standard_directories() -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let target = format!("{}-linux-gnu", std::env::consts::ARCH);
    // The newest gcc, as the compiler drivers choose.
    let mut of_gcc: Vec<PathBuf> = entries(&Path::new("/usr/lib/gcc").join(&target));
    of_gcc.sort_by_key(|path| {
        let version = path.file_name().map(|name| name.to_string_lossy());
        let numbers = version.unwrap_or_default().into_owned();
        let parts = numbers.split('.').map(|part| part.parse().unwrap_or(0));
        parts.collect::<Vec<u32>>()
    });
    directories.extend(of_gcc.pop());
    for base in ["/usr/local/lib", "/lib", "/usr/lib"] {
        directories.push(Path::new(base).join(&target));
    }
    directories.extend(STANDARD.iter().map(PathBuf::from));
    directories
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// Whether the command links for this very machine with its usual libraries.
pub fn is_for_this_machine(arguments: &[String]) -> bool {
    let program = arguments.first().map_or("", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program);
    let target = name.split_once("-linux-").map(|(target, _)| target);
    let is_foreign = target.is_some_and(|target| !target.starts_with(std::env::consts::ARCH))
        || name.contains("musl")
        || name.contains("mingw");
    let has_own_directories = arguments.iter().any(|argument| {
        ["-m32", "-mx32", "-target"].contains(&argument.as_str())
            || ["--sysroot", "--target", "-target=", "--gcc-toolchain"]
                .iter()
                .any(|option| argument.starts_with(option))
    });
    !is_foreign && !has_own_directories
}

/// The libraries that a compiler driver adds by itself.
pub fn implicit_libraries(
    program: &str,
    arguments: &[String],
    cplusplus: bool,
) -> Vec<&'static str> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let mut libraries = Vec::new();
    if has("-nostdlib") || has("-nodefaultlibs") {
        return libraries;
    }
    if cplusplus && !has("-nostdlib++") {
        libraries.push(match has("-stdlib=libc++") {
            true => "c++",
            false => "stdc++",
        });
        libraries.push("m");
    }
    if program.contains("gfortran") {
        libraries.extend(["gfortran", "m"]);
    }
    for argument in arguments {
        match argument.as_str() {
            "-pthread" => libraries.push("pthread"),
            "-fopenmp" | "-fopenmp=libgomp" => libraries.push("gomp"),
            "--coverage" | "-fprofile-arcs" => libraries.push("gcov"),
            _ => {
                let Some(kinds) = argument.strip_prefix("-fsanitize=") else {
                    continue;
                };
                for kind in kinds.split(',') {
                    libraries.push(match kind {
                        "address" => "asan",
                        "thread" => "tsan",
                        "leak" => "lsan",
                        _ => "ubsan",
                    });
                }
            }
        }
    }
    libraries.push("gcc");
    if !has("-nolibc") {
        libraries.push("c");
    }
    libraries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<String> {
        command.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn driver_adds_the_libraries_of_its_language() {
        let added = |command: &str, cplusplus| {
            let arguments = words(command);
            implicit_libraries(&arguments[0], &arguments, cplusplus)
        };
        assert_eq!(added("cc a.o -pthread", false), ["pthread", "gcc", "c"]);
        assert_eq!(added("g++ a.o", true), ["stdc++", "m", "gcc", "c"]);
        assert_eq!(added("gfortran a.o", false), ["gfortran", "m", "gcc", "c"]);
        assert!(added("cc -nostdlib a.o", false).is_empty());
    }

    #[test]
    fn compiler_for_another_machine_has_other_libraries() {
        assert!(is_for_this_machine(&words("/usr/bin/gcc-12 a.o")));
        let own = format!("{}-linux-gnu-gcc a.o", std::env::consts::ARCH);
        assert!(is_for_this_machine(&words(&own)));
        for command in [
            "sparc64-linux-gnu-gcc a.o",
            "cc -m32 a.o",
            "musl-gcc a.o",
            "cc --sysroot=/s a.o",
        ] {
            assert!(!is_for_this_machine(&words(command)), "{command}");
        }
    }
}
