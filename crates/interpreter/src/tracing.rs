//! The recording side of traces: order, origins, accesses. What happens to single bytes during each
//! call in progress is `byte_history`.

use crate::byte_history::{ByteHistory, Meetings};
use crate::memory::{ObjectKind, Site, object_of};
use crate::trace::{
    Access, AccessKind, Activity, LONGEST_PATH, MOST_RANGES, Origin, OriginId, Touch, Trace,
};
use knockon_program::FunctionId;
use knockon_program::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the library keeps of the world outside: not memory that two accesses share.
const WORLD: [&str; 5] = ["errno", "FILE", "stdin", "stdout", "stderr"];

pub(crate) struct Tracer {
    /// The instruction in progress; `None` while the program starts or ends.
    progress: Option<Progress>,
    steps: u64,
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
    meetings: Meetings,
    omitted: u64,
}

/// An execution of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    node: Node,
    /// Different for each execution of any instruction.
    occurrence: u64,
}

/// A call in progress. Objects on the stack are numbered in the order of their creation, so an
/// object is the activation's own, or a callee's, exactly if its number is not below the first one
/// given after its entry: that holds for recursive functions too, whose activations have locals of
/// one origin.
struct Activation {
    function: FunctionId,
    /// Where it was called from.
    call: Option<Progress>,
    /// The number of the first object of its own on the stack.
    first_own: u32,
    bytes: ByteHistory,
    /// The lowest number of an object of each origin.
    touched: FxHashMap<(OriginId, AccessKind), u32>,
}

impl Tracer {
    pub(crate) fn new(functions: usize) -> Tracer {
        Tracer {
            progress: None,
            steps: 0,
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
            meetings: Meetings::default(),
            omitted: 0,
        }
    }

    /// An instruction begins.
    pub(crate) fn step(&mut self, node: Node) {
        self.steps += 1;
        self.progress = Some(Progress {
            node,
            occurrence: self.steps,
        });
    }

    pub(crate) fn progress(&self) -> Option<Progress> {
        self.progress
    }

    /// The instruction goes on that was interrupted by others.
    pub(crate) fn go_on(&mut self, progress: Option<Progress>) {
        self.progress = progress;
    }

    /// A function is entered from the instruction in progress, its parameters filled. Objects from
    /// the two numbers on, on the stack and elsewhere, are younger than the activation.
    pub(crate) fn enter(&mut self, function: FunctionId, first_own: u32, first_elsewhere: u32) {
        let node = self.progress.map(|progress| progress.node);
        self.entered.insert((node, function));
        self.activations.push(Activation {
            function,
            call: self.progress,
            first_own,
            bytes: ByteHistory::new(function, first_own, first_elsewhere),
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

    /// What the caller can see of what the activation touched goes to the caller.
    fn leave(&mut self) {
        let Some(done) = self.activations.pop() else {
            return;
        };
        let mut caller = self.activations.last_mut();
        for (&(origin, kind), &lowest) in &done.touched {
            if lowest >= done.first_own {
                continue;
            }
            self.function_effects.insert((done.function, origin, kind));
            if let (Some(call), Some(caller)) = (done.call, &mut caller) {
                self.call_effects.insert((call.node, origin, kind));
                let known = caller.touched.entry((origin, kind)).or_insert(lowest);
                *known = lowest.min(*known);
            }
        }
        if let (Some(call), Some(caller)) = (done.call, caller) {
            let Progress { node, occurrence } = call;
            caller
                .bytes
                .take_over(done.bytes, node.1, occurrence, &mut self.meetings);
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
                    .map(|call| call.node)
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
        let (Some(progress), Some(&origin)) = (self.progress, self.objects.get(&object)) else {
            return;
        };
        let Progress { node, occurrence } = progress;
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
        let Some(activation) = self.activations.last_mut() else {
            return;
        };
        let lowest = activation.touched.entry((origin, kind)).or_insert(object);
        *lowest = object.min(*lowest);
        match &self.origins[origin.index()] {
            Origin::Temporary => return,
            Origin::Library(name) if WORLD.contains(name) => return,
            _ => {}
        }
        let touch = Touch {
            instruction: node.1,
            kind,
        };
        activation
            .bytes
            .touch(address, length, touch, occurrence, &mut self.meetings);
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
            overlaps: sorted(self.meetings.overlaps),
            flows: sorted(self.meetings.flows),
            omitted: self.omitted + self.meetings.omitted,
        }
    }
}

fn sorted<T: Ord>(set: FxHashSet<T>) -> Vec<T> {
    let mut rows: Vec<T> = set.into_iter().collect();
    rows.sort_unstable();
    rows
}
