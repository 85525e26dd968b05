//! Where source variables live: `#dbg_declare`, `#dbg_value` and `#dbg_assign`
//! records, and the `llvm.dbg` calls that older LLVM prints for the same.
//!
//! A record is no instruction and is not counted; a call is one in LLVM, is
//! dropped here, and is counted in `Body::debug_calls`.

use super::fault::Read;
use super::metadata::Fields;
use super::reader::Reader;
use knockon_program::{
    InstructionId, Operand, PlaceId, Variable, VariableId, VariableLocation, VariableLocationKind,
};

/// The variable that a record is about, before its location is known.
enum VariableNode<'t> {
    Numbered(u64),
    Written(super::cursor::Cursor<'t>),
}

impl<'t> Reader<'t> {
    /// `#dbg_kind(value, variable, expression, …, location)`.
    pub(crate) fn debug_record(&mut self) -> Read<()> {
        self.ensure_block()?;
        self.cursor.at += 1;
        let kind = match self.cursor.word() {
            b"dbg_declare" => VariableLocationKind::Declared,
            b"dbg_value" | b"dbg_assign" | b"dbg_declare_value" => VariableLocationKind::Value,
            // `dbg_label`, and what a newer LLVM may add.
            word if word.starts_with(b"dbg_") => return self.cursor.skip_balanced(),
            _ => return Err(self.cursor.fault("expected a debug record")),
        };
        self.cursor.expect(b'(')?;
        let (value, variable, whole) = self.location_arguments()?;
        let mut place = PlaceId(0);
        while self.cursor.eat(b',') {
            self.cursor.skip_space();
            if self.cursor.peek() == b'!' {
                let start = self.cursor;
                self.skip_metadata()?;
                let end = self.cursor;
                // The location is the last of them.
                self.cursor.skip_space();
                if self.cursor.peek() == b')' {
                    self.cursor = start;
                    place = self.location()?;
                }
                self.cursor = end;
            } else {
                // The address of an assignment.
                let type_id = self.type_id()?;
                self.cursor.skip_space();
                if self.cursor.peek() == b'%' {
                    self.cursor.at += 1;
                    self.cursor.name()?;
                } else {
                    self.constant(type_id)?;
                }
            }
        }
        self.cursor.expect(b')')?;
        self.record_location(kind, value, variable, whole, place);
        Ok(())
    }

    /// A call of an `llvm.dbg` function, the cursor before its arguments.
    pub(crate) fn debug_call(&mut self, name: &[u8]) -> Read<()> {
        self.draft.body.debug_calls += 1;
        let kind = match name {
            b"llvm.dbg.declare" => VariableLocationKind::Declared,
            b"llvm.dbg.value" | b"llvm.dbg.assign" => VariableLocationKind::Value,
            _ => {
                self.cursor.skip_space();
                self.cursor.skip_balanced()?;
                self.call_attributes()?;
                self.attachments()?;
                return Ok(());
            }
        };
        self.cursor.expect(b'(')?;
        let (value, variable, whole) = self.location_arguments()?;
        while self.cursor.eat(b',') {
            self.cursor.expect_word("metadata")?;
            self.metadata_constant()?;
        }
        self.cursor.expect(b')')?;
        self.call_attributes()?;
        let place = self.attachments()?;
        self.record_location(kind, value, variable, whole, place);
        Ok(())
    }

    /// Value, variable, expression; in a call each is led by `metadata`.
    fn location_arguments(&mut self) -> Read<(Operand, VariableNode<'t>, bool)> {
        self.cursor.eat_word(b"metadata");
        let (value, is_single) = self.located_value()?;
        self.cursor.expect(b',')?;
        self.cursor.eat_word(b"metadata");
        self.cursor.skip_space();
        let start = self.cursor;
        self.skip_metadata()?;
        let mut ahead = start;
        ahead.at += 1;
        let variable = match ahead.digits() {
            Some(number) => VariableNode::Numbered(number),
            None => VariableNode::Written(start),
        };
        self.cursor.expect(b',')?;
        self.cursor.eat_word(b"metadata");
        self.cursor.skip_space();
        let start = self.cursor;
        self.skip_metadata()?;
        let mut ahead = start;
        ahead.at += 1;
        let expression = match ahead.digits() {
            Some(number) => super::metadata::node(self.cursor.text, &self.outline, number),
            None => Fields::open(start),
        };
        let is_empty =
            expression.is_some_and(|(kind, fields)| kind == b"DIExpression" && fields.is_empty());
        Ok((value, variable, is_single && is_empty))
    }

    /// The described value; `false` if it is none or a list of several.
    fn located_value(&mut self) -> Read<(Operand, bool)> {
        self.cursor.skip_space();
        if self.cursor.peek() != b'!' {
            return self.located_operand().map(|operand| (operand, true));
        }
        let mut ahead = self.cursor;
        ahead.at += 1;
        if ahead.word() == b"DIArgList" && ahead.peek() == b'(' && ahead.peek_at(1) != b')' {
            ahead.at += 1;
            self.cursor = ahead;
            let first = self.located_operand()?;
            while self.cursor.eat(b',') {
                let type_id = self.type_id()?;
                self.cursor.skip_space();
                if self.cursor.peek() == b'%' {
                    self.cursor.at += 1;
                    self.cursor.name()?;
                } else {
                    self.constant(type_id)?;
                }
            }
            self.cursor.expect(b')')?;
            return Ok((first, false));
        }
        let constant = self.metadata_constant()?;
        Ok((Operand::Constant(constant), false))
    }

    fn located_operand(&mut self) -> Read<Operand> {
        let type_id = self.type_id()?;
        self.cursor.skip_space();
        if self.cursor.peek() == b'%' {
            return self.located_local();
        }
        self.constant(type_id).map(Operand::Constant)
    }

    fn record_location(
        &mut self,
        kind: VariableLocationKind,
        value: Operand,
        node: VariableNode<'t>,
        whole: bool,
        place: PlaceId,
    ) {
        // The same variable inlined at two calls is two variables.
        let inlined_at = self.program.place(place).inlined_at;
        let variable = match node {
            VariableNode::Numbered(number) => {
                let next = VariableId::from_index(self.draft.body.variables.len());
                let known = *self
                    .draft
                    .variables
                    .entry((number, inlined_at))
                    .or_insert(next);
                if known == next {
                    let declared = self.declared(number);
                    self.push_variable(declared, inlined_at);
                }
                known
            }
            VariableNode::Written(cursor) => {
                let declared = self.declared_at(cursor);
                self.push_variable(declared, inlined_at)
            }
        };
        let before = InstructionId::from_index(self.draft.body.instructions.len());
        self.draft.body.variable_locations.push(VariableLocation {
            kind,
            variable,
            value,
            before,
            whole,
        });
    }

    fn push_variable(
        &mut self,
        declared: Option<super::debug_info::Declared<'t>>,
        inlined_at: PlaceId,
    ) -> VariableId {
        let variable = match declared {
            Some(declared) => Variable {
                name: self.declared_name(&declared),
                // A parameter of an inlined function is a local here.
                parameter: if inlined_at == PlaceId(0) {
                    declared.argument
                } else {
                    0
                },
                place: declared.place,
            },
            None => Variable {
                name: knockon_program::Name(0),
                parameter: 0,
                place: PlaceId(0),
            },
        };
        self.draft.body.variables.push(variable);
        VariableId::from_index(self.draft.body.variables.len() - 1)
    }
}
