//! What a captured build says of its links beside the units: options, order, libraries, edits of
//! objects, generators; and what a plan makes of it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use knockon_build::build_plan::{BuildPlan, RECORD, plan_of_record};
use knockon_build::capture::{BuildOutput, CaptureOptions, capture};
use knockon_build::link_interface::{PlannedInput, PlannedLink, PrebuiltReason, Presence};
use knockon_build::moved_plan::moved_plan;
use knockon_build::object_interface::read_objects;
use knockon_build::recorded_build::{
    Interception, LinkOption, Origin, RecordedBuild, SymbolEdit, read, write,
};
use knockon_build::unit::Route;
use knockon_program::CaveatKind;

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        for (name, content) in files {
            project.write(name, content);
        }
        project
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn run(&self, script: &str) {
        let status = Command::new("sh")
            .args(["-ec", script])
            .current_dir(self.path())
            .status()
            .unwrap();
        assert!(status.success(), "{script}");
    }

    /// The record, written and read again.
    fn capture(&self, script: &str) -> RecordedBuild {
        let words = ["sh", "-ec", script].map(OsString::from);
        let log = tempfile::NamedTempFile::new().unwrap();
        let options = CaptureOptions {
            interception: Some(Interception::Preload),
            output: BuildOutput::File(log.path().to_owned()),
        };
        let build = capture(&words, &self.path(), &options).unwrap();
        if build.failed {
            panic!("{}", fs::read_to_string(log.path()).unwrap());
        }
        let record = self.path().join(RECORD);
        fs::create_dir_all(record.parent().unwrap()).unwrap();
        write(&record, &build).unwrap();
        assert_eq!(read(&record).unwrap(), build);
        build
    }

    fn plan(&self, script: &str) -> BuildPlan {
        plan_of_record(&self.path(), &self.capture(script)).unwrap()
    }

    fn short(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.path()).unwrap_or(path);
        path.display().to_string()
    }
}

fn link(plan: &BuildPlan) -> &PlannedLink {
    plan.executables[0].link.as_ref().unwrap()
}

const MAIN: &str = "int f(void); int main(void) { return f(); }";
const F: &str = "int f(void) { return 0; }";

#[test]
fn options_with_a_meaning_are_recorded_however_they_are_passed_on() {
    let project = Project::new(&[
        (
            "main.c",
            "int f(void); int __wrap_f(void) { return 0; } int main(void) { return f(); }",
        ),
        ("v.map", "{ global: main; };"),
        ("options", "-Wl,--wrap,f -Xlinker --defsym=other=main"),
    ]);
    let build = project.capture(
        "gcc -c main.c\n\
         gcc main.o @options -o prog -rdynamic -Wl,-Map,m -Wl,-O1,--hash-style=gnu -z now -u first \
         -Wl,--defsym -Wl,first=0 -Wl,--version-script=v.map -Wl,--gc-sections -Wl,-z,muldefs -pie",
    );
    let step = &build.links[0];
    assert_eq!(
        step.options,
        [
            LinkOption::Wrap("f".into()),
            LinkOption::Defsym {
                symbol: "other".into(),
                expression: "main".into()
            },
            LinkOption::ExportDynamic,
            LinkOption::Undefined("first".into()),
            LinkOption::Defsym {
                symbol: "first".into(),
                expression: "0".into()
            },
            LinkOption::VersionScript(project.path().join("v.map")),
            LinkOption::GcSections,
            LinkOption::AllowMultipleDefinition,
            LinkOption::Pie,
        ]
    );
    assert_eq!(step.arguments[..3], ["gcc", "main.o", "-Wl,--wrap,f"]);
    let plan = plan_of_record(&project.path(), &build).unwrap();
    assert_eq!(link(&plan).options, step.options);
}

#[test]
fn ordinary_link_has_no_options_and_nothing_prebuilt() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    let plan = project.plan("gcc -O2 -g -Wall -c main.c f.c; gcc -O2 -g -Wl,-O1,--as-needed,-z,relro,-z,now -Wl,--build-id main.o f.o -o prog -lm -s");
    let link = link(&plan);
    assert_eq!(link.options, []);
    assert_eq!(link.prebuilt, []);
    assert_eq!(link.edits, []);
    assert!(!link.is_old_record);
    let names: Vec<&str> = link
        .libraries
        .iter()
        .map(|library| library.name.as_str())
        .collect();
    assert_eq!(names, ["m", "gcc", "c"]);
    let libc = link.libraries[2].path.as_ref().unwrap();
    assert!(
        read_objects(libc)
            .unwrap()
            .iter()
            .any(|object| object.defines.contains("printf"))
    );
    assert!(
        plan.plug_ins.is_empty() && plan.caveats.is_empty(),
        "{:?}",
        plan.caveats
    );
    let objects: Vec<String> = link
        .objects
        .iter()
        .map(|object| project.short(&object.path))
        .collect();
    assert_eq!(objects.len(), 2);
    assert!(objects.contains(&"f.o".to_owned()));
}

#[test]
fn prebuilt_inputs_keep_their_order_and_say_why() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", F),
        ("helper.c", "int helper;"),
        ("member.c", "int member;"),
        ("a.s", ".globl asm_symbol\nasm_symbol: ret\n"),
    ]);
    project.run(
        "gcc -c helper.c -o vendor.o; gcc -c member.c; ar rc libv.a member.o; rm helper.c member.c",
    );
    let plan = project.plan(
        "gcc -c main.c f.c a.s; gcc main.o vendor.o -L. -Wl,--whole-archive -lv -Wl,--no-whole-archive f.o a.o -o prog",
    );
    let link = link(&plan);
    let shown: Vec<(String, bool)> = link
        .prebuilt
        .iter()
        .map(|input| (project.short(&input.path), input.whole_archive))
        .collect();
    assert_eq!(
        shown,
        [
            ("vendor.o".to_owned(), false),
            ("libv.a".to_owned(), true),
            ("a.s".to_owned(), false)
        ]
    );
    assert!(matches!(
        link.prebuilt[0].reason,
        PrebuiltReason::NotMade(_)
    ));
    let PrebuiltReason::Assembly(unit) = link.prebuilt[2].reason else {
        panic!("{:?}", link.prebuilt[2]);
    };
    assert_eq!(plan.units[unit].display_path(), Path::new("a.s"));
    assert!(
        matches!(link.inputs[1], PlannedInput::Prebuilt(0)),
        "{:?}",
        link.inputs
    );
    assert!(
        matches!(link.inputs[2], PlannedInput::Prebuilt(1)),
        "{:?}",
        link.inputs
    );
}

#[test]
fn each_source_of_a_command_has_its_own_language() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("a.s", ".globl f\nf: xor %eax,%eax\nret\n"),
    ]);
    for script in ["gcc -g main.c a.s -o prog", "gcc -g a.s main.c -o prog"] {
        let plan = project.plan(script);
        let routes: Vec<(PathBuf, bool)> = plan
            .units
            .iter()
            .map(|unit| (unit.display_path(), unit.route() == Route::Clang))
            .collect();
        assert_eq!(
            routes,
            [("a.s".into(), false), ("main.c".into(), true)],
            "{script}"
        );
        assert_eq!(plan.units[1].flags[..2], ["-x", "c"]);
        assert!(!plan.units[0].flags.contains(&"-x".to_owned()));
    }
}

#[test]
fn archives_of_the_build_are_shown_with_their_members_in_order() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("one.c", F),
        ("two.c", "int f(void) { return 1; }"),
    ]);
    let plan = project.plan(
        "gcc -c main.c one.c two.c; ar rc libtwo.a two.o; ar rc libone.a one.o; \
         gcc main.o -Wl,--start-group libtwo.a libone.a -Wl,--end-group -o prog",
    );
    let archives: Vec<(String, Vec<PathBuf>, bool)> = link(&plan)
        .inputs
        .iter()
        .filter_map(|input| match input {
            PlannedInput::Archive {
                path,
                members,
                in_group,
                ..
            } => {
                let units = members.iter().map(|member| match member {
                    PlannedInput::Unit(unit) => plan.units[*unit].display_path(),
                    other => panic!("{other:?}"),
                });
                Some((project.short(path), units.collect(), *in_group))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        archives,
        [
            ("libtwo.a".to_owned(), vec!["two.c".into()], true),
            ("libone.a".to_owned(), vec!["one.c".into()], true)
        ]
    );
}

#[test]
fn edit_of_an_object_is_a_step_between_its_compilation_and_the_link() {
    let project = Project::new(&[
        ("main.c", "int g(void); int main(void) { return g(); }"),
        ("f.c", F),
    ]);
    let build = project.capture(
        "gcc -c main.c f.c; objcopy --redefine-sym f=g f.o h.o; objcopy --weaken-symbol=g h.o; \
         strip -g h.o; gcc main.o h.o -o prog; strip prog; objcopy --only-keep-debug prog prog.debug",
    );
    assert_eq!(build.edits.len(), 2);
    assert!(matches!(build.links[0].inputs[1].origin, Origin::Edit(_)));
    let plan = plan_of_record(&project.path(), &build).unwrap();
    assert_eq!(plan.executables[0].units.len(), 2);
    let link = link(&plan);
    let changes: Vec<&SymbolEdit> = link.edits.iter().flat_map(|edit| &edit.changes).collect();
    assert_eq!(
        changes,
        [
            &SymbolEdit::Redefine {
                from: "f".into(),
                to: "g".into()
            },
            &SymbolEdit::Weaken("g".into())
        ]
    );
    for edit in &link.edits {
        assert_eq!(edit.units.len(), 1);
        assert_eq!(plan.units[edit.units[0]].display_path(), Path::new("f.c"));
    }
}

#[test]
fn object_that_is_linked_twice_has_several_forms() {
    let project = Project::new(&[
        (
            "main.c",
            "int a_f(void); int b_f(void); int main(void) { return a_f() + b_f(); }",
        ),
        ("f.c", F),
    ]);
    let script = "gcc -c main.c f.c; objcopy --prefix-symbols=a_ f.o a.o; \
                  objcopy --prefix-symbols=b_ f.o b.o; gcc main.o a.o b.o -o prog";
    let plan = project.plan(script);
    let edits = &link(&plan).edits;
    assert_eq!(edits.len(), 2);
    assert!(edits.iter().all(|edit| !edit.is_only_form));
    let plan = project.plan(&script.replace("b.o -o", "-Wl,--defsym,b_f=a_f -o"));
    assert_eq!(link(&plan).edits.len(), 1);
    assert!(link(&plan).edits[0].is_only_form);
    let twice = script.replace("b.o -o", "f.o -Wl,--defsym,b_f=f -o");
    assert!(!link(&project.plan(&twice)).edits[0].is_only_form);
    // An edited object, and a further edit of it.
    let chain = script
        .replace("_ f.o b.o", "_ a.o b.o")
        .replace("b_f(void); int", "b_a_f(void); int");
    let plan = project.plan(&format!(
        "sed -i 's/+ b_f/+ b_a_f/; s/b_f(void)/b_a_f(void)/' main.c; {chain}"
    ));
    let edits = &link(&plan).edits;
    assert_eq!(edits.len(), 2);
    assert!(edits.iter().all(|edit| !edit.is_only_form));
}

#[test]
fn edit_of_an_archive_is_one_of_all_its_units() {
    let project = Project::new(&[
        ("main.c", "int p_f(void); int main(void) { return p_f(); }"),
        ("f.c", F),
        ("e.c", "int e;"),
    ]);
    let plan = project.plan(
        "gcc -c main.c f.c e.c; ar rc lib.a f.o e.o; objcopy --prefix-symbols=p_ lib.a; gcc main.o lib.a -o prog",
    );
    let link = link(&plan);
    assert_eq!(link.prebuilt, []);
    assert_eq!(link.edits.len(), 1);
    assert_eq!(link.edits[0].units.len(), 2);
    assert_eq!(link.edits[0].changes, [SymbolEdit::Prefix("p_".into())]);
}

#[test]
fn data_that_is_linked_is_prebuilt_with_its_content() {
    let project = Project::new(&[
        ("main.c", "int main(void) { return 0; }"),
        ("data.txt", "1"),
        ("more.txt", "2"),
    ]);
    let plan = project.plan(
        "gcc -c main.c; objcopy -I binary -O elf64-x86-64 -B i386 data.txt d.o; ld -r -b binary more.txt -o m.o; \
         gcc main.o d.o m.o -o prog -no-pie",
    );
    let link = link(&plan);
    let shown: Vec<String> = link
        .prebuilt
        .iter()
        .map(|input| project.short(&input.path))
        .collect();
    assert_eq!(shown, ["data.txt", "more.txt"]);
    assert!(
        link.prebuilt
            .iter()
            .all(|input| input.reason == PrebuiltReason::Data)
    );
    let object = link.prebuilt[0].interface.as_ref().unwrap();
    assert!(
        read_objects(object).unwrap()[0]
            .defines
            .contains("_binary_data_txt_start")
    );
}

#[test]
fn shared_object_that_nothing_links_is_a_plug_in() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", F),
        ("plug.c", "int plug(void) { return 1; }"),
    ]);
    let plan = project.plan(
        "gcc -fPIC -shared f.c -o libf.so -Wl,-Bsymbolic; gcc -fPIC -shared plug.c -o plug.so; gcc main.c -L. -lf -o prog",
    );
    let names: Vec<&str> = plan
        .plug_ins
        .iter()
        .map(|plug_in| plug_in.name.as_str())
        .collect();
    assert_eq!(names, ["plug.so"]);
    assert_eq!(
        plan.units[plan.plug_ins[0].units[0]].display_path(),
        Path::new("plug.c")
    );
    assert!(plan.plug_ins[0].link.is_some());
    assert_eq!(plan.executables[0].units.len(), 2);
    let part = &link(&plan).parts[0];
    assert_eq!(project.short(&part.path), "libf.so");
    assert_eq!(part.options, [LinkOption::Shared, LinkOption::Symbolic]);
    assert_eq!(plan.units[part.units[0]].display_path(), Path::new("f.c"));
}

#[test]
fn scripts_in_the_place_of_inputs_are_followed_or_kept_as_options() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", F),
        ("libf.so", "INPUT(libreal.so)"),
        ("alias.ld", "other = main;"),
    ]);
    let plan =
        project.plan("gcc -fPIC -shared f.c -o libreal.so; gcc main.c -L. -lf alias.ld -o prog");
    assert_eq!(plan.executables[0].units.len(), 2);
    assert_eq!(
        link(&plan).options,
        [LinkOption::LinkerScript(project.path().join("alias.ld"))]
    );
    assert_eq!(link(&plan).prebuilt, []);
    // The same named by its path.
    let plan =
        project.plan("gcc -fPIC -shared f.c -o libreal.so; gcc main.c ./libf.so alias.ld -o prog");
    assert_eq!(plan.executables[0].units.len(), 2);
    assert_eq!(link(&plan).options.len(), 1);
}

#[test]
fn generators_are_recorded_with_the_files_they_name() {
    let project = Project::new(&[
        ("main.c.in", "int main(void) { return @N@; }"),
        ("gen.py", "open('n.h', 'w').write('#define N 1')"),
    ]);
    let build = project.capture(
        "sh -c 'sed s/@N@/0/ main.c.in > main.c'; python3 gen.py; gcc -c main.c; gcc main.o -o prog",
    );
    let named: Vec<Vec<String>> = build
        .generators
        .iter()
        .map(|step| step.files.iter().map(|path| project.short(path)).collect())
        .collect();
    for files in [&["main.c"][..], &["main.c.in"], &["gen.py"]] {
        assert!(
            named.iter().any(|named| named == files),
            "{files:?}: {named:?}"
        );
    }
    assert!(
        build
            .generators
            .iter()
            .all(|step| step.arguments[0] != "gcc")
    );
}

#[test]
fn parallel_build_gives_the_same_record() {
    let project = Project::new(&[
        (
            "Makefile",
            "prog: main.o g.o lib.a\n\tgcc -Wl,--wrap=e main.o g.o lib.a -o prog -lm\n\
             lib.a: a.o b.o\n\tar rc lib.a a.o b.o\n\
             g.o: f.o\n\tobjcopy --weaken f.o g.o\n\
             main.c: main.in\n\tsed s/@/f/g main.in > main.c\n",
        ),
        ("main.in", "int @(void); int main(void) { return @(); }"),
        ("f.c", F),
        ("a.c", "int a;"),
        ("b.c", "int b;"),
    ]);
    let mut first = project.capture("make");
    project.run("rm -f *.o lib.a prog main.c");
    let mut second = project.capture("make -j4");
    for build in [&mut first, &mut second] {
        build.command.clear();
        build
            .generators
            .retain(|step| !step.arguments.contains(&"-ec".to_owned()));
    }
    assert_eq!(first, second);
    assert!(!first.generators.is_empty());
}

#[test]
fn old_record_gives_a_plan_that_says_so() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", F)]);
    let mut build = project.capture("gcc main.c f.c -o prog");
    let mut value = serde_json::to_value(&build).unwrap();
    value["schema"] = "knockon.build/1".into();
    let steps = value.as_object_mut().unwrap();
    steps.remove("edits");
    steps.remove("generators");
    steps.remove("read_files");
    let links = steps["links"].as_array_mut().unwrap();
    for step in links {
        let step = step.as_object_mut().unwrap();
        step.remove("arguments");
        step.remove("options");
        step.insert("libraries".to_owned(), serde_json::json!(["m"]));
    }
    let record = project.path().join(RECORD);
    fs::write(&record, value.to_string()).unwrap();
    build = read(&record).unwrap();
    let plan = plan_of_record(&project.path(), &build).unwrap();
    assert!(link(&plan).is_old_record);
    let caveat = &plan.caveats[0];
    assert_eq!(caveat.kind, CaveatKind::IncompleteCapture);
    assert!(
        caveat.message.contains("capture the build again"),
        "{}",
        caveat.message
    );
}

#[test]
fn prebuilt_inputs_move_with_the_tree_or_stand_in_or_are_new() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("v.map", "{ global: main; };"),
        ("f.c", F),
    ]);
    project.run(
        "gcc -c f.c -o both.o; gcc -c -Df=g f.c -o added.o; gcc -c -Df=h f.c -o left.o; rm f.c\n\
         git init -q .; git add main.c both.o added.o v.map",
    );
    let plan = project
        .plan("gcc -c main.c; gcc main.o both.o added.o left.o -Wl,--version-script=v.map -o prog");
    let exported = Project::new(&[("main.c", MAIN), ("both.o", "")]);
    let versioned = ["main.c", "both.o", "added.o", "v.map"].map(PathBuf::from);
    let is_versioned = |path: &Path| versioned.iter().any(|one| one == path);
    let moved = moved_plan(&plan, &project.path(), &exported.path(), is_versioned);
    let link = link(&moved);
    let shown: Vec<(PathBuf, Presence)> = link
        .prebuilt
        .iter()
        .map(|input| (input.path.clone(), input.presence))
        .collect();
    assert_eq!(
        shown,
        [
            (exported.path().join("both.o"), Presence::Own),
            (project.path().join("added.o"), Presence::Missing),
            (project.path().join("left.o"), Presence::StandsIn),
        ]
    );
    assert!(matches!(&link.options[0], LinkOption::Unknown(text) if text.contains("v.map")));
    assert!(link.objects.is_empty());
    let generated = moved
        .caveats
        .iter()
        .filter(|caveat| caveat.kind == CaveatKind::GeneratedFile);
    let messages: Vec<&str> = generated.map(|caveat| caveat.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("left.o"));
}
