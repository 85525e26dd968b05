//! How is this project built, and which `knockon.toml` says so?
//!
//! `knockon init` looks at the files in the project's root, nothing is run. The text that it writes
//! works as it stands for a project with the usual conventions, and says in comments what else was
//! found and what each key means. An existing `knockon.toml` is never overwritten.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::configuration::FILE_NAME;

/// A way in which the project can be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildSystem {
    /// A `configure` script, or what one is made from.
    Autotools {
        prepare: Preparation,
    },
    Cmake,
    Meson,
    Makefile,
    /// A compilation database that some build left behind; relative to the root.
    CompileCommands {
        path: PathBuf,
    },
}

/// What has to happen before `./configure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    Nothing,
    /// The project's own script `autogen.sh`.
    Autogen,
    Autoreconf,
}

/// What `knockon init` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenConfiguration {
    pub path: PathBuf,
    pub text: String,
    /// The build system that the text uses, then the others; empty if there is none.
    pub found: Vec<BuildSystem>,
}

#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error("{} exists already and stays as it is; remove it first to have it written anew", path.display())]
    Exists { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// The build systems found in `root`, the one to use first.
pub fn detect(root: &Path) -> Vec<BuildSystem> {
    let has = |name: &str| root.join(name).is_file();
    let mut found = Vec::new();
    if has("configure") {
        found.push(BuildSystem::Autotools {
            prepare: Preparation::Nothing,
        });
    } else if has("configure.ac") || has("configure.in") {
        let prepare = if has("autogen.sh") {
            Preparation::Autogen
        } else {
            Preparation::Autoreconf
        };
        found.push(BuildSystem::Autotools { prepare });
    }
    if has("CMakeLists.txt") {
        found.push(BuildSystem::Cmake);
    }
    if has("meson.build") {
        found.push(BuildSystem::Meson);
    }
    if has("GNUmakefile") || has("makefile") || has("Makefile") {
        found.push(BuildSystem::Makefile);
    }
    found.extend(find_compile_commands(root).map(|path| BuildSystem::CompileCommands { path }));
    found
}

/// The compilation database in the root or in a directory directly below it, the nearest first,
/// then by name; relative to the root.
pub fn find_compile_commands(root: &Path) -> Option<PathBuf> {
    let name = Path::new("compile_commands.json");
    if root.join(name).is_file() {
        return Some(name.to_owned());
    }
    let mut below: Vec<PathBuf> = std::fs::read_dir(root)
        .ok()?
        .flatten()
        .map(|entry| Path::new(&entry.file_name()).join(name))
        .filter(|path| root.join(path).is_file())
        .collect();
    below.sort_unstable();
    below.into_iter().next()
}

impl BuildSystem {
    pub fn name(&self) -> String {
        match self {
            Self::Autotools { .. } => "autotools".to_owned(),
            Self::Cmake => "CMake".to_owned(),
            Self::Meson => "Meson".to_owned(),
            Self::Makefile => "a Makefile".to_owned(),
            Self::CompileCommands { path } => path.display().to_string().escape_debug().to_string(),
        }
    }

    /// What to put behind `knockon capture --` to record this build.
    pub fn capture_command(&self) -> &'static str {
        match self {
            Self::Autotools {
                prepare: Preparation::Nothing,
            } => "sh -c './configure && make'",
            Self::Autotools {
                prepare: Preparation::Autogen,
            } => "sh -c './autogen.sh && ./configure && make'",
            Self::Autotools {
                prepare: Preparation::Autoreconf,
            } => "sh -c 'autoreconf --install && ./configure && make'",
            Self::Cmake => "sh -c 'cmake -S . -B build && cmake --build build'",
            Self::Meson => "sh -c 'meson setup build && meson compile -C build'",
            Self::Makefile => "make",
            Self::CompileCommands { .. } => "make",
        }
    }

    /// The lines of `[build]`; none where the compilation database is used as it is.
    fn commands(&self) -> &'static [&'static str] {
        match self {
            Self::Autotools {
                prepare: Preparation::Nothing,
            } => &["configure = \"./configure\"", "command = \"make\""],
            Self::Autotools {
                prepare: Preparation::Autogen,
            } => &[
                "configure = \"./autogen.sh && ./configure\"",
                "command = \"make\"",
            ],
            Self::Autotools {
                prepare: Preparation::Autoreconf,
            } => &[
                "configure = \"autoreconf --install && ./configure\"",
                "command = \"make\"",
            ],
            Self::Cmake => &[
                "configure = \"cmake -S . -B build\"",
                "command = \"cmake --build build\"",
            ],
            Self::Meson => &[
                "configure = \"meson setup build\"",
                "command = \"meson compile -C build\"",
            ],
            Self::Makefile => &["command = \"make\""],
            Self::CompileCommands { .. } => &[],
        }
    }
}

/// The text of a `knockon.toml` for a project where these build systems were found.
pub fn configuration_text(found: &[BuildSystem]) -> String {
    let mut text = String::from(
        "# How Knockon builds and tests this project. Commands here run only after `knockon trust`.\n\n",
    );
    match found.first() {
        None => text.push_str(
            "# No build system was found: every C file is compiled with clang's defaults.\n\
             # To build with a command of your own, remove the marks from the next lines.\n\
             # [build]\n\
             # command = \"make\"\n",
        ),
        Some(system @ BuildSystem::CompileCommands { .. }) => {
            text.push_str(&format!(
                "# The compile commands come from {}.\n\
                 # When a file that steers the build changes, give the commands that build a fresh copy:\n\
                 # [build]\n\
                 # command = \"make\"\n",
                system.name()
            ));
        }
        Some(system) => {
            text.push_str(&format!(
                "# Found: {}. Each version is built in a directory of its own, in its root.\n\
                 # `configure` runs once per version, `command` is recorded.\n\
                 [build]\n",
                system.name()
            ));
            for line in system.commands() {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text.push_str(
        "# inputs = [\"tools/**\"]           # further files that steer the build\n\
         # target = \"x86_64-linux-gnu\"     # when the build does not say it\n\
         # sysroot = \"/opt/sysroot\"\n",
    );
    for system in found.iter().skip(1) {
        text.push_str(&format!("\n# Also found: {}\n", system.name()));
        for line in system.commands() {
            text.push_str(&format!("# {line}\n"));
        }
    }
    text.push_str(
        "\n# One run of the program on both versions; write as many as you like.\n\
         # [[test]]\n\
         # name = \"empty input\"\n\
         # args = [\"--check\"]\n\
         # stdin = \"\"\n\
         # files = [\"data/input.txt\"]      # copied into the run's directory\n\
         # env = { LANG = \"C\" }\n\
         # timeout = 10                    # seconds\n",
    );
    text
}

/// Writes a `knockon.toml` into `root`, unless there is one.
pub fn write_configuration(root: &Path) -> Result<WrittenConfiguration, InitError> {
    let path = root.join(FILE_NAME);
    let found = detect(root);
    let text = configuration_text(&found);
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::AlreadyExists => InitError::Exists { path: path.clone() },
        _ => InitError::Io {
            path: path.clone(),
            source,
        },
    };
    // One step creates the file and fails if there is one, even a dangling link.
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    Ok(WrittenConfiguration { path, text, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::parse_configuration;

    fn project(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a directory");
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, "").expect("written");
        }
        root
    }

    fn build_commands(files: &[&str]) -> Vec<String> {
        let root = project(files);
        let written = write_configuration(root.path()).expect("written");
        let read = parse_configuration(written.text.as_bytes(), &written.path)
            .expect("what init writes is valid");
        read.build
            .map(|build| build.commands().map(str::to_owned).collect())
            .unwrap_or_default()
    }

    #[test]
    fn each_build_system_gets_its_commands() {
        assert_eq!(
            build_commands(&["configure", "Makefile"]),
            ["./configure", "make"]
        );
        assert_eq!(
            build_commands(&["configure.ac"]),
            ["autoreconf --install && ./configure", "make"]
        );
        assert_eq!(
            build_commands(&["configure.ac", "autogen.sh"]),
            ["./autogen.sh && ./configure", "make"]
        );
        assert_eq!(
            build_commands(&["CMakeLists.txt"]),
            ["cmake -S . -B build", "cmake --build build"]
        );
        assert_eq!(
            build_commands(&["meson.build"]),
            ["meson setup build", "meson compile -C build"]
        );
        assert_eq!(build_commands(&["makefile"]), ["make"]);
        assert!(build_commands(&["main.c"]).is_empty());
        assert!(build_commands(&["build/compile_commands.json"]).is_empty());
    }

    #[test]
    fn with_its_marks_removed_every_line_is_valid_too() {
        for files in [
            &["configure", "CMakeLists.txt"][..],
            &["main.c"],
            &["compile_commands.json"],
            &["meson.build", "Makefile"],
        ] {
            let text = configuration_text(&detect(project(files).path()));
            let keys = [
                "[build]", "[[test]]", "inputs", "target", "sysroot", "name", "args", "stdin",
                "files", "env", "timeout",
            ];
            let uncommented: String = text
                .split("\n# Also found")
                .enumerate()
                .map(|(part, section)| {
                    if part == 0 {
                        section
                    } else {
                        section.split_once("\n\n").map_or("", |found| found.1)
                    }
                })
                .flat_map(str::lines)
                .map(|line| match line.strip_prefix("# ") {
                    Some(rest)
                        if keys
                            .iter()
                            .any(|key| rest.starts_with(key) && !rest.contains(':')) =>
                    {
                        format!("{rest}\n")
                    }
                    _ => format!("{line}\n"),
                })
                .collect();
            parse_configuration(uncommented.as_bytes(), Path::new("knockon.toml"))
                .expect(&uncommented);
        }
    }

    #[test]
    fn other_build_systems_are_mentioned() {
        let text = configuration_text(&[
            BuildSystem::Autotools {
                prepare: Preparation::Nothing,
            },
            BuildSystem::Cmake,
        ]);
        assert!(text.contains("# Also found: CMake\n# configure = \"cmake -S . -B build\""));
    }

    #[test]
    fn an_existing_file_or_dangling_link_stays() {
        let root = project(&["Makefile"]);
        std::os::unix::fs::symlink("nowhere", root.path().join("knockon.toml")).expect("link");
        assert!(matches!(
            write_configuration(root.path()),
            Err(InitError::Exists { .. })
        ));
        let root = project(&["Makefile", "knockon.toml"]);
        assert!(matches!(
            write_configuration(root.path()),
            Err(InitError::Exists { .. })
        ));
        assert_eq!(
            std::fs::read(root.path().join("knockon.toml")).expect("there"),
            b""
        );
    }

    #[test]
    fn a_database_in_the_root_is_nearer_than_one_below() {
        let root = project(&["b/compile_commands.json", "a/compile_commands.json"]);
        assert_eq!(
            find_compile_commands(root.path()),
            Some(PathBuf::from("a/compile_commands.json"))
        );
        std::fs::write(root.path().join("compile_commands.json"), "[]").expect("written");
        assert_eq!(
            find_compile_commands(root.path()),
            Some(PathBuf::from("compile_commands.json"))
        );
    }
}
