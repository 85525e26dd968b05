//! Checked reading and writing.

use super::objects::ObjectKind;
use super::{Memory, object_and_offset, object_of};
use crate::stop::{Outcome, Stop, undefined};
use crate::trace::AccessKind;
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::Scalar;

impl Memory {
    #[inline(always)]
    fn locate(&self, address: u64, length: u64, access: AccessKind) -> Outcome<usize> {
        if let Some(object) = self.objects.get(object_of(address))
            && object.alive
            && u64::from(address as u32).saturating_add(length) <= u64::from(object.size)
            && (object.writable || access == AccessKind::Read)
        {
            return Ok(object.start as usize + address as u32 as usize);
        }
        Err(self.fault(address, length, access))
    }

    #[cold]
    fn fault(&self, address: u64, length: u64, access: AccessKind) -> Box<Stop> {
        let verb = match access {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
        };
        let (id, offset) = object_and_offset(address);
        let (kind, message) = match self.objects.get(id) {
            _ if id == 0 => (
                UndefinedBehaviour::NullAccess,
                format!("{verb} {length} bytes through a null pointer (address {offset})"),
            ),
            Some(object) if object.kind == ObjectKind::External => {
                return Box::new(Stop::Unsupported(format!(
                    "the program {verb} a variable that is defined nowhere"
                )));
            }
            Some(object) if object.alive => {
                let inside =
                    offset >= 0 && (offset as u64).saturating_add(length) <= u64::from(object.size);
                let what = object.kind.description();
                if inside {
                    (
                        UndefinedBehaviour::WriteToConstant,
                        format!("{verb} {what} that is constant"),
                    )
                } else {
                    (
                        if object.kind == ObjectKind::Variadic {
                            UndefinedBehaviour::VariadicPastEnd
                        } else {
                            UndefinedBehaviour::OutOfBounds
                        },
                        format!(
                            "{verb} {length} bytes at offset {offset} of {what} of {} bytes",
                            object.size
                        ),
                    )
                }
            }
            _ if self.objects.was_heap(id) => (
                UndefinedBehaviour::UseAfterFree,
                format!("{verb} {length} bytes of a heap block that was freed"),
            ),
            _ if self.objects.was_stack(id) => (
                UndefinedBehaviour::UseAfterReturn,
                format!("{verb} {length} bytes of a local variable of a function that returned"),
            ),
            _ => (
                UndefinedBehaviour::WildPointer,
                format!("{verb} {length} bytes at {address:#x}, where nothing lives"),
            ),
        };
        Box::new(Stop::Undefined { kind, message })
    }

    /// Up to 8 bytes as a little-endian number, with its undefined bits.
    pub fn load(&self, address: u64, size: u32) -> Outcome<Scalar> {
        self.note(address, u64::from(size), AccessKind::Read);
        self.fetch(address, size)
    }

    /// As [`Memory::load`], without a trace.
    #[inline(always)]
    pub(crate) fn fetch(&self, address: u64, size: u32) -> Outcome<Scalar> {
        let at = self.locate(address, u64::from(size), AccessKind::Read)?;
        let (bits, undefined) = match size {
            1 => (
                u64::from(self.arena.bytes[at]),
                u64::from(self.arena.undefined[at]),
            ),
            4 => (
                u64::from(u32::from_le_bytes(four(&self.arena.bytes, at))),
                u64::from(u32::from_le_bytes(four(&self.arena.undefined, at))),
            ),
            8 => (
                u64::from_le_bytes(eight(&self.arena.bytes, at)),
                u64::from_le_bytes(eight(&self.arena.undefined, at)),
            ),
            _ => (
                little_endian(&self.arena.bytes[at..at + size as usize]),
                little_endian(&self.arena.undefined[at..at + size as usize]),
            ),
        };
        Ok(Scalar {
            bits: bits & !undefined,
            undefined,
        })
    }

    /// Writes the low `size` bytes of a number, and which of its bits are undefined.
    pub fn store(&mut self, address: u64, size: u32, value: Scalar) -> Outcome<()> {
        self.note(address, u64::from(size), AccessKind::Write);
        self.put(address, size, value)
    }

    /// As [`Memory::store`], without a trace.
    #[inline(always)]
    pub(crate) fn put(&mut self, address: u64, size: u32, value: Scalar) -> Outcome<()> {
        let at = self.locate(address, u64::from(size), AccessKind::Write)?;
        let range = at..at + size as usize;
        let (bits, undefined) = (value.bits.to_le_bytes(), value.undefined.to_le_bytes());
        match size {
            4 => {
                self.arena.bytes[at..at + 4].copy_from_slice(&bits[..4]);
                self.arena.undefined[at..at + 4].copy_from_slice(&undefined[..4]);
            }
            8 => {
                self.arena.bytes[at..at + 8].copy_from_slice(&bits);
                self.arena.undefined[at..at + 8].copy_from_slice(&undefined);
            }
            _ => {
                self.arena.bytes[range.clone()].copy_from_slice(&bits[..size as usize]);
                self.arena.undefined[range].copy_from_slice(&undefined[..size as usize]);
            }
        }
        Ok(())
    }

    /// The bytes at an address, whether defined or not.
    pub fn bytes(&self, address: u64, length: u64) -> Outcome<&[u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        let at = self.locate(address, length, AccessKind::Read)?;
        self.note(address, length, AccessKind::Read);
        Ok(&self.arena.bytes[at..at + length as usize])
    }

    /// The bytes at an address; undefined ones are undefined behaviour.
    pub fn defined_bytes(&self, address: u64, length: u64) -> Outcome<&[u8]> {
        if length == 0 {
            return Ok(&[]);
        }
        let at = self.locate(address, length, AccessKind::Read)?;
        self.note(address, length, AccessKind::Read);
        let range = at..at + length as usize;
        if self.arena.undefined[range.clone()]
            .iter()
            .any(|bits| *bits != 0)
        {
            return undefined(
                UndefinedBehaviour::Uninitialised,
                format!("{length} bytes are read and not all of them were ever written"),
            );
        }
        Ok(&self.arena.bytes[range])
    }

    /// Writes defined bytes.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Outcome<()> {
        self.note(address, bytes.len() as u64, AccessKind::Write);
        self.begin_with(address, bytes)
    }

    /// As [`Memory::write`], without a trace: what an object holds from its beginning on.
    pub(crate) fn begin_with(&mut self, address: u64, bytes: &[u8]) -> Outcome<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let at = self.locate(address, bytes.len() as u64, AccessKind::Write)?;
        self.arena.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.arena.undefined[at..at + bytes.len()].fill(0);
        Ok(())
    }

    /// Writes one byte's value `length` times.
    pub fn fill(&mut self, address: u64, value: Scalar, length: u64) -> Outcome<()> {
        if length == 0 {
            return Ok(());
        }
        let at = self.locate(address, length, AccessKind::Write)?;
        self.note(address, length, AccessKind::Write);
        self.arena.bytes[at..at + length as usize].fill(value.bits as u8);
        self.arena.undefined[at..at + length as usize].fill(value.undefined as u8);
        Ok(())
    }

    /// Copies bytes and their undefined bits; the ranges may overlap.
    pub fn copy(&mut self, to: u64, from: u64, length: u64) -> Outcome<()> {
        if length == 0 {
            return Ok(());
        }
        let source = self.locate(from, length, AccessKind::Read)?;
        let target = self.locate(to, length, AccessKind::Write)?;
        self.note(from, length, AccessKind::Read);
        self.note(to, length, AccessKind::Write);
        let range = source..source + length as usize;
        self.arena.bytes.copy_within(range.clone(), target);
        self.arena.undefined.copy_within(range, target);
        Ok(())
    }

    /// The bytes before the first NUL, which must come within the object and be defined.
    pub fn c_string(&self, address: u64) -> Outcome<&[u8]> {
        self.c_string_up_to(address, u64::MAX)
    }

    /// The bytes before the first NUL, or `limit` bytes if none of them is NUL.
    pub fn c_string_up_to(&self, address: u64, limit: u64) -> Outcome<&[u8]> {
        if limit == 0 {
            return Ok(&[]);
        }
        let at = self.locate(address, 1, AccessKind::Read)?;
        let extent = self.extent(address).unwrap_or(0);
        let readable = extent.min(limit) as usize;
        let bytes = &self.arena.bytes[at..at + readable];
        let shadow = &self.arena.undefined[at..at + readable];
        for (index, byte) in bytes.iter().enumerate() {
            if shadow[index] != 0 {
                return undefined(
                    UndefinedBehaviour::Uninitialised,
                    format!("byte {index} of a string is read and was never written"),
                );
            }
            if *byte == 0 {
                self.note(address, index as u64 + 1, AccessKind::Read);
                return Ok(&bytes[..index]);
            }
        }
        if extent < limit {
            return Err(self.fault(address, extent + 1, AccessKind::Read));
        }
        self.note(address, limit, AccessKind::Read);
        Ok(bytes)
    }
}

#[inline(always)]
fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    let mut array = [0; 4];
    array.copy_from_slice(&bytes[at..at + 4]);
    array
}

#[inline(always)]
fn eight(bytes: &[u8], at: usize) -> [u8; 8] {
    let mut array = [0; 8];
    array.copy_from_slice(&bytes[at..at + 8]);
    array
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
