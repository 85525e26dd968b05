//! How does a program start and end?
//!
//! Globals are laid out and filled, constructors run, `main` gets its arguments in memory as the
//! system would pass them; afterwards `atexit` handlers run in reverse order, then destructors, and
//! the library flushes its streams.

use crate::callee::{self, Callee};
use crate::library;
use crate::machine::Machine;
use crate::memory::{Allocation, ObjectKind, Site};
use crate::run::{Exit, Run, RunInput};
use crate::stop::{Outcome, Stop, unsupported};
use crate::trace::Origin;
use crate::value::{Scalar, Value};
use knockon_program::{FunctionId, Linkage, PlaceId, Program};

/// Runs a program, promoted or not, on one input.
pub fn run(program: &Program, input: &RunInput) -> Run {
    let mut machine = Machine::new(program, input);
    let outcome = machine.run_program(input);
    let exit = machine.exit_of(outcome);
    let mut caveats: Vec<_> = machine.caveats.iter().copied().collect();
    caveats.sort_unstable();
    machine.close_observations();
    let history = machine.memory.take_history();
    let trace = machine.memory.into_trace();
    let (stdout, stderr) = machine.library.into_output();
    Run {
        stdout,
        stderr,
        exit,
        steps: machine.steps,
        observations: machine
            .observer
            .map(|observer| observer.into_observations()),
        trace,
        history,
        caveats,
    }
}

/// How `main` or an `exit` inside it ended.
enum Ending {
    Returned(i32),
    Exited(i32),
}

impl Machine<'_> {
    fn run_program(&mut self, input: &RunInput) -> Outcome<Ending> {
        let layout = &self.program.layout;
        if layout.big_endian || layout.pointer_size != 8 {
            return unsupported("a target that is big-endian or has no 64-bit pointers");
        }
        let Some(main) = self
            .program
            .functions_named("main")
            .into_iter()
            .find(|id| self.program.function(*id).body.is_some())
        else {
            return unsupported("the program has no function main");
        };
        self.lay_out_symbols()?;
        let ending = match self.run_main(main, input) {
            Ok(code) => Ending::Returned(code),
            Err(reason) => match *reason {
                Stop::Exit(code) => Ending::Exited(code),
                Stop::ExitAtOnce(code) => return Ok(Ending::Exited(code)),
                _ => return Err(reason),
            },
        };
        let mut ending = ending;
        loop {
            match self.run_handlers() {
                Ok(()) => break,
                Err(reason) => match *reason {
                    // `exit` inside a handler: the handlers that are left still run.
                    Stop::Exit(code) => ending = Ending::Exited(code),
                    Stop::ExitAtOnce(code) => return Ok(Ending::Exited(code)),
                    _ => return Err(reason),
                },
            }
        }
        library::finish(self)?;
        Ok(ending)
    }

    fn lay_out_symbols(&mut self) -> Outcome<()> {
        let program = self.program;
        for id in program.function_ids() {
            // An undefined weak symbol has no address.
            if program.function(id).linkage == Linkage::ExternalWeak
                && matches!(callee::resolve(program, id), Callee::Unknown(_))
            {
                self.function_addresses.push(0);
                continue;
            }
            let site = self.memory.site(Site::Function(id));
            let address = self.memory.allocate(Allocation {
                size: 0,
                kind: ObjectKind::Function,
                site,
                zeroed: true,
            })?;
            self.function_addresses.push(address);
        }
        for index in 0..program.globals.len() {
            let address = self.place_global(index)?;
            self.global_addresses.push(address);
        }
        for (index, global) in program.globals.iter().enumerate() {
            let address = self.global_addresses[index];
            if let Some(initialiser) = global.initialiser {
                self.initialise(address, global.value_type, initialiser)?;
                if global.is_constant {
                    self.memory.make_constant(address);
                }
            }
        }
        Ok(())
    }

    fn place_global(&mut self, index: usize) -> Outcome<u64> {
        let program = self.program;
        let global = &program.globals[index];
        let id = knockon_program::GlobalId::from_index(index);
        let site = self.memory.site(Site::Global(id));
        if global.initialiser.is_some() {
            return self.memory.allocate(Allocation {
                size: program.size_of(global.value_type),
                kind: ObjectKind::Global,
                site,
                zeroed: true,
            });
        }
        if let Some(address) = library::external_global(self, program.name(global.name))? {
            self.memory.name_origin(address, || Origin::Global(id));
            return Ok(address);
        }
        if global.linkage == Linkage::ExternalWeak {
            return Ok(0);
        }
        self.memory.allocate(Allocation {
            size: 0,
            kind: ObjectKind::External,
            site,
            zeroed: true,
        })
    }

    fn run_main(&mut self, main: FunctionId, input: &RunInput) -> Outcome<i32> {
        let mut constructors = self.program.constructors.clone();
        constructors.sort_by_key(|entry| entry.priority);
        let (count, arguments, environment) = self.lay_out_arguments(input)?;
        let values = [
            Value::integer(count),
            Value::integer(arguments),
            Value::integer(environment),
        ];
        // The interpreter's own library calls nothing of the program by itself.
        constructors.retain(|entry| !self.program.is_library_entry(entry.function));
        for entry in constructors {
            self.call_function(self.function_addresses[entry.function.index()], &values)?;
        }
        let result = self.call_function(self.function_addresses[main.index()], &values)?;
        match result {
            Value::Scalar(scalar) if scalar.undefined as u32 == 0 => Ok(scalar.bits as i32),
            _ => crate::stop::undefined(
                crate::undefined_behaviour::UndefinedBehaviour::Uninitialised,
                "main returns a value that is not initialised",
            ),
        }
    }

    /// `argc`, `argv` and `envp`.
    fn lay_out_arguments(&mut self, input: &RunInput) -> Outcome<(u64, u64, u64)> {
        let arguments = self.lay_out_strings(&input.arguments, "argv")?;
        let environment = match library::external_global(self, "environ")? {
            // The library's own list, so that `environ` and `envp` are one.
            Some(address) => self.memory.load(address, 8)?.bits,
            None => self.lay_out_strings(&input.environment, "envp")?,
        };
        Ok((input.arguments.len() as u64, arguments, environment))
    }

    /// A null-terminated array of strings.
    pub(crate) fn lay_out_strings(
        &mut self,
        strings: &[Vec<u8>],
        name: &'static str,
    ) -> Outcome<u64> {
        let site = self.memory.site(Site::Library(name));
        let mut allocate = |size: u64| {
            self.memory.allocate(Allocation {
                size,
                kind: ObjectKind::Library,
                site,
                zeroed: true,
            })
        };
        let array = allocate((strings.len() as u64 + 1) * 8)?;
        let mut rows = Vec::with_capacity(strings.len());
        for string in strings {
            rows.push(allocate(string.len() as u64 + 1)?);
        }
        for (index, (row, string)) in rows.into_iter().zip(strings).enumerate() {
            self.memory.write(row, string)?;
            self.memory
                .store(array + index as u64 * 8, 8, Scalar::new(row))?;
        }
        Ok(array)
    }

    fn run_handlers(&mut self) -> Outcome<()> {
        // Frames of an interrupted main are over.
        while let Some(frame) = self.pop_frame() {
            if let Some(pending) = frame.observation {
                self.observe_result(&pending, None);
            }
        }
        self.jump_points.clear();
        self.nesting = 0;
        while let Some((function, argument)) = self.exit_handlers.pop() {
            self.memory.record_handler(Some(self.exit_handlers.len()));
            match argument {
                Some(argument) => {
                    // Serves `on_exit` and `__cxa_atexit` alike.
                    self.call_function(function, &[Value::integer(argument)])?;
                }
                None => {
                    self.call_function(function, &[])?;
                }
            }
        }
        if !self.destructors_run {
            self.destructors_run = true;
            let mut destructors = self.program.destructors.clone();
            destructors.sort_by_key(|entry| std::cmp::Reverse(entry.priority));
            destructors.retain(|entry| !self.program.is_library_entry(entry.function));
            for entry in destructors {
                self.memory.record_handler(None);
                self.call_function(self.function_addresses[entry.function.index()], &[])?;
            }
        }
        Ok(())
    }

    /// Calls that never returned end here.
    fn close_observations(&mut self) {
        while let Some(frame) = self.frames.pop() {
            if let Some(pending) = frame.observation {
                self.observe_result(&pending, None);
            }
        }
    }

    fn exit_of(&self, outcome: Outcome<Ending>) -> Exit {
        let reason = match outcome {
            Ok(Ending::Returned(code)) => return Exit::Returned(code),
            Ok(Ending::Exited(code)) => return Exit::Exited(code),
            Err(reason) => *reason,
        };
        match reason {
            Stop::Undefined { kind, message } => {
                let at = self.frames.last().and_then(|frame| {
                    let action = frame.next.checked_sub(1)?;
                    let instruction = frame.code.origins.get(action)?;
                    Some((frame.code.function, *instruction))
                });
                let place = at
                    .and_then(|(function, instruction)| {
                        let body = self.program.function(function).body.as_ref()?;
                        Some(body.instruction(instruction).place)
                    })
                    .unwrap_or(PlaceId(0));
                Exit::Undefined {
                    kind,
                    place,
                    at,
                    message,
                }
            }
            Stop::Exit(code) | Stop::ExitAtOnce(code) => Exit::Exited(code),
            Stop::Abort => Exit::Aborted,
            Stop::AssertionFailed(message) => Exit::AssertionFailed(message),
            Stop::Trap => Exit::Trapped,
            Stop::StepLimit => Exit::StepLimit,
            Stop::Unsupported(reason) => Exit::Unsupported(reason),
            Stop::Jump(_) => Exit::Unsupported("a longjmp that no frame received".to_owned()),
        }
    }
}
