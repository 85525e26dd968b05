//! A revision becomes a directory, and the user's repository does not notice.

mod repositories;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use knockon_build::git::{
    ExportCaveat, ExportedTree, FIXED_TIME, GitError, check_out_revision, discover, export,
    export_staged, resolve, resolve_range, working_tree_files,
};
use repositories::{Fixture, git_in};

fn export_of(fixture: &Fixture, name: &str) -> ExportedTree {
    let repository = fixture.repository();
    let revision = resolve(&repository, name).unwrap();
    export(&repository, &revision, &fixture.cache()).unwrap()
}

/// Everything below a directory: kind, mode, modification time and content of each entry.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut entries = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_dir() {
            pending.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            "directory".to_owned()
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().display().to_string()
        } else {
            blake3::hash(&fs::read(&path).unwrap()).to_string()
        };
        let line = format!(
            "{:o} {}.{} {content}",
            metadata.mode(),
            metadata.mtime(),
            metadata.mtime_nsec()
        );
        entries.insert(path.strip_prefix(root).unwrap().to_owned(), line);
    }
    entries
}

/// The files of an export with their contents.
fn contents(root: &Path) -> BTreeMap<String, String> {
    knockon_build::build_inputs::list_files(root)
        .unwrap()
        .into_iter()
        .map(|path| {
            let text = String::from_utf8_lossy(&fs::read(root.join(&path)).unwrap()).into_owned();
            (path.to_string_lossy().into_owned(), text)
        })
        .collect()
}

fn text(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn an_export_has_the_committed_files_and_not_the_working_tree() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int old;\n");
    fixture.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(
        fixture.root().join("run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    fixture.write("deep/er/b.h", "b\n");
    symlink("deep/er/b.h", fixture.root().join("link.h")).unwrap();
    fixture.commit("first");
    fixture.write("a.c", "int dirty;\n");
    fixture.write("new.c", "int untracked;\n");
    let exported = export_of(&fixture, "HEAD");
    assert_eq!(text(&exported.root, "a.c"), "int old;\n");
    assert_eq!(text(&exported.root, "link.h"), "b\n");
    assert!(!exported.root.join("new.c").exists() && !exported.root.join(".git").exists());
    assert_ne!(
        fs::metadata(exported.root.join("run.sh")).unwrap().mode() & 0o100,
        0
    );
    assert_eq!(exported.caveats, []);
}

/// Hooks, filters, monitors and drivers that would betray themselves are all configured, index and
/// working tree are stale; every entry point is used.
#[test]
fn the_repository_stays_untouched_and_nothing_of_it_runs() {
    let fixture = Fixture::new();
    let marker = fixture.directory.path().join("executed");
    let betray = format!("touch '{}'; cat", marker.display());
    let script = fixture.directory.path().join("betray.sh");
    fs::write(&script, format!("#!/bin/sh\n{betray}\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    fixture.write(
        ".gitattributes",
        "*.c filter=evil diff=evil merge=evil\n*.h ident\n",
    );
    fixture.write("a.c", "int a;\n");
    fixture.write("a.h", "// $Id$\n");
    fixture.commit("first");
    fixture.git(&["branch", "feature"]);
    fixture.write("a.c", "int b;\n");
    fixture.commit("second");
    // Staged, changed and new files; what the index knows of the files is stale.
    fixture.write("staged.h", "staged\n");
    fixture.git(&["add", "staged.h"]);
    fixture.write("a.h", "dirty\n");
    fixture.write("untracked.c", "int u;\n");
    for (key, value) in [
        ("filter.evil.smudge", betray.as_str()),
        ("filter.evil.clean", &betray),
        ("filter.evil.process", &betray),
        ("filter.evil.required", "true"),
        ("diff.evil.textconv", &betray),
        ("merge.evil.driver", &betray),
        ("core.fsmonitor", script.to_str().unwrap()),
        (
            "core.hooksPath",
            fixture.root().join(".git/hooks").to_str().unwrap(),
        ),
        ("core.sshCommand", &betray),
        ("core.pager", &betray),
        ("credential.helper", &betray),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ext::sh -c betray"),
        ("remote.origin.promisor", "true"),
        ("alias.rev-parse", &format!("!{betray}")),
    ] {
        fixture.git(&["config", key, value]);
    }
    let hooks = fixture.root().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-checkout",
        "post-index-change",
        "pre-commit",
        "reference-transaction",
        "fsmonitor-watchman",
    ] {
        fs::copy(&script, hooks.join(hook)).unwrap();
    }
    assert!(!marker.exists(), "the fixture itself runs nothing");

    let before = snapshot(&fixture.root());
    let repository = fixture.repository();
    let head = resolve(&repository, "HEAD").unwrap();
    export(&repository, &head, &fixture.cache()).unwrap();
    resolve_range(&repository, "feature...HEAD")
        .unwrap()
        .unwrap();
    resolve(&repository, "featuer").unwrap_err();
    let staged = export_staged(&repository, &fixture.cache()).unwrap();
    working_tree_files(&repository).unwrap();
    check_out_revision(&repository, &head, &fixture.directory.path().join("copy")).unwrap();
    assert_eq!(snapshot(&fixture.root()), before);
    assert!(
        !marker.exists(),
        "a program that the repository names was run"
    );
    assert_eq!(text(&staged.root, "staged.h"), "staged\n");
    assert!(
        text(&staged.root, "a.h").starts_with("// $Id: "),
        "the tree's own attributes hold"
    );
}

#[test]
fn commits_with_the_same_tree_share_one_export() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    let first = fixture.commit("first");
    let second = fixture.commit("same files");
    let (one, two) = (export_of(&fixture, &first), export_of(&fixture, &second));
    assert_eq!((&one.root, &one.tree), (&two.root, &two.tree));
    assert_eq!(one.commit.unwrap().as_str(), first);
    assert_eq!(two.commit.unwrap().as_str(), second);
}

#[test]
fn all_files_of_an_export_have_the_same_fixed_time() {
    let fixture = Fixture::new();
    fixture.write("configure.ac", "");
    fixture.write("sub/configure", "");
    fixture.commit("first");
    let exported = export_of(&fixture, "HEAD");
    for file in ["configure.ac", "sub/configure"] {
        assert_eq!(
            fs::metadata(exported.root.join(file)).unwrap().mtime(),
            FIXED_TIME
        );
    }
}

#[test]
fn attributes_of_archives_do_not_apply_and_those_of_checkouts_do() {
    let fixture = Fixture::new();
    fixture.write(
        ".gitattributes",
        "test.c export-ignore\nv.c export-subst\nw.c text eol=crlf\n",
    );
    fixture.write("test.c", "int t;\n");
    fixture.write("v.c", "$Format:%H$\n");
    fixture.write("w.c", "int w;\n");
    fixture.commit("first");
    let exported = export_of(&fixture, "HEAD");
    assert_eq!(text(&exported.root, "test.c"), "int t;\n");
    assert_eq!(text(&exported.root, "v.c"), "$Format:%H$\n");
    assert_eq!(text(&exported.root, "w.c"), "int w;\r\n");
}

#[test]
fn ranges_name_two_revisions_and_three_dots_start_at_the_merge_base() {
    let fixture = Fixture::new();
    fixture.write("a.c", "1");
    let base = fixture.commit("base");
    fixture.git(&["checkout", "--quiet", "-b", "side"]);
    fixture.write("a.c", "2");
    let side = fixture.commit("side");
    fixture.git(&["checkout", "--quiet", "main"]);
    fixture.write("a.c", "3");
    let main = fixture.commit("main");
    let repository = fixture.repository();
    let ends = |range: &str| {
        let (old, new) = resolve_range(&repository, range).unwrap().unwrap();
        (
            old.commit.unwrap().to_string(),
            new.commit.unwrap().to_string(),
        )
    };
    assert_eq!(ends("main..side"), (main.clone(), side.clone()));
    assert_eq!(ends("main...side"), (base.clone(), side.clone()));
    assert_eq!(ends("..side"), (main.clone(), side.clone()));
    assert_eq!(ends("side..."), (base, main));
    assert!(resolve_range(&repository, "main").unwrap().is_none());
    fixture.git(&["checkout", "--quiet", "--orphan", "alone"]);
    fixture.commit("unrelated");
    let unrelated = resolve_range(&fixture.repository(), "main...alone");
    assert!(matches!(
        unrelated,
        Err(GitError::NoMergeBase { shallow: false, .. })
    ));
}

#[test]
fn the_staged_files_are_exported_and_unmerged_ones_are_an_error() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int head;\n");
    fixture.commit("first");
    fixture.write("a.c", "int staged;\n");
    fixture.git(&["add", "a.c"]);
    fixture.write("a.c", "int dirty;\n");
    fixture.write("planned.c", "int planned;\n");
    fixture.git(&["add", "--intent-to-add", "planned.c"]);
    let staged = export_staged(&fixture.repository(), &fixture.cache()).unwrap();
    assert_eq!(
        contents(&staged.root),
        BTreeMap::from([("a.c".to_owned(), "int staged;\n".to_owned())])
    );
    assert!(staged.commit.is_none());

    let fixture = Fixture::new();
    fixture.write("a.c", "1\n");
    fixture.commit("base");
    fixture.git(&["checkout", "--quiet", "-b", "side"]);
    fixture.write("a.c", "2\n");
    fixture.commit("side");
    fixture.git(&["checkout", "--quiet", "main"]);
    fixture.write("a.c", "3\n");
    fixture.commit("main");
    let merge = Command::new("git")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(["merge", "side"])
        .current_dir(fixture.root())
        .output()
        .unwrap();
    assert!(!merge.status.success(), "a conflict");
    let refused = export_staged(&fixture.repository(), &fixture.cache());
    assert!(
        matches!(refused, Err(GitError::UnmergedIndex { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_split_index_is_read_too() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    fixture.commit("first");
    fixture.git(&["update-index", "--split-index"]);
    fixture.write("b.c", "int b;\n");
    fixture.git(&["add", "b.c"]);
    let staged = export_staged(&fixture.repository(), &fixture.cache()).unwrap();
    assert_eq!(contents(&staged.root).len(), 2);
}

#[test]
fn an_unknown_revision_offers_near_names() {
    let fixture = Fixture::new();
    fixture.write("a.c", "");
    fixture.commit("first");
    fixture.git(&["branch", "feature/login"]);
    fixture.git(&["tag", "v1.0"]);
    let repository = fixture.repository();
    let message = |name: &str| resolve(&repository, name).unwrap_err().to_string();
    assert!(message("mian").contains("did you mean `main`?"));
    assert!(message("mian~2").contains("did you mean `main`?"));
    assert!(message("login").contains("`feature/login`"));
    assert!(message("v1.1").contains("`v1.0`"));
    assert!(message("--all").contains("is not a revision of"));
    assert!(message(&"0".repeat(40)).contains("is not a revision of"));
    let blob = fixture.git(&["rev-parse", "HEAD:a.c"]);
    assert!(matches!(
        resolve(&repository, &blob),
        Err(GitError::NotATree { .. })
    ));
}

#[test]
fn a_shallow_clone_says_how_to_get_the_rest() {
    let fixture = Fixture::new();
    for number in 0..3 {
        fixture.write("a.c", &number.to_string());
        fixture.commit("next");
    }
    let first = fixture.git(&["rev-parse", "HEAD~2"]);
    let url = format!("file://{}", fixture.root().display());
    git_in(
        fixture.directory.path(),
        &["clone", "--quiet", "--depth=1", &url, "shallow"],
    );
    let repository = discover(&fixture.directory.path().join("shallow")).unwrap();
    for name in ["HEAD~2", &first] {
        let message = resolve(&repository, name).unwrap_err().to_string();
        assert!(message.contains("git fetch --unshallow"), "{message}");
    }
    export(
        &repository,
        &resolve(&repository, "HEAD").unwrap(),
        &fixture.cache(),
    )
    .unwrap();
}

#[test]
fn a_bare_repository_has_revisions_and_no_working_tree() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    fixture.commit("first");
    git_in(
        fixture.directory.path(),
        &["clone", "--quiet", "--bare", "project", "bare.git"],
    );
    let repository = discover(&fixture.directory.path().join("bare.git")).unwrap();
    let exported = export(
        &repository,
        &resolve(&repository, "main").unwrap(),
        &fixture.cache(),
    )
    .unwrap();
    assert_eq!(text(&exported.root, "a.c"), "int a;\n");
    assert!(matches!(
        export_staged(&repository, &fixture.cache()),
        Err(GitError::NoWorkingTree { .. })
    ));
    assert!(matches!(
        working_tree_files(&repository),
        Err(GitError::NoWorkingTree { .. })
    ));
}

#[test]
fn no_repository_and_no_commit_are_told_apart() {
    let outside = tempfile::tempdir().unwrap();
    assert!(matches!(
        discover(outside.path()),
        Err(GitError::NotARepository { .. })
    ));
    assert!(matches!(
        resolve(&Fixture::new().repository(), "HEAD"),
        Err(GitError::NoCommits { .. })
    ));
}

#[test]
fn a_missing_object_is_an_error_that_says_so() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int lost;\n");
    fixture.commit("first");
    let blob = fixture.git(&["rev-parse", "HEAD:a.c"]);
    fs::remove_file(
        fixture
            .root()
            .join(".git/objects")
            .join(&blob[..2])
            .join(&blob[2..]),
    )
    .unwrap();
    let repository = fixture.repository();
    let refused = export(
        &repository,
        &resolve(&repository, "HEAD").unwrap(),
        &fixture.cache(),
    );
    assert!(
        matches!(refused, Err(GitError::MissingObjects { .. })),
        "{refused:?}"
    );
    assert_eq!(unfinished(&fixture.cache()), 0);
}

#[test]
fn submodules_are_exported_when_present_and_a_caveat_when_not() {
    let fixture = Fixture::new();
    for inner in ["innermost", "inner"] {
        let path = fixture.directory.path().join(inner);
        fs::create_dir(&path).unwrap();
        git_in(&path, &["init", "--quiet", "--initial-branch=main"]);
        fs::write(path.join("lib.c"), inner).unwrap();
        if inner == "inner" {
            let url = fixture.directory.path().join("innermost");
            git_in(
                &path,
                &[
                    "submodule",
                    "--quiet",
                    "add",
                    url.to_str().unwrap(),
                    "nested dir",
                ],
            );
        }
        git_in(&path, &["add", "--all"]);
        git_in(&path, &["commit", "--quiet", "-m", "inner"]);
    }
    let url = fixture.directory.path().join("inner");
    fixture.git(&[
        "submodule",
        "--quiet",
        "add",
        "--name",
        "other name",
        url.to_str().unwrap(),
        "third/party",
    ]);
    fixture.commit("with submodule");

    // The nested submodule's objects were not fetched yet.
    let partial = export_of(&fixture, "HEAD");
    assert_eq!(text(&partial.root, "third/party/lib.c"), "inner");
    let [ExportCaveat::SubmoduleMissing { path, .. }] = &partial.caveats[..] else {
        panic!("{:?}", partial.caveats)
    };
    assert_eq!(path, Path::new("third/party/nested dir"));

    fixture.git(&["submodule", "--quiet", "update", "--init", "--recursive"]);
    let complete = export_of(&fixture, "HEAD");
    assert_eq!(complete.caveats, []);
    assert_eq!(
        text(&complete.root, "third/party/nested dir/lib.c"),
        "innermost"
    );
    assert!(
        !contents(&complete.root)
            .keys()
            .any(|name| name.ends_with(".git"))
    );

    // Still found when the working tree no longer has them.
    fixture.git(&["submodule", "--quiet", "deinit", "--all", "--force"]);
    fs::remove_dir_all(fixture.cache()).unwrap();
    assert_eq!(export_of(&fixture, "HEAD").caveats, []);
    assert!(
        working_tree_files(&fixture.repository())
            .unwrap()
            .contains(&PathBuf::from(".gitmodules"))
    );
}

#[test]
fn links_out_of_the_tree_are_left_out_with_a_caveat() {
    let fixture = Fixture::new();
    fixture.write("sub/inside.h", "i\n");
    for (link, target) in [
        ("absolute", "/etc/passwd"),
        ("up", "../outside"),
        ("sub/fine", "../sub/inside.h"),
        ("sub/far", "../../outside"),
        ("root", "."),
        ("sneaky", "root/../outside"),
    ] {
        symlink(target, fixture.root().join(link)).unwrap();
    }
    fixture.commit("links");
    let exported = export_of(&fixture, "HEAD");
    let removed: Vec<&str> = exported
        .caveats
        .iter()
        .map(|caveat| match caveat {
            ExportCaveat::LinkLeavesTree { path, .. } => path.to_str().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(removed, ["absolute", "sneaky", "sub/far", "up"]);
    assert_eq!(text(&exported.root, "sub/fine"), "i\n");
    assert!(fs::symlink_metadata(exported.root.join("absolute")).is_err());
}

#[test]
fn pointers_of_git_lfs_stay_pointers_with_a_caveat() {
    let fixture = Fixture::new();
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 5\n",
        "0".repeat(64)
    );
    fixture.write("table.c", &pointer);
    fixture.commit("pointer");
    let exported = export_of(&fixture, "HEAD");
    assert_eq!(text(&exported.root, "table.c"), pointer);
    assert_eq!(
        exported.caveats,
        [ExportCaveat::LargeFilePointer {
            path: "table.c".into()
        }]
    );
}

/// Trees that git itself would never write.
#[test]
fn a_tree_that_names_files_outside_is_refused() {
    let fixture = Fixture::new();
    fixture.write("a", "evil\n");
    fixture.commit("first");
    let blob = fixture.git(&["rev-parse", "HEAD:a"]);
    let blob_bytes: Vec<u8> = (0..blob.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&blob[at..at + 2], 16).unwrap())
        .collect();
    for name in ["..", ".git", "../escape", "sub/../../escape"] {
        let mut tree = format!("100644 {name}\0").into_bytes();
        tree.extend(&blob_bytes);
        let file = fixture.directory.path().join("tree");
        fs::write(&file, tree).unwrap();
        let id = fixture.git(&[
            "hash-object",
            "-t",
            "tree",
            "-w",
            "--literally",
            file.to_str().unwrap(),
        ]);
        let repository = fixture.repository();
        let refused = export(
            &repository,
            &resolve(&repository, &id).unwrap(),
            &fixture.cache(),
        );
        assert!(refused.is_err(), "{name}");
        assert!(
            !fixture.cache().join("escape").exists()
                && !fixture.cache().join("exports/escape").exists()
        );
    }
}

#[test]
fn linked_worktrees_other_hashes_and_odd_names_work() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    fixture.commit("first");
    fixture.git(&["worktree", "add", "--quiet", "-b", "linked", "../linked"]);
    let linked = discover(&fixture.directory.path().join("linked")).unwrap();
    assert_ne!(linked.git_directory, linked.common_directory);
    export(
        &linked,
        &resolve(&linked, "HEAD").unwrap(),
        &fixture.cache(),
    )
    .unwrap();
    export_staged(&linked, &fixture.cache()).unwrap();

    let odd = fixture.directory.path().join("odd: \"name\"\n\\ é");
    fs::create_dir(&odd).unwrap();
    git_in(&odd, &["init", "--quiet", "--object-format=sha256"]);
    fs::write(odd.join("ä\n.c"), "odd").unwrap();
    git_in(&odd, &["add", "--all"]);
    git_in(&odd, &["commit", "--quiet", "-m", "odd"]);
    let repository = discover(&odd).unwrap();
    let exported = export(
        &repository,
        &resolve(&repository, "HEAD").unwrap(),
        &fixture.cache(),
    )
    .unwrap();
    assert_eq!(text(&exported.root, "ä\n.c"), "odd");
    assert_eq!(exported.tree.as_str().len(), 64);
    assert_eq!(
        working_tree_files(&repository).unwrap(),
        [PathBuf::from("ä\n.c")]
    );
}

#[test]
fn the_working_tree_lists_new_files_and_not_ignored_or_deleted_ones() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.o\nbuild/\n");
    fixture.write("a.c", "");
    fixture.write("gone.c", "");
    fixture.commit("first");
    fixture.write("new.c", "");
    fixture.write("a.o", "");
    fixture.write("build/Makefile", "");
    fs::remove_file(fixture.root().join("gone.c")).unwrap();
    let files = working_tree_files(&fixture.repository()).unwrap();
    assert_eq!(files, [".gitignore", "a.c", "new.c"].map(PathBuf::from));
}

/// Directories of exports that are not complete.
fn unfinished(cache: &Path) -> usize {
    let Ok(entries) = fs::read_dir(cache.join("exports")) else {
        return 0;
    };
    entries
        .filter(|entry| {
            entry
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("unfinished-")
        })
        .count()
}

#[test]
fn many_at_once_export_the_same_tree_and_leave_nothing_behind() {
    let fixture = Fixture::new();
    for number in 0..40 {
        fixture.write(&format!("{number}.c"), "int a;\n");
    }
    fixture.commit("first");
    let repository = fixture.repository();
    let head = resolve(&repository, "HEAD").unwrap();
    let roots: Vec<PathBuf> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| export(&repository, &head, &fixture.cache()).unwrap().root))
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(roots.iter().all(|root| contents(root).len() == 40));
    assert_eq!(unfinished(&fixture.cache()), 0);
}

#[test]
fn what_a_killed_export_left_is_removed_and_a_living_one_is_not() {
    let fixture = Fixture::new();
    fixture.write("a.c", "");
    fixture.commit("first");
    let store = fixture.cache().join("exports");
    for name in ["unfinished-dead", "unfinished-alive", "unfinished-young"] {
        fs::create_dir_all(store.join(name).join("export/root")).unwrap();
    }
    File::create(store.join("unfinished-dead/lock")).unwrap();
    let held = File::create(store.join("unfinished-alive/lock")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    export_of(&fixture, "HEAD");
    assert!(!store.join("unfinished-dead").exists());
    assert!(store.join("unfinished-alive").exists() && store.join("unfinished-young").exists());
}

#[test]
fn a_damaged_export_is_replaced() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    fixture.commit("first");
    let exported = export_of(&fixture, "HEAD");
    let place = exported.root.parent().unwrap();
    fs::write(place.join("export.json"), "not json").unwrap();
    fs::remove_file(exported.root.join("a.c")).unwrap();
    assert_eq!(text(&export_of(&fixture, "HEAD").root, "a.c"), "int a;\n");
}

#[test]
fn a_copy_to_build_in_is_ones_own() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int a;\n");
    fixture.commit("first");
    let repository = fixture.repository();
    let head = resolve(&repository, "HEAD").unwrap();
    let copy = fixture.directory.path().join("copy");
    check_out_revision(&repository, &head, &copy).unwrap();
    fs::write(copy.join("a.o"), "built").unwrap();
    assert!(!export_of(&fixture, "HEAD").root.join("a.o").exists());
    assert!(matches!(
        check_out_revision(&repository, &head, &copy),
        Err(GitError::Io { .. })
    ));
}
