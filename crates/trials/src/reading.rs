//! One unit as clang prints it and as Knockon reads it, and what both cost.

use anyhow::Result;
use knockon_build::clang::Clang;
use knockon_build::compile::emit_text;
use knockon_build::unit::UnitCommand;
use knockon_llvm::read_unit;
use knockon_program::Program;
use std::ops::AddAssign;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The cost of units; times are CPU times.
#[derive(Clone, Copy, Default)]
pub struct ReadingCost {
    pub units: usize,
    pub ir_bytes: usize,
    pub clang: Duration,
    pub read: Duration,
}

impl AddAssign for ReadingCost {
    fn add_assign(&mut self, other: ReadingCost) {
        self.units += other.units;
        self.ir_bytes += other.ir_bytes;
        self.clang += other.clang;
        self.read += other.read;
    }
}

pub struct ReadUnit {
    pub text: Vec<u8>,
    pub program: Program,
    pub cost: ReadingCost,
}

/// Compiles and reads the unit, without any cache.
pub fn read_afresh(unit: &UnitCommand, clang: &Clang) -> Result<ReadUnit> {
    let limit = Duration::from_secs(600);
    let emitted = emit_text(clang, unit, limit, &AtomicBool::new(false))?;
    let file = unit.display_path();
    let (read, program) = timed(|| read_unit(&emitted.text, &file.to_string_lossy()));
    Ok(ReadUnit {
        program: program?,
        cost: ReadingCost {
            units: 1,
            ir_bytes: emitted.text.len(),
            clang: emitted.cpu_time,
            read,
        },
        text: emitted.text,
    })
}

/// The CPU time that the work took on this thread, and its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let before = thread_time();
    let result = work();
    (thread_time() - before, result)
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
