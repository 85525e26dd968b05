use super::*;

#[test]
fn rows_are_sorted_and_found() {
    assert!(TABLE.is_sorted_by(|left, right| left.0 < right.0));
    for (stem, intrinsic) in TABLE {
        for suffix in ["", ".i32", ".p0.p0.i64", ".unheard.of"] {
            let name = format!("{PREFIX}{stem}{suffix}");
            assert_eq!(Intrinsic::of_name(&name), Some(*intrinsic), "{name}");
        }
    }
}

#[test]
fn an_operation_ends_at_a_dot() {
    let of_name = |name: &str| Intrinsic::of_name(&format!("{PREFIX}{name}"));
    assert_eq!(
        of_name("expect.with.probability.i64"),
        Some(Intrinsic::Expect)
    );
    assert_eq!(
        of_name("memcpy.inline.p0.p0.i64"),
        Some(Intrinsic::CopyMemory)
    );
    assert_eq!(of_name("memcpyx.p0"), Some(Intrinsic::Unknown));
    assert_eq!(of_name("uadd.carry.i32"), Some(Intrinsic::Unknown));
    assert_eq!(of_name(""), Some(Intrinsic::Unknown));
    assert_eq!(Intrinsic::of_name("memcpy"), None);
}

#[test]
fn people_read_the_operation() {
    assert_eq!(
        name_for_people(&format!("{PREFIX}memcpy.p0.p0.i64")),
        "memcpy"
    );
    assert_eq!(name_for_people("memcpy"), "memcpy");
}
