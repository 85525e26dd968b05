use super::super::record_log::{Event, Record};
use super::super::tool_call::tool_calls;
use super::*;

/// A build in `/r`, as the programs and files are recorded.
#[derive(Default)]
struct Log {
    records: Vec<Record>,
    files: Vec<FileRecord>,
}

impl Log {
    /// A program that reports its start as `token`.
    fn program(&mut self, token: &str, parent: &str, command: &str, streams: [&str; 2]) {
        let arguments: Vec<_> = command.split(' ').map(Into::into).collect();
        let stream = |text: &str| match text.strip_prefix('|') {
            Some(number) => Stream::Pipe(number.parse().unwrap()),
            None if text.is_empty() => Stream::Other,
            None => Stream::File(text.into()),
        };
        self.records.push(Record {
            event: Event::Start,
            token: token.into(),
            parent: parent.into(),
            directory: "/r".into(),
            program: format!("/usr/bin/{}", command.split(' ').next().unwrap()).into(),
            arguments,
            variables: Vec::new(),
            response_files: Vec::new(),
            streams: [stream(streams[0]), stream(streams[1]), Stream::Other],
        });
    }

    fn file(&mut self, token: &str, access: Access, path: &str) {
        self.files.push(FileRecord {
            token: token.into(),
            position: self.records.len(),
            access,
            path: path.into(),
        });
    }

    fn flow(self) -> ReadFiles {
        let calls = tool_calls(self.records);
        file_flow(Path::new("/r"), &calls, &self.files).files
    }
}

fn names(paths: &[PathBuf]) -> Vec<&str> {
    let names = paths.iter().map(|path| path.strip_prefix("/r").unwrap());
    names.map(|path| path.to_str().unwrap()).collect()
}

fn made(files: &ReadFiles) -> Vec<(&str, Vec<&str>)> {
    let rows = files.made.iter();
    rows.map(|made| {
        let path = made.path.strip_prefix("/r").unwrap();
        (path.to_str().unwrap(), names(&made.from))
    })
    .collect()
}

#[test]
fn output_that_make_reads_decides_on_what_it_starts_from_then_on() {
    let mut log = Log::default();
    log.program("1", "", "make", ["", ""]);
    log.file("1", Access::Read, "/r/Makefile");
    log.program("2", "1", "cat VALUE", ["", "|7"]);
    log.file("2", Access::Read, "/r/VALUE");
    log.program("3", "1", "gcc -c a.c", ["", ""]);
    log.file("3", Access::Read, "/r/a.c");
    log.program("4", "1", "cat LATE", ["", "|8"]);
    log.file("4", Access::Read, "/r/LATE");
    let files = log.flow();
    assert_eq!(names(&files.steering), ["Makefile", "VALUE"]);
    assert_eq!(names(&files.by_steps), ["a.c"]);
}

#[test]
fn what_is_shown_to_the_user_decides_nothing() {
    let mut log = Log::default();
    log.program("1", "", "make", ["", "|7"]);
    log.program("2", "1", "cat README", ["", "|7"]);
    log.file("2", Access::Read, "/r/README");
    log.program("3", "1", "gcc -c a.c", ["", "|7"]);
    assert_eq!(log.flow(), ReadFiles::default());
}

#[test]
fn an_answer_decides_in_a_shell_and_not_in_make() {
    let build = |shell: &str| {
        let mut log = Log::default();
        log.program("1", "", shell, ["", ""]);
        log.program("2", "1", "grep -q yes choice", ["", ""]);
        log.file("2", Access::Read, "/r/choice");
        log.program("3", "1", "gcc -c a.c", ["", ""]);
        log.flow()
    };
    assert_eq!(names(&build("sh build").steering), ["choice"]);
    assert!(build("make").steering.is_empty());
}

#[test]
fn generated_files_are_followed_through_pipes_and_moves() {
    let mut log = Log::default();
    log.program("1", "", "make", ["", ""]);
    log.program("2", "1", "cut words", ["", "|7"]);
    log.file("2", Access::Read, "/r/words");
    log.program("3", "1", "sort", ["|7", "/r/tmp"]);
    log.program("4", "1", "mv tmp x.h", ["", ""]);
    log.file("4", Access::MoveTo("/r/x.h".into()), "/r/tmp");
    // The name is used again, for another file.
    log.program("5", "1", "sed other", ["", ""]);
    log.file("5", Access::Read, "/r/other");
    log.file("5", Access::Write, "/r/tmp");
    log.program("6", "1", "gcc -c a.c", ["", ""]);
    log.file("6", Access::Read, "/r/x.h");
    assert_eq!(made(&log.flow()), [("x.h", vec!["words"])]);
}

#[test]
fn copies_of_what_steps_made_are_no_news_and_a_generator_is_made_from_its_sources() {
    let mut log = Log::default();
    log.program("1", "", "make", ["", ""]);
    log.program("2", "1", "gcc -c gen.c", ["", ""]);
    log.file("2", Access::Read, "/r/gen.c");
    log.file("2", Access::Write, "/r/gen.o");
    log.program("3", "1", "cp gen.o part.o", ["", ""]);
    log.file("3", Access::Read, "/r/gen.o");
    log.file("3", Access::Write, "/r/part.o");
    log.program("4", "1", "gcc -o gen part.o", ["", ""]);
    log.file("4", Access::Read, "/r/part.o");
    log.file("4", Access::Write, "/r/gen");
    log.program("5", "1", "gen", ["", "/r/x.h"]);
    log.file("5", Access::Read, "/r/gen");
    log.program("6", "1", "gcc -c a.c", ["", ""]);
    log.file("6", Access::Read, "/r/x.h");
    let files = log.flow();
    assert_eq!(made(&files), [("x.h", vec!["gen.c"])]);
    assert_eq!(names(&files.by_steps), ["gen.c"]);
}

#[test]
fn lists_of_headers_and_names_of_symbols_say_nothing_of_a_content() {
    let mut log = Log::default();
    log.program("1", "", "make", ["", ""]);
    log.program("2", "1", "gcc -MM a.c", ["", "/r/depend"]);
    log.file("2", Access::Read, "/r/a.c");
    log.file("1", Access::Read, "/r/depend");
    log.program("3", "1", "gcc -MD -c a.c", ["", ""]);
    log.file("3", Access::Read, "/r/a.c");
    log.file("3", Access::Write, "/r/a.d");
    log.file("3", Access::Write, "/r/a.o");
    log.file("1", Access::Read, "/r/a.d");
    log.program("4", "1", "nm a.o", ["", "/r/a.sym"]);
    log.file("4", Access::Read, "/r/a.o");
    log.program("5", "1", "ld a.o a.sym", ["", ""]);
    log.file("5", Access::Read, "/r/a.sym");
    let files = log.flow();
    assert!(files.steering.is_empty());
    assert_eq!(made(&files), [("a.sym", Vec::new())]);
    assert_eq!(names(&files.by_steps), ["a.c"]);
}
