//! Operands: values and labels, defined or yet to come.
//!
//! An operand goes into the pool when it is read. A local that is not defined
//! yet leaves a placeholder and a note of where it stands; when the body is
//! complete, every note is resolved or the use is an error.

use super::cursor::text_of;
use super::fault::{Fault, Read};
use super::reader::Reader;
use knockon_program::{Operand, TypeId};

/// A use before the definition.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    slot: Slot,
    local: u32,
    at: u32,
    is_label: bool,
}

/// Where an operand is kept.
#[derive(Clone, Copy)]
enum Slot {
    Operand(u32),
    Location(u32),
}

impl<'t> Reader<'t> {
    pub(crate) fn push_operand(&mut self, operand: Operand) {
        self.draft.body.operands.push(operand);
    }

    /// A value of this type.
    #[inline]
    pub(crate) fn value(&mut self, type_id: TypeId) -> Read<()> {
        self.cursor.skip_space();
        if self.cursor.peek() == b'%' {
            return self.local(false);
        }
        let constant = if type_id == self.known.metadata {
            self.metadata_constant()?
        } else {
            self.constant(type_id)?
        };
        self.push_operand(Operand::Constant(constant));
        Ok(())
    }

    #[inline]
    pub(crate) fn typed_value(&mut self) -> Read<TypeId> {
        let type_id = self.type_id()?;
        self.value(type_id)?;
        Ok(type_id)
    }

    /// `label %name`.
    #[inline]
    pub(crate) fn label(&mut self) -> Read<()> {
        self.cursor.expect_word("label")?;
        self.bare_label()
    }

    /// `%name` where only a label can stand.
    pub(crate) fn bare_label(&mut self) -> Read<()> {
        self.cursor.skip_space();
        if self.cursor.peek() != b'%' {
            return Err(self.cursor.fault("expected a label"));
        }
        self.local(true)
    }

    /// Pushes the local at the cursor's `%` as an operand.
    #[inline]
    pub(crate) fn local(&mut self, is_label: bool) -> Read<()> {
        let at = self.cursor.at;
        self.cursor.at += 1;
        let name = self.cursor.name()?;
        let slot = Slot::Operand(self.draft.body.operands.len() as u32);
        let operand = self.local_operand(name, at, is_label, slot)?;
        self.push_operand(operand);
        Ok(())
    }

    /// Like [`Reader::local`], for the variable location about to be recorded.
    pub(crate) fn located_local(&mut self) -> Read<Operand> {
        let at = self.cursor.at;
        self.cursor.at += 1;
        let name = self.cursor.name()?;
        let slot = Slot::Location(self.draft.body.variable_locations.len() as u32);
        self.local_operand(name, at, false, slot)
    }

    #[inline]
    fn local_operand(
        &mut self,
        name: &'t [u8],
        at: usize,
        is_label: bool,
        slot: Slot,
    ) -> Read<Operand> {
        let local = self.draft.locals.entry(name);
        match self.draft.locals.get(local).operand {
            Some(operand) => {
                check_kind(operand, is_label, at)?;
                Ok(operand)
            }
            None => {
                self.draft.pending.push(Pending {
                    slot,
                    local,
                    at: at as u32,
                    is_label,
                });
                Ok(Operand::Index(0))
            }
        }
    }

    /// How many of the last notes stand in operands from this index on.
    fn pending_from(&self, first: u32) -> usize {
        let notes = self.draft.pending.iter().rev();
        notes
            .take_while(|note| matches!(note.slot, Slot::Operand(index) if index >= first))
            .count()
    }

    /// Moves the labels, which were read behind the arguments, before them.
    pub(crate) fn labels_before_arguments(&mut self, arguments: usize, labels: usize) {
        let operands = &mut self.draft.body.operands;
        let count = operands.len() - labels;
        operands[arguments..].rotate_right(count);
        let (arguments, labels, count) = (arguments as u32, labels as u32, count as u32);
        let moved = self.draft.pending.len() - self.pending_from(arguments);
        for note in &mut self.draft.pending[moved..] {
            if let Slot::Operand(index) = &mut note.slot {
                *index = if *index >= labels {
                    *index - (labels - arguments)
                } else {
                    *index + count
                };
            }
        }
    }

    /// Pushes again the labels among the operands `from..to`, the last row's.
    pub(crate) fn repeat_labels(&mut self, from: usize, to: usize) {
        let notes = self.draft.pending.len();
        for note in notes - self.pending_from(from as u32)..notes {
            let note = self.draft.pending[note];
            if note.is_label {
                let slot = Slot::Operand(self.draft.body.operands.len() as u32);
                self.draft.pending.push(Pending { slot, ..note });
                self.push_operand(Operand::Index(0));
            }
        }
        for index in from..to {
            let operand = self.draft.body.operands[index];
            if matches!(operand, Operand::Block(_)) {
                self.push_operand(operand);
            }
        }
    }

    pub(crate) fn resolve_pending(&mut self) -> Read<()> {
        for pending in &self.draft.pending {
            let local = self.draft.locals.get(pending.local);
            let Some(operand) = local.operand else {
                return Err(Fault::new(
                    pending.at as usize,
                    format!("%{} is never defined", text_of(local.name)),
                ));
            };
            check_kind(operand, pending.is_label, pending.at as usize)?;
            match pending.slot {
                Slot::Operand(index) => self.draft.body.operands[index as usize] = operand,
                Slot::Location(index) => {
                    self.draft.body.variable_locations[index as usize].value = operand;
                }
            }
        }
        Ok(())
    }
}

fn check_kind(operand: Operand, is_label: bool, at: usize) -> Read<()> {
    match (operand, is_label) {
        (Operand::Block(_), true) => Ok(()),
        (Operand::Block(_), false) => Err(Fault::new(at, "a label is no value")),
        (_, true) => Err(Fault::new(at, "a value is no label")),
        (_, false) => Ok(()),
    }
}
