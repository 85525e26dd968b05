use super::*;
use crate::effect::{
    CallbackTime, Channel, Connection, Extent, Memory, Origin, Return, Value, World,
};
use crate::notation::Malformed;

fn effect(name: &str) -> &'static Effect {
    library()
        .of(name)
        .unwrap_or_else(|| panic!("`{name}` has no row"))
}

/// How rows and names are ordered: leading underscores count last.
fn order(name: &str) -> (&str, &str) {
    (name.trim_start_matches('_'), name)
}

#[test]
fn the_data_file_is_well_formed() {
    if let Err(malformed) = notation::parse(include_str!("../library.effects")) {
        panic!("library.effects, {malformed}");
    }
}

#[test]
fn rows_are_sorted_within_their_group_and_names_within_their_row() {
    for pair in library().rows().windows(2) {
        if pair[0].group == pair[1].group {
            let (before, after) = (pair[0].names[0], pair[1].names[0]);
            assert!(
                order(before) < order(after),
                "line {}: `{after}` comes before `{before}`",
                pair[1].line
            );
        }
    }
    for row in library().rows() {
        assert!(
            row.names.is_sorted_by_key(|name| order(name)),
            "line {}: the names are not sorted",
            row.line
        );
    }
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let message = |text: &'static str| match notation::parse(text) {
        Ok(_) => String::new(),
        Err(malformed) => malformed.to_string(),
    };
    assert_eq!(
        message("[g]\nf: reeds *0\n"),
        "line 2: `reeds *0`: there is no clause `reeds`"
    );
    assert_eq!(
        message("f: reads 0\n"),
        "line 1: `reads 0`: `0` is no memory: `*0`, `*[*0]`, `**0`"
    );
    assert_eq!(
        message("f: pure\n\nf: pure\n"),
        "line 3: `f` is described in line 1 already"
    );
    assert_eq!(message("f g: pure\n"), "");
    assert_eq!(
        message("f: returns @nowhere"),
        "line 1: there is no object `nowhere`"
    );
    assert_eq!(
        message("object unused"),
        "line 1: nothing names the object `unused`"
    );
    assert_eq!(
        message("f: errno 3"),
        "line 1: `errno 3`: takes no more words"
    );
    assert_eq!(message("f: reads"), "line 1: `reads`: says nothing");
    assert_eq!(message("f*: pure"), "line 1: `f*`: a prefix ends in `.*`");
    for broken in [
        "[g",
        "f",
        "f:",
        "f: calls 3",
        "f: calls 3(0) soon",
        "f: stores 0",
    ] {
        assert!(
            matches!(notation::parse(broken), Err(Malformed { line: 1, .. })),
            "{broken}"
        );
    }
}

#[test]
fn an_intrinsic_is_found_by_its_longest_prefix() {
    let copy = effect("llvm.memcpy.p0.p0.i64");
    assert_eq!(copy, effect("llvm.memcpy.inline.p0.p0.i64"));
    assert_eq!(copy.extent, Some(Extent::Exactly(2)));
    assert!(library().of("llvm.unheard.of.i32").is_none());
    assert!(library().of("llvm.memcpy").is_none());
    assert!(library().of("strlen.i32").is_none());
}

#[test]
fn a_name_kept_from_the_target_s_prefix_is_the_same_function() {
    assert_eq!(library().of("\u{1}strlen"), library().of("strlen"));
}

#[test]
fn an_unknown_function_is_unmodelled() {
    assert!(library().of("frobnicate").is_none());
    assert!(library().of("dlsym").is_none());
}

#[test]
fn errno_is_written_as_memory_too() {
    for row in library().rows() {
        assert_eq!(
            row.effect.world_writes.contains(&World::Errno),
            row.effect
                .writes
                .contains(&Memory::Behind(Value::Library("errno"))),
            "line {}",
            row.line
        );
    }
    assert_eq!(
        effect("__errno_location").returns,
        [Origin::Library("errno")]
    );
}

#[test]
fn reallocation_moves_the_contents_to_a_fresh_object() {
    let realloc = effect("realloc");
    assert_eq!(realloc.returns, [Origin::Fresh]);
    assert_eq!(realloc.frees, Some(Value::Argument(0)));
    assert_eq!(
        realloc.copies,
        [(
            Memory::Behind(Value::Argument(0)),
            Memory::Behind(Value::Fresh)
        )]
    );
}

#[test]
fn sorting_calls_back_with_pointers_into_the_array() {
    let [callback] = &effect("qsort").callbacks[..] else {
        panic!("one callback");
    };
    let element = Some(Origin::Into(Value::Argument(0)));
    assert_eq!(callback.function, Origin::Same(Value::Argument(3)));
    assert_eq!(callback.arguments, [element, element]);
    assert_eq!(callback.time, CallbackTime::Now);
}

#[test]
fn a_signal_handler_is_found_in_the_structure() {
    let callback = &effect("sigaction").callbacks[0];
    assert_eq!(
        callback.function,
        Origin::LoadedFrom(Memory::Behind(Value::Argument(1)))
    );
    assert_eq!(callback.time, CallbackTime::Anytime);
}

#[test]
fn printing_to_standard_output_only_appends() {
    for name in [
        "printf",
        "puts",
        "putchar",
        "perror",
        "vprintf",
        "__printf_chk",
    ] {
        let printed = effect(name).only_appends(Connection::StandardOutput);
        // `perror` reads what a print may set.
        assert_eq!(printed, name != "perror", "{name}");
        // After `freopen` or `dup2` it is a file.
        assert!(!effect(name).only_appends(Connection::Unknown), "{name}");
    }
    for name in ["fprintf", "fputs", "fwrite", "putc", "fflush", "write"] {
        assert!(
            effect(name).only_appends(Connection::StandardOutput),
            "{name}"
        );
        assert!(!effect(name).only_appends(Connection::Unknown), "{name}");
    }
    for name in ["ferror", "ftell", "freopen", "dup2", "system"] {
        assert!(
            !effect(name).only_appends(Connection::StandardOutput),
            "{name}"
        );
    }
}

#[test]
fn reading_standard_input_touches_no_file() {
    let read = effect("fgets");
    let parts: Vec<World> = read
        .world_reads_through(Connection::StandardInput)
        .collect();
    assert_eq!(parts, [World::Input]);
    assert_eq!(read.channel, Some(Channel::Stream(Value::Argument(2))));
    let through = |connection| -> Vec<World> {
        let parts = effect("getchar").world_writes_through(connection);
        parts.collect()
    };
    assert_eq!(
        through(Connection::StandardInput),
        [World::Input, World::Errno]
    );
    assert!(through(Connection::Unknown).contains(&World::Files));
}

#[test]
fn what_ends_the_program_never_returns() {
    for name in [
        "exit",
        "_exit",
        "abort",
        "longjmp",
        "__assert_fail",
        "errx",
        "__cxa_throw",
    ] {
        assert_eq!(effect(name).return_, Return::Never, "{name}");
    }
    for name in ["exit", "errx", "error"] {
        assert!(effect(name).runs_exit_handlers, "{name}");
    }
    assert!(!effect("_exit").runs_exit_handlers);
    assert_eq!(effect("setjmp").return_, Return::Twice);
    assert_eq!(effect("llvm.eh.sjlj.setjmp").return_, Return::Twice);
    assert_eq!(effect("llvm.eh.sjlj.longjmp").return_, Return::Never);
}

/// What a handler interrupts sees which handlers there are and which timers run.
#[test]
fn calls_that_wait_see_processes() {
    for name in [
        "sleep",
        "usleep",
        "nanosleep",
        "clock_nanosleep",
        "thrd_sleep",
        "select",
        "poll",
        "epoll_wait",
        "read",
        "recv",
        "accept",
    ] {
        let reads = &effect(name).world_reads;
        assert!(reads.contains(&World::Processes), "{name}");
    }
}

#[test]
fn hidden_states_are_shared() {
    let both = |name: &str, part: World, reads: bool, writes: bool| {
        let row = effect(name);
        assert_eq!(row.world_reads.contains(&part), reads, "{name} reads");
        assert_eq!(row.world_writes.contains(&part), writes, "{name} writes");
    };
    both("getdtablesize", World::Processes, true, false);
    both("setuid", World::Files, false, true);
    both("copy_file_range", World::Input, true, true);
    both("ioctl", World::Input, true, true);
    both("fcntl", World::Input, false, true);
    both("fflush", World::Input, false, true);
    let state = Memory::ReachableFrom(Value::Library("random-state"));
    assert!(effect("rand").reads.contains(&state) && effect("rand").writes.contains(&state));
    assert!(effect("srand").writes.contains(&state));
    let given = Memory::Behind(Value::Argument(0));
    assert!(effect("fmemopen").writes.contains(&given));
}

#[test]
fn what_sends_or_blocks_signals_decides_on_handlers() {
    for name in [
        "abort",
        "alarm",
        "gsignal",
        "kill",
        "killpg",
        "pthread_kill",
        "raise",
        "setitimer",
        "sigprocmask",
        "sigqueue",
        "sigsuspend",
        "timer_settime",
        "ualarm",
        "pselect",
        "ppoll",
        "epoll_pwait",
    ] {
        assert!(effect(name).runs_handlers, "{name}");
    }
    for name in ["_exit", "pthread_mutex_lock", "signal"] {
        assert!(!effect(name).runs_handlers, "{name}");
    }
}

#[test]
fn an_extent_is_an_argument_that_is_no_memory_itself() {
    for row in library().rows() {
        let Some(Extent::Exactly(size) | Extent::AtMost(size)) = row.effect.extent else {
            continue;
        };
        let memories = row.effect.reads.iter().chain(&row.effect.writes);
        assert!(
            memories
                .map(|memory| memory.value())
                .all(|value| value != Value::Argument(size)),
            "line {}",
            row.line
        );
    }
}

#[test]
fn variables_hold_what_they_point_to() {
    let stdout = library().variable("stdout").expect("a variable");
    assert_eq!(stdout.holds, ["standard-output"]);
    assert_eq!(
        library().variable("__environ"),
        library().variable("environ")
    );
    assert!(
        library()
            .variable("optind")
            .is_some_and(|optind| optind.holds.is_empty())
    );
    assert!(library().variable("errno").is_none());
    assert!(library().object("errno").is_some());
}

#[test]
fn a_strtok_keeps_the_string_for_the_next_call() {
    let strtok = effect("strtok");
    let hidden = Memory::Behind(Value::Library("strtok"));
    assert!(
        strtok
            .stores
            .contains(&(Origin::Into(Value::Argument(0)), hidden))
    );
    assert!(strtok.returns.contains(&Origin::LoadedFrom(hidden)));
}

fn uses(name: &str, replaced: &str) -> bool {
    let row = library().row(name);
    let number = library().replaceable(replaced);
    let (Some(row), Some(number)) = (row, number) else {
        panic!("`{name}` has no row or `{replaced}` is not replaceable");
    };
    row.uses.contains(number as usize)
}

#[test]
fn a_row_uses_what_it_says_or_its_section_does_or_everything() {
    // Its own clause.
    assert!(uses("strdup", "malloc") && !uses("strdup", "fputs"));
    assert!(uses("llvm.memset.p0.i64", "memset") && !uses("llvm.memset.p0.i64", "memcpy"));
    assert!(uses("llvm.floor.f64", "floor") && !uses("llvm.ctpop.i32", "floor"));
    // That of its section.
    assert!(uses("strcpy", "memcpy") && !uses("strcpy", "malloc"));
    assert!(uses("sin", "cos") && !uses("isalpha", "memcpy"));
    // None.
    for replaced in ["malloc", "free", "write", "puts", "memcpy", "abort", "sin"] {
        assert!(uses("fclose", replaced), "{replaced}");
    }
}

#[test]
fn what_the_library_calls_by_no_name_is_not_replaceable() {
    for name in ["getopt", "error", "regcomp", "_obstack_newchunk", "fnmatch"] {
        assert!(library().replaceable(name).is_none(), "{name}");
    }
}

#[test]
fn mistakes_in_what_is_used_are_reported_with_their_line() {
    let message = |text: &'static str| match notation::parse(text) {
        Ok(_) => String::new(),
        Err(malformed) => malformed.to_string(),
    };
    assert_eq!(
        message("[g]\nf: pure; uses nobody\n"),
        "line 2: `nobody` is no replaceable function"
    );
    assert_eq!(
        message("[g] takes f\n"),
        "line 1: a section `uses` functions, it does not `takes`"
    );
    assert_eq!(
        message("replaceable all: f [g]\n[g] uses all\nf: pure\n"),
        ""
    );
}

/// A call that looks at a descriptor sees what was printed to it, where it may be that of the output.
#[test]
fn calls_that_look_at_output_descriptors_see_the_output() {
    for name in [
        "fstat",
        "fstat64",
        "__fxstat",
        "fstatat",
        "statx",
        "fstatfs",
        "lseek",
        "ioctl",
        "tcgetattr",
        "ftell",
        "ferror",
    ] {
        let row = effect(name);
        for connection in [Connection::StandardOutput, Connection::Unknown] {
            let mut parts = row.world_reads_through(connection);
            assert!(parts.any(|part| part == World::Output), "{name}");
        }
    }
    for name in ["fchmod", "fchown", "ftruncate", "futimens", "tcsetattr"] {
        let row = effect(name);
        let mut parts = row.world_writes_through(Connection::StandardOutput);
        assert!(parts.any(|part| part == World::Output), "{name}");
    }
}

#[test]
fn what_lets_pending_signals_through_may_not_return() {
    for name in [
        "sigprocmask",
        "pthread_sigmask",
        "sigsetmask",
        "sigrelse",
        "sigset",
        "sigsuspend",
        "sigpause",
        "pselect",
        "ppoll",
        "epoll_pwait",
        "swapcontext",
        "setcontext",
        "alarm",
        "setitimer",
        "timer_settime",
    ] {
        assert_eq!(effect(name).return_, Return::Maybe, "{name}");
    }
    for name in ["sigblock", "sighold", "signal", "sigaction", "sigpending"] {
        assert_eq!(effect(name).return_, Return::Always, "{name}");
    }
}
