//! The rules of [`super::rules`], applied to the objects of a function.

use super::allocations::Allocation;
use super::cells::Cell;
use super::objects::Put;
use super::offsets::Offsets;
use super::patterns::Pattern;
use super::rules::Rule;
use super::solving::{Copying, Solver};
use knockon_program::{Body, FunctionId, InstructionId, Operand};

impl Solver<'_> {
    /// Where an operand points.
    pub(crate) fn cell(&mut self, function: FunctionId, operand: Operand) -> Cell {
        match operand {
            Operand::Instruction(id) => self.functions[function.index()].values[id.index()],
            Operand::Argument(number) => self.functions[function.index()]
                .arguments
                .get(number as usize)
                .copied()
                .unwrap_or(Cell::NONE),
            Operand::Constant(constant) => {
                self.constants
                    .cell(self.program, &mut self.objects, constant)
            }
            Operand::Block(_) | Operand::Index(_) => Cell::NONE,
        }
    }

    /// The value may also point there.
    pub(crate) fn join_value(&mut self, function: FunctionId, value: InstructionId, cell: Cell) {
        let mut holder = self.functions[function.index()].values[value.index()];
        self.objects.join(&mut holder, cell);
        self.functions[function.index()].values[value.index()] = holder;
    }

    pub(crate) fn apply(&mut self, function: FunctionId, body: &Body, rule: Rule) {
        match rule {
            Rule::Move {
                to,
                from,
                by,
                array,
            } => {
                let from = self.cell(function, from);
                if from.is_some() {
                    let from = self.objects.find(from);
                    self.join_value(function, to, from.into_array(array).plus(by));
                }
            }
            Rule::Allocate { to } => {
                if self.functions[function.index()].values[to.index()].is_none() {
                    let object = self.objects.fresh();
                    self.allocate(object, Allocation::Local(function, to));
                    self.join_value(function, to, Cell::start_of(object));
                }
            }
            Rule::Read {
                instruction,
                is_wanted,
                address,
                by,
                size,
            } => {
                let address = self.touched(function, (address, by), size);
                if is_wanted {
                    let read = self.objects.read(address, size);
                    self.join_value(function, instruction, read);
                }
            }
            Rule::Write {
                value,
                address,
                by,
                size,
                ..
            } => {
                let address = self.touched(function, (address, by), size);
                if let Some(value) = value {
                    let value = self.cell(function, value);
                    self.objects.write(address, size, value);
                }
            }
            Rule::NextVariadic {
                instruction,
                is_wanted,
                list,
            } => {
                let list = self.cell(function, list);
                if list.is_some() {
                    self.objects.touch_elsewhere(list);
                    let area = self.objects.read(list.anywhere(), 1);
                    self.objects.touch_elsewhere(area);
                    if is_wanted {
                        let value = self.objects.read(area.anywhere(), 1);
                        self.join_value(function, instruction, value);
                    }
                }
            }
            Rule::Unknown { instruction } => {
                let outside = self.objects.outside_cell();
                for operand in body.operands(instruction) {
                    let cell = self.cell(function, *operand);
                    self.objects.unify(cell, outside);
                }
                self.join_value(function, instruction, outside);
            }
            Rule::Call {
                instruction,
                is_wanted,
            } => self.call(function, body, instruction, is_wanted),
            Rule::Return { value } => {
                let value = self.cell(function, value);
                let mut holder = self.functions[function.index()]
                    .result
                    .unwrap_or(Cell::NONE);
                self.objects.join(&mut holder, value);
                if holder.is_some() {
                    self.functions[function.index()].result = Some(holder);
                }
            }
        }
    }

    /// Where an access goes, noted as one.
    fn touched(&mut self, function: FunctionId, (address, by): (Operand, u32), size: u32) -> Cell {
        let address = self.cell(function, address);
        let address = address.plus(Offsets::exactly(i64::from(by)));
        self.objects.touch(address, size);
        address
    }

    /// Contents go from one place to another: what the first holds the second may hold too, and
    /// what is read from the second may come from the first.
    pub(crate) fn copy(&mut self, function: FunctionId, copying: Copying) {
        let from = self.objects.find(copying.from);
        let to = self.objects.find(copying.to);
        if from.is_none() || to.is_none() {
            return;
        }
        self.functions[function.index()].copies.push(copying);
        let mut distance = to.offsets.minus(from.offsets);
        if !copying.is_aligned {
            distance = Offsets::ANY;
        } else if from.object == to.object {
            if distance == Offsets::ZERO {
                return;
            }
            // Copied again and again.
            distance = distance.joined(Offsets::ZERO);
            distance = Offsets::multiples(u64::from(distance.stride()));
        }
        let range = |at: Cell| match copying.length {
            Some(length) => Pattern::new(at.offsets, length),
            None => at.onward(),
        };
        let (read, written) = (range(from), range(to));
        for entry in self.objects.row(from.object).entries.clone() {
            if entry.pattern.overlaps(read) {
                let there = entry.pattern.shifted(distance).within(written);
                let place = Cell::at(to.object, there.offsets);
                self.objects.write_entry(Put {
                    is_read: false,
                    ..Put::entry(place, there.size, entry)
                });
            }
        }
        let to = self.objects.find(to);
        let back = Offsets::ZERO.minus(distance);
        for entry in self.objects.row(to.object).entries.clone() {
            if entry.is_read && entry.pattern.overlaps(written) {
                let here = entry.pattern.shifted(back).within(read);
                let place = Cell::at(from.object, here.offsets);
                self.objects
                    .write_entry(Put::entry(place, here.size, entry));
            }
        }
    }
}
