//! Do files and descriptors keep what was written?

use super::*;

const READ: OpenMode = OpenMode {
    read: true,
    write: false,
    append: false,
    create: false,
    exclusive: false,
    truncate: false,
};
const WRITE: OpenMode = OpenMode {
    read: false,
    write: true,
    append: false,
    create: true,
    exclusive: false,
    truncate: true,
};

#[test]
fn what_was_written_is_read_back() {
    let mut descriptors = Descriptors::new(Vec::new(), &[]);
    let out = descriptors
        .open(b"./a", WRITE)
        .expect("the file can be made");
    descriptors.write(out, b"hello").expect("it can be written");
    assert_eq!(descriptors.read(out, 5), Err(number::EBADF));
    let input = descriptors.open(b"a", READ).expect("the file is there");
    assert_eq!(descriptors.seek(input, -2, Whence::End), Ok(3));
    assert_eq!(descriptors.read(input, 10), Ok(b"lo".to_vec()));
    assert_eq!(descriptors.read(input, 10), Ok(Vec::new()));
}

#[test]
fn a_file_that_was_not_given_does_not_exist() {
    let mut descriptors = Descriptors::new(Vec::new(), &[(b"given".to_vec(), b"x".to_vec())]);
    assert_eq!(descriptors.open(b"other", READ), Err(number::ENOENT));
    assert!(descriptors.open(b"given", READ).is_ok());
}

#[test]
fn the_standard_streams_cannot_seek() {
    let mut descriptors = Descriptors::new(b"abc".to_vec(), &[]);
    assert_eq!(descriptors.seek(0, 0, Whence::Current), Err(number::ESPIPE));
    assert_eq!(descriptors.read(0, 2), Ok(b"ab".to_vec()));
}

#[test]
fn a_closed_descriptor_is_used_again_and_a_duplicate_shares_the_position() {
    let mut descriptors = Descriptors::new(Vec::new(), &[(b"f".to_vec(), b"abcd".to_vec())]);
    let first = descriptors.open(b"f", READ).expect("the file is there");
    let second = descriptors.duplicate(first).expect("there is room");
    assert_eq!(descriptors.read(first, 2), Ok(b"ab".to_vec()));
    assert_eq!(descriptors.read(second, 2), Ok(b"cd".to_vec()));
    descriptors.close(first).expect("it is open");
    assert_eq!(descriptors.close(first), Err(number::EBADF));
    assert_eq!(descriptors.open(b"f", READ), Ok(first));
}
