//! Attributes of functions, parameters and call sites.
//!
//! Those that the program model keeps are decoded; of a function's others, those that may change
//! what its code does are noted as text ([`super::meaning`]). Every other word, with its
//! parenthesised argument, number or string, is skipped. Groups (`#N`) stand at the end of the text
//! and are decoded when first used.

use super::cursor::Cursor;
use super::fault::Read;
use super::meaning::Notes;
use super::reader::Reader;
use super::types::is_type_word;
use knockon_program::{Flags, FunctionAttributes, Linkage, ParameterAttributes, TypeId};
use std::rc::Rc;

/// The attributes of a function or of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct AttributeList {
    pub(crate) known: FunctionAttributes,
    /// The callee is no function that the compiler knows by name.
    pub(crate) is_no_builtin: bool,
    pub(crate) notes: Notes,
}

impl AttributeList {
    fn extend(&mut self, other: &AttributeList) {
        self.known = self.known.with(other.known);
        self.is_no_builtin |= other.is_no_builtin;
        if !other.notes.is_empty() {
            self.notes.extend(&other.notes);
        }
    }

    /// The attribute that this word states; the cursor, behind the word, moves over its argument.
    fn read_word(&mut self, word: &[u8], cursor: &mut Cursor<'_>) -> Read<()> {
        let start = cursor.at;
        self.known = self.known.with(function_attribute(word, cursor)?);
        self.is_no_builtin |= word == b"nobuiltin";
        let argument = &cursor.text[start..cursor.at];
        self.notes.keyword(word, &[word, argument].concat());
        Ok(())
    }

    fn read_string(&mut self, cursor: &mut Cursor<'_>, is_x86: bool) -> Read<()> {
        let key = cursor.quoted()?;
        let mut value: &[u8] = b"";
        if cursor.peek() == b'=' {
            cursor.at += 1;
            value = cursor.quoted()?;
        }
        self.notes.string(key, value, is_x86);
        Ok(())
    }
}

/// What stands before a global's kind or a function's result type.
#[derive(Default)]
pub(crate) struct Preamble {
    pub(crate) linkage: Linkage,
    /// `external` or `extern_weak` was written: a global without initialiser.
    pub(crate) is_declaration: bool,
    pub(crate) is_thread_local: bool,
    /// `hidden` or `protected` was written: the library that defines it uses this one.
    pub(crate) is_hidden: bool,
    /// `dso_local` was written: calls in the unit may be bound to the unit's own definition.
    pub(crate) is_bound_here: bool,
    pub(crate) debug: Option<u64>,
    /// How a function is called and gives its result.
    pub(crate) attributes: FunctionAttributes,
}

impl Preamble {
    /// Takes note of the word if it says something that is kept.
    pub(crate) fn note(&mut self, word: &[u8]) {
        self.linkage = match word {
            b"external" => {
                self.is_declaration = true;
                Linkage::External
            }
            b"extern_weak" => {
                self.is_declaration = true;
                Linkage::ExternalWeak
            }
            b"available_externally" => Linkage::AvailableExternally,
            b"linkonce" => Linkage::LinkOnce,
            b"linkonce_odr" => Linkage::LinkOnceOdr,
            b"weak" => Linkage::Weak,
            b"weak_odr" => Linkage::WeakOdr,
            b"common" => Linkage::Common,
            b"appending" => Linkage::Appending,
            b"internal" => Linkage::Internal,
            b"private" => Linkage::Private,
            b"hidden" | b"protected" => {
                self.is_hidden = true;
                return;
            }
            b"dso_local" => {
                self.is_bound_here = true;
                return;
            }
            b"thread_local" => {
                self.is_thread_local = true;
                return;
            }
            _ => {
                self.attributes = self.attributes.with(calling_attribute(word));
                return;
            }
        };
    }
}

/// The calling conventions that attributes of C ask for, but C's own.
const CONVENTIONS: [&[u8]; 15] = [
    b"aarch64_sve_vector_pcs",
    b"aarch64_vector_pcs",
    b"arm_aapcs_vfpcc",
    b"arm_aapcscc",
    b"preserve_allcc",
    b"preserve_mostcc",
    b"preserve_nonecc",
    b"swiftcc",
    b"swifttailcc",
    b"win64cc",
    b"x86_64_sysvcc",
    b"x86_fastcallcc",
    b"x86_regcallcc",
    b"x86_stdcallcc",
    b"x86_vectorcallcc",
];

/// All others are one.
const OTHER_CONVENTION: u16 = 63;

fn calling_attribute(word: &[u8]) -> FunctionAttributes {
    if let Some(at) = CONVENTIONS.iter().position(|known| *known == word) {
        return FunctionAttributes::convention(at as u16 + 1);
    }
    match word {
        b"zeroext" => FunctionAttributes::RETURNS_ZERO_EXTENDED,
        b"signext" => FunctionAttributes::RETURNS_SIGN_EXTENDED,
        b"ccc" => FunctionAttributes::default(),
        _ if word.ends_with(b"cc") => FunctionAttributes::convention(OTHER_CONVENTION),
        _ => FunctionAttributes::default(),
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ParameterNote {
    pub(crate) attributes: ParameterAttributes,
    pub(crate) pointee: TypeId,
    /// Its logarithm, 0 where none is stated.
    pub(crate) alignment: u8,
}

/// Words that are values, so that no attribute list runs over them.
fn is_value_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"true"
            | b"false"
            | b"null"
            | b"none"
            | b"undef"
            | b"poison"
            | b"zeroinitializer"
            | b"splat"
            | b"blockaddress"
            | b"dso_local_equivalent"
            | b"no_cfi"
            | b"ptrauth"
            | b"ptrtoaddr"
            | b"c"
            | b"asm"
    ) || word.starts_with(b"u0x")
        || word.starts_with(b"s0x")
        || knockon_program::Opcode::from_mnemonic(word).is_some()
}

/// Over what may follow an attribute's word on the same line.
fn skip_argument(cursor: &mut Cursor<'_>) -> Read<()> {
    match cursor.peek() {
        b'(' => cursor.skip_balanced(),
        b'=' => {
            cursor.at += 1;
            if cursor.peek() == b'"' {
                cursor.quoted()?;
            } else {
                cursor.word();
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Over `"key"` or `"key"="value"`.
pub(crate) fn skip_string_attribute(cursor: &mut Cursor<'_>) -> Read<()> {
    cursor.quoted()?;
    if cursor.peek() == b'=' {
        cursor.at += 1;
        cursor.quoted()?;
    }
    Ok(())
}

/// The function attribute that this word states; the cursor, behind the word,
/// moves over its argument.
fn function_attribute(word: &[u8], cursor: &mut Cursor<'_>) -> Read<FunctionAttributes> {
    let start = cursor.at;
    skip_argument(cursor)?;
    let none = FunctionAttributes(0);
    Ok(match word {
        b"noreturn" => FunctionAttributes::NO_RETURN,
        b"nounwind" => FunctionAttributes::NO_UNWIND,
        b"willreturn" => FunctionAttributes::WILL_RETURN,
        b"returns_twice" => FunctionAttributes::RETURNS_TWICE,
        b"readnone" => FunctionAttributes::READ_NONE,
        b"readonly" => FunctionAttributes::READ_ONLY,
        b"alwaysinline" => FunctionAttributes::ALWAYS_INLINE,
        b"naked" => FunctionAttributes::NAKED,
        b"memory" => memory_effect(&cursor.text[start..cursor.at]),
        _ => none,
    })
}

/// `(none)`, `(read)`, `(argmem: read, inaccessiblemem: none)`, …
fn memory_effect(argument: &[u8]) -> FunctionAttributes {
    let inner = argument
        .strip_prefix(b"(")
        .and_then(|text| text.strip_suffix(b")"));
    let mut reads = false;
    for part in inner.unwrap_or(argument).split(|&byte| byte == b',') {
        match part
            .rsplit(|&byte| byte == b':')
            .next()
            .unwrap_or(part)
            .trim_ascii()
        {
            b"none" => {}
            b"read" => reads = true,
            _ => return FunctionAttributes(0),
        }
    }
    if reads {
        FunctionAttributes::READ_ONLY
    } else {
        FunctionAttributes::READ_NONE
    }
}

fn call_flags(attributes: FunctionAttributes) -> Flags {
    let mut flags = Flags::NONE;
    for (attribute, flag) in [
        (FunctionAttributes::NO_RETURN, Flags::NO_RETURN),
        (FunctionAttributes::NO_UNWIND, Flags::NO_UNWIND),
        (FunctionAttributes::RETURNS_TWICE, Flags::RETURNS_TWICE),
    ] {
        if attributes.has(attribute) {
            flags = flags.with(flag);
        }
    }
    flags
}

impl<'t> Reader<'t> {
    /// The attributes of a group, decoded once. An undefined group is empty.
    pub(crate) fn attribute_group(&mut self, group: u64) -> Read<Rc<AttributeList>> {
        if let Some(known) = self.attribute_groups.get(&group) {
            return Ok(Rc::clone(known));
        }
        let mut attributes = AttributeList::default();
        if let Some(&at) = self.outline.attributes.get(&group) {
            let mut cursor = Cursor::new(self.cursor.text, at as usize);
            cursor.expect(b'{')?;
            while !cursor.eat(b'}') {
                if cursor.peek() == b'"' {
                    attributes.read_string(&mut cursor, self.is_x86)?;
                    continue;
                }
                let word = cursor.word();
                if word.is_empty() {
                    return Err(cursor.fault("expected an attribute"));
                }
                attributes.read_word(word, &mut cursor)?;
            }
        }
        let attributes = Rc::new(attributes);
        self.attribute_groups.insert(group, Rc::clone(&attributes));
        Ok(attributes)
    }

    /// The attributes behind a call's arguments, up to the end of the line or
    /// the first thing that is none. What they say of the meaning of the call counts for the whole
    /// function.
    pub(crate) fn call_attributes(&mut self) -> Read<Flags> {
        let mut attributes = AttributeList::default();
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                b'#' => {
                    self.cursor.at += 1;
                    let group = self.cursor.number()?;
                    attributes.extend(&*self.attribute_group(group)?);
                }
                b'"' => attributes.read_string(&mut self.cursor, self.is_x86)?,
                b'a'..=b'z' => {
                    let before = self.cursor.at;
                    let word = self.cursor.word();
                    if word == b"to" {
                        self.cursor.at = before;
                        break;
                    }
                    attributes.read_word(word, &mut self.cursor)?;
                }
                _ => break,
            }
        }
        if !attributes.notes.is_empty() {
            self.draft.notes.extend(&attributes.notes);
        }
        let flags = call_flags(attributes.known);
        Ok(match attributes.is_no_builtin {
            true => flags.with(Flags::NO_BUILTIN),
            false => flags,
        })
    }

    /// An attribute group of a function header.
    pub(crate) fn header_group(&mut self, group: u64) -> Read<FunctionAttributes> {
        let attributes = self.attribute_group(group)?;
        self.draft.notes.extend(&attributes.notes);
        Ok(attributes.known)
    }

    /// A string attribute of a function header.
    pub(crate) fn header_string(&mut self) -> Read<()> {
        let mut attributes = AttributeList::default();
        attributes.read_string(&mut self.cursor, self.is_x86)?;
        self.draft.notes.extend(&attributes.notes);
        Ok(())
    }

    /// An attribute of a function header, the cursor behind its word.
    pub(crate) fn header_attribute(&mut self, word: &[u8]) -> Read<FunctionAttributes> {
        let mut attributes = AttributeList::default();
        attributes.read_word(word, &mut self.cursor)?;
        self.draft.notes.extend(&attributes.notes);
        if matches!(word, b"align" | b"alignstack") {
            self.cursor.skip_blanks();
            self.cursor.digits();
        }
        Ok(attributes.known)
    }

    /// The words before a result type: calling convention, return attributes,
    /// linkage. Stops at the type.
    pub(crate) fn before_type(&mut self, preamble: &mut Preamble, flags: &mut Flags) -> Read<()> {
        loop {
            self.cursor.skip_space();
            match self.cursor.peek() {
                b'a'..=b'z' => {
                    let mut ahead = self.cursor;
                    let word = ahead.word();
                    if is_type_word(word) {
                        return Ok(());
                    }
                    self.cursor = ahead;
                    if let Some(flag) = fast_math(word) {
                        *flags = flags.with(flag);
                    }
                    preamble.note(word);
                    self.attribute_argument(word)?;
                }
                b'"' => skip_string_attribute(&mut self.cursor)?,
                b'!' => {
                    self.cursor.at += 1;
                    let kind = self.cursor.word();
                    self.cursor.skip_space();
                    if kind == b"dbg" && self.cursor.peek() == b'!' {
                        let mut ahead = self.cursor;
                        ahead.at += 1;
                        preamble.debug = ahead.digits();
                    }
                    self.skip_metadata()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Over the argument of an attribute: `(…)`, or the number of `align 8` and `cc 10`.
    fn attribute_argument(&mut self, word: &[u8]) -> Read<()> {
        if matches!(word, b"align" | b"cc") {
            self.cursor.skip_blanks();
            self.cursor.digits();
        }
        skip_argument(&mut self.cursor)
    }

    /// The attributes between a parameter's type and its name or value.
    #[inline]
    pub(crate) fn parameter_attributes(&mut self) -> Read<ParameterNote> {
        let mut note = ParameterNote {
            attributes: ParameterAttributes::default(),
            pointee: self.known.void,
            alignment: 0,
        };
        loop {
            self.cursor.skip_blanks();
            match self.cursor.peek() {
                b'a'..=b'z' => {
                    let mut ahead = self.cursor;
                    let word = ahead.word();
                    // By far the most frequent: no need to ask what it is not.
                    if word != b"noundef" && is_value_word(word) {
                        return Ok(note);
                    }
                    self.cursor = ahead;
                    self.parameter_attribute(word, &mut note)?;
                }
                b'"' => skip_string_attribute(&mut self.cursor)?,
                _ => return Ok(note),
            }
        }
    }

    fn parameter_attribute(&mut self, word: &[u8], note: &mut ParameterNote) -> Read<()> {
        let attribute = match word {
            b"noundef" => ParameterAttributes::NO_UNDEF,
            b"nonnull" => ParameterAttributes::NON_NULL,
            b"noalias" => ParameterAttributes::NO_ALIAS,
            b"zeroext" => ParameterAttributes::ZERO_EXTENDED,
            b"signext" => ParameterAttributes::SIGN_EXTENDED,
            b"inreg" => ParameterAttributes::IN_REGISTER,
            b"byval" => ParameterAttributes::BY_VALUE,
            b"sret" => ParameterAttributes::STRUCT_RETURN,
            b"byref" => ParameterAttributes::BY_REFERENCE,
            b"inalloca" => ParameterAttributes::IN_ALLOCA,
            b"align" => {
                note.alignment = self.alignment()?;
                return Ok(());
            }
            _ => return self.attribute_argument(word),
        };
        note.attributes = note.attributes.with(attribute);
        if matches!(word, b"byval" | b"sret" | b"byref" | b"inalloca") && self.cursor.peek() == b'('
        {
            self.cursor.at += 1;
            note.pointee = self.type_id()?;
            self.cursor.expect(b')')?;
        }
        Ok(())
    }
}

pub(crate) fn fast_math(word: &[u8]) -> Option<Flags> {
    Some(match word {
        b"fast" => Flags::FAST_MATH,
        b"nnan" => Flags::NO_NANS,
        b"ninf" => Flags::NO_INFINITIES,
        b"nsz" => Flags::NO_SIGNED_ZEROS,
        b"arcp" => Flags::RECIPROCAL,
        b"contract" => Flags::CONTRACT,
        b"afn" => Flags::APPROXIMATE,
        b"reassoc" => Flags::REASSOCIATE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_nowhere_written_is_read_only() {
        assert_eq!(memory_effect(b"(none)"), FunctionAttributes::READ_NONE);
        assert_eq!(memory_effect(b"(read)"), FunctionAttributes::READ_ONLY);
        assert_eq!(
            memory_effect(b"(argmem: read)"),
            FunctionAttributes::READ_ONLY
        );
        assert_eq!(memory_effect(b"(argmem: readwrite)"), FunctionAttributes(0));
        assert_eq!(
            memory_effect(b"(read, inaccessiblemem: none)"),
            FunctionAttributes::READ_ONLY
        );
        assert_eq!(
            memory_effect(b"(write, argmem: read)"),
            FunctionAttributes(0)
        );
    }
}
