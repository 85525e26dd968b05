//! What is known of the functions of the C library (and of LLVM's intrinsics)?
//!
//! One row a function, in one data file, `library.effects`: its head explains every column. A row
//! says what the function does ([`Effect`]) and what else single analyses must know of it
//! ([`Facts`]). A function without an effect is *unmodelled*: it may read and write all that escaped
//! to it, and call back.
//!
//! - [`effect`]: what a description may say; [`format_string`] and [`Formats`] what formats add.
//! - [`facts`]: the columns beside the effect.
//! - [`Library`]: rows and objects by name; [`library`] is the parsed file.
//! - [`replaced_functions`]: which of them a program defines itself.
//!
//! A description is a sound bound: the function does no more than it says. What the bound rests on
//! stands in the head of the data file. Parsing happens once, on first use; looking a function up
//! costs one hash of its name, and one more for each dot in an intrinsic's.
//!
//! This crate does no I/O and knows one version of a program only.

pub mod effect;
pub mod facts;
pub mod format_string;
mod formats;
mod notation;
mod replaced;
mod table;

pub use effect::{
    Callback, CallbackTime, Channel, Connection, Effect, Extent, Format, FormatKind, Memory,
    Origin, Return, Value, World,
};
pub use facts::Facts;
pub use formats::Formats;
pub use notation::Malformed;
pub use replaced::{Replaced, replaced_functions};
pub use table::{Library, LibraryObject, Row, library};
