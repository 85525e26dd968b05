//! The cache never changes a result, and saves every run of clang that it can.

mod trees;

use knockon_build::cache::Cache;
use knockon_build::clang::find_clang;
use knockon_build::compile::Origin;
use knockon_build::unit::UnitCommand;
use knockon_program::CaveatKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use trees::{CountedClang, Tree, cache_in, compile, origins, programs};

const MAIN: &str = "#include <stdio.h>\n#include \"size.h\"\n#include <mode.h>\nint main(void) { printf(\"%d %s\", SIZE + MODE, __FILE__); return 0; }\n";

fn small_tree() -> Tree {
    Tree::of(&[
        ("src/main.c", MAIN),
        ("src/size.h", "#define SIZE 1\n"),
        ("include/mode.h", "#define MODE 1\n"),
        ("first/unrelated.h", "\n"),
    ])
}

const FLAGS: &[&str] = &["-IROOT/first", "-Ilate", "-IROOT/include"];

#[test]
fn second_run_needs_no_clang() {
    let (tree, place, clang) = (
        small_tree(),
        tempfile::tempdir().unwrap(),
        CountedClang::new(""),
    );
    let cache = cache_in(place.path());
    let units = [tree.unit("src/main.c", FLAGS)];
    let cold = compile(&clang.clang, Some(&cache), &units);
    assert_eq!((origins(&cold), clang.runs()), (vec![Origin::Text], 1));
    let warm = compile(&clang.clang, Some(&cache), &units);
    assert_eq!((origins(&warm), clang.runs()), (vec![Origin::Manifest], 0));
    assert_eq!(programs(&cold), programs(&warm));
    assert_eq!(cold.units[0].content, warm.units[0].content);
    assert!(cache.problem().is_none());
}

#[test]
fn equal_units_of_two_trees_share_one_entry() {
    let (place, clang) = (tempfile::tempdir().unwrap(), CountedClang::new(""));
    let cache = cache_in(place.path());
    let (left, right) = (small_tree(), small_tree());
    for absolute in [false, true] {
        let unit = |tree: &Tree| UnitCommand {
            directory: tree.root().join("include"),
            file: if absolute {
                tree.root().join("src/main.c")
            } else {
                "../src/main.c".into()
            },
            ..tree.unit("", FLAGS)
        };
        let first = compile(&clang.clang, Some(&cache), &[unit(&left)]);
        clang.runs();
        let second = compile(&clang.clang, Some(&cache), &[unit(&right)]);
        assert_eq!(
            (origins(&second), clang.runs()),
            (vec![Origin::Manifest], 0)
        );
        assert_eq!(programs(&first), programs(&second));
        let uncached = compile(&clang.clang, None, &[unit(&right)]);
        assert_eq!(programs(&uncached), programs(&second));
        clang.runs();
    }
    assert_eq!(cache.statistics().entries, 1);
}

#[test]
fn root_in_a_macro_keeps_two_trees_apart() {
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let text = [("a.c", "const char *place = PLACE;\n")];
    let (left, right) = (Tree::of(&text), Tree::of(&text));
    let unit = |tree: &Tree| tree.unit("a.c", &["-DPLACE=\"ROOT\""]);
    let first = compile(&clang, Some(&cache), &[unit(&left)]);
    let second = compile(&clang, Some(&cache), &[unit(&right)]);
    assert_eq!(origins(&second), [Origin::Text]);
    assert_ne!(first.units[0].content, second.units[0].content);
}

#[test]
fn every_state_of_a_header_is_remembered() {
    let (tree, place, clang) = (
        small_tree(),
        tempfile::tempdir().unwrap(),
        CountedClang::new(""),
    );
    let cache = cache_in(place.path());
    let units = [tree.unit("src/main.c", FLAGS)];
    let old = compile(&clang.clang, Some(&cache), &units);
    tree.write("src/size.h", "#define SIZE 2\n");
    let new = compile(&clang.clang, Some(&cache), &units);
    assert_eq!(origins(&new), [Origin::Text]);
    assert_ne!(programs(&old), programs(&new));
    clang.runs();
    for (state, expected) in [("1", &old), ("2", &new), ("1", &old)] {
        tree.write("src/size.h", &format!("#define SIZE {state}\n"));
        let again = compile(&clang.clang, Some(&cache), &units);
        assert_eq!((origins(&again), clang.runs()), (vec![Origin::Manifest], 0));
        assert_eq!(programs(&again), programs(expected));
    }
}

#[test]
fn changed_comment_in_a_header_is_compiled_but_not_read_again() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("src/main.c", FLAGS)];
    compile(&clang, Some(&cache), &units);
    tree.write(
        "src/size.h",
        "#define SIZE 1 /* of one */\nextern int unused;\n",
    );
    let again = compile(&clang, Some(&cache), &units);
    assert_eq!(origins(&again), [Origin::Entry]);
    assert_eq!(cache.statistics().entries, 1);
    assert_eq!(
        origins(&compile(&clang, Some(&cache), &units)),
        [Origin::Manifest]
    );
}

#[test]
fn header_that_appears_earlier_in_the_search_is_seen() {
    for appearing in [
        "first/mode.h",
        "late/mode.h",
        "first/stdio.h",
        "late/size.h",
    ] {
        let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
        let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
        // In the second round the directory exists and is empty.
        for round in 0..2 {
            let units = [tree.unit("src/main.c", FLAGS)];
            compile(&clang, Some(&cache), &units);
            assert_eq!(
                origins(&compile(&clang, Some(&cache), &units)),
                [Origin::Manifest]
            );
            tree.write(
                appearing,
                "#define MODE 7\n#define SIZE 7\nint printf(const char *, ...);\n",
            );
            let cached = compile(&clang, Some(&cache), &units);
            let uncached = compile(&clang, None, &units);
            assert_eq!(
                programs(&cached),
                programs(&uncached),
                "{appearing} {round}"
            );
            std::fs::remove_file(tree.root().join(appearing)).unwrap();
            let back = compile(&clang, Some(&cache), &units);
            // In the first round, the directory itself is new.
            if round == 1 {
                assert_eq!(origins(&back), [Origin::Manifest], "{appearing}");
            }
        }
    }
}

#[test]
fn header_beside_the_including_file_is_seen() {
    let tree = Tree::of(&[
        ("src/a.c", "#include \"value.h\"\nint v = VALUE;\n"),
        ("include/value.h", "#define VALUE 1\n"),
    ]);
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("src/a.c", &["-Iinclude"])];
    let before = compile(&clang, Some(&cache), &units);
    tree.write("src/value.h", "#define VALUE 2\n");
    let after = compile(&clang, Some(&cache), &units);
    assert_ne!(programs(&before), programs(&after));
}

#[test]
fn answer_of_has_include_is_part_of_the_key() {
    let text = "#if __has_include(\"extra.h\") || __has_include(<extra.h>)\nint extra = 1;\n#else\nint extra = 0;\n#endif\n";
    let tree = Tree::of(&[("src/a.c", text), ("include/other.h", "")]);
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("src/a.c", &["-Iinclude"])];
    for extra in ["src/extra.h", "include/extra.h"] {
        let without = compile(&clang, Some(&cache), &units);
        tree.write(extra, "");
        let with = compile(&clang, Some(&cache), &units);
        assert_ne!(programs(&without), programs(&with), "{extra}");
        std::fs::remove_file(tree.root().join(extra)).unwrap();
        let again = compile(&clang, Some(&cache), &units);
        assert_eq!(origins(&again), [Origin::Manifest]);
        assert_eq!(programs(&without), programs(&again));
    }
}

#[test]
fn computed_has_include_is_compiled_every_time() {
    let text = "#define NAME \"extra.h\"\n#if __has_include(NAME)\nint extra = 1;\n#else\nint extra = 0;\n#endif\n";
    let (tree, place) = (Tree::of(&[("a.c", text)]), tempfile::tempdir().unwrap());
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("a.c", &[])];
    let without = compile(&clang, Some(&cache), &units);
    assert_eq!(
        origins(&compile(&clang, Some(&cache), &units)),
        [Origin::Entry]
    );
    tree.write("extra.h", "");
    assert_ne!(
        programs(&without),
        programs(&compile(&clang, Some(&cache), &units))
    );
}

/// clang writes `a\\b.h` as `a/b.h` to its dependency file.
#[test]
fn names_with_a_backslash_are_compiled_every_time() {
    let text = "#include \"a\\b.h\"\nint v = VALUE;\n";
    let tree = Tree::of(&[
        ("unit.c", text),
        ("a\\b.h", "#define VALUE 1\n"),
        ("a/b.h", "#define VALUE 1\n"),
    ]);
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("unit.c", &[])];
    let before = compile(&clang, Some(&cache), &units);
    tree.write("a\\b.h", "#define VALUE 2\n");
    let after = compile(&clang, Some(&cache), &units);
    assert_ne!(programs(&before), programs(&after));
}

#[test]
fn header_that_changes_while_clang_runs_is_not_remembered() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let cache = cache_in(place.path());
    let header = tree.root().join("src/size.h");
    let clang = CountedClang::new(&format!("echo '#define SIZE 5' > '{}'", header.display()));
    let units = [tree.unit("src/main.c", FLAGS)];
    let torn = compile(&clang.clang, Some(&cache), &units);
    clang.runs();
    let settled = compile(&clang.clang, Some(&cache), &units);
    assert_eq!(clang.runs(), 1);
    assert_ne!(programs(&torn), programs(&settled));
}

#[test]
fn flags_and_environment_are_part_of_the_key() {
    let tree = Tree::of(&[
        ("a.c", "#include <value.h>\nint v = VALUE;\n"),
        ("one/value.h", "#define VALUE 1\n"),
        ("two/value.h", "#define VALUE 2\n"),
    ]);
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let with_variable = |value: &str| UnitCommand {
        environment: vec![(
            "CPATH".into(),
            tree.root().join(value).to_str().unwrap().into(),
        )],
        ..tree.unit("a.c", &[])
    };
    let units = [
        tree.unit("a.c", &["-Ione"]),
        tree.unit("a.c", &["-Itwo"]),
        tree.unit("a.c", &["-Itwo", "-DVALUE=3"]),
        with_variable("one"),
        with_variable("two"),
    ];
    for unit in &units {
        let cached = compile(&clang, Some(&cache), std::slice::from_ref(unit));
        let uncached = compile(&clang, None, std::slice::from_ref(unit));
        assert_eq!(programs(&cached), programs(&uncached));
    }
}

/// A law: after any edit, a run with the cache gives what a run without it gives.
#[test]
fn cache_changes_no_result_under_random_edits() {
    let tree = Tree::of(&[]);
    let place = tempfile::tempdir().unwrap();
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let main = "#include \"x.h\"\n#include <y.h>\n#ifndef X\n#define X 0\n#endif\n#ifndef Y\n#define Y 0\n#endif\n#if __has_include(\"sub/z.h\")\n#include \"sub/z.h\"\n#else\n#define Z 0\n#endif\nint r(void) { return X * 100 + Y * 10 + Z; }\n";
    tree.write("src/a.c", main);
    for (name, text) in [("q/x.h", "#define X 9\n"), ("q/y.h", "#define Y 9\n")] {
        tree.write(name, text);
    }
    // The last directory of the search keeps its files, so that most states compile.
    let places = ["src", "p", "p/deep"];
    let names = ["x.h", "y.h", "sub/z.h"];
    let units = [tree.unit("src/a.c", &["-Ip", "-IROOT/p/deep", "-Iq", "-isystem", "q"])];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let (mut hits, mut compiled_units) = (0, 0);
    for step in 0..60 {
        let name = names[random(names.len())];
        let file = format!("{}/{name}", places[random(places.len())]);
        let macro_name = ["X", "Y", "Z"][names.iter().position(|other| *other == name).unwrap()];
        match random(4) {
            0 => {
                std::fs::remove_file(tree.root().join(&file)).ok();
            }
            1 => tree.write(
                &file,
                &format!("#pragma once\n#define {macro_name} 1\n#include_next <y.h>\n"),
            ),
            _ => tree.write(&file, &format!("#define {macro_name} {}\n", random(3))),
        }
        let cached = compile(&clang, Some(&cache), &units);
        let uncached = compile(&clang, None, &units);
        let messages = |compiled: &knockon_build::build::Compiled| {
            compiled
                .failures
                .iter()
                .map(|failure| failure.message.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            programs(&cached),
            programs(&uncached),
            "step {step}: {file}"
        );
        assert_eq!(
            messages(&cached),
            messages(&uncached),
            "step {step}: {file}"
        );
        compiled_units += cached.units.len();
        hits += cached
            .units
            .iter()
            .filter(|unit| unit.origin == Origin::Manifest)
            .count();
    }
    assert!(compiled_units > 20, "{compiled_units}");
    assert!(hits > 2, "{hits}");
}

/// Every file below a directory, in order.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(current) = pending.pop() {
        for entry in std::fs::read_dir(current).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn damaged_files_are_misses() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let units = [tree.unit("src/main.c", FLAGS)];
    let expected = programs(&compile(&clang, Some(&cache), &units));
    for table in ["entries", "manifests"] {
        for damage in ["flip", "cut", "empty"] {
            for path in files_below(&cache.directory().join(table)) {
                let mut bytes = std::fs::read(&path).unwrap();
                match damage {
                    "flip" => {
                        let middle = bytes.len() / 2;
                        bytes[middle] ^= 0x10;
                    }
                    "cut" => bytes.truncate(bytes.len() - 1),
                    _ => bytes.clear(),
                }
                std::fs::write(&path, bytes).unwrap();
            }
            let damaged = compile(&clang, Some(&cache), &units);
            assert_ne!(origins(&damaged), [Origin::Manifest], "{table} {damage}");
            assert_eq!(programs(&damaged), expected);
            let repaired = compile(&clang, Some(&cache), &units);
            assert_eq!(origins(&repaired), [Origin::Manifest], "{table} {damage}");
            assert_eq!(programs(&repaired), expected);
        }
    }
}

#[test]
fn cache_that_cannot_be_made_costs_a_caveat_and_no_result() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let clang = find_clang(None).unwrap();
    std::fs::write(place.path().join("file"), "").unwrap();
    let cache = Cache::open(&place.path().join("file/cache"), 1 << 30);
    let units = [tree.unit("src/main.c", FLAGS)];
    let compiled = compile(&clang, Some(&cache), &units);
    assert_eq!(
        programs(&compiled),
        programs(&compile(&clang, None, &units))
    );
    let kinds: Vec<CaveatKind> = compiled.caveats.iter().map(|caveat| caveat.kind).collect();
    assert_eq!(kinds, [CaveatKind::CacheUnavailable]);
}

#[test]
fn directory_that_others_can_write_is_not_used() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let clang = find_clang(None).unwrap();
    let directory = place.path().join("cache");
    std::fs::create_dir(&directory).unwrap();
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o777)).unwrap();
    let cache = Cache::open(&directory, 1 << 30);
    let compiled = compile(&clang, Some(&cache), &[tree.unit("src/main.c", FLAGS)]);
    assert_eq!(origins(&compiled), [Origin::Text]);
    assert_eq!(compiled.caveats.len(), 1);
    assert!(compiled.caveats[0].message.contains("chmod 700"));
    assert_eq!(files_below(&directory), Vec::<PathBuf>::new());
}

#[test]
fn directories_are_for_the_user_alone() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    compile(&clang, Some(&cache), &[tree.unit("src/main.c", FLAGS)]);
    for path in ["", "entries", "manifests", "temporary"] {
        let mode = cache
            .directory()
            .join(path)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700, "{path}");
    }
}

/// Not a test: what the tests with several processes start.
#[test]
fn process_that_compiles_when_asked() {
    let Some(tree) = std::env::var_os("KNOCKON_TEST_TREE") else {
        return;
    };
    let cache = Cache::open(
        Path::new(&std::env::var_os("KNOCKON_TEST_CACHE").unwrap()),
        1 << 30,
    );
    let units = knockon_build::unit::units_of_directory(Path::new(&tree)).unwrap();
    let compiled = compile(&find_clang(Some(&cache)).unwrap(), Some(&cache), &units);
    assert_eq!(compiled.units.len(), units.len());
    if std::env::var_os("KNOCKON_TEST_FULL").is_some() {
        assert_eq!(compiled.caveats.len(), 1);
        assert_eq!(compiled.caveats[0].kind, CaveatKind::CacheUnavailable);
    } else {
        assert_eq!(compiled.caveats, []);
    }
}

fn compiling_process(tree: &Tree, cache: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "process_that_compiles_when_asked"])
        .env("KNOCKON_TEST_TREE", tree.root())
        .env("KNOCKON_TEST_CACHE", cache)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn tree_of_many() -> Tree {
    let tree = Tree::of(&[("value.h", "#define VALUE 3\n")]);
    for number in 0..8 {
        tree.write(
            &format!("unit{number}.c"),
            &format!("#include <stdlib.h>\n#include \"value.h\"\nint f{number}(int a) {{ return a + VALUE; }}\n"),
        );
    }
    tree
}

fn assert_right(tree: &Tree, cache: &Cache) {
    let clang = find_clang(None).unwrap();
    let units = knockon_build::unit::units_of_directory(tree.root()).unwrap();
    let cached = compile(&clang, Some(cache), &units);
    assert_eq!(programs(&cached), programs(&compile(&clang, None, &units)));
    let warm = compile(&clang, Some(cache), &units);
    assert_eq!(origins(&warm), vec![Origin::Manifest; units.len()]);
    assert_eq!(programs(&cached), programs(&warm));
}

#[test]
fn processes_at_once_do_not_disturb_each_other() {
    let (tree, place) = (tree_of_many(), tempfile::tempdir().unwrap());
    let cache = cache_in(place.path());
    let mut processes: Vec<_> = (0..3)
        .map(|_| compiling_process(&tree, cache.directory()).spawn().unwrap())
        .collect();
    for process in &mut processes {
        assert!(process.wait().unwrap().success());
    }
    assert_right(&tree, &cache);
}

#[test]
fn killed_process_leaves_a_cache_that_works() {
    let (tree, place) = (tree_of_many(), tempfile::tempdir().unwrap());
    let cache = cache_in(place.path());
    for milliseconds in [20, 60, 110, 170, 240, 320] {
        let mut process = compiling_process(&tree, cache.directory()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    assert_right(&tree, &cache);
}

/// On a file system of 64 KiB, in a name space of its own. Where the system allows
/// no such name space, there is nothing to test with.
#[test]
fn full_disk_costs_a_caveat_and_no_result() {
    let (tree, place) = (tree_of_many(), tempfile::tempdir().unwrap());
    let inner = compiling_process(&tree, place.path());
    let allowed = Command::new("unshare")
        .args(["-rm", "true"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !allowed {
        return;
    }
    let script = "mount -t tmpfs -o size=16k,mode=700 none \"$KNOCKON_TEST_CACHE\" && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh"]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.envs(
        inner
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = command.env("KNOCKON_TEST_FULL", "1").output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn root_behind_a_link_is_the_same_root() {
    let (tree, place) = (small_tree(), tempfile::tempdir().unwrap());
    let (cache, clang) = (cache_in(place.path()), find_clang(None).unwrap());
    let link = place.path().join("link");
    std::os::unix::fs::symlink(tree.root(), &link).unwrap();
    let direct = compile(&clang, Some(&cache), &[tree.unit("src/main.c", FLAGS)]);
    let through = UnitCommand {
        root: link,
        ..tree.unit("src/main.c", FLAGS)
    };
    let linked = compile(&clang, Some(&cache), std::slice::from_ref(&through));
    assert_eq!(programs(&direct), programs(&linked));
    assert_eq!(
        programs(&compile(&clang, None, &[through])),
        programs(&linked)
    );
}
