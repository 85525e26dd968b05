//! In which ways does control come back from a function without a body?

use crate::call_flow::Way;
use knockon_library::{Return, library};
use knockon_memory::call_graph::CallGraph;
use knockon_program::{Flags, FunctionAttributes, FunctionId, Program, is_compiler_name};

pub struct ExternalWays {
    ways: Vec<[bool; 3]>,
    returns_twice: Vec<bool>,
    any_returns_twice: bool,
}

impl ExternalWays {
    pub fn new(program: &Program, calls: &CallGraph) -> ExternalWays {
        let mut ways = Vec::with_capacity(program.functions.len());
        let mut returns_twice = Vec::with_capacity(program.functions.len());
        for function in &program.functions {
            let name = program.name(function.name);
            let has = |attribute| function.attributes.has(attribute);
            let model = library().of(name).map(|effect| effect.return_);
            let returns = !has(FunctionAttributes::NO_RETURN) && model != Some(Return::Never);
            let intrinsic = is_compiler_name(name);
            let throws = !has(FunctionAttributes::NO_UNWIND)
                && match model {
                    None => !intrinsic,
                    Some(Return::Never | Return::Maybe) => true,
                    Some(Return::Always | Return::Twice) => false,
                };
            ways.push([returns, throws, library().facts(name).jumps]);
            returns_twice
                .push(has(FunctionAttributes::RETURNS_TWICE) || model == Some(Return::Twice));
        }
        let mut found = ExternalWays {
            ways,
            returns_twice,
            any_returns_twice: false,
        };
        found.any_returns_twice = (0..calls.sites.len()).any(|number| {
            let site = &calls.sites[number];
            let flags = program
                .function(site.caller)
                .body
                .as_ref()
                .map_or(Flags::NONE, |body| body.instruction(site.instruction).flags);
            found.comes_back(calls.externals.of(number), flags)
        });
        found
    }

    /// In which ways one of these may come back. Where no `setjmp` is, a jump leads nowhere.
    pub fn of_all(&self, externals: &[FunctionId]) -> [bool; 3] {
        let mut all = [false; 3];
        for external in externals {
            for way in Way::ALL {
                all[way.index()] |= self.ways[external.index()][way.index()];
            }
        }
        all[Way::Jump.index()] &= self.any_returns_twice;
        all
    }

    /// The call is a `setjmp`: it may come back by a jump.
    pub fn comes_back(&self, externals: &[FunctionId], flags: Flags) -> bool {
        flags.has(Flags::RETURNS_TWICE) || externals.iter().any(|id| self.returns_twice[id.index()])
    }

    /// There is such a call somewhere.
    pub fn may_come_back(&self) -> bool {
        self.any_returns_twice
    }
}
