//! What does the library remember between calls?

use super::calls::options::OptionState;
use super::descriptors::Descriptors;
use super::random::{Random48, RandomState};
use super::streams::{StreamId, Streams};
use crate::run::RunInput;
use rustc_hash::FxHashMap;

/// The library's part of a run. Nothing in it reaches the outside world.
pub(crate) struct State {
    pub(super) descriptors: Descriptors,
    pub(super) streams: Streams,
    /// The `FILE` objects that the program has seen, by address.
    pub(super) stream_at: FxHashMap<u64, StreamId>,
    /// The address of each stream's `FILE`, by stream number.
    pub(super) stream_address: FxHashMap<usize, u64>,
    /// Objects that the library makes once and under a name (`errno`, tables, buffers).
    pub(super) objects: FxHashMap<&'static str, u64>,
    pub(super) random: RandomState,
    pub(super) random48: Random48,
    /// Where `strtok` goes on; null before the first call.
    pub(super) token: u64,
    /// `NAME=value` rows, and the address of a row once the program has seen it.
    pub(super) environment: Vec<(Vec<u8>, Option<u64>)>,
    /// Signal handlers by number; absent is the default action.
    pub(super) handlers: FxHashMap<i32, u64>,
    /// The first part of messages such as `assert`'s.
    pub(super) program_name: Vec<u8>,
    pub(super) options: OptionState,
}

impl State {
    pub(crate) fn new(input: &RunInput) -> State {
        State {
            descriptors: Descriptors::new(input.stdin.clone(), &input.files),
            streams: Streams::new(),
            stream_at: FxHashMap::default(),
            stream_address: FxHashMap::default(),
            objects: FxHashMap::default(),
            random: RandomState::seeded(1),
            random48: Random48::default(),
            token: 0,
            environment: input
                .environment
                .iter()
                .map(|row| (row.clone(), None))
                .collect(),
            handlers: FxHashMap::default(),
            program_name: input.arguments.first().cloned().unwrap_or_default(),
            options: OptionState::default(),
        }
    }

    /// What was written to standard output and standard error and left its buffers.
    pub(crate) fn into_output(mut self) -> (Vec<u8>, Vec<u8>) {
        self.descriptors.take_outputs()
    }
}
