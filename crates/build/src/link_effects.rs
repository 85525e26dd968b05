//! **Question.** What do the options of a link, and edits of objects before it, do to the symbols of
//! the units?
//!
//! **Rules.** `--wrap` renames references of units that do not define the symbol; `--defsym` with a
//! symbol for its value renames references; `-init`, `-fini` and another entry are functions that run
//! before and after `main`; edits rename symbols or change how they bind. What cannot be followed so
//! is a *doubt*: where anything changed at all, nothing is known to be unaffected.
//!
//! **Cost.** Linear in options times symbols.

use crate::recorded_build::{LinkOption, SymbolEdit};
use knockon_program::{
    InitialiserEntry, Linkage, Program, is_compiler_name, relink_symbols, rename_symbols,
    unit_symbols,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Does to a unit what was done to its object.
pub fn edit_symbols(unit: &mut Program, changes: &[SymbolEdit], doubts: &mut Vec<String>) {
    let kept: BTreeSet<&str> = changes
        .iter()
        .filter_map(|change| match change {
            SymbolEdit::KeepGlobal(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    for change in changes {
        match change {
            SymbolEdit::Redefine { from, to } => {
                rename_symbols(unit, |name, _| (name == from).then(|| to.clone()));
            }
            SymbolEdit::Prefix(prefix) => {
                rename_symbols(unit, |name, _| {
                    (!is_compiler_name(name)).then(|| format!("{prefix}{name}"))
                });
            }
            SymbolEdit::Weaken(weakened) => relink_symbols(unit, |name, linkage| {
                match linkage == Linkage::External && matches(weakened, name) {
                    true => Linkage::Weak,
                    false => linkage,
                }
            }),
            SymbolEdit::WeakenAll => relink_symbols(unit, |_, linkage| match linkage {
                Linkage::External => Linkage::Weak,
                other => other,
            }),
            SymbolEdit::Localize(localized) => {
                relink_symbols(unit, |name, linkage| match matches(localized, name) {
                    true => Linkage::Internal,
                    false => linkage,
                })
            }
            SymbolEdit::KeepGlobal(_) => relink_symbols(unit, |name, linkage| {
                match kept.contains(name) || linkage.is_local() {
                    true => linkage,
                    false => Linkage::Internal,
                }
            }),
            SymbolEdit::Globalize(name) => doubts.push(format!(
                "`objcopy` made `{name}` of an object global, which is not followed"
            )),
            SymbolEdit::LocalizeHidden => doubts.push(
                "`objcopy` made the hidden symbols of an object local, which is not followed"
                    .to_owned(),
            ),
            SymbolEdit::Unknown(text) => doubts.push(format!(
                "`objcopy {text}` may have done anything to an object"
            )),
        }
    }
}

/// A symbol that an edit names; patterns are taken for what they may match at the most.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.find(['*', '?', '[', '!']) {
        Some(at) => name.starts_with(&pattern[..at]),
        None => pattern == name,
    }
}

/// What references to a symbol mean, by the options.
#[derive(Clone, Debug, Default)]
pub struct Redirections {
    wrapped: BTreeSet<String>,
    /// From a symbol to the one that it stands for.
    defined: Vec<(String, String)>,
}

impl Redirections {
    /// What a unit or object without a definition of the symbol means by it.
    pub fn meant(&self, name: &str) -> Option<String> {
        if let Some(real) = name.strip_prefix("__real_")
            && self.wrapped.contains(real)
        {
            return Some(real.to_owned());
        }
        if self.wrapped.contains(name) {
            return Some(format!("__wrap_{name}"));
        }
        let mut defined = self.defined.iter();
        let found = defined.find(|(symbol, _)| symbol == name)?;
        Some(found.1.clone())
    }
}

/// Applies the options to the units. `script_text` reads a linker script.
pub fn apply_options(
    units: &mut [Option<Program>],
    options: &[LinkOption],
    doubts: &mut Vec<String>,
) -> Redirections {
    let mut redirections = Redirections::default();
    let symbols: Vec<_> = units
        .iter()
        .map(|unit| unit.as_ref().map(unit_symbols).unwrap_or_default())
        .collect();
    let is_defined = |name: &str| symbols.iter().any(|unit| unit.defines(name));
    for option in options {
        match option {
            LinkOption::Wrap(name) => {
                redirections.wrapped.insert(name.clone());
            }
            LinkOption::Defsym { symbol, expression } => {
                let is_symbol = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
                let starts_with_digit = expression.starts_with(|c: char| c.is_ascii_digit());
                if starts_with_digit {
                    // A number is no address of the program.
                } else if expression.chars().all(is_symbol) && !is_defined(symbol) {
                    let pair = (symbol.clone(), expression.clone());
                    redirections.defined.push(pair);
                } else {
                    doubts.push(format!(
                        "`--defsym {symbol}={expression}` gives a symbol an address that is not followed"
                    ));
                }
            }
            LinkOption::Init(name) | LinkOption::Fini(name) | LinkOption::Entry(name) => {
                let is_end = matches!(option, LinkOption::Fini(_));
                let found = units.iter_mut().flatten().any(|unit| run_by_itself(unit, name, is_end));
                if !found && !["_start", "main", "_init", "_fini"].contains(&name.as_str()) {
                    doubts.push(format!(
                        "the link lets `{name}` run by itself, which no unit defines"
                    ));
                }
            }
            LinkOption::LinkerScript(path) => script(path, &symbols, doubts),
            LinkOption::GcSections => {
                let mut wanted = symbols.iter().flat_map(|unit| &unit.wanted);
                let bounds = |name: &String| {
                    name.starts_with("__start_") || name.starts_with("__stop_")
                };
                if wanted.any(bounds) {
                    doubts.push(
                        "`--gc-sections` decides what is between the bounds of a section"
                            .to_owned(),
                    );
                }
            }
            LinkOption::Unknown(text) => doubts.push(format!(
                "the option `{text}` of the link is not known"
            )),
            // These decide which definition counts, or who sees a symbol: the order of the link and
            // the interfaces of what is loaded take care of them.
            LinkOption::Undefined(_)
            | LinkOption::VersionScript(_)
            | LinkOption::DynamicList(_)
            | LinkOption::Symbolic
            | LinkOption::SymbolicFunctions
            | LinkOption::ExportDynamic
            | LinkOption::ExportDynamicSymbol(_)
            | LinkOption::AllowMultipleDefinition
            | LinkOption::NoStandardFiles(_)
            | LinkOption::Static
            | LinkOption::Pie
            | LinkOption::Shared
            // That two functions have one address is no difference: addresses are not compared.
            | LinkOption::IdenticalCodeFolding => {}
        }
    }
    for unit in units.iter_mut().flatten() {
        let own = unit_symbols(unit);
        rename_symbols(unit, |name, is_defined| {
            match is_defined || own.defines(name) {
                true => None,
                false => redirections.meant(name),
            }
        });
    }
    redirections
}

/// Makes a function of the unit a constructor or a destructor, if it defines that.
fn run_by_itself(unit: &mut Program, name: &str, is_end: bool) -> bool {
    let mut found = unit.functions_named(name);
    found.retain(|id| unit.function(*id).body.is_some());
    for function in &found {
        let entry = InitialiserEntry {
            priority: 0,
            function: *function,
        };
        match is_end {
            true => unit.destructors.push(entry),
            false => unit.constructors.push(entry),
        }
    }
    !found.is_empty()
}

/// A script places sections; where it names a symbol that a unit defines, it does more.
fn script(path: &Path, symbols: &[knockon_program::UnitSymbols], doubts: &mut Vec<String>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Ok(text) = std::fs::read_to_string(path) else {
        doubts.push(format!("the linker script {name} cannot be read"));
        return;
    };
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut named = words.filter(|word| {
        !["main", "_start"].contains(word)
            && symbols
                .iter()
                .any(|unit| unit.defines(word) || unit.wanted.contains(*word))
    });
    if let Some(symbol) = named.next() {
        doubts.push(format!(
            "the linker script {name} says something about `{symbol}` that is not followed"
        ));
    }
}
