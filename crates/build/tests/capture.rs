//! What a captured build says, on small real builds: each test makes a project, builds it the
//! way a kind of build system does, and states which translation units each executable has.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use knockon_build::capture::{BuildOutput, CaptureError, CaptureOptions, capture};
use knockon_build::recorded_build::{
    BuildCaveatKind, Interception, Language, LinkKind, Origin, RecordedBuild, executables, read,
    write,
};

/// Held by each project: while one thread has a script open for writing, a process that another
/// thread starts inherits it for a moment, and to run the script then fails as busy.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Project {
    directory: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project {
            directory: tempfile::tempdir().unwrap(),
            _alone: ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner),
        };
        for (name, content) in files {
            project.write(name, content);
        }
        project
    }

    fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        if content.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn capture(&self, interception: Interception, command: &[&str]) -> RecordedBuild {
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        let output = tempfile::NamedTempFile::new().unwrap();
        let options = CaptureOptions {
            interception: Some(interception),
            output: BuildOutput::File(output.path().to_owned()),
        };
        let build = capture(&words, &self.path(), &options).unwrap();
        if build.failed {
            panic!("{}", fs::read_to_string(output.path()).unwrap());
        }
        build
    }

    fn capture_script(&self, interception: Interception, script: &str) -> RecordedBuild {
        self.capture(interception, &["sh", "-ec", script])
    }

    fn preloaded(&self, script: &str) -> RecordedBuild {
        self.capture_script(Interception::Preload, script)
    }

    /// The path relative to the project.
    fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.path())
            .unwrap_or(path)
            .display()
            .to_string()
    }

    /// Each executable with the sources of its units; unresolved code is a failure.
    fn units(&self, build: &RecordedBuild) -> BTreeMap<String, Vec<String>> {
        executables(build)
            .into_iter()
            .map(|executable| {
                assert_eq!(executable.unresolved, Vec::<String>::new());
                let mut sources: Vec<String> = executable
                    .units
                    .iter()
                    .map(|unit| self.short(&build.compiles[unit.0 as usize].file))
                    .collect();
                sources.sort();
                (self.short(&executable.path), sources)
            })
            .collect()
    }

    fn assert_units(&self, build: &RecordedBuild, expected: &[(&str, &[&str])]) {
        let expected: BTreeMap<String, Vec<String>> = expected
            .iter()
            .map(|(name, sources)| {
                (
                    (*name).to_owned(),
                    sources.iter().map(|source| (*source).to_owned()).collect(),
                )
            })
            .collect();
        assert_eq!(self.units(build), expected);
    }

    /// The arguments with which the only unit from `source` in `executable` was compiled.
    fn arguments<'b>(
        &self,
        build: &'b RecordedBuild,
        executable: &str,
        source: &str,
    ) -> &'b [String] {
        let found = executables(build)
            .into_iter()
            .find(|found| found.name == executable)
            .unwrap();
        let units: Vec<&[String]> = found
            .units
            .iter()
            .map(|unit| &build.compiles[unit.0 as usize])
            .filter(|step| self.short(&step.file) == source)
            .map(|step| step.arguments.as_slice())
            .collect();
        assert_eq!(units.len(), 1, "{source} in {executable}: {units:?}");
        units[0]
    }
}

const MAIN: &str = "int f(void); int main(void) { return f(); }\n";
const F: &str = "int f(void) { return 0; }\n";

const EVERY_WAY: [Interception; 3] = [
    Interception::Preload,
    Interception::StandIns,
    Interception::Both,
];

#[test]
fn parallel_make_with_an_archive_and_shared_objects() {
    let project = Project::new(&[
        ("one.c", MAIN),
        ("two.c", MAIN),
        ("f.c", "int g(void); int f(void) { return g(); }"),
        ("g.c", "int g(void) { return 0; }"),
        ("unused.c", "int unused(void) { return 1; }"),
        (
            "Makefile",
            "all: one two\n\
             one: one.o libf.a\n\t$(CC) -o $@ one.o -L. -lf\n\
             two: two.o f.o g.o\n\t$(CC) -o $@ $^\n\
             libf.a: f.o g.o unused.o\n\t$(AR) rcs $@ $^\n",
        ),
    ]);
    for interception in EVERY_WAY {
        let build = project.capture(interception, &["make", "-j4"]);
        project.assert_units(
            &build,
            &[
                ("one", &["f.c", "g.c", "one.c", "unused.c"]),
                ("two", &["f.c", "g.c", "two.c"]),
            ],
        );
        assert_eq!(build.compiles.len(), 5);
        assert_eq!(build.archives.len(), 1);
        assert_eq!(build.links.len(), 2);
        assert_eq!(build.interception, interception);
        for file in [
            "one", "two", "libf.a", "one.o", "two.o", "f.o", "g.o", "unused.o",
        ] {
            fs::remove_file(project.path().join(file)).unwrap();
        }
    }
}

#[test]
fn a_parallel_build_gives_the_same_bytes_each_time() {
    let mut makefile = String::from("prog: main.o");
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    for number in 0..12 {
        project.write(
            &format!("u{number}.c"),
            &format!("int u{number}(void) {{ return {number}; }}"),
        );
        makefile.push_str(&format!(" u{number}.o"));
    }
    makefile.push_str("\n\t$(CC) -o $@ $^\n");
    project.write("Makefile", &makefile);
    let mut texts = Vec::new();
    for jobs in ["-j1", "-j8"] {
        let mut build = project.capture(Interception::Preload, &["make", "-B", jobs]);
        build.command.clear();
        let path = project.path().join("build.json");
        write(&path, &build).unwrap();
        assert_eq!(read(&path).unwrap(), build);
        texts.push(fs::read_to_string(&path).unwrap());
    }
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn sub_makes_keep_their_directories() {
    let project = Project::new(&[
        ("Makefile", "all:\n\t$(MAKE) -C lib\n\t$(MAKE) -C src\n"),
        ("lib/Makefile", "libf.a: f.o\n\tar cr $@ $<\n"),
        ("lib/f.c", F),
        (
            "src/Makefile",
            "../bin: main.o\n\tcc -o $@ main.o ../lib/libf.a\n",
        ),
        ("src/main.c", MAIN),
    ]);
    let build = project.capture(Interception::Preload, &["make"]);
    project.assert_units(&build, &[("bin", &["lib/f.c", "src/main.c"])]);
    let step = &build.compiles[0];
    assert_eq!(step.directory, project.path().join("lib"));
    assert_eq!(step.output, Some(project.path().join("lib/f.o")));
}

#[test]
fn wiped_environment_and_absolute_compiler_paths_hide_nothing() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    let build = project.preloaded(
        "compiler=$(command -v cc); env -i PATH=\"$PATH\" \"$compiler\" -c main.c
         unset LD_PRELOAD KNOCKON_CAPTURE_STEP
         env -u PATH sh -c \"unset LD_PRELOAD; PATH=$PATH exec $compiler -c f.c\"
         env - PATH=\"$PATH\" sh -c 'cc -o prog main.o f.o'",
    );
    project.assert_units(&build, &[("prog", &["f.c", "main.c"])]);
}

#[test]
fn other_preloaded_libraries_stay_preloaded() {
    let project = Project::new(&[
        ("main.c", "int main(void) { return 0; }"),
        (
            "mark.c",
            "#include <stdlib.h>\n__attribute__((constructor)) static void mark(void) { setenv(\"MARKED\", \"yes\", 1); }",
        ),
    ]);
    let build = project.preloaded(
        "cc -shared -fPIC -o mark.so mark.c
         LD_PRELOAD=$PWD/mark.so sh -c 'sh -c \"test \\$MARKED = yes && cc -o prog main.c\"'",
    );
    assert_eq!(project.units(&build)["prog"], ["main.c"]);
}

#[test]
fn programs_with_the_address_sanitizer_still_run() {
    let project = Project::new(&[(
        "main.c",
        "#include <stdlib.h>\nint main(void) { char *p = malloc(3); p[0] = 0; free(p); return 0; }",
    )]);
    let build = project.preloaded("gcc -fsanitize=address -o prog main.c && ./prog");
    project.assert_units(&build, &[("prog", &["main.c"])]);
}

#[test]
fn compiling_and_linking_in_one_command() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    for interception in EVERY_WAY {
        let build = project.capture(interception, &["cc", "-pipe", "main.c", "f.c", "-o", "p"]);
        project.assert_units(&build, &[("p", &["f.c", "main.c"])]);
        assert_eq!(build.compiles.len(), 2);
        assert_eq!(build.compiles[0].output, None);
        assert!(build.compiles[0].arguments.contains(&"-pipe".to_owned()));
    }
    let build = project.preloaded("gcc -c main.c f.c && gcc main.o f.o");
    project.assert_units(&build, &[("a.out", &["f.c", "main.c"])]);
}

#[test]
fn the_linked_object_decides_between_two_compilations_of_one_source() {
    // The shape of libtool: each source once for shared and once for static libraries.
    let libtool = "#!/bin/sh\nset -e\nmkdir -p .libs\ngcc -c \"$1\" -fPIC -DPIC -o .libs/${1%.c}.o\ngcc -c \"$1\" -o ${1%.c}.o >/dev/null 2>&1\n";
    let project = Project::new(&[("main.c", MAIN), ("f.c", F), ("libtool", libtool)]);
    let build = project.preloaded(
        "./libtool main.c; ./libtool f.c
         gcc -shared .libs/f.o -Wl,-soname -Wl,libf.so.1 -o .libs/libf.so.1.0
         ln -s libf.so.1.0 .libs/libf.so
         ar cru .libs/libf.a f.o && ranlib .libs/libf.a
         gcc -o dynamic main.o -L.libs -lf
         gcc -o static main.o .libs/libf.a
         gcc -o static2 main.o -L.libs -Wl,-Bstatic -lf -Wl,-Bdynamic",
    );
    let both: &[&str] = &["f.c", "main.c"];
    project.assert_units(
        &build,
        &[("dynamic", both), ("static", both), ("static2", both)],
    );
    let is_shared_code = |executable: &str| {
        project
            .arguments(&build, executable, "f.c")
            .contains(&"-DPIC".to_owned())
    };
    assert!(is_shared_code("dynamic"));
    assert!(!is_shared_code("static"));
    assert!(!is_shared_code("static2"));
    assert_eq!(build.compiles.len(), 4);
}

#[test]
fn convenience_archives_are_followed_through_extraction() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("inner/f.c", F),
        ("g.c", "int g(void) { return 0; }"),
    ]);
    let build = project.preloaded(
        "gcc -c inner/f.c -o inner/f.o; gcc -c g.c; ar cr inner/libin.a inner/f.o
         mkdir x; cd x; ar x ../inner/libin.a; cd ..
         ar -r -c lib.a x/f.o; ar q lib.a g.o
         rm -r x
         gcc -o prog main.c lib.a",
    );
    project.assert_units(&build, &[("prog", &["g.c", "inner/f.c", "main.c"])]);
}

#[test]
fn an_archive_that_was_made_anew_forgets_its_old_members() {
    let project = Project::new(&[("main.c", MAIN), ("old.c", F), ("new.c", F)]);
    let build = project.preloaded(
        "gcc -c old.c; ar cr lib.a old.o; gcc main.c lib.a -o first
         : > lib.a; rm lib.a; gcc -c new.c; ar cr lib.a new.o; gcc main.c lib.a -o second",
    );
    project.assert_units(
        &build,
        &[
            ("first", &["main.c", "old.c"]),
            ("second", &["main.c", "new.c"]),
        ],
    );
}

#[test]
fn partial_links_and_assembly_stages_lead_back_to_the_source() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", "int g(void); int f(void) { return g(); }"),
        ("g.c", "int g(void) { return 0; }"),
        (
            "h.S",
            ".globl h\nh: ret\n.section .note.GNU-stack,\"\",@progbits\n",
        ),
    ]);
    let build = project.preloaded(
        "gcc -S f.c -o f.tmp.s; as f.tmp.s -o f.o; rm f.tmp.s
         gcc -c g.c; ld -r -o all.o f.o g.o
         as h.S -o h.o
         gcc main.c all.o h.o -o prog",
    );
    project.assert_units(&build, &[("prog", &["f.c", "g.c", "h.S", "main.c"])]);
    let kinds: Vec<LinkKind> = build.links.iter().map(|link| link.kind).collect();
    assert_eq!(kinds, [LinkKind::Relocatable, LinkKind::Executable]);
    let assembly = build
        .compiles
        .iter()
        .find(|step| step.file.ends_with("h.S"));
    assert_eq!(assembly.unwrap().language, Language::Assembly);
}

#[test]
fn renamed_and_copied_files_keep_their_origin() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    let build = project.preloaded(
        "mkdir objs lib; gcc -c main.c -o objs/main.o; mv -f objs/main.o main.lo
         gcc -c f.c; cp f.o lib; cat lib/f.o > lib/g.o; rm lib/f.o
         gcc -o prog.tmp main.lo lib/g.o && mv prog.tmp prog",
    );
    project.assert_units(&build, &[("prog", &["f.c", "main.c"])]);
    let main = build
        .compiles
        .iter()
        .find(|step| step.file.ends_with("main.c"));
    assert_eq!(main.unwrap().output, Some(project.path().join("main.lo")));
}

#[test]
fn wrappers_are_seen_through() {
    let project = Project::new(&[
        ("main.c", "int main(void) { return ANSWER; }"),
        ("tools/cc", "#!/bin/sh\nexec gcc -DANSWER=0 \"$@\"\n"),
    ]);
    for interception in [Interception::Preload, Interception::Both] {
        let build = project.capture_script(
            interception,
            "PATH=$PWD/tools:$PATH; cc -c main.c && cc -o prog main.o",
        );
        project.assert_units(&build, &[("prog", &["main.c"])]);
        assert_eq!(build.compiles.len(), 1);
        assert!(
            project
                .arguments(&build, "prog", "main.c")
                .contains(&"-DANSWER=0".to_owned())
        );
    }
}

#[test]
fn a_cache_that_answers_for_the_compiler_still_leaves_a_step() {
    // Behaves like ccache on a hit: the object appears and no compiler runs.
    let ccache = "#!/bin/sh\nfor last; do :; done\ncp ready.o \"$last\"\n";
    let project = Project::new(&[
        ("main.c", "int main(void) { return 0; }"),
        ("tools/ccache", ccache),
    ]);
    let build = project.preloaded(
        "gcc -c main.c -o ready.o; PATH=$PWD/tools:$PATH
         ccache gcc -DHIT -c main.c -o main.o; gcc -o prog main.o",
    );
    project.assert_units(&build, &[("prog", &["main.c"])]);
    assert_eq!(
        project.arguments(&build, "prog", "main.c"),
        ["gcc", "-DHIT", "-c", "main.c", "-o", "main.o"]
    );
}

#[test]
fn response_files_are_read_before_they_are_deleted() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    for interception in EVERY_WAY {
        let build = project.capture_script(
            interception,
            "echo '-DX=\"a b\" -c main.c' > r.rsp; gcc @r.rsp; rm r.rsp
             gcc -c f.c; printf 'main.o\\nf.o\\n' > l.rsp; gcc -o prog @l.rsp; rm l.rsp",
        );
        project.assert_units(&build, &[("prog", &["f.c", "main.c"])]);
        assert_eq!(
            project.arguments(&build, "prog", "main.c")[1..],
            ["-DX=a b", "-c", "main.c"]
        );
        let unread = BuildCaveatKind::UnreadResponseFile;
        assert!(build.caveats.iter().all(|caveat| caveat.kind != unread));
    }
}

#[test]
fn search_directories_from_the_environment_are_part_of_the_step() {
    let project = Project::new(&[
        (
            "main.c",
            "#include <answer.h>\nint main(void) { return ANSWER; }",
        ),
        ("include/answer.h", "#define ANSWER 0\n"),
    ]);
    for interception in EVERY_WAY {
        let build = project.capture(interception, &["env", "CPATH=include", "gcc", "main.c"]);
        assert_eq!(build.compiles[0].environment, ["CPATH=include"]);
    }
}

#[test]
fn stand_ins_alone_are_a_caveat() {
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    for interception in EVERY_WAY {
        let build = project.capture(interception, &["gcc", "main.c"]);
        let kinds: Vec<BuildCaveatKind> = build.caveats.iter().map(|caveat| caveat.kind).collect();
        match interception {
            Interception::StandIns => assert_eq!(kinds, [BuildCaveatKind::StandInsOnly]),
            _ => assert_eq!(kinds, []),
        }
    }
}

#[test]
fn commands_longer_than_a_page_are_recorded_whole() {
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    let script = "defines=; number=0
         while [ $number -lt 3000 ]; do defines=\"$defines -DNAME_$number=$number\"; number=$((number + 1)); done
         for copy in 1 2 3 4; do gcc $defines -DCOPY=$copy -c main.c -o main$copy.o & done; wait
         gcc main3.o -o prog";
    for interception in EVERY_WAY {
        let build = project.capture_script(interception, script);
        assert_eq!(build.dropped.damaged_records, 0);
        assert_eq!(build.compiles.len(), 4);
        let arguments = project.arguments(&build, "prog", "main.c");
        assert_eq!(arguments.len(), 3000 + 6);
        assert!(arguments.contains(&"-DCOPY=3".to_owned()));
    }
}

#[test]
fn spaces_quotes_and_newlines_in_names_are_kept() {
    let name = "a 'b' \"c\"\n$d.c";
    let project = Project::new(&[(name, "int main(void) { return 0; }")]);
    for interception in EVERY_WAY {
        let build = project.capture(interception, &["gcc", name, "-o", "out put\n"]);
        project.assert_units(&build, &[("out put\n", &[name])]);
    }
}

#[test]
fn directories_with_odd_names_are_kept() {
    let project = Project::new(&[("di r\n/main.c", "int main(void) { return 0; }")]);
    for interception in EVERY_WAY {
        let build = project.capture_script(interception, "cd 'di r\n'; gcc -c main.c; gcc main.o");
        project.assert_units(&build, &[("di r\n/a.out", &["di r\n/main.c"])]);
    }
}

#[test]
fn names_that_are_not_utf8_are_a_caveat() {
    let project = Project::new(&[("main.c", MAIN)]);
    let odd = project.path().join(OsStr::from_bytes(b"\xff.c"));
    fs::write(&odd, F).unwrap();
    let build = project.preloaded("gcc -c main.c; gcc -c *[!n].c -o f.o; gcc -o prog main.o f.o");
    assert_eq!(build.dropped.not_utf8, 1);
    assert_eq!(build.caveats[0].kind, BuildCaveatKind::NotUtf8);
    let found = executables(&build);
    assert_eq!(found[0].units.len(), 1);
    assert_eq!(found[0].unresolved.len(), 1, "{:?}", found[0].unresolved);
    let words = [OsString::from("cc"), odd.into_os_string()];
    assert!(matches!(
        capture(&words, &project.path(), &CaptureOptions::default()),
        Err(CaptureError::CommandNotUtf8 { .. })
    ));
}

#[test]
fn trials_of_configure_are_dropped_and_counted() {
    let project = Project::new(&[
        ("main.c", "int main(void) { return 0; }"),
        (
            "configure",
            "#!/bin/sh\nfor n in 1 2 3; do\n  echo 'int main(void) { return 0; }' > conftest.c\n  gcc -o conftest conftest.c && ./conftest\n  gcc -c conftest.c\n  rm -f conftest*\ndone\n",
        ),
    ]);
    let build = project.preloaded("./configure && gcc -o prog main.c");
    project.assert_units(&build, &[("prog", &["main.c"])]);
    assert_eq!(build.dropped.vanished_sources, 6);
    assert_eq!(build.links.len(), 1);
    assert_eq!(build.compiles.len(), 1);
}

#[test]
fn what_was_built_before_is_unresolved() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    project.preloaded("gcc -c f.c");
    let build = project.preloaded("gcc -c main.c; gcc -o prog main.o f.o");
    let found = executables(&build);
    assert_eq!(found[0].units.len(), 1);
    assert_eq!(found[0].unresolved.len(), 1);
    assert!(found[0].unresolved[0].contains("f.o: no recorded step made it"));
}

#[test]
fn a_link_that_is_repeated_counts_once() {
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    let build = project.preloaded("gcc -c main.c; gcc -o prog main.o; gcc -o prog main.o");
    assert_eq!((build.compiles.len(), build.links.len()), (1, 1));
}

#[test]
fn system_libraries_are_named_and_not_followed() {
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    let build = project.preloaded("gcc main.c -o prog -lm -L/usr/lib -lpthread -Wl,--as-needed");
    let libraries = &build.links[0].libraries;
    let names: Vec<&str> = libraries
        .iter()
        .map(|library| library.name.as_str())
        .collect();
    assert_eq!(names, ["m", "pthread", "gcc", "c"]);
    assert!(libraries.iter().all(|library| library.path.is_some()));
    assert!(
        build.links[0]
            .inputs
            .iter()
            .all(|input| matches!(input.origin, Origin::Compile(_)))
    );
}

#[test]
fn a_failing_build_keeps_what_was_recorded() {
    let project = Project::new(&[("main.c", MAIN), ("bad.c", "not C")]);
    let words = ["sh", "-c", "gcc -c main.c; gcc -c bad.c; exit 7"].map(OsString::from);
    let options = CaptureOptions {
        interception: None,
        output: BuildOutput::File(project.path().join("log")),
    };
    let build = capture(&words, &project.path(), &options).unwrap();
    assert!(build.failed);
    assert_eq!(build.exit_code, Some(7));
    assert_eq!(build.compiles.len(), 2);
    assert_eq!(build.interception, Interception::Preload);
    // Not an interrupt: who runs the tests in the background ignores those.
    let words = ["sh", "-c", "kill -TERM $$"].map(OsString::from);
    let build = capture(&words, &project.path(), &options).unwrap();
    assert_eq!((build.exit_code, build.signal), (None, Some(15)));
    assert!(build.failed);
}

#[test]
fn a_command_that_cannot_run_is_an_error() {
    let project = Project::new(&[]);
    let options = CaptureOptions::default();
    let run = |words: &[&str]| {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        capture(&words, &project.path(), &options)
    };
    assert!(matches!(run(&[]), Err(CaptureError::NoCommand)));
    let error = run(&["./no-such-build"]).unwrap_err();
    assert!(error.to_string().contains("./no-such-build"), "{error}");
    let missing = project.path().join("missing");
    assert!(matches!(
        capture(&["true".into()], &missing, &options),
        Err(CaptureError::Directory { .. })
    ));
}

#[test]
fn a_statically_linked_program_does_not_hide_what_it_runs() {
    // Stands for a static make or shell: it runs its arguments with the system call alone.
    let runner = "#include <sys/syscall.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
        int main(int count, char **words, char **environment) {\n\
            int status = 1; (void)count;\n\
            if (fork() == 0) { syscall(SYS_execve, words[1], words + 1, environment); _exit(127); }\n\
            wait(&status); return status != 0;\n}\n";
    let project = Project::new(&[("runner.c", runner), ("main.c", MAIN), ("f.c", F)]);
    project.preloaded("gcc -static -o runner runner.c");
    let words = [
        "./runner",
        "/bin/sh",
        "-ec",
        "./runner $(command -v gcc) -c main.c; gcc -c f.c; ./runner $(command -v gcc) main.o f.o -o prog",
    ]
    .map(OsString::from);
    let build = capture(&words, &project.path(), &CaptureOptions::default()).unwrap();
    assert!(!build.failed);
    assert_eq!(build.interception, Interception::Both);
    project.assert_units(&build, &[("prog", &["f.c", "main.c"])]);
}

#[test]
fn every_way_to_start_a_program_is_seen() {
    // The compiler is statically linked, so that only the starting side can report it.
    let starter = r#"
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <spawn.h>
        #include <string.h>
        #include <sys/wait.h>
        #include <unistd.h>
        extern char **environ;
        static char *empty[] = {NULL};
        #define RUN(call) if (fork() == 0) { call; _exit(1); } else { int s; wait(&s); failed |= s; }
        #define WORDS(file) (char *[]){"gcc", "-c", file, NULL}
        int main(void) {
            int failed = 0, status, descriptor = open("bin/gcc", O_PATH), directory = open("bin", O_PATH);
            pid_t child;
            setenv("PATH", "bin", 1);
            RUN(execl("bin/gcc", "gcc", "-c", "execl.c", (char *)NULL))
            RUN(execlp("gcc", "gcc", "-c", "execlp.c", (char *)NULL))
            RUN(execle("bin/gcc", "gcc", "-c", "execle.c", (char *)NULL, empty))
            RUN(execv("bin/gcc", WORDS("execv.c")))
            RUN(execvp("gcc", WORDS("execvp.c")))
            RUN(execvpe("gcc", WORDS("execvpe.c"), empty))
            RUN(execve("bin/gcc", WORDS("execve.c"), NULL))
            RUN(fexecve(descriptor, WORDS("fexecve.c"), empty))
            RUN(execveat(directory, "gcc", WORDS("execveat.c"), empty, 0))
            failed |= posix_spawn(&child, "bin/gcc", NULL, NULL, WORDS("posix_spawn.c"), empty);
            waitpid(child, &status, 0); failed |= status;
            failed |= posix_spawnp(&child, "gcc", NULL, NULL, WORDS("posix_spawnp.c"), empty);
            waitpid(child, &status, 0); failed |= status;
            if ((child = vfork()) == 0) { execve("bin/gcc", WORDS("vfork.c"), empty); _exit(1); }
            waitpid(child, &status, 0); failed |= status;
            /* Attempts that fail leave nothing and report the error as ever. */
            failed |= execve("bin/missing", WORDS("missing.c"), environ) != -1;
            return failed != 0;
        }
    "#;
    let project = Project::new(&[
        ("starter.c", starter),
        ("compiler.c", "int main(void) { return 0; }"),
        ("missing.c", F),
    ]);
    let ways = [
        "execl",
        "execle",
        "execlp",
        "execv",
        "execve",
        "execveat",
        "execvp",
        "execvpe",
        "fexecve",
        "posix_spawn",
        "posix_spawnp",
        "vfork",
    ];
    for way in ways {
        project.write(&format!("{way}.c"), F);
    }
    let build = project.preloaded(
        "mkdir bin; gcc -static -o bin/gcc compiler.c; gcc -w -o starter starter.c; ./starter",
    );
    let seen: Vec<String> = build
        .compiles
        .iter()
        .filter(|step| step.output.is_some())
        .map(|step| {
            step.file
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(seen, ways);
}
