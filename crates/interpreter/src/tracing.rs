//! The recording side of traces.
//!
//! Each call in progress has an activation that knows which bytes and origins were touched since
//! it was entered; when it ends, what its caller can see of them goes to the caller under the call
//! instruction. Objects on the stack are numbered in the order of their creation, so an object is
//! the activation's own exactly if its number is not below the first one given after its entry:
//! that holds for recursive functions too, whose activations have locals of one origin.
//!
//! Cost: a few hash operations per byte touched, and per byte still known at each return.

use crate::memory::{ObjectKind, Site, object_of};
use crate::observations::Node;
use crate::trace::{
    Access, AccessKind, Activity, LONGEST_PATH, MOST_RANGES, Origin, OriginId, Overlap, Touch,
    Trace,
};
use knockon_program::{FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes that an activation remembers one by one.
const MOST_BYTES: usize = 1 << 13;
/// Of a longer access only this many bytes at either end are remembered one by one.
const LONGEST_EDGE: u64 = 16;
/// Touches that are remembered of one byte.
const MOST_TOUCHES: usize = 6;

pub(crate) struct Tracer {
    /// The instruction in progress; `None` while the program starts or ends.
    pub(crate) node: Option<Node>,
    time: u64,
    activities: Vec<Activity>,
    entered: FxHashSet<(Option<Node>, FunctionId)>,
    activations: Vec<Activation>,
    origins: Vec<Origin>,
    origin_ids: FxHashMap<Origin, OriginId>,
    /// The origins of live objects.
    objects: FxHashMap<u32, OriginId>,
    accesses: FxHashMap<(Node, OriginId, AccessKind), FxHashSet<(u32, u32)>>,
    function_effects: FxHashSet<(FunctionId, OriginId, AccessKind)>,
    call_effects: FxHashSet<(Node, OriginId, AccessKind)>,
    overlaps: FxHashSet<Overlap>,
    omitted: u64,
}

/// A call in progress.
struct Activation {
    function: FunctionId,
    /// Where it was called from.
    call: Option<Node>,
    /// The number of the first object of its own on the stack.
    first_own: u32,
    bytes: FxHashMap<u64, Touches>,
    /// The lowest number of an object of each origin.
    touched: FxHashMap<(OriginId, AccessKind), u32>,
}

/// Who touched a byte.
#[derive(Clone, Copy)]
struct Touches {
    rows: [Touch; MOST_TOUCHES],
    count: u8,
}

impl Touches {
    const NONE: Touches = Touches {
        rows: [Touch {
            instruction: InstructionId(0),
            kind: AccessKind::Read,
        }; MOST_TOUCHES],
        count: 0,
    };

    fn rows(&self) -> &[Touch] {
        &self.rows[..usize::from(self.count)]
    }
}

impl Tracer {
    pub(crate) fn new(functions: usize) -> Tracer {
        Tracer {
            node: None,
            time: 0,
            activities: vec![Activity::default(); functions],
            entered: FxHashSet::default(),
            activations: Vec::new(),
            origins: Vec::new(),
            origin_ids: FxHashMap::default(),
            objects: FxHashMap::default(),
            accesses: FxHashMap::default(),
            function_effects: FxHashSet::default(),
            call_effects: FxHashSet::default(),
            overlaps: FxHashSet::default(),
            omitted: 0,
        }
    }

    /// A function is entered from the instruction in progress, its parameters filled.
    pub(crate) fn enter(&mut self, function: FunctionId, first_own: u32) {
        self.entered.insert((self.node, function));
        self.activations.push(Activation {
            function,
            call: self.node,
            first_own,
            bytes: FxHashMap::default(),
            touched: FxHashMap::default(),
        });
        self.time += 1;
        let activity = &mut self.activities[function.index()];
        if activity.entries == 0 {
            activity.first_entry = self.time;
        }
        activity.entries += 1;
        activity.last_event = self.time;
    }

    /// Control is back in a function that has called something.
    pub(crate) fn resume(&mut self, function: FunctionId) {
        self.time += 1;
        self.activities[function.index()].last_event = self.time;
    }

    /// Only `depth` calls are still in progress.
    pub(crate) fn leave_to(&mut self, depth: usize) {
        while self.activations.len() > depth {
            self.leave();
        }
    }

    fn leave(&mut self) {
        let Some(done) = self.activations.pop() else {
            return;
        };
        for (&(origin, kind), &lowest) in &done.touched {
            if lowest >= done.first_own {
                continue;
            }
            self.function_effects.insert((done.function, origin, kind));
            if let (Some(call), Some(caller)) = (done.call, self.activations.last_mut()) {
                self.call_effects.insert((call, origin, kind));
                let known = caller.touched.entry((origin, kind)).or_insert(lowest);
                *known = lowest.min(*known);
            }
        }
        let Some((_, call)) = done.call else {
            return;
        };
        for (&byte, touches) in &done.bytes {
            if object_of(byte) >= done.first_own {
                continue;
            }
            for touch in touches.rows() {
                self.touch_byte(
                    byte,
                    Touch {
                        instruction: call,
                        kind: touch.kind,
                    },
                );
            }
        }
    }

    /// The number of an origin.
    fn origin_id(&mut self, origin: Origin) -> OriginId {
        if let Some(id) = self.origin_ids.get(&origin) {
            return *id;
        }
        let id = OriginId(self.origins.len() as u32);
        self.origins.push(origin.clone());
        self.origin_ids.insert(origin, id);
        id
    }

    /// An object was made at a site.
    pub(crate) fn allocated(&mut self, object: u32, kind: ObjectKind, site: Site) {
        let origin = match (kind, site) {
            (_, Site::Global(global)) => Origin::Global(global),
            (_, Site::Function(function) | Site::Block(function, _)) => Origin::Function(function),
            (_, Site::Library(name)) => Origin::Library(name),
            (ObjectKind::Variadic, Site::Instruction(function, _)) => Origin::Variadic(function),
            (ObjectKind::Heap, Site::Instruction(function, instruction)) => Origin::Heap {
                allocation: (function, instruction),
                path: (self.activations.iter().rev())
                    .map_while(|activation| activation.call)
                    .take(LONGEST_PATH)
                    .collect(),
            },
            (ObjectKind::Stack, Site::Instruction(function, instruction)) => {
                Origin::Local(function, instruction)
            }
            (_, Site::Instruction(..)) => Origin::Temporary,
        };
        self.name(object, origin);
    }

    /// The object's origin is this one, whatever its site says.
    pub(crate) fn name(&mut self, object: u32, origin: Origin) {
        let id = self.origin_id(origin);
        self.objects.insert(object, id);
    }

    pub(crate) fn released(&mut self, object: u32) {
        self.objects.remove(&object);
    }

    /// The instruction in progress touches memory.
    pub(crate) fn touch(&mut self, address: u64, length: u64, kind: AccessKind) {
        let object = object_of(address);
        let (Some(node), Some(&origin)) = (self.node, self.objects.get(&object)) else {
            return;
        };
        if length == 0 {
            return;
        }
        let range = (address as u32, length.min(u64::from(u32::MAX)) as u32);
        let ranges = self.accesses.entry((node, origin, kind)).or_default();
        if !ranges.contains(&range) {
            if ranges.len() < MOST_RANGES {
                ranges.insert(range);
            } else {
                self.omitted += 1;
            }
        }
        if let Some(activation) = self.activations.last_mut() {
            let lowest = activation.touched.entry((origin, kind)).or_insert(object);
            *lowest = object.min(*lowest);
        }
        let touch = Touch {
            instruction: node.1,
            kind,
        };
        let end = address.saturating_add(length);
        if length <= 2 * LONGEST_EDGE {
            for byte in address..end {
                self.touch_byte(byte, touch);
            }
        } else {
            self.omitted += length - 2 * LONGEST_EDGE;
            for byte in (address..address + LONGEST_EDGE).chain(end - LONGEST_EDGE..end) {
                self.touch_byte(byte, touch);
            }
        }
    }

    /// The innermost activation remembers a byte, and whom else it has met there.
    fn touch_byte(&mut self, byte: u64, touch: Touch) {
        let Some(activation) = self.activations.last_mut() else {
            return;
        };
        let full = activation.bytes.len() >= MOST_BYTES;
        if full && !activation.bytes.contains_key(&byte) {
            self.omitted += 1;
            return;
        }
        let touches = activation.bytes.entry(byte).or_insert(Touches::NONE);
        if touches.rows().contains(&touch) {
            return;
        }
        for other in touches.rows() {
            self.overlaps.insert(Overlap {
                function: activation.function,
                one: touch.min(*other),
                other: touch.max(*other),
            });
        }
        match touches.rows.get_mut(usize::from(touches.count)) {
            Some(row) => {
                *row = touch;
                touches.count += 1;
            }
            None => self.omitted += 1,
        }
    }

    pub(crate) fn into_trace(mut self) -> Trace {
        self.leave_to(0);
        let mut accesses: Vec<Access> = self
            .accesses
            .into_iter()
            .map(|((node, origin, kind), ranges)| Access {
                node,
                origin,
                kind,
                ranges: sorted(ranges),
            })
            .collect();
        accesses.sort_unstable_by_key(|access| (access.node, access.origin, access.kind));
        Trace {
            entered: sorted(self.entered),
            activities: self.activities,
            origins: self.origins,
            accesses,
            function_effects: sorted(self.function_effects),
            call_effects: sorted(self.call_effects),
            overlaps: sorted(self.overlaps),
            omitted: self.omitted,
        }
    }
}

fn sorted<T: Ord>(set: FxHashSet<T>) -> Vec<T> {
    let mut rows: Vec<T> = set.into_iter().collect();
    rows.sort_unstable();
    rows
}
