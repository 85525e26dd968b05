//! Which objects have static storage? Scalars, arrays, records, pointers into other globals,
//! strings, tables of functions: all with constant initialisers.

use super::Generator;
use super::scope::{Data, Variable};
use super::syntax::*;

impl Generator<'_> {
    pub(super) fn make_globals(&mut self) {
        for _ in 0..self.shape.globals {
            if self.random.chance(20) && self.global_pointer().is_some() {
                continue;
            }
            let data = self.object_data();
            let initial = self.initialiser(&data, true);
            // Without an initialiser a global is zero.
            let initialiser = self.random.chance(80).then_some(initial);
            let declared = self.c_type(&data);
            let constant =
                initialiser.is_some() && !matches!(data, Data::Array(..)) && self.random.chance(10);
            let declared_type = if constant {
                declared.constant()
            } else {
                declared
            };
            self.global(data, declared_type, initialiser, !constant);
        }
    }

    fn global(
        &mut self,
        data: Data,
        declared_type: Type,
        initialiser: Option<Initialiser>,
        writable: bool,
    ) {
        let name = self.fresh("g");
        let storage = if self.random.chance(60) {
            Storage::Static
        } else {
            Storage::Plain
        };
        self.items.push(Item::Declaration(Declaration {
            storage,
            name: name.clone(),
            declared_type,
            initialiser,
        }));
        self.scopes[0].push(Variable {
            name,
            data,
            range: None,
            writable,
            level: 0,
            target_level: 0,
        });
    }

    fn global_pointer(&mut self) -> Option<()> {
        let targets: Vec<Variable> = self.scopes[0]
            .iter()
            .filter(|variable| {
                variable.writable && !matches!(variable.data, Data::FunctionPointer(_))
            })
            .cloned()
            .collect();
        if targets.is_empty() {
            return None;
        }
        let target = self.random.pick(&targets).clone();
        let place = Expression::name(&target.name);
        let (element, count, address) = match target.data {
            Data::Array(element, length) => {
                let offset = self.random.below(length);
                let literal = Expression::literal(offset);
                let address = if self.random.chance(50) {
                    Expression::binary(Binary::Add, place, literal)
                } else {
                    Expression::address(Expression::index(place, literal))
                };
                (*element, length - offset, address)
            }
            data => (data, 1, Expression::address(place)),
        };
        if matches!(element, Data::Pointer(..))
            && matches!(&element, Data::Pointer(inner, ..) if matches!(**inner, Data::Pointer(..)))
        {
            return None;
        }
        let data = Data::Pointer(Box::new(element), count, false);
        let declared = self.c_type(&data);
        self.global(data, declared, Some(Initialiser::Expression(address)), true);
        Some(())
    }

    /// A constant table of the functions of one family made so far.
    pub(super) fn make_table(&mut self) {
        let family = self.random.below(self.families.len());
        let members: Vec<String> = self
            .functions
            .iter()
            .filter(|function| function.family == Some(family))
            .map(|function| function.name.clone())
            .collect();
        if members.is_empty() {
            return;
        }
        let length = 1 + self.random.below(4);
        let elements = (0..length)
            .map(|_| {
                let member = Expression::Name(self.random.pick(&members).clone());
                (None, Initialiser::Expression(member))
            })
            .collect();
        let data = Data::Array(Box::new(Data::FunctionPointer(family)), length);
        let declared_type = self.c_type(&data);
        self.global(
            data,
            declared_type,
            Some(Initialiser::List(elements)),
            false,
        );
    }
}
