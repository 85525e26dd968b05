//! Which runtime libraries of sanitizers does a clang have? They are a package of their own.

use super::Clang;
use std::path::Path;

/// Programs can be linked with `-fsanitize=address`.
pub fn has_address_sanitizer(clang: &Clang) -> bool {
    // `lib/linux/libclang_rt.asan-x86_64.a`, or `lib/TRIPLE/libclang_rt.asan.a`.
    let libraries = clang.resource_directory.join("lib");
    let architecture = clang.target.split('-').next().unwrap_or_default();
    let holds = |directory: &Path| {
        let plain = directory.join("libclang_rt.asan.a").is_file();
        plain
            || directory
                .join(format!("libclang_rt.asan-{architecture}.a"))
                .is_file()
    };
    let Ok(entries) = std::fs::read_dir(libraries) else {
        return false;
    };
    entries.flatten().any(|entry| holds(&entry.path()))
}

/// The package of Debian that brings them.
pub fn runtime_package(clang: &Clang) -> String {
    format!("libclang-rt-{}-dev", clang.major)
}
