//! **Question.** Does a path belong to a trial with which a build system examines the compiler?
//!
//! Most trials are known by their source being deleted right after. The places here are those
//! where CMake, Meson and Autoconf leave files of trials behind, or where a trial that failed may
//! be left. They are fixed by these systems and never hold a project's own sources.

use std::path::{Component, Path};

pub fn is_probe_place(path: &Path) -> bool {
    if path.file_stem().is_some_and(|stem| stem == "conftest") {
        return true;
    }
    let mut names = path.components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let mut inside_cmake_files = false;
    names.any(|name| {
        let found = name == "meson-private"
            || inside_cmake_files
                && (name == "CMakeTmp"
                    || name == "CMakeScratch"
                    || name == "FeatureTests"
                    || name.starts_with("CompilerId"));
        inside_cmake_files |= name == "CMakeFiles";
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_told_from_sources() {
        for trial in [
            "/p/conftest.c",
            "/p/build/CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c",
            "/p/CMakeFiles/CMakeScratch/TryCompile-x/src.c",
            "/p/build/meson-private/sanitycheckc.c",
        ] {
            assert!(is_probe_place(Path::new(trial)), "{trial}");
        }
        for source in [
            "/p/test.c",
            "/p/CompilerIdC/a.c",
            "/p/CMakeFiles/prog.dir/main.c.o",
        ] {
            assert!(!is_probe_place(Path::new(source)), "{source}");
        }
    }
}
