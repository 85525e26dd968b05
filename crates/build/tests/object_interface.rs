//! What prebuilt code shows to the rest of a program, on files that compilers, archivers and
//! linkers made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use knockon_build::object_interface::{
    ObjectError, ObjectInterface, ObjectKind, read_object_bytes, read_objects,
};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn run(&self, command: &str) {
        self.run_in(".", command);
    }

    fn run_in(&self, directory: &str, command: &str) {
        let words: Vec<&str> = command.split(' ').collect();
        let output = Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.path(directory))
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {shown}");
    }

    /// The interface of `source`, compiled by gcc with these flags.
    fn compiled(&self, flags: &str, source: &str) -> ObjectInterface {
        self.write("m.c", source);
        self.run(format!("gcc -c m.c -o m.o {flags}").trim());
        only(&self.path("m.o"))
    }
}

fn only(path: &Path) -> ObjectInterface {
    let mut found = read_objects(path).unwrap();
    assert_eq!(found.len(), 1);
    found.remove(0)
}

fn words(names: &std::collections::BTreeSet<String>) -> String {
    names
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(" ")
}

fn reason(error: ObjectError) -> String {
    match error {
        ObjectError::NotReadable { reason, .. } => reason,
        ObjectError::Read { path, source } => panic!("{}: {source}", path.display()),
    }
}

#[test]
fn object_defines_and_mentions_what_its_symbol_table_says() {
    let object = Place::new().compiled(
        "-fcommon",
        "int common;\n\
         int g = 1;\n\
         static int local;\n\
         extern int other;\n\
         extern int perhaps __attribute__((weak));\n\
         extern void hook(void);\n\
         __attribute__((weak)) int f(void) { return 0; }\n\
         __attribute__((visibility(\"hidden\"))) int hidden(void) { return local; }\n\
         static void unused(void) { hook(); }\n\
         int main(void) { local++; unused(); return other + (&perhaps != 0) + g; }\n",
    );
    assert_eq!(
        (object.name.as_str(), object.kind),
        ("m.o", ObjectKind::Relocatable)
    );
    assert_eq!(words(&object.defines), "common f g hidden main");
    assert_eq!(words(&object.weak), "common f");
    assert!(
        object
            .mentions
            .is_superset(&["hook", "other", "perhaps"].map(str::to_owned).into())
    );
    assert!(!object.mentions.contains("local"));
    assert!(!object.runs_at_start && !object.runs_at_end);
}

#[test]
fn constructors_destructors_and_resolvers_run_by_themselves() {
    let place = Place::new();
    let plain = place.compiled("", "int f(void) { return 0; }");
    assert!(!plain.runs_at_start && !plain.runs_at_end);
    for attribute in ["constructor", "constructor(200)"] {
        let source = format!("__attribute__(({attribute})) void f(void) {{}}");
        let object = place.compiled("", &source);
        assert!(object.runs_at_start && !object.runs_at_end, "{attribute}");
    }
    let object = place.compiled("", "__attribute__((destructor)) static void f(void) {}");
    assert!(!object.runs_at_start && object.runs_at_end);
    let object = place.compiled(
        "",
        "static int one(void) { return 1; }\n\
         static int (*choose(void))(void) { return one; }\n\
         static int f(void) __attribute__((ifunc(\"choose\")));\n\
         int main(void) { return f(); }\n",
    );
    assert!(object.runs_at_start);
    for section in [".preinit_array", ".ctors", ".init"] {
        let source = format!("__asm__(\".section {section},\\\"aw\\\"; .quad 0; .text\");");
        assert!(place.compiled("", &source).runs_at_start, "{section}");
    }
    for section in [".dtors", ".fini"] {
        let source = format!("__asm__(\".section {section},\\\"aw\\\"; .quad 0; .text\");");
        assert!(place.compiled("", &source).runs_at_end, "{section}");
    }
}

#[test]
fn symbol_with_a_version_counts_without_it() {
    let object = Place::new().compiled(
        "",
        "void old(void) {}\n\
         extern void wanted(void);\n\
         __asm__(\".symver old, f@V1\"); __asm__(\".symver wanted, h@V2\");\n\
         void g(void) { wanted(); }\n",
    );
    assert!(object.defines.contains("f"), "{:?}", object.defines);
    assert!(object.mentions.contains("h"), "{:?}", object.mentions);
}

const PROGRAM: &str = "#include <stdio.h>\n\
    extern int g;\n\
    static int twice(int x) { return x + x; }\n\
    inline __attribute__((noinline)) int shared(int x) { return x * 7; }\n\
    int compute(int x) { printf(\"%d\\n\", x); return twice(x) + shared(x) + g + 5; }\n";

#[test]
fn place_and_debug_information_are_no_content() {
    let place = Place::new();
    for compiler in ["gcc", "clang-19", "clang-16"] {
        let mut digests = Vec::new();
        for (directory, flags) in [("a", "-g"), ("another/b", "-g"), ("c", "-g0"), ("d", "-g3")] {
            place.write(&format!("{directory}/m.c"), PROGRAM);
            place.run_in(
                directory,
                &format!("{compiler} {flags} -O1 -ffunction-sections -c m.c -o m.o"),
            );
            digests.push(only(&place.path(&format!("{directory}/m.o"))).digest);
        }
        assert!(
            digests.iter().all(|digest| *digest == digests[0]),
            "{compiler}"
        );
    }
}

#[test]
fn everything_that_gets_into_the_program_is_content() {
    let place = Place::new();
    let digest = |source: &str| place.compiled("-O1", source).digest;
    let before = digest(PROGRAM);
    assert_eq!(before, digest(PROGRAM));
    for (old, new) in [
        ("+ 5", "+ 6"),
        ("+ g", "+ h"),
        ("extern int g", "extern __attribute__((weak)) int g"),
        ("int compute", "__attribute__((weak)) int compute"),
        (
            "int compute",
            "__attribute__((visibility(\"hidden\"))) int compute",
        ),
        (
            "int compute",
            "__attribute__((section(\"mine\"))) int compute",
        ),
        ("int compute", "int unused = 0; int compute"),
        ("\\n\", x", "!\", x"),
        ("twice(x) +", ""),
    ] {
        let edited = PROGRAM
            .replace(old, new)
            .replace("extern int g", "extern int h, g");
        assert_ne!(before, digest(&edited), "{new}");
    }
    // Bytes and symbols are equal, only what a relocation points to differs.
    let calls = |name: &str| {
        digest(&format!(
            "void a(void); void b(void); void *all[] = {{a, b}}; void f(void) {{ {name}(); }}"
        ))
    };
    assert_ne!(calls("a"), calls("b"));
    let local = |name: &str| {
        digest(&format!(
            "static int a = 1, b = 1; int *all[] = {{&a, &b}}; int f(void) {{ return {name}++; }}"
        ))
    };
    assert_ne!(local("a"), local("b"));
}

#[test]
fn archive_gives_each_member_by_itself() {
    let place = Place::new();
    for name in ["a", "b", "a_rather_long_member_name"] {
        place.write(
            &format!("sub/{name}.c"),
            &format!("int {name}(void) {{ return 1; }}"),
        );
        place.run_in("sub", &format!("gcc -c {name}.c -o {name}.o"));
    }
    place.run("ar rc one.a sub/a.o sub/b.o sub/a_rather_long_member_name.o");
    place.run("ar rcU two.a sub/b.o sub/a_rather_long_member_name.o sub/a.o");
    place.run("ar rcT thin.a sub/a.o sub/b.o sub/a_rather_long_member_name.o");
    let members = |archive: &str| {
        let mut found: Vec<(String, [u8; 32], String)> = read_objects(&place.path(archive))
            .unwrap()
            .into_iter()
            .map(|object| {
                let member = object.name.strip_prefix(archive).unwrap().to_owned();
                (member, object.digest, words(&object.defines))
            })
            .collect();
        found.sort();
        found
    };
    let one = members("one.a");
    let names: Vec<&str> = one.iter().map(|member| member.0.as_str()).collect();
    assert_eq!(names, ["(a.o)", "(a_rather_long_member_name.o)", "(b.o)"]);
    assert_eq!(one[2].2, "b");
    assert_eq!(one, members("two.a"));
    assert_eq!(one, members("thin.a"));

    let bytes = fs::read(place.path("thin.a")).unwrap();
    assert!(reason(read_object_bytes("thin.a", &bytes).unwrap_err()).contains("thin"));
    fs::remove_file(place.path("sub/b.o")).unwrap();
    assert!(read_objects(&place.path("thin.a")).is_err());
    let first = read_objects(&place.path("one.a")).unwrap();
    assert_eq!(first[0].name, "one.a(a.o)");
}

#[test]
fn shared_library_shows_its_dynamic_symbols() {
    let place = Place::new();
    place.write(
        "l.c",
        "extern void hook(void);\n\
         static int local;\n\
         __attribute__((visibility(\"hidden\"))) void hidden(void) { local++; }\n\
         void entry(void) { hidden(); hook(); }\n",
    );
    place.run("gcc -shared -fPIC -g l.c -o libl.so -lm -Wl,--no-as-needed");
    let library = only(&place.path("libl.so"));
    assert_eq!(library.kind, ObjectKind::Shared);
    assert_eq!(words(&library.defines), "entry");
    assert!(library.mentions.contains("hook"));
    assert!(!library.symbolic);
    assert!(
        library.needed.contains(&"libc.so.6".to_owned()),
        "{:?}",
        library.needed
    );
    place.run("gcc -shared -fPIC l.c -o libs.so -Wl,-Bsymbolic");
    assert!(only(&place.path("libs.so")).symbolic);

    // What a strip removes was not looked at.
    place.run(
        "strip -o stripped/libl.so libl.so"
            .replace("stripped/", "s_")
            .as_str(),
    );
    assert_eq!(only(&place.path("s_libl.so")).digest, library.digest);
}

#[test]
fn linker_script_stands_for_the_files_that_it_names() {
    let place = Place::new();
    place.write("x.c", "int x(void) { return 1; }");
    place.run("gcc -c x.c -o x.o");
    place.run("gcc -shared -fPIC x.c -o libx.so.1");
    place.write(
        "libx.so",
        "/* script */ GROUP ( libx.so.1 AS_NEEDED ( x.o ) )",
    );
    let found = read_objects(&place.path("libx.so")).unwrap();
    let names: Vec<&str> = found.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["libx.so.1", "x.o"]);

    place.write("circle.so", "INPUT(circle.so)");
    assert!(read_objects(&place.path("circle.so")).is_err());
    place.write("gone.so", "INPUT(gone.so.1)");
    assert!(reason(read_objects(&place.path("gone.so")).unwrap_err()).contains("gone.so.1"));
    let bytes = fs::read(place.path("libx.so")).unwrap();
    assert!(read_object_bytes("libx.so", &bytes).is_err());
}

#[test]
fn systems_c_library_can_be_read() {
    let found = Command::new("gcc")
        .arg("-print-file-name=libc.so")
        .output()
        .unwrap();
    let path = String::from_utf8(found.stdout).unwrap();
    let objects = read_objects(Path::new(path.trim())).unwrap();
    let library = objects
        .iter()
        .find(|object| object.defines.contains("printf"))
        .unwrap();
    assert_eq!(library.kind, ObjectKind::Shared);
    assert!(library.defines.contains("malloc"));
}

#[test]
fn link_time_optimisation_objects_are_not_readable_unless_fat() {
    let place = Place::new();
    place.write("m.c", PROGRAM);
    place.run("gcc -flto -c m.c -o slim.o");
    assert!(reason(read_objects(&place.path("slim.o")).unwrap_err()).contains("gcc's link-time"));
    place.run("clang-19 -flto -c m.c -o bitcode.o");
    assert!(reason(read_objects(&place.path("bitcode.o")).unwrap_err()).contains("bitcode"));
    place.run("gcc -flto -ffat-lto-objects -c m.c -o fat.o");
    let fat = only(&place.path("fat.o"));
    assert!(fat.defines.contains("compute") && fat.mentions.contains("g"));
    place.run("ar rc slim.a slim.o");
    assert!(reason(read_objects(&place.path("slim.a")).unwrap_err()).contains("gcc's link-time"));
}

#[test]
fn what_is_no_object_is_an_error_that_says_why() {
    let place = Place::new();
    let not_read = |name: &str, bytes: &[u8]| reason(read_object_bytes(name, bytes).unwrap_err());
    not_read("a.o", b"\x7fELF");
    not_read("a.o", b"\x00\x01\xff");
    not_read("a.o", b"!<arch>\nbroken");
    not_read("a.o", b"hello");
    assert!(matches!(
        read_objects(&place.path("gone.o")),
        Err(ObjectError::Read { .. })
    ));
    place.write("m.c", "int main(void) { return 0; }");
    place.run("gcc -no-pie m.c -o program");
    assert!(reason(read_objects(&place.path("program")).unwrap_err()).contains("ELF type 2"));
    // Half of an object is an error or is read, and never a crash.
    place.run("gcc -g -c m.c -o m.o");
    let bytes = fs::read(place.path("m.o")).unwrap();
    for length in (0..bytes.len()).step_by(37) {
        let _ = read_object_bytes("m.o", &bytes[..length]);
    }
}
