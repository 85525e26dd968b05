use super::*;
use crate::{
    ByValueArgument, CaveatKind, Flags, Function, FunctionAttributes, FunctionId, GlobalVariable,
    InstructionId, InstructionRow, Linkage, Meaning, Type, Unit,
};

/// A unit under construction: enough of the reader's output to link.
struct UnitBuilder(Program);

impl UnitBuilder {
    fn new(source: &str) -> UnitBuilder {
        let mut program = Program::new();
        // A unit's own rows come in its own order, so that ids differ between units.
        program.names.intern(&format!("only in {source}"));
        let source = program.names.intern(source);
        program.units.push(Unit {
            source,
            target_triple: Name(0),
            producer: Name(0),
            assembly: Name(0),
            unread_flags: Name(0),
            hidden: Vec::new(),
            binds_itself: false,
        });
        UnitBuilder(program)
    }

    fn function(mut self, name: &str, linkage: Linkage, calls: Option<&[&str]>) -> UnitBuilder {
        let program = &mut self.0;
        let void = program.types.intern(Type::Void);
        let type_id = program.types.intern(Type::Function {
            result: void,
            parameters: Box::new([]),
            variadic: false,
        });
        let body = calls.map(|calls| {
            let mut body = Body::default();
            body.begin_block(Name(0));
            let row = |opcode, extra| InstructionRow {
                opcode,
                detail: 0,
                flags: Flags::NONE,
                type_id: void,
                extra,
                place: PlaceId(0),
            };
            for callee in calls {
                let name = program.names.intern(callee);
                let index = program
                    .functions
                    .iter()
                    .position(|function| function.name == name)
                    .unwrap();
                let constant = program
                    .constants
                    .intern(Constant::Function(FunctionId::from_index(index)));
                body.push(row(Opcode::Call, type_id.0), [Operand::Constant(constant)]);
            }
            body.push(row(Opcode::Return, 0), []);
            Box::new(body)
        });
        let name = program.names.intern(name);
        program.functions.push(Function {
            name,
            source_name: name,
            unit: UnitId(0),
            linkage,
            type_id,
            parameters: Box::new([]),
            attributes: FunctionAttributes::default(),
            meaning: Meaning::default(),
            place: PlaceId(0),
            body,
        });
        self
    }

    fn global(mut self, name: &str, linkage: Linkage, bits: Option<u32>) -> UnitBuilder {
        let program = &mut self.0;
        let value_type = program.types.intern(Type::Integer(bits.unwrap_or(32)));
        let initialiser = bits.map(|_| program.constants.intern(Constant::Zero(value_type)));
        let name = program.names.intern(name);
        program.globals.push(GlobalVariable {
            name,
            source_name: name,
            unit: UnitId(0),
            linkage,
            value_type,
            initialiser,
            is_constant: false,
            is_thread_local: false,
            alignment: 0,
            section: Name(0),
            place: PlaceId(0),
        });
        self
    }
}

fn callees(program: &Program, function: FunctionId) -> Vec<FunctionId> {
    let body = program.function(function).body.as_ref().unwrap();
    body.instruction_ids()
        .filter_map(|id| match body.callee(id)? {
            Operand::Constant(constant) => program.called_function(constant),
            _ => None,
        })
        .collect()
}

fn only(program: &Program, name: &str) -> FunctionId {
    let found = program.functions_named(name);
    assert_eq!(found.len(), 1, "{name}");
    found[0]
}

#[test]
fn a_declaration_is_resolved_to_the_definition_in_another_unit() {
    let a = UnitBuilder::new("a.c")
        .function("g", Linkage::External, None)
        .function("main", Linkage::External, Some(&["g"]));
    let b = UnitBuilder::new("b.c").function("g", Linkage::External, Some(&[]));
    let program = link(vec![a.0, b.0]);
    let g = only(&program, "g");
    assert!(program.function(g).body.is_some());
    assert_eq!(program.function(g).unit, UnitId(1));
    assert_eq!(callees(&program, only(&program, "main")), [g]);
}

#[test]
fn static_functions_of_one_name_stay_apart() {
    let unit = |source, entry| {
        UnitBuilder::new(source)
            .function("helper", Linkage::Internal, Some(&[]))
            .function(entry, Linkage::External, Some(&["helper"]))
            .0
    };
    let program = link(vec![unit("a.c", "f"), unit("b.c", "g")]);
    assert_eq!(program.functions_named("helper").len(), 2);
    let of_f = callees(&program, only(&program, "f"))[0];
    let of_g = callees(&program, only(&program, "g"))[0];
    assert_ne!(of_f, of_g);
    assert_eq!(program.function(of_f).unit, UnitId(0));
    assert_eq!(program.function(of_g).unit, UnitId(1));
}

#[test]
fn a_strong_definition_wins_over_a_weak_one_in_either_order() {
    let weak = || {
        UnitBuilder::new("weak.c")
            .function("f", Linkage::Weak, Some(&[]))
            .0
    };
    let strong = || {
        UnitBuilder::new("strong.c")
            .function("f", Linkage::External, Some(&[]))
            .0
    };
    for (units, winner) in [(vec![weak(), strong()], 1), (vec![strong(), weak()], 0)] {
        let program = link(units);
        assert_eq!(program.function(only(&program, "f")).unit, UnitId(winner));
        assert!(program.caveats.is_empty());
    }
}

#[test]
fn two_strong_definitions_are_a_caveat_that_names_both_units() {
    let unit = |source| {
        UnitBuilder::new(source)
            .function("f", Linkage::External, Some(&[]))
            .0
    };
    let program = link(vec![unit("a.c"), unit("b.c")]);
    assert_eq!(program.function(only(&program, "f")).unit, UnitId(0));
    assert_eq!(program.caveats.len(), 1);
    assert_eq!(program.caveats[0].kind, CaveatKind::DuplicateDefinition);
    assert!(program.caveats[0].message.contains("a.c and in b.c"));
}

#[test]
fn all_names_that_two_units_both_define_are_one_caveat() {
    let unit = |source| {
        UnitBuilder::new(source)
            .function("f", Linkage::External, Some(&[]))
            .function("g", Linkage::External, Some(&[]))
            .function("h", Linkage::External, Some(&[]))
            .0
    };
    let program = link(vec![unit("a.c"), unit("b.c")]);
    let messages: Vec<&str> = program.caveats.iter().map(|row| &row.message[..]).collect();
    let expected = "f and 2 other names are defined in a.c and in b.c; the first are used";
    assert_eq!(messages, [expected]);
}

#[test]
fn the_larger_common_definition_wins() {
    let unit = |source, bits| {
        UnitBuilder::new(source)
            .global("x", Linkage::Common, Some(bits))
            .0
    };
    let program = link(vec![unit("a.c", 16), unit("b.c", 64), unit("c.c", 32)]);
    assert_eq!(program.globals.len(), 1);
    assert_eq!(
        *program.type_of(program.globals[0].value_type),
        Type::Integer(64)
    );
}

#[test]
fn an_argument_passed_in_memory_keeps_the_type_of_its_own_unit() {
    let unit = |source, bits| {
        let UnitBuilder(mut unit) = UnitBuilder::new(source)
            .function("callee", Linkage::External, None)
            .function(source, Linkage::External, Some(&["callee"]));
        let pointee = unit.types.intern(Type::Integer(bits));
        let body = unit.functions[1].body.as_mut().unwrap();
        body.by_value_arguments.push(ByValueArgument {
            call: InstructionId(0),
            argument: 0,
            pointee,
            alignment: 3,
        });
        unit
    };
    let program = link(vec![unit("a", 16), unit("b", 64)]);
    for (name, bits) in [("a", 16), ("b", 64)] {
        let body = program
            .function(only(&program, name))
            .body
            .as_ref()
            .unwrap();
        let pointee = body.by_value_arguments_of(InstructionId(0))[0].pointee;
        assert_eq!(*program.type_of(pointee), Type::Integer(bits));
    }
}

#[test]
fn linking_one_unit_changes_no_counts() {
    let unit = UnitBuilder::new("a.c")
        .global("x", Linkage::External, Some(32))
        .function("g", Linkage::External, None)
        .function("f", Linkage::Internal, Some(&["g"]))
        .0;
    let program = link(vec![unit.clone()]);
    assert_eq!(program.functions.len(), unit.functions.len());
    assert_eq!(program.globals.len(), unit.globals.len());
    assert_eq!(program.instruction_count(), unit.instruction_count());
    assert_eq!(program.units.len(), 1);
}

#[test]
fn a_program_of_unseen_code_alone_has_a_unit_for_what_stands_for_it() {
    let piece = crate::UnseenCode::of_unreadable("a.o", b"x");
    let program = super::link_with(Vec::new(), &[piece], super::LibraryNames::none());
    let units = program.units.len();
    assert!(program.globals.iter().all(|row| row.unit.index() < units));
    assert!(program.functions.iter().all(|row| row.unit.index() < units));
}
