//! The state of a running program.
//!
//! Calls live on an explicit stack of frames, so the depth of the program's recursion is not the
//! host's; only a library function that calls back (`qsort`, `atexit`) nests the loop. All frames'
//! registers are in two arrays, scalars and other values, addressed from the frame's base.

use crate::code::{Code, Slot};
use crate::history::MOST_OCCURRENCES;
use crate::library;
use crate::memory::{Allocation, Memory, ObjectKind, Site, SiteId};
use crate::non_local::JumpPoint;
use crate::observing::{Observer, Pending};
use crate::run::{RunCaveat, RunInput};
use crate::stop::{Outcome, undefined, unsupported};
use crate::undefined_behaviour::UndefinedBehaviour;
use crate::value::{Scalar, Value};
use crate::variadics::VariadicArgument;
use knockon_program::{FunctionId, Program, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a call costs of the stack besides its variables: less than any compiled frame.
const FRAME_COST: u64 = 32;
/// No process has more.
const ADDRESS_SPACE: u64 = 1 << 47;
/// How deep library functions may call back into the program.
const LARGEST_NESTING: u32 = 128;

pub struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub memory: Memory,
    /// The library's own state.
    pub(crate) library: library::State,
    /// `atexit` handlers in the order of their registration: function, and its argument if any.
    pub(crate) exit_handlers: Vec<(u64, Option<u64>)>,
    pub(crate) caveats: FxHashSet<RunCaveat>,

    pub(crate) codes: Vec<Option<Rc<Code>>>,
    pub(crate) global_addresses: Vec<u64>,
    pub(crate) function_addresses: Vec<u64>,
    pub(crate) block_addresses: FxHashMap<Site, u64>,
    /// The type of an address, if the program has one.
    pub(crate) pointer_type: TypeId,

    pub(crate) frames: Vec<Frame>,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) others: Vec<Value>,
    /// The stack objects of all frames, oldest first.
    pub(crate) stack_objects: Vec<u64>,
    pub(crate) stack_used: u64,
    pub(crate) stack_limit: u64,
    pub(crate) jump_points: Vec<JumpPoint>,
    pub(crate) next_serial: u64,
    pub(crate) steps: u64,
    pub(crate) step_limit: u64,
    pub(crate) nesting: u32,
    pub(crate) destructors_run: bool,
    pub(crate) observer: Option<Box<Observer>>,
    /// Reused for the arguments of calls.
    pub(crate) scratch: Vec<Value>,
}

/// One call in progress.
pub(crate) struct Frame {
    pub(crate) code: Rc<Code>,
    /// The next action.
    pub(crate) next: usize,
    pub(crate) scalar_base: usize,
    pub(crate) other_base: usize,
    /// Where the caller wants the result.
    pub(crate) result: Slot,
    /// The stack objects below belong to outer frames.
    pub(crate) first_stack_object: usize,
    pub(crate) stack_used_before: u64,
    /// The arguments behind `...`, if there are any.
    pub(crate) variadic: Option<Rc<[VariadicArgument]>>,
    /// Set where the call's function type differs from the callee's: what the caller reads.
    pub(crate) result_type: Option<TypeId>,
    /// Never used again, so that a `longjmp` knows whether its frame still is.
    pub(crate) serial: u64,
    /// The caller's call as an observation, still without its result.
    pub(crate) observation: Option<Box<Pending>>,
}

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, input: &RunInput) -> Machine<'p> {
        let pointer_type = program
            .types
            .rows()
            .iter()
            .position(|row| matches!(row, knockon_program::Type::Pointer(0)))
            .map_or(TypeId(0), TypeId::from_index);
        Machine {
            program,
            memory: Memory::new(input.memory_limit)
                .traced(input.trace, program.functions.len())
                .recorded(input.history)
                .named(program, input.observe.as_ref()),
            library: library::State::new(input),
            exit_handlers: Vec::new(),
            caveats: FxHashSet::default(),
            codes: program.functions.iter().map(|_| None).collect(),
            global_addresses: Vec::new(),
            function_addresses: Vec::new(),
            block_addresses: FxHashMap::default(),
            pointer_type,
            frames: Vec::new(),
            scalars: Vec::new(),
            others: Vec::new(),
            stack_objects: Vec::new(),
            stack_used: 0,
            stack_limit: input.stack_limit,
            jump_points: Vec::new(),
            next_serial: 0,
            steps: 0,
            step_limit: match input.history {
                true => input.step_limit.min(MOST_OCCURRENCES),
                false => input.step_limit,
            },
            nesting: 0,
            destructors_run: false,
            observer: input
                .observe
                .as_ref()
                .map(|request| Box::new(Observer::new(program, request))),
            scratch: Vec::new(),
        }
    }

    /// A new heap block, as `malloc` (or `calloc` with `zeroed`) makes it; `None` when it is larger
    /// than any memory, so that the call fails as it does natively.
    pub(crate) fn allocate_heap(
        &mut self,
        size: u64,
        zeroed: bool,
        site: SiteId,
    ) -> Outcome<Option<u64>> {
        if size >= ADDRESS_SPACE {
            return Ok(None);
        }
        self.memory
            .allocate(Allocation {
                size,
                kind: ObjectKind::Heap,
                site,
                zeroed,
            })
            .map(Some)
    }

    /// Calls the function at an address of the program from inside a library function.
    pub(crate) fn call_function(&mut self, address: u64, arguments: &[Value]) -> Outcome<Value> {
        let function = self.function_at(address)?;
        if self.nesting >= LARGEST_NESTING {
            return unsupported("library functions that call back are nested too deep");
        }
        self.nesting += 1;
        let floor = self.frames.len();
        let progress = self.memory.traced_progress();
        let recorded = self.memory.recorded_progress();
        let outcome = self
            .enter_from_host(function, arguments)
            .and_then(|result| match result {
                Some(value) => Ok(value),
                None => self.execute(floor),
            });
        self.nesting -= 1;
        self.memory.trace_on(progress);
        self.memory.record_on(recorded);
        outcome
    }

    /// The function that an address denotes.
    pub(crate) fn function_at(&self, address: u64) -> Outcome<FunctionId> {
        match self.memory.code_at(address) {
            Some(Site::Function(function)) => Ok(function),
            _ if address == 0 => undefined(
                UndefinedBehaviour::NullAccess,
                "a call through a null pointer",
            ),
            _ => undefined(
                UndefinedBehaviour::InvalidCall,
                format!("a call to {address:#x}, which is not a function"),
            ),
        }
    }

    /// Says once that the run depends on something the language leaves open.
    pub(crate) fn caveat(&mut self, caveat: RunCaveat) {
        self.caveats.insert(caveat);
    }

    pub(crate) fn charge_stack(&mut self, bytes: u64) -> Outcome<()> {
        self.stack_used = self.stack_used.saturating_add(bytes);
        if self.stack_used > self.stack_limit {
            return undefined(
                UndefinedBehaviour::StackOverflow,
                format!(
                    "the calls in progress need more than {} bytes of stack",
                    self.stack_limit
                ),
            );
        }
        Ok(())
    }

    /// Makes a frame for `code` with uninitialised registers; the caller writes the parameters.
    pub(crate) fn push_frame(&mut self, code: Rc<Code>, result: Slot) -> Outcome<()> {
        let (scalar_base, other_base) = match self.frames.last() {
            Some(frame) => (
                frame.scalar_base + frame.code.scalar_count,
                frame.other_base + frame.code.other_count,
            ),
            None => (0, 0),
        };
        let stack_used_before = self.stack_used;
        self.charge_stack(FRAME_COST)?;
        let (scalars, others) = (
            scalar_base + code.scalar_count,
            other_base + code.other_count,
        );
        if self.scalars.len() < scalars {
            self.scalars
                .resize(scalars.next_multiple_of(1024), Scalar::default());
        }
        if self.others.len() < others {
            self.others.resize(others, Value::nothing());
        }
        let serial = self.next_serial;
        self.next_serial += 1;
        self.enter_path();
        self.frames.push(Frame {
            code,
            next: 0,
            scalar_base,
            other_base,
            result,
            first_stack_object: self.stack_objects.len(),
            stack_used_before,
            variadic: None,
            result_type: None,
            serial,
            observation: None,
        });
        Ok(())
    }

    /// Removes the innermost frame and ends the life of its stack objects.
    pub(crate) fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.release_stack(frame.first_stack_object);
        self.stack_used = frame.stack_used_before;
        self.memory.trace_leaving(self.frames.len());
        self.memory.record_leaving(self.frames.len());
        self.memory.leave_path();
        Some(frame)
    }

    /// A new stack object of the innermost frame.
    pub(crate) fn allocate_stack(&mut self, size: u64, site: SiteId) -> Outcome<u64> {
        self.charge_stack(size)?;
        let address = self.memory.allocate(Allocation {
            size,
            kind: ObjectKind::Stack,
            site,
            zeroed: false,
        })?;
        self.stack_objects.push(address);
        Ok(address)
    }

    /// Ends the life of the stack objects from the row `first` on.
    pub(crate) fn release_stack(&mut self, first: usize) {
        while self.stack_objects.len() > first {
            if let Some(address) = self.stack_objects.pop() {
                self.memory.end_life(address);
            }
        }
    }
}
