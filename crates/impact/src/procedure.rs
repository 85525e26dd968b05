//! Who executes? A function of the program, or a *pseudo procedure*: what stands outside of the
//! program and calls into it.

use knockon_program::FunctionId;

/// A function (its id), or one of the pseudo procedures that are numbered after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Procedure(pub u32);

impl Procedure {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<FunctionId> for Procedure {
    fn from(function: FunctionId) -> Procedure {
        Procedure(function.0)
    }
}

impl From<usize> for Procedure {
    fn from(index: usize) -> Procedure {
        Procedure(index as u32)
    }
}

impl From<Procedure> for usize {
    fn from(procedure: Procedure) -> usize {
        procedure.index()
    }
}
