//! The columns beside the effect.

use knockon_library::facts::{Facts, StreamDirection};
use knockon_library::library;

#[test]
fn a_function_may_have_facts_without_an_effect() {
    for name in ["clone", "dlopen", "execveat", "_Fork"] {
        assert!(library().of(name).is_none(), "{name}");
        assert_ne!(*library().facts(name), Facts::default(), "{name}");
    }
    assert_eq!(*library().facts("no_function"), Facts::default());
    assert_eq!(*library().facts("strcmpx"), Facts::default());
}

#[test]
fn a_stream_is_an_argument_or_a_standard_one() {
    let stream = |name: &str| library().replayed_stream(name);
    let of_fputs = stream("fputs").expect("a stream");
    assert_eq!(of_fputs.argument, Some(1));
    assert_eq!(of_fputs.direction, StreamDirection::Output);
    let of_flush = stream("fflush").expect("a stream");
    assert_eq!(of_flush.direction, StreamDirection::Output);
    let of_getchar = stream("getchar").expect("a stream");
    assert_eq!(of_getchar.argument, None);
    assert_eq!(of_getchar.direction, StreamDirection::Input);
    assert!(stream("fclose").is_none() && stream("puts").is_none());
}

#[test]
fn what_a_function_zeroes_as_has_a_row() {
    for name in library().names() {
        if let Some(function) = library().facts(name).zeroes_as {
            assert!(library().of(function).is_some(), "{name}: {function}");
        }
    }
}
