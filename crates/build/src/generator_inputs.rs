//! What may a generated file be made from, as the texts that steer the build tell?
//!
//! **How.** Rules of makefiles, commands of CMake and Meson, scripts and templates are read as
//! words: what each may make, and what it names besides. From the file's name, all that is named by
//! what may make it is collected, and by what makes that, until nothing is new. No text is
//! understood beyond that: variables are names like others, and paths count by their last part. So
//! the collection is larger than the truth wherever two files share a name.
//!
//! **Soundness.** A rule that puts its names together at run time is not seen. Where no text tells
//! how a file is made the answer is `None`, and any input is to be assumed. `configure` and its kin
//! are not read: they are build inputs, and those are compared by themselves.
//!
//! **Cost.** Linear in the texts, once for each comparison with a generated file that is read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// One way to make files: what comes out, and all that it names. Words are the last parts of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rule {
    makes: Vec<String>,
    uses: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    /// A script may write whatever it names.
    scripts: Vec<Rule>,
    phony: BTreeSet<String>,
    /// Names of all files of the version.
    files: BTreeSet<String>,
}

/// Names by which makefiles call what is no file, and commands that are named like them.
#[rustfmt::skip]
const NO_FILES: &[&str] = &[
    "all", "check", "clean", "depend", "dist", "distclean", "install", "test", "tests", "uninstall", "echo",
    "cat", "cd", "cp", "mv", "rm", "sed", "awk", "ar", "cc", "gcc", "make", "touch", "mkdir", "true", "false",
    "if", "then", "else", "fi", "for", "do", "done", "in", "exit", "set", ".", "..", "",
];

/// What makes a file out of another one whose name tells.
const TEMPLATES: [&str; 6] = ["in", "cmake", "cmakein", "tmpl", "template", "sh"];
const GRAMMARS: [&str; 8] = ["y", "yy", "l", "ll", "gperf", "rl", "re", "peg"];

/// Whether texts of this name tell how files are made.
pub(crate) fn tells_rules(path: &Path) -> bool {
    kind_of(path).is_some()
}

#[derive(Clone, Copy)]
enum Kind {
    Make,
    Cmake,
    Meson,
    Autoconf,
    Script,
}

fn kind_of(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let begins = |start: &str| name.to_ascii_lowercase().starts_with(start);
    match extension.as_ref() {
        "mk" | "mak" | "make" | "am" => Some(Kind::Make),
        "cmake" => Some(Kind::Cmake),
        "ac" => Some(Kind::Autoconf),
        "sh" | "bash" | "py" | "pl" | "awk" | "rb" | "tcl" | "lua" => Some(Kind::Script),
        _ if begins("makefile") || begins("gnumakefile") => Some(Kind::Make),
        _ if name == "CMakeLists.txt" => Some(Kind::Cmake),
        _ if name == "meson.build" => Some(Kind::Meson),
        _ if name == "configure.in" => Some(Kind::Autoconf),
        _ => None,
    }
}

impl Rules {
    pub(crate) fn add_file(&mut self, path: &Path) {
        if let Some(name) = path.file_name() {
            self.files.insert(name.to_string_lossy().into_owned());
        }
    }

    pub(crate) fn add_text(&mut self, path: &Path, text: &str) {
        match kind_of(path) {
            Some(Kind::Make) => self.add_makefile(text),
            Some(Kind::Cmake) => self.add_calls(text, cmake_rule),
            Some(Kind::Meson) => self.add_calls(text, meson_rule),
            Some(Kind::Autoconf) => self.add_calls(text, autoconf_rule),
            Some(Kind::Script) => {
                let own = last_part(&path.to_string_lossy()).to_owned();
                let uses = words(text);
                let is_file = |word: &&String| word.contains('.');
                self.scripts.push(Rule {
                    makes: uses.iter().filter(is_file).cloned().collect(),
                    uses: uses.iter().chain([&own]).cloned().collect(),
                });
                self.rules.push(Rule {
                    makes: vec![own],
                    uses,
                });
            }
            None => {}
        }
    }

    /// A command of the build made some of the files that it names from the others: those that no
    /// version has.
    pub(crate) fn add_command<'a>(
        &mut self,
        made: impl Iterator<Item = &'a Path>,
        uses: &[PathBuf],
    ) {
        let name = |path: &Path| last_part(&path.to_string_lossy()).to_owned();
        self.rules.push(Rule {
            makes: made.map(name).collect(),
            uses: uses.iter().map(|path| name(path)).collect(),
        });
    }

    fn add_makefile(&mut self, text: &str) {
        let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let mut open: Option<Rule> = None;
        for line in text.lines() {
            if let Some(recipe) = line.strip_prefix('\t') {
                if let Some(rule) = &mut open {
                    rule.uses.extend(words(recipe));
                    rule.makes.extend(outputs(recipe));
                }
                continue;
            }
            let line = line.split(" #").next().unwrap_or_default();
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            self.rules.extend(open.take());
            let colon = line.find(':');
            let equals = line.find('=');
            match (colon, equals) {
                (Some(colon), equals) if equals.is_none_or(|equals| equals > colon + 2) => {
                    let (targets, rest) = line.split_at(colon);
                    let makes = words(targets);
                    let uses = words(rest);
                    if makes.iter().any(|word| word == ".PHONY") {
                        self.phony.extend(uses);
                        continue;
                    }
                    open = Some(Rule {
                        makes: makes.into_iter().flat_map(as_pattern).collect(),
                        // A command may stand on the line itself.
                        uses: uses.into_iter().chain(suffix_source(targets)).collect(),
                    });
                }
                (_, Some(equals)) => self.rules.push(Rule {
                    makes: words(&line[..equals]),
                    uses: words(&line[equals..]),
                }),
                (_, None) => {}
            }
        }
        self.rules.extend(open);
    }

    fn add_calls(&mut self, text: &str, rule: impl Fn(&Call<'_>) -> Vec<Rule>) {
        for call in calls(text) {
            self.rules.extend(rule(&call));
        }
    }

    /// All that the file may be made from, by the last parts of their paths; `None` where no text
    /// tells. `sources` are those of programs of the build, by the program's name.
    pub(crate) fn inputs_of(
        &self,
        generated: &Path,
        sources: &BTreeMap<String, BTreeSet<String>>,
    ) -> Option<BTreeSet<String>> {
        let name = last_part(&generated.to_string_lossy()).to_owned();
        let from_names = self.named_sources(&name);
        let known = self.collected(
            &name,
            &from_names,
            &self.rules.iter().collect::<Vec<_>>(),
            sources,
        );
        if known.len() > 1 {
            return Some(known);
        }
        let both: Vec<&Rule> = self.rules.iter().chain(&self.scripts).collect();
        let by_scripts = self.collected(&name, &from_names, &both, sources);
        (by_scripts.len() > 1).then_some(by_scripts)
    }

    /// `config.h.in` for `config.h`, `fcntl.in.h` for `fcntl.h`, `parse.y` for `parse.tab.h`.
    fn named_sources(&self, name: &str) -> Vec<String> {
        let mut found: Vec<String> = TEMPLATES
            .iter()
            .map(|end| format!("{name}.{end}"))
            .collect();
        if let Some((stem, extension)) = name.rsplit_once('.') {
            found.push(format!("{stem}.in.{extension}"));
            found.push(format!("{stem}_in.{extension}"));
            let stem = stem.strip_suffix(".tab").unwrap_or(stem);
            let stem = stem.strip_suffix(".yy").unwrap_or(stem);
            found.extend(GRAMMARS.iter().map(|end| format!("{stem}.{end}")));
        }
        if name.starts_with("y.tab.") || name.starts_with("lex.yy.") {
            let is_grammar = |file: &&String| {
                let end = file.rsplit_once('.').map_or("", |(_, end)| end);
                GRAMMARS.contains(&end)
            };
            found.extend(self.files.iter().filter(is_grammar).cloned());
        }
        found.retain(|source| self.files.contains(source));
        found
    }

    /// With the name itself.
    fn collected(
        &self,
        name: &str,
        from_names: &[String],
        rules: &[&Rule],
        sources: &BTreeMap<String, BTreeSet<String>>,
    ) -> BTreeSet<String> {
        let mut makers: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
        let mut patterns: Vec<(&str, &Rule)> = Vec::new();
        for rule in rules {
            for made in &rule.makes {
                match made.contains('%') {
                    true => patterns.push((made, rule)),
                    false => makers.entry(made).or_default().push(rule),
                }
            }
        }
        let mut found = BTreeSet::from([name.to_owned()]);
        let mut waiting = VecDeque::from([name.to_owned()]);
        let mut add = |word: String, waiting: &mut VecDeque<String>| {
            if found.insert(word.clone()) {
                waiting.push_back(word);
            }
        };
        for source in from_names {
            add(source.clone(), &mut waiting);
        }
        while let Some(word) = waiting.pop_front() {
            if NO_FILES.contains(&word.as_str()) || self.phony.contains(&word) {
                continue;
            }
            for source in sources.get(&word).into_iter().flatten() {
                add(source.clone(), &mut waiting);
            }
            for rule in makers.get(word.as_str()).into_iter().flatten() {
                for used in &rule.uses {
                    add(used.clone(), &mut waiting);
                }
            }
            for (pattern, rule) in &patterns {
                let Some(stem) = stem_of(&word, pattern) else {
                    continue;
                };
                for used in &rule.uses {
                    let used = used.replace('%', stem);
                    // A rule of make without a source that is there is not taken.
                    if !used.contains(stem)
                        || self.files.contains(&used)
                        || rules_make(&makers, &used)
                    {
                        add(used, &mut waiting);
                    }
                }
            }
            // What make knows by itself: objects and programs are made from sources.
            let stem = ["o", "lo", "obj"].iter().find_map(|end| {
                word.strip_suffix(end)
                    .and_then(|rest| rest.strip_suffix('.'))
            });
            let source = format!("{}.c", stem.unwrap_or(&word));
            if (stem.is_some() || !word.contains('.')) && self.files.contains(&source) {
                add(source, &mut waiting);
            }
        }
        found
    }
}

fn rules_make(makers: &BTreeMap<&str, Vec<&Rule>>, word: &str) -> bool {
    makers.contains_key(word)
}

fn stem_of<'a>(word: &'a str, pattern: &str) -> Option<&'a str> {
    let (before, after) = pattern.split_once('%')?;
    let stem = word.strip_prefix(before)?.strip_suffix(after)?;
    (!stem.is_empty()).then_some(stem)
}

/// Whether one of the words is the file, or a pattern of files that it is among.
pub(crate) fn names_file(collected: &BTreeSet<String>, path: &Path) -> bool {
    let name = last_part(&path.to_string_lossy()).to_owned();
    if collected.contains(&name) {
        return true;
    }
    let globs = collected.iter().filter(|word| word.contains(['*', '?']));
    let mut patterns = globs.filter_map(|word| glob::Pattern::new(word).ok());
    patterns.any(|pattern| pattern.as_str() != "*" && pattern.matches(&name))
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The words of a text, of paths the last part.
fn words(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.+-/*?%~".contains(letter);
    text.split(|letter: char| !is_part(letter))
        .map(|word| last_part(word.trim_end_matches('/')).trim_end_matches('.'))
        .filter(|word| !word.is_empty() && !word.starts_with('-'))
        .map(str::to_owned)
        .collect()
}

/// What a command of a recipe writes, as far as it says so.
fn outputs(recipe: &str) -> Vec<String> {
    let mut found = Vec::new();
    for command in recipe.split(['|', ';', '&']) {
        let typed: Vec<&str> = command.split_whitespace().collect();
        for (at, word) in typed.iter().enumerate() {
            let next = || typed.get(at + 1).copied().unwrap_or_default();
            let written = match word.trim_start_matches(['1', '2']) {
                ">" | ">>" | "-o" | "tee" | "--output" => next(),
                word if word.starts_with('>') => word.trim_start_matches('>'),
                word if word.starts_with("-o") => &word[2..],
                word => word.split_once('=').map_or("", |(_, value)| value),
            };
            found.extend(words(written));
        }
        let first = typed
            .first()
            .map_or("", |word| word.trim_start_matches(['@', '-']));
        if matches!(first, "mv" | "cp" | "install" | "ln")
            && let Some(last) = typed.last()
        {
            found.extend(words(last));
        }
    }
    found
}

/// `.y.c` makes `%.c`.
fn as_pattern(target: String) -> Vec<String> {
    match target
        .strip_prefix('.')
        .and_then(|rest| rest.split_once('.'))
    {
        Some((_, to)) if !to.contains('.') => vec![format!("%.{to}")],
        _ => vec![target],
    }
}

/// `.y.c` makes from `%.y`.
fn suffix_source(targets: &str) -> Option<String> {
    let target = targets.trim().strip_prefix('.')?;
    let (from, to) = target.split_once('.')?;
    (!to.contains('.') && !target.contains(' ')).then(|| format!("%.{from}"))
}

/// `x = name(arguments)`.
struct Call<'a> {
    assigned: Option<&'a str>,
    name: &'a str,
    arguments: &'a str,
}

/// All calls of a text that stand by themselves, and assignments of lists as calls without a name.
fn calls(text: &str) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let before = &rest[..open];
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let (assigned, name) = match line.split_once('=') {
            Some((assigned, name)) => (Some(assigned.trim_end_matches('+').trim()), name.trim()),
            None => (None, line),
        };
        let name = name.rsplit([' ', '\t']).next().unwrap_or_default();
        let closing = closing(&rest[open..]);
        let end = open + closing;
        if !line.starts_with('#') {
            found.push(Call {
                assigned,
                name,
                arguments: &rest[open + 1..end],
            });
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    found
}

/// Where the bracket is closed that the text begins with; its end if nowhere.
fn closing(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn files_among(words: &[String]) -> Vec<String> {
    let is_file = |word: &&String| word.contains('.');
    words.iter().filter(is_file).cloned().collect()
}

fn cmake_rule(call: &Call<'_>) -> Vec<Rule> {
    let all = words(call.arguments);
    let name = call.name.to_ascii_lowercase();
    let makes = match name.as_str() {
        "add_executable" | "add_library" | "target_link_libraries" | "target_sources" | "set" => {
            all.first().cloned().into_iter().collect()
        }
        "list" => all.get(1).cloned().into_iter().collect(),
        "add_custom_target" => all
            .first()
            .cloned()
            .into_iter()
            .chain(files_among(&all))
            .collect(),
        "install"
        | "add_test"
        | "set_tests_properties"
        | "message"
        | "if"
        | "elseif"
        | "else"
        | "endif"
        | "while"
        | "include"
        | "project"
        | "foreach"
        | "endforeach"
        | "include_directories"
        | "target_include_directories"
        | "target_compile_definitions"
        | "target_compile_options"
        | "source_group"
        | "set_source_files_properties" => {
            return Vec::new();
        }
        // Other commands, those of the project among them, may make what they name.
        _ => files_among(&all),
    };
    vec![Rule { makes, uses: all }]
}

fn meson_rule(call: &Call<'_>) -> Vec<Rule> {
    let all = words(call.arguments);
    let mut makes: Vec<String> = call
        .assigned
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    match call.name {
        "executable" | "library" | "static_library" | "shared_library" | "both_libraries"
        | "shared_module" => makes.extend(all.first().cloned()),
        "files"
        | ""
        | "project"
        | "test"
        | "declare_dependency"
        | "dependency"
        | "subdir"
        | "include_directories"
        | "find_program"
        | "import" => {}
        _ => makes.extend(files_among(&all)),
    }
    vec![Rule { makes, uses: all }]
}

/// What `configure` writes comes from templates.
fn autoconf_rule(call: &Call<'_>) -> Vec<Rule> {
    let is_list = [
        "AC_CONFIG_HEADER",
        "AC_CONFIG_FILES",
        "AM_CONFIG_HEADER",
        "AC_OUTPUT",
    ];
    if !is_list.iter().any(|start| call.name.starts_with(start)) {
        return Vec::new();
    }
    let rules = words(call.arguments).into_iter().map(|word| Rule {
        uses: vec![format!("{word}.in")],
        makes: vec![word],
    });
    rules.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inputs of a file by these texts, of files with these names besides.
    fn inputs(generated: &str, texts: &[(&str, &str)], files: &[&str]) -> Option<BTreeSet<String>> {
        let mut rules = Rules::default();
        for (path, text) in texts {
            rules.add_file(Path::new(path));
            rules.add_text(Path::new(path), text);
        }
        for file in files {
            rules.add_file(Path::new(file));
        }
        rules.inputs_of(Path::new(generated), &BTreeMap::new())
    }

    fn has(found: &Option<BTreeSet<String>>, path: &str) -> bool {
        found
            .as_ref()
            .is_some_and(|found| names_file(found, Path::new(path)))
    }

    #[test]
    fn rules_of_make_are_followed_to_the_sources_of_the_generator() {
        let makefile = "OBJS = main.o table.o\n\
            prog: $(OBJS)\n\tcc -o $@ $(OBJS)\n\
            table.h: generate $(srcdir)/tokens.def\n\t./generate < $(srcdir)/tokens.def > $@\n\
            generate: generate.o util.o\n\tcc -o $@ $^\n";
        let files = ["generate.c", "util.c", "main.c", "tokens.def"];
        let found = inputs("table.h", &[("Makefile", makefile)], &files);
        for input in ["src/tokens.def", "generate.c", "util.c"] {
            assert!(has(&found, input), "{input}: {found:?}");
        }
        assert!(!has(&found, "main.c"), "{found:?}");
    }

    #[test]
    fn a_file_that_a_recipe_writes_by_name_is_made_by_it() {
        let makefile = "stamp: words.txt\n\tsort words.txt > sorted.h\n\ttouch stamp\n";
        assert!(has(
            &inputs("sorted.h", &[("Makefile", makefile)], &[]),
            "words.txt"
        ));
        let moved = "stamp: words.txt\n\tsort words.txt > tmp; mv tmp sorted.h\n";
        assert!(has(
            &inputs("sorted.h", &[("Makefile", moved)], &[]),
            "words.txt"
        ));
    }

    #[test]
    fn patterns_and_variables_of_make_lead_to_inputs() {
        let makefile = "%.tab.h: %.def gen.awk\n\tawk -f gen.awk $< > $@\n";
        let found = inputs(
            "a.tab.h",
            &[("Makefile", makefile)],
            &["a.def", "b.def", "gen.awk"],
        );
        assert!(has(&found, "a.def") && has(&found, "gen.awk"), "{found:?}");
        assert!(!has(&found, "b.def"), "{found:?}");
        let makefile = "LISTS = one.txt \\\n  two.txt\nall.h: $(LISTS)\n\tcat $(LISTS) > $@\n";
        assert!(has(
            &inputs("all.h", &[("Makefile", makefile)], &[]),
            "two.txt"
        ));
        let makefile = "all.h: gen.sh $(wildcard src/*.h)\n\tsh gen.sh > $@\n";
        assert!(has(
            &inputs("all.h", &[("Makefile", makefile)], &[]),
            "src/tokens.h"
        ));
    }

    #[test]
    fn a_script_is_followed_where_a_rule_runs_it() {
        let makefile = "table.h: gen.sh\n\tsh gen.sh > $@\n";
        let script = "for f in docs/*.adoc; do sed s/x/y/ \"$f\"; done\ncat tokens.h\n";
        let texts = [("Makefile", makefile), ("gen.sh", script)];
        let found = inputs("table.h", &texts, &[]);
        assert!(
            has(&found, "docs/a.adoc") && has(&found, "tokens.h"),
            "{found:?}"
        );
    }

    #[test]
    fn a_header_of_configure_comes_from_its_template() {
        let configure =
            "AC_INIT([p], [1])\nAC_CONFIG_SRCDIR([src/main.c])\nAC_CONFIG_HEADERS([config.h])\n";
        let makefile = "bin_PROGRAMS = p\np_SOURCES = main.c config.h\n";
        let texts = [("configure.ac", configure), ("Makefile.am", makefile)];
        let found = inputs("config.h", &texts, &["main.c", "config.h.in"]);
        assert!(has(&found, "config.h.in"), "{found:?}");
        assert!(!has(&found, "main.c"), "{found:?}");
    }

    #[test]
    fn commands_of_cmake_and_meson_are_followed() {
        let cmake = "set(LISTS tokens.txt)\n\
            add_executable(gen gen.c)\nadd_executable(app main.c ${B}/table.h)\n\
            add_custom_command(OUTPUT ${B}/table.h\n  COMMAND gen ${LISTS}\n  DEPENDS gen)\n";
        let found = inputs(
            "build/table.h",
            &[("CMakeLists.txt", cmake)],
            &["gen.c", "main.c"],
        );
        assert!(
            has(&found, "gen.c") && has(&found, "tokens.txt"),
            "{found:?}"
        );
        assert!(!has(&found, "main.c"), "{found:?}");
        let meson = "gen = executable('gen', 'gen.c')\n\
            table = custom_target('table', input: 'tokens.txt', output: 'table.h', command: [gen, '@INPUT@'])\n\
            executable('app', 'main.c', table)\n";
        let found = inputs(
            "build/table.h",
            &[("meson.build", meson)],
            &["gen.c", "main.c"],
        );
        assert!(
            has(&found, "gen.c") && has(&found, "tokens.txt"),
            "{found:?}"
        );
        assert!(!has(&found, "main.c"), "{found:?}");
    }

    #[test]
    fn a_grammar_is_known_by_its_name_and_nothing_is_known_of_others() {
        assert!(has(&inputs("parse.tab.h", &[], &["parse.y"]), "parse.y"));
        assert!(has(&inputs("y.tab.c", &[], &["gram.y"]), "gram.y"));
        assert_eq!(
            inputs("table.h", &[("Makefile", "all:\n\tmake -C src\n")], &[]),
            None
        );
    }
}
