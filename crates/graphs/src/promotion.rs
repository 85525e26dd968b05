//! Question: which values do the local variables have, without memory?
//!
//! Source: Cytron, Ferrante, Rosen, Wegman, Zadeck, *Efficiently Computing Static
//! Single Assignment Form and the Control Dependence Graph* (1991), pruned by
//! liveness, with the choices of LLVM's `mem2reg`, so that the result can be held
//! against `opt -passes=mem2reg`: which variables are promoted
//! (`promotable.rs`), where phis go and what loads become (`plan.rs`,
//! `renaming.rs`), which phis say nothing and go again (`trivial_phis.rs`).
//!
//! Rules, where `mem2reg` chooses: a variable stored once, with a constant or an
//! argument, has that value everywhere, also where a path comes around the
//! store: reading it there is undefined. A read before any store is `undef`. A
//! phi of one value and `undef`s is that value where the value is defined. Both
//! say that no run reads what is not set. Who asks whether that holds keeps such
//! reads ([`UndefinedReads::Kept`]): a phi of a value and `undef` stays one.
//! Accesses in code that the entry does not reach stay, with a poison address.
//! Promotion is repeated while a promoted variable held the address of another.
//! Then stores leave copies, which `mem2reg` has not (`copies.rs`).
//!
//! Why right: phis stand at the iterated dominance frontier of the stores where
//! the variable is live, so on every path a load sees the last store, or the phi
//! that joins the last stores. Debug info stays true: the variable has a new
//! value where a store was and where a phi is.
//!
//! Cost: linear in instructions plus, for each variable that needs phis, the
//! blocks where it is live and the frontiers of its stores; functions in
//! parallel. Removing trivial phis repeats a pass over the new phis until none
//! goes, two or three times on real code.

mod copies;
mod plan;
mod promotable;
mod rebuilding;
mod renaming;
mod trivial_phis;

use knockon_program::{
    Body, Constant, ConstantId, Function, FunctionId, InstructionId, Intrinsic, Opcode, Operand,
    Parameter, Program, TypeId,
};
use rayon::prelude::*;
use rebuilding::Numbers;

/// What promotion needs of the whole program before it can look at functions
/// one by one: the constants it may put in.
#[derive(Clone, Debug)]
pub struct Promotion {
    undefined: Vec<Option<ConstantId>>,
    poison: Vec<Option<ConstantId>>,
    undefined_reads: UndefinedReads,
    keeps_copies: bool,
    markers: Vec<Marker>,
}

/// What becomes of reads that may come before the variable has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndefinedReads {
    /// They do not happen, so the value is that of the runs where it has one.
    Absent,
    /// They are seen.
    Kept,
}

/// Calls that do not read or write the memory they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    No,
    /// `llvm.lifetime.*`: goes with the variable.
    Lifetime,
    /// `llvm.assume` and the like: stays and loses the operand.
    Droppable,
}

/// Promotes every local variable of every function that only loads and stores
/// touch.
pub fn promote(program: &mut Program) {
    promote_with(program, UndefinedReads::Absent);
}

pub fn promote_with(program: &mut Program, undefined_reads: UndefinedReads) {
    let promotion = Promotion {
        undefined_reads,
        ..Promotion::prepare(program)
    };
    promote_all(program, &promotion);
}

/// Just what `mem2reg` does.
pub fn promote_as_mem2reg(program: &mut Program) {
    let promotion = Promotion {
        keeps_copies: false,
        ..Promotion::prepare(program)
    };
    promote_all(program, &promotion);
}

fn promote_all(program: &mut Program, promotion: &Promotion) {
    let mut functions = std::mem::take(&mut program.functions);
    functions
        .par_iter_mut()
        .for_each(|function| promotion.promote_function(program, function));
    program.functions = functions;
}

impl Promotion {
    /// Interns the constants for every type that may be promoted; reads before any store are absent.
    pub fn prepare(program: &mut Program) -> Promotion {
        let count = program.types.len();
        let mut wanted = vec![false; count];
        for function in &program.functions {
            let Some(body) = &function.body else { continue };
            for id in entry_allocas(body) {
                let row = body.instruction(id);
                wanted[row.type_id.index()] = true;
                wanted[row.extra as usize] = true;
            }
        }
        let mut promotion = Promotion {
            undefined: vec![None; count],
            poison: vec![None; count],
            undefined_reads: UndefinedReads::Absent,
            keeps_copies: true,
            markers: program
                .function_ids()
                .map(|id| marker(program.function_name(id)))
                .collect(),
        };
        for at in (0..count).filter(|at| wanted[*at]) {
            let type_id = TypeId::from_index(at);
            let mut intern = |constant| Some(program.constants.intern(constant));
            promotion.undefined[at] = intern(Constant::Undefined(type_id));
            promotion.poison[at] = intern(Constant::Poison(type_id));
        }
        promotion
    }

    /// `program` need not hold the function itself. Variables of types that the
    /// prepared program did not have stay in memory.
    pub fn promote_function(&self, program: &Program, function: &mut Function) {
        if let Some(body) = &mut function.body {
            self.promote_body(program, &function.parameters, body);
        }
    }

    pub fn promote_body(&self, program: &Program, parameters: &[Parameter], body: &mut Body) {
        let mut copies = Vec::new();
        while let Some(found) = promotable::promotable(self, program, parameters, body) {
            let again = found.may_free_others;
            let plan = plan::plan(self, program, body, &found);
            let numbers = Numbers::new(body, &plan);
            if self.keeps_copies {
                let stores = plan.deleted.ones().map(InstructionId::from_index);
                let stores = stores.filter(|id| plan.is_store(*id)).filter_map(|id| {
                    let slot = found.slot(*body.operands(id).get(1)?)?;
                    copies::of_store(program, body, id, plan.allocated(slot))
                });
                copies::follow(body, &numbers, &mut copies, stores.collect());
            }
            *body = rebuilding::rebuild(body, &plan, &numbers);
            if !again {
                break;
            }
        }
        if !copies.is_empty() {
            *body = copies::with_copies(body, &copies);
        }
    }

    fn undefined(&self, type_id: TypeId) -> Option<Operand> {
        let constant = self.undefined.get(type_id.index()).copied().flatten();
        constant.map(Operand::Constant)
    }

    fn poison(&self, type_id: TypeId) -> Option<Operand> {
        let constant = self.poison.get(type_id.index()).copied().flatten();
        constant.map(Operand::Constant)
    }

    fn marker(&self, program: &Program, callee: Option<Operand>) -> Marker {
        match callee {
            Some(Operand::Constant(constant)) => match program.constant(constant) {
                Constant::Function(FunctionId(function)) => {
                    let marker = self.markers.get(*function as usize);
                    marker.copied().unwrap_or(Marker::No)
                }
                _ => Marker::No,
            },
            _ => Marker::No,
        }
    }
}

fn marker(name: &str) -> Marker {
    match Intrinsic::of_name(name) {
        Some(Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd) => Marker::Lifetime,
        Some(Intrinsic::Assume | Intrinsic::PseudoProbe | Intrinsic::NoAliasScope) => {
            Marker::Droppable
        }
        _ => Marker::No,
    }
}

fn entry_allocas(body: &Body) -> impl Iterator<Item = InstructionId> + '_ {
    body.block_ids()
        .take(1)
        .flat_map(|entry| body.instructions_of(entry))
        .filter(|id| body.instruction(*id).opcode == Opcode::Alloca)
}

#[cfg(test)]
mod tests;
