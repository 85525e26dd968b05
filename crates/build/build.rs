//! Gives the cache a fingerprint of the code that decides what an entry means: the
//! LLVM text reader and the data model. An entry made by other code is never read,
//! whether or not someone remembered to count up a version.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let mut hasher = DefaultHasher::new();
    // In a published package the data model is elsewhere, and its version says it all.
    env("CARGO_PKG_VERSION").hash(&mut hasher);
    let package = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    for directory in [package.join("../llvm/src"), package.join("../program/src")] {
        println!("cargo:rerun-if-changed={}", directory.display());
        hash_directory(&directory, &mut hasher);
    }
    println!("cargo:rustc-env=KNOCKON_DECODER={:016x}", hasher.finish());
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn hash_directory(directory: &Path, hasher: &mut DefaultHasher) {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_directory(&path, hasher);
        } else {
            path.file_name().hash(hasher);
            fs::read(&path).unwrap_or_default().hash(hasher);
        }
    }
}
