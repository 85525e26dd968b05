//! Claims about memory as a whole.

use super::{Allocation, Memory, ObjectKind, Site};
use crate::stop::{Outcome, Stop};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Scalar;

fn memory() -> Memory {
    Memory::new(1 << 24)
}

fn allocate(memory: &mut Memory, kind: ObjectKind, size: u64) -> u64 {
    let site = memory.site(Site::Library("test"));
    memory
        .allocate(Allocation {
            size,
            kind,
            site,
            zeroed: false,
        })
        .expect("there is room")
}

fn kind_of<T: std::fmt::Debug>(outcome: Outcome<T>) -> UndefinedBehaviour {
    match *outcome.expect_err("undefined behaviour") {
        Stop::Undefined { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_access_inside_an_object_succeeds_and_every_one_outside_fails() {
    let mut memory = memory();
    let address = allocate(&mut memory, ObjectKind::Heap, 10);
    let neighbour = allocate(&mut memory, ObjectKind::Heap, 10);
    assert_ne!(address, neighbour);
    for offset in -20i64..30 {
        for size in [1u32, 2, 4, 8] {
            let inside = offset >= 0 && offset + i64::from(size) <= 10;
            let at = address.wrapping_add_signed(offset);
            assert_eq!(
                memory.load(at, size).is_ok(),
                inside,
                "{size} bytes at {offset}"
            );
            assert_eq!(memory.store(at, size, Scalar::new(1)).is_ok(), inside);
        }
    }
}

#[test]
fn bytes_are_undefined_until_they_are_written() {
    let mut memory = memory();
    let address = allocate(&mut memory, ObjectKind::Stack, 8);
    assert_eq!(memory.load(address, 4).unwrap(), Scalar::undefined(32));
    memory.store(address, 2, Scalar::new(0x1234)).unwrap();
    let mixed = memory.load(address, 4).unwrap();
    assert_eq!((mixed.bits, mixed.undefined), (0x1234, 0xffff_0000));
    assert_eq!(
        kind_of(memory.defined_bytes(address, 4)),
        UndefinedBehaviour::Uninitialised
    );
    assert_eq!(memory.defined_bytes(address, 2).unwrap(), [0x34, 0x12]);
}

#[test]
fn undefined_bits_travel_with_copies() {
    let mut memory = memory();
    let from = allocate(&mut memory, ObjectKind::Stack, 8);
    let to = allocate(&mut memory, ObjectKind::Heap, 8);
    let partial = Scalar {
        bits: 0xf0,
        undefined: 0x0f,
    };
    memory.store(from, 1, partial).unwrap();
    memory.copy(to + 3, from, 1).unwrap();
    assert_eq!(memory.load(to + 3, 1).unwrap(), partial);
}

#[test]
fn a_dead_object_is_told_from_one_that_never_was() {
    let mut memory = memory();
    let heap = allocate(&mut memory, ObjectKind::Heap, 8);
    let stack = allocate(&mut memory, ObjectKind::Stack, 8);
    memory.free(heap).unwrap();
    memory.end_life(stack);
    assert_eq!(
        kind_of(memory.load(heap, 1)),
        UndefinedBehaviour::UseAfterFree
    );
    assert_eq!(kind_of(memory.free(heap)), UndefinedBehaviour::DoubleFree);
    assert_eq!(
        kind_of(memory.load(stack, 1)),
        UndefinedBehaviour::UseAfterReturn
    );
    assert_eq!(kind_of(memory.load(8, 1)), UndefinedBehaviour::NullAccess);
    assert_eq!(
        kind_of(memory.load(0x0700_0000_0000_0000, 1)),
        UndefinedBehaviour::WildPointer
    );
}

/// Many times more objects than pages: dropped rows must still answer as dead.
#[test]
fn numbers_are_never_used_again_and_dead_rows_cost_nothing() {
    let mut memory = memory();
    let first = allocate(&mut memory, ObjectKind::Stack, 16);
    let mut last = first;
    for _ in 0..100_000 {
        let address = allocate(&mut memory, ObjectKind::Stack, 16);
        assert!(address > last);
        memory.end_life(address);
        last = address;
    }
    assert!(memory.load(first, 8).is_ok());
    assert_eq!(
        kind_of(memory.load(first + (50_000 << 32), 8)),
        UndefinedBehaviour::UseAfterReturn
    );
    assert_eq!(memory.extent(first), Some(16));
    assert_eq!(memory.extent(last), None);
}

#[test]
fn a_string_ends_at_its_terminator_or_is_undefined() {
    let mut memory = memory();
    let address = allocate(&mut memory, ObjectKind::Heap, 4);
    memory.write(address, b"ab\0c").unwrap();
    assert_eq!(memory.c_string(address).unwrap(), b"ab");
    assert_eq!(memory.c_string_up_to(address, 1).unwrap(), b"a");
    assert_eq!(
        kind_of(memory.c_string(address + 3)),
        UndefinedBehaviour::OutOfBounds
    );
    assert_eq!(memory.c_string_up_to(address + 3, 1).unwrap(), b"c");
}
