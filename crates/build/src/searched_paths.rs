//! Which files, if they appeared, would change what the compiler includes?
//!
//! A dependency file names what was found. The result of a compilation also depends
//! on what was *not* found: a header that appears in an earlier directory of the
//! search path hides the one that was included, and `__has_include` may become true.
//! This module lists the paths that were searched in vain.
//!
//! The search path is clang's own account (`-v`). The names that were searched are
//! read from the text of every dependency: each literal `#include`, `#include_next`,
//! `#import`, `#embed`, `__has_include` and `__has_embed`, also in comments and
//! inactive branches, which makes the list longer and never wrong. A dependency that
//! no literal explains was included through a macro: each directory of the search
//! path that it lies below gives one possible spelling. `__has_include` of a macro
//! cannot be known from the text, nor can a header with a backslash in its name be
//! told from one with a slash; such units are not remembered ([`Unknowable`]).
//!
//! Cost: one scan of each dependency, and a few `stat` calls for each inclusion. Where
//! a whole directory is missing, it alone is listed.

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where clang looked for headers, in order. Relative paths start at the unit's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchPath {
    /// For quoted names only, after the directory of the including file.
    pub(crate) quoted: Vec<PathBuf>,
    /// For all names.
    pub(crate) angled: Vec<PathBuf>,
    /// Named in the flags and not there.
    pub(crate) missing: Vec<PathBuf>,
}

const QUOTED_START: &[u8] = b"#include \"...\" search starts here:\n";
const ANGLED_START: &[u8] = b"#include <...> search starts here:\n";
const END: &[u8] = b"End of search list.\n";

impl SearchPath {
    /// Divides what clang wrote to its standard error into the search path and the
    /// messages.
    pub(crate) fn split_off(text: &[u8]) -> (Option<SearchPath>, &[u8]) {
        let parts = memmem::find(text, QUOTED_START).and_then(|quoted| {
            let angled = quoted + memmem::find(&text[quoted..], ANGLED_START)?;
            let end = angled + memmem::find(&text[angled..], END)?;
            Some((quoted, angled, end))
        });
        let Some((quoted, angled, end)) = parts else {
            return (None, text);
        };
        let missing = text[..quoted]
            .split(|byte| *byte == b'\n')
            .filter_map(|line| {
                line.strip_prefix(b"ignoring nonexistent directory \"")?
                    .strip_suffix(b"\"")
            })
            .map(path)
            .collect();
        let path = SearchPath {
            quoted: directories(&text[quoted + QUOTED_START.len()..angled]),
            angled: directories(&text[angled + ANGLED_START.len()..end]),
            missing,
        };
        (Some(path), &text[end + END.len()..])
    }
}

fn directories(lines: &[u8]) -> Vec<PathBuf> {
    lines
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b" "))
        .map(path)
        .collect()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// One literal header name in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inclusion {
    pub(crate) name: PathBuf,
    pub(crate) quoted: bool,
    /// A question whether the header exists: no answer is an answer too.
    pub(crate) asked: bool,
}

/// What was searched for, or found, cannot be said with certainty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknowable;

/// Every literal header name in the text.
pub(crate) fn inclusions(text: &[u8]) -> Result<Vec<Inclusion>, Unknowable> {
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'#', text) {
        let rest = skip_blanks(&text[at + 1..]);
        for word in [&b"include_next"[..], b"include", b"import", b"embed"] {
            if let Some(rest) = rest.strip_prefix(word) {
                if let Some((name, quoted)) = header_name(skip_blanks(rest)) {
                    found.push(Inclusion {
                        name,
                        quoted,
                        asked: false,
                    });
                }
                break;
            }
        }
    }
    for word in [&b"__has_include"[..], b"__has_embed"] {
        for at in memmem::find_iter(text, word) {
            let rest = &text[at + word.len()..];
            let rest = skip_blanks(rest.strip_prefix(b"_next").unwrap_or(rest));
            // Without an argument it is `#ifdef __has_include` or a comment.
            let Some(argument) = rest.strip_prefix(b"(") else {
                continue;
            };
            match header_name(skip_blanks(argument)) {
                Some((name, quoted)) => found.push(Inclusion {
                    name,
                    quoted,
                    asked: true,
                }),
                None => return Err(Unknowable),
            }
        }
    }
    Ok(found)
}

/// White space and continued lines.
fn skip_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        text = match text {
            [b' ' | b'\t', rest @ ..] | [b'\\', b'\n', rest @ ..] => rest,
            [b'\\', b'\r', b'\n', rest @ ..] => rest,
            _ => return text,
        }
    }
}

fn header_name(text: &[u8]) -> Option<(PathBuf, bool)> {
    let (close, quoted) = match text.first()? {
        b'"' => (b'"', true),
        b'<' => (b'>', false),
        _ => return None,
    };
    let end = memchr::memchr2(close, b'\n', &text[1..])?;
    (text[1 + end] == close && end > 0).then(|| (path(&text[1..=end]), quoted))
}

/// clang's dependency file has `/` for it, so the file it names may be another.
fn has_backslash(path: &Path) -> bool {
    path.as_os_str().as_bytes().contains(&b'\\')
}

/// The paths below `directory` that were searched in vain, in a fixed order; relative
/// ones start at `directory`. `names` gives the literal header names of a dependency.
pub(crate) fn searched_in_vain(
    directory: &Path,
    dependencies: &[PathBuf],
    search_path: &SearchPath,
    mut names: impl FnMut(&Path) -> Result<Vec<Inclusion>, Unknowable>,
) -> Result<Vec<PathBuf>, Unknowable> {
    if search_path
        .quoted
        .iter()
        .chain(&search_path.angled)
        .any(|path| has_backslash(path))
    {
        return Err(Unknowable);
    }
    let mut vain = Vain {
        directory,
        included: dependencies.iter().map(|file| plain(file)).collect(),
        state: FxHashMap::default(),
        listed: FxHashSet::default(),
        paths: Vec::new(),
    };
    for missing in &search_path.missing {
        vain.search(missing);
    }
    let mut explained: FxHashSet<PathBuf> = FxHashSet::default();
    let mut own_directories: Vec<&Path> = Vec::new();
    for file in dependencies {
        let own_directory = file.parent().unwrap_or(Path::new(""));
        if !own_directories.contains(&own_directory) {
            own_directories.push(own_directory);
        }
        for inclusion in names(file)? {
            if has_backslash(&inclusion.name) {
                return Err(Unknowable);
            }
            let first = inclusion.quoted.then_some(own_directory);
            let quoted = if inclusion.quoted {
                &search_path.quoted[..]
            } else {
                &[]
            };
            let candidates: Vec<PathBuf> = first
                .into_iter()
                .chain(quoted.iter().map(PathBuf::as_path))
                .chain(search_path.angled.iter().map(PathBuf::as_path))
                .map(|directory| plain(&directory.join(&inclusion.name)).to_owned())
                .collect();
            // An inclusion that names no dependency is inactive: it was not searched for.
            let hit = candidates
                .iter()
                .position(|candidate| vain.included.contains(candidate.as_path()));
            if let Some(hit) = hit {
                explained.insert(candidates[hit].clone());
            }
            if inclusion.asked || hit.is_some() {
                for candidate in &candidates[..hit.unwrap_or(candidates.len())] {
                    vain.search(candidate);
                }
            }
        }
    }
    // The first one is the source file itself.
    for file in dependencies.iter().skip(1).map(|file| plain(file)) {
        if explained.contains(file) {
            continue;
        }
        for (position, found_in) in search_path.angled.iter().enumerate() {
            if let Ok(name) = file.strip_prefix(plain(found_in)) {
                let quoted = search_path.quoted.iter().map(PathBuf::as_path);
                let earlier = search_path.angled[..position].iter().map(PathBuf::as_path);
                for directory in own_directories.iter().copied().chain(quoted).chain(earlier) {
                    vain.search(plain(&directory.join(name)));
                }
            }
        }
    }
    Ok(vain.paths)
}

/// Without the `./` in front, which clang leaves out of its dependency file.
fn plain(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

struct Vain<'a> {
    directory: &'a Path,
    included: FxHashSet<&'a Path>,
    state: FxHashMap<PathBuf, bool>,
    listed: FxHashSet<PathBuf>,
    paths: Vec<PathBuf>,
}

impl Vain<'_> {
    /// Lists the path, or its highest missing directory, if it does not exist.
    fn search(&mut self, path: &Path) {
        if self.exists(path) {
            return;
        }
        let mut absent = path;
        while let Some(parent) = absent
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            if self.exists(parent) {
                break;
            }
            absent = parent;
        }
        if self.listed.insert(absent.to_owned()) {
            self.paths.push(absent.to_owned());
        }
    }

    fn exists(&mut self, path: &Path) -> bool {
        if let Some(known) = self.state.get(path) {
            return *known;
        }
        let exists = self.directory.join(path).exists();
        self.state.insert(path.to_owned(), exists);
        exists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool, bool)> {
        inclusions(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|found| {
                (
                    found.name.to_str().unwrap().to_owned(),
                    found.quoted,
                    found.asked,
                )
            })
            .collect()
    }

    #[test]
    fn every_form_of_inclusion_is_found() {
        let text = "#include <a.h>\n  #  include\t\"b/c.h\"\n#include_next \\\n <d.h>\n#if defined __has_include && __has_include ( \"e.h\" )\n#ifdef __has_include\n#include MACRO\n# import<f.h>\n";
        let found = names(text);
        for expected in [
            ("a.h", false, false),
            ("b/c.h", true, false),
            ("d.h", false, false),
            ("e.h", true, true),
            ("f.h", false, false),
        ] {
            let expected = (expected.0.to_owned(), expected.1, expected.2);
            assert!(found.contains(&expected), "{expected:?} in {found:?}");
        }
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn computed_question_is_unknowable() {
        assert_eq!(inclusions(b"#if __has_include(NAME)\n"), Err(Unknowable));
    }

    #[test]
    fn search_path_is_told_from_messages() {
        let text = b"clang -cc1 version 19\nignoring nonexistent directory \"/none\"\n#include \"...\" search starts here:\n q\n#include <...> search starts here:\n /a b\n /c\nEnd of search list.\na.c:1:1: error: x\n";
        let (path, messages) = SearchPath::split_off(text);
        assert_eq!(
            path,
            Some(SearchPath {
                quoted: vec!["q".into()],
                angled: vec!["/a b".into(), "/c".into()],
                missing: vec!["/none".into()],
            })
        );
        assert_eq!(messages, b"a.c:1:1: error: x\n");
        assert_eq!(
            SearchPath::split_off(b"clang: error: y\n").1,
            b"clang: error: y\n"
        );
    }

    #[test]
    fn earlier_directories_were_searched_in_vain() {
        let tree = tempfile::tempdir().unwrap();
        for directory in ["src", "first", "second/sys"] {
            std::fs::create_dir_all(tree.path().join(directory)).unwrap();
        }
        let dependencies = ["src/a.c", "second/x.h", "second/sys/y.h", "second/z.h"];
        for file in dependencies {
            std::fs::write(tree.path().join(file), "").unwrap();
        }
        let dependencies = dependencies.map(PathBuf::from);
        let search_path = SearchPath {
            quoted: vec![],
            angled: vec!["first".into(), "second".into()],
            missing: vec!["nowhere".into()],
        };
        let vain = searched_in_vain(tree.path(), &dependencies, &search_path, |file| {
            if file == Path::new("src/a.c") {
                // z.h comes through a macro, unused.h is inactive.
                inclusions(b"#include \"x.h\"\n#include <sys/y.h>\n#include <unused.h>\n#if __has_include(<asked.h>)\n")
            } else {
                Ok(Vec::new())
            }
        })
        .unwrap();
        let expected = [
            "nowhere",
            "src/x.h",
            "first/x.h",
            "first/sys",
            "first/asked.h",
            "second/asked.h",
            "src/z.h",
            "second/sys/z.h",
            "first/z.h",
        ];
        assert_eq!(vain, expected.map(PathBuf::from));
    }
}
