//! The bytes of all objects, and which of their bits are undefined.
//!
//! One growing array; released ranges are kept by size class and used again, so allocation costs a
//! pop and the arena holds at most twice what ever lived at once.

/// Sizes up to this are rounded up to a multiple of [`GRAIN`], larger ones to a power of two.
const SMALL: usize = 1024;
const GRAIN: usize = 16;
const SMALL_CLASSES: usize = SMALL / GRAIN + 1;

pub(super) struct Arena {
    pub(super) bytes: Vec<u8>,
    /// A set bit is an undefined bit of `bytes`.
    pub(super) undefined: Vec<u8>,
    free: Vec<Vec<u32>>,
    limit: u64,
}

fn class_of(size: usize) -> usize {
    if size <= SMALL {
        size.div_ceil(GRAIN)
    } else {
        SMALL_CLASSES + size.next_power_of_two().trailing_zeros() as usize
    }
}

fn rounded(size: usize) -> usize {
    if size <= SMALL {
        size.next_multiple_of(GRAIN)
    } else {
        size.next_power_of_two()
    }
}

impl Arena {
    pub(super) fn new(limit: u64) -> Arena {
        Arena {
            bytes: Vec::new(),
            undefined: Vec::new(),
            free: vec![Vec::new(); SMALL_CLASSES + 64],
            // Rows address the arena with 32 bits.
            limit: limit.min(u64::from(u32::MAX)),
        }
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The start of `size` bytes of any content; `None` beyond the limit.
    pub(super) fn allocate(&mut self, size: usize) -> Option<usize> {
        if let Some(start) = self.free[class_of(size)].pop() {
            return Some(start as usize);
        }
        let start = self.bytes.len();
        let end = start + rounded(size);
        if end as u64 > self.limit {
            return None;
        }
        self.bytes.resize(end, 0);
        self.undefined.resize(end, 0);
        Some(start)
    }

    pub(super) fn release(&mut self, start: usize, size: usize) {
        self.free[class_of(size)].push(start as u32);
    }
}
