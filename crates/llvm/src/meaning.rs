//! Which attributes change what the code of a function does?
//!
//! Two bodies may be equal instruction for instruction and yet do something else: with fused
//! multiplication a product is not rounded, with `strictfp` the rounding mode counts, with
//! `null_pointer_is_valid` a test of a pointer stays. What of a list of attributes changes the
//! meaning is noted as text, in [`knockon_program::Meaning`].
//!
//! **Rules.** An attribute is without meaning only if it is on a list here; any other is noted,
//! known or not. Of these some concern nothing but arithmetic on floats and vectors and operations
//! of the machine ([`ARITHMETIC`]); all others concern all of the code.
//!
//! Without meaning are: hints for the optimiser and for the layout of machine code and stack;
//! promises, which only undefined runs break (`noalias`, `willreturn`, `memory`, `mustprogress`);
//! what stops or reports only undefined runs (stack protectors, sanitisers); what is kept elsewhere
//! ([`knockon_program::FunctionAttributes`]). Of a call, `nobuiltin` is a flag of the instruction.
//!
//! **Soundness.** What the machine has changes results of integers nowhere but in operations of the
//! machine; that is known of x86 alone. For other machines, it concerns all of the code.

use std::collections::BTreeSet;

/// What a list of attributes says of the code's meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    pub(crate) arithmetic: BTreeSet<String>,
    pub(crate) code: BTreeSet<String>,
}

impl Notes {
    pub(crate) fn is_empty(&self) -> bool {
        self.arithmetic.is_empty() && self.code.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.arithmetic.clear();
        self.code.clear();
    }

    pub(crate) fn extend(&mut self, other: &Notes) {
        self.arithmetic.extend(other.arithmetic.iter().cloned());
        self.code.extend(other.code.iter().cloned());
    }

    /// A keyword, `text` with what stands behind it in brackets.
    pub(crate) fn keyword(&mut self, word: &[u8], text: &[u8]) {
        if KEYWORDS_WITHOUT_MEANING.contains(&word) || word.starts_with(b"sanitize_") {
            return;
        }
        let notes = match word {
            // Where products are fused depends on how code is selected, and that on `optnone`.
            b"strictfp" | b"optnone" | b"denormal_fpenv" => &mut self.arithmetic,
            _ => &mut self.code,
        };
        notes.insert(String::from_utf8_lossy(text).into_owned());
    }

    /// `"key"` or `"key"="value"`, the quotes taken off.
    pub(crate) fn string(&mut self, key: &[u8], value: &[u8], is_x86: bool) {
        if STRINGS_WITHOUT_MEANING.contains(&key) {
            return;
        }
        let is_machine = MACHINE.contains(&key);
        let notes = match ARITHMETIC.contains(&key) || is_machine && is_x86 {
            true if value == b"false" && !is_machine && key != b"strict-float-cast-overflow" => {
                return;
            }
            true => &mut self.arithmetic,
            false => &mut self.code,
        };
        let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        notes.insert(format!("{key}={value}"));
    }
}

pub(crate) fn joined(notes: &BTreeSet<String>) -> String {
    let lines: Vec<&str> = notes.iter().map(String::as_str).collect();
    lines.join("\n")
}

/// What the machine has.
const MACHINE: [&[u8]; 2] = [b"target-cpu", b"target-features"];

/// Concern floats and vectors only. But for `strict-float-cast-overflow`, `false` is the same as
/// nothing.
const ARITHMETIC: [&[u8]; 13] = [
    b"approx-func-fp-math",
    b"correctly-rounded-divide-sqrt-fp-math",
    b"denormal-fp-math",
    b"denormal-fp-math-f32",
    b"less-precise-fpmad",
    b"no-infs-fp-math",
    b"no-nans-fp-math",
    b"no-signed-zeros-fp-math",
    b"no-trapping-math",
    b"reciprocal-estimates",
    b"strict-float-cast-overflow",
    b"unsafe-fp-math",
    b"use-soft-float",
];

#[rustfmt::skip]
const KEYWORDS_WITHOUT_MEANING: &[&[u8]] = &[
    // kept elsewhere, or of the symbol and not of the code
    b"noreturn", b"nounwind", b"willreturn", b"returns_twice", b"readnone", b"readonly", b"memory",
    b"nobuiltin", b"builtin", b"unnamed_addr", b"local_unnamed_addr", b"comdat", b"addrspace",
    // promises
    b"argmemonly", b"inaccessiblememonly", b"inaccessiblemem_or_argmemonly", b"writeonly",
    b"allockind", b"allocsize", b"allocalign", b"allocptr", b"mustprogress", b"nocallback",
    b"nodivergencesource", b"nofree", b"norecurse", b"nosync", b"speculatable",
    // hints, and the shape of machine code
    b"align", b"alignstack", b"alwaysinline", b"cold", b"hot", b"inlinehint", b"jumptable",
    b"minsize", b"nocf_check", b"noduplicate", b"noimplicitfloat", b"noinline", b"nomerge",
    b"nonlazybind", b"noprofile", b"noredzone", b"optsize", b"skipprofile", b"uwtable",
    b"vscale_range", b"fn_ret_thunk_extern",
    // checks that stop only undefined runs
    b"disable_sanitizer_instrumentation", b"nosanitize_bounds", b"nosanitize_coverage", b"safestack",
    b"shadowcallstack", b"speculative_load_hardening", b"ssp", b"sspreq", b"sspstrong",
];

#[rustfmt::skip]
const STRINGS_WITHOUT_MEANING: &[&[u8]] = &[
    b"alloc-family", b"alloc-variant-zeroed", b"branch-protection-pauth-lr",
    b"branch-target-enforcement", b"disable-tail-calls", b"frame-pointer", b"function-inline-cost",
    b"function-inline-cost-multiplier", b"function-inline-threshold", b"guarded-control-stack",
    b"min-legal-vector-width", b"no-frame-pointer-elim", b"no-frame-pointer-elim-non-leaf",
    b"no-inline-line-tables", b"no-jump-tables", b"no-realign-stack", b"no-stack-arg-probe",
    b"patchable-function", b"patchable-function-entry", b"patchable-function-prefix",
    b"prefer-vector-width", b"probe-stack", b"profile-sample-accurate", b"sign-return-address",
    b"sign-return-address-key", b"stack-probe-size", b"stack-protector-buffer-size", b"stackrealign",
    b"tune-cpu", b"uniform-work-group-size", b"use-sample-profile", b"warn-stack-size",
    b"zero-call-used-regs",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(keywords: &[&str], strings: &[(&str, &str)], is_x86: bool) -> (String, String) {
        let mut notes = Notes::default();
        for word in keywords {
            notes.keyword(word.as_bytes(), word.as_bytes());
        }
        for (key, value) in strings {
            notes.string(key.as_bytes(), value.as_bytes(), is_x86);
        }
        (joined(&notes.arithmetic), joined(&notes.code))
    }

    #[test]
    fn what_is_not_listed_is_noted() {
        let strings = [("frame-pointer", "all"), ("new-in-llvm-99", "1")];
        let found = noted(
            &["nounwind", "uwtable", "null_pointer_is_valid"],
            &strings,
            true,
        );
        let code = "new-in-llvm-99=1\nnull_pointer_is_valid";
        assert_eq!(found, (String::new(), code.to_owned()));
    }

    #[test]
    fn what_the_machine_has_concerns_arithmetic_on_x86_and_all_code_elsewhere() {
        let strings = [("target-features", "+fma"), ("no-nans-fp-math", "false")];
        let features = || "target-features=+fma".to_owned();
        assert_eq!(noted(&[], &strings, true), (features(), String::new()));
        assert_eq!(noted(&[], &strings, false), (String::new(), features()));
    }

    #[test]
    fn casts_that_may_overflow_are_told_from_those_that_may_not() {
        let strings = [("strict-float-cast-overflow", "false")];
        let text = "strict-float-cast-overflow=false".to_owned();
        assert_eq!(noted(&[], &strings, true), (text, String::new()));
    }
}
