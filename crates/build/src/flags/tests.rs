//! What the list of flags promises, and that both clangs know what is kept.

use std::collections::HashSet;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::table::{all_spellings, find_rule, kept_alone};
use super::*;

fn accept(line: &str) -> AcceptedFlags {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    accept_flags(&words)
}

/// The kept flags without the language and the macros of the level, which every unit gets.
fn kept(line: &str) -> Vec<String> {
    let accepted = accept(line);
    accepted.kept.into_iter().skip(4).collect()
}

fn reasons(line: &str) -> Vec<DropReason> {
    accept(line)
        .dropped
        .iter()
        .map(|dropped| dropped.reason)
        .collect()
}

#[test]
fn joined_and_separate_spellings_are_the_same_flag() {
    assert_eq!(kept("cc -Iinclude a.c"), kept("cc -I include a.c"));
    assert_eq!(kept("cc -DA=1 a.c"), kept("cc -D A=1 a.c"));
    assert_eq!(kept("cc --sysroot=/r a.c"), kept("cc --sysroot /r a.c"));
    assert_eq!(kept("cc --define-macro=A a.c"), ["-DA"]);
}

#[test]
fn what_changes_the_meaning_is_kept_in_order() {
    assert_eq!(
        kept("cc -DA -UA -isystem /s -std=gnu99 -funsigned-char -fwrapv -m32 -pthread -c a.c"),
        [
            "-DA",
            "-UA",
            "-isystem",
            "/s",
            "-std=gnu99",
            "-funsigned-char",
            "-fwrapv",
            "-m32",
            "-pthread"
        ]
    );
}

#[test]
fn what_runs_code_or_writes_is_dropped_with_its_value() {
    for line in [
        "cc -fplugin=./evil.so a.c",
        "cc -fpass-plugin=./evil.so a.c",
        "cc -Xclang -load -Xclang ./evil.so a.c",
        "cc -Xclang -plugin -Xclang evil a.c",
        "cc -B ./evil a.c",
        "cc -B./evil a.c",
        "cc -specs=evil a.c",
        "cc -wrapper ./evil,x a.c",
        "cc -fno-integrated-as a.c",
        "cc -fno-integrated-cc1 a.c",
        "cc -ccc-gcc-name ./evil a.c",
        "cc -mllvm -load=./evil.so a.c",
        "cc @evil a.c",
        "cc -o /tmp/evil a.c",
        "cc -o/tmp/evil a.c",
        "cc -MD -MF evil -MT t -MQ q -MJ j a.c",
        "cc -Wp,-MD,evil a.c",
        "cc -Wa,-o,evil a.c",
        "cc -Wl,-plugin,evil a.c",
        "cc -save-temps=obj a.c",
        "cc -ftime-trace=evil a.c",
        "cc -fmodules-cache-path=evil a.c",
        "cc -fcrash-diagnostics-dir=evil a.c",
        "cc -fdump-tree-all=evil a.c",
        "cc --config evil a.c",
        "cc --config=evil a.c",
        "cc -resource-dir evil a.c",
        "cc -working-directory evil a.c",
        "cc -dumpdir evil a.c",
        "cc -gsplit-dwarf a.c",
        "cc --serialize-diagnostics evil a.c",
        "cc -include-pch evil a.c",
        "cc -ivfsoverlay evil a.c",
        "cc --coverage a.c",
        "cc -fprofile-use=evil a.c",
        "cc -fsomething-from-the-future=evil a.c",
    ] {
        assert!(kept(line).is_empty(), "{line}: {:?}", kept(line));
        assert!(!reasons(line).is_empty(), "{line} leaves a record");
    }
}

#[test]
fn directories_of_the_assembler_are_kept_and_clang_is_not_given_them() {
    let flags = kept("cc -Wa,-I,inc,--noexecstack -Wa,-I@evil a.c");
    assert_eq!(flags, ["-Wa,-Iinc", "-Wa,-I./@evil"]);
    assert!(reasons("cc -Wa,-Iinc,--noexecstack a.c").is_empty());
    assert!(!reasons("cc -Wa,-Iinc,-al=evil a.c").is_empty());
    let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
    assert!(clang_arguments(&flags).is_empty());
}

#[test]
fn values_cannot_become_flags_or_response_files() {
    assert_eq!(kept("cc -I -fplugin=x a.c"), ["-I", "./-fplugin=x"]);
    assert_eq!(kept("cc -I@evil a.c"), ["-I", "./@evil"]);
    assert_eq!(kept("cc -include @evil a.c"), ["-include", "./@evil"]);
    assert_eq!(kept("cc -include-pch.h a.c"), ["-include", "./-pch.h"]);
    assert_eq!(kept("cc --sysroot @evil a.c"), ["--sysroot=./@evil"]);
    assert!(kept("cc -D @evil a.c").is_empty());
    assert!(kept("cc -D -fplugin=x a.c").is_empty());
    assert!(kept("cc -target @evil a.c").is_empty());
    assert!(kept("cc -std=../x a.c").is_empty());
    assert_eq!(reasons("cc a.c -I"), [DropReason::MissingValue]);
}

#[test]
fn the_language_comes_from_option_then_file_then_compiler() {
    assert_eq!(accept("cc a.c").language, Some(Language::C));
    assert_eq!(accept("g++-12 a.c").language, Some(Language::CPlusPlus));
    assert_eq!(accept("cc -x c++ a.c").language, Some(Language::CPlusPlus));
    assert_eq!(accept("cc -xc a.cpp").language, Some(Language::C));
    assert_eq!(accept("cc a.cpp").kept[..2], ["-x", "c++"]);
    assert_eq!(
        accept("cc a.S").language,
        Some(Language::Other("assembly".to_owned()))
    );
    assert_eq!(
        accept("cc -x ir a.c").language,
        Some(Language::Other("ir".to_owned()))
    );
    assert_eq!(
        accept("cc -x f95 a.c").kept.first().map(String::as_str),
        Some("-U__OPTIMIZE__")
    );
    assert_eq!(accept("cc a.o b.o").language, None);
}

#[test]
fn launchers_and_cross_compilers_are_understood() {
    assert_eq!(
        accept("/usr/bin/ccache g++ a.c").language,
        Some(Language::CPlusPlus)
    );
    assert_eq!(accept("ccache gcc a.c").inputs, [PathBuf::from("a.c")]);
    assert!(
        accept("aarch64-linux-gnu-gcc-12 a.c")
            .kept
            .contains(&"--target=aarch64-linux-gnu".to_owned())
    );
    let explicit = accept("aarch64-linux-gnu-clang --target=riscv64-linux-gnu a.c").kept;
    assert_eq!(
        explicit
            .iter()
            .filter(|flag| flag.starts_with("--target"))
            .count(),
        1
    );
    assert_eq!(reasons("clang-cl /DX a.c"), [DropReason::MsvcStyle; 2]);
}

#[test]
fn the_preprocessor_flags_inside_other_flags_are_honoured() {
    assert_eq!(kept("cc -Wp,-DA=1,-MD,x.d a.c"), ["-DA=1"]);
    assert_eq!(kept("cc -Xpreprocessor -fopenmp a.c"), ["-fopenmp"]);
    assert_eq!(
        kept("cc -Xclang -include -Xclang pre.h a.c"),
        ["-include", "pre.h"]
    );
    assert!(kept("cc -Xclang -include a.c").is_empty());
}

#[test]
fn an_included_file_goes_past_the_driver_and_other_values_stay() {
    let kept = ["-x", "c", "-I", "-include", "-include", "a.h", "-DA"].map(str::to_owned);
    assert_eq!(
        clang_arguments(&kept),
        [
            "-x", "c", "-I", "-include", "-Xclang", "-include", "-Xclang", "a.h", "-DA"
        ]
    );
}

#[test]
fn fortification_is_recorded_as_hardening_and_needs_no_caveat() {
    assert_eq!(
        reasons("cc -D_FORTIFY_SOURCE=2 a.c"),
        [DropReason::Hardening]
    );
    assert_eq!(
        reasons("cc -Wp,-D_FORTIFY_SOURCE=3 a.c"),
        [DropReason::Hardening]
    );
    assert!(!DropReason::Hardening.needs_caveat());
    assert!(DropReason::ResponseFile.needs_caveat());
}

/// The macros that clang predefines, one per line.
fn predefined(flags: &[&str]) -> String {
    let output = Command::new("clang-19")
        .args(flags)
        .args(["-w", "-dM", "-E", "-x", "c", "/dev/null"])
        .output()
        .expect("clang-19 runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut lines: Vec<&str> = std::str::from_utf8(&output.stdout)
        .expect("text")
        .lines()
        .collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[test]
fn every_level_predefines_what_clang_predefines_at_that_level() {
    for level in [
        "-O0", "-O", "-O1", "-O2", "-O3", "-Og", "-Os", "-Oz", "-Ofast",
    ] {
        let accepted = accept(&format!("cc {level} a.c"));
        let mut flags = vec!["-O1"];
        flags.extend(accepted.kept.iter().map(String::as_str));
        assert_eq!(predefined(&flags), predefined(&[level]), "{level}");
    }
    assert_eq!(
        accept("cc -O2 -O0 a.c").kept,
        accept("cc a.c").kept,
        "the last level holds"
    );
}

#[test]
fn no_spelling_is_listed_twice() {
    let mut seen = HashSet::new();
    for spelling in all_spellings() {
        assert!(seen.insert(spelling), "{spelling}");
        assert!(find_rule(spelling).is_some(), "{spelling}");
    }
}

/// An unknown flag would make a unit fail to compile that the build compiles.
#[test]
fn both_clangs_know_every_kept_flag() {
    for clang in ["clang-16", "clang-19"] {
        let mut command = Command::new(clang);
        command
            .args(kept_alone())
            .args(["-fsyntax-only", "-x", "c++", "/dev/null"]);
        let output = command.stdin(Stdio::null()).output().expect("clang runs");
        let text = String::from_utf8_lossy(&output.stderr);
        let unknown: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("unknown argument"))
            .collect();
        assert!(unknown.is_empty(), "{clang}: {unknown:?}");
    }
}

fn flag_like_words() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        "[-@/a-zA-Z=.,+]{0,12}",
        "-[DUIfmWXOxTLBMd][-@a-z=,./\\n\\x00é]{0,8}",
        prop::sample::select(all_spellings().map(str::to_owned).collect::<Vec<_>>()),
        (
            "[@-]?[a-z./]{0,6}",
            prop::sample::select(all_spellings().collect::<Vec<_>>())
        )
            .prop_map(|(value, spelling)| format!("{spelling}{value}")),
    ];
    prop::collection::vec(word, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    /// Read as clang reads its arguments, the kept flags consist of listed flags and their values.
    #[test]
    fn only_listed_flags_survive(words in flag_like_words()) {
        let accepted = accept_flags(&words);
        for flag in &accepted.kept {
            prop_assert!(!flag.starts_with('@') && !flag.contains('\0'));
        }
        let mut rest = accepted.kept.iter();
        while let Some(flag) = rest.next() {
            if takes_next_argument(flag) {
                let value = rest.next().expect("a kept flag has its value");
                prop_assert!(!value.starts_with('-'));
            } else {
                let rule = find_rule(flag);
                let listed = rule.is_some_and(|rule| !matches!(rule.fate, Fate::Drop(_)));
                prop_assert!(listed, "{flag}");
            }
        }
    }

    #[test]
    fn accepting_what_was_kept_keeps_it(words in flag_like_words()) {
        let once = accept_flags(&words);
        let mut again = vec!["cc".to_owned()];
        again.extend(once.kept.iter().cloned());
        let twice = accept_flags(&again);
        let own: Vec<&String> = once.kept.iter().filter(|flag| !flag.contains("OPTIMIZE") && !flag.contains("INLINE")).collect();
        for flag in own {
            prop_assert!(twice.kept.contains(flag), "{flag} of {:?} is lost in {:?}", once.kept, twice.kept);
        }
    }
}
