//! Which implementation does an external function of the C library have?
//!
//! One module per group of functions. Each offers `find`, a table from names to functions over the
//! machine and the call; a function that serves several names asks the call for its name. Fortified
//! variants (`__strcpy_chk`) and glibc's versioned names (`__isoc99_scanf`) are rows like the others.

mod allocation;
mod blocks;
mod classification;
mod clock;
mod conversion;
pub(super) mod environment;
mod file_status;
mod files;
mod locale;
mod mathematical;
pub(super) mod options;
mod printing;
mod process;
mod randomness;
mod scanning;
mod signals;
mod sorting;
mod stream_control;
mod stream_input;
mod stream_output;
mod string_building;
mod string_search;

use crate::library_call::LibraryFunction;

/// The implementation of the function of that name.
pub(super) fn find(name: &str) -> Option<LibraryFunction> {
    let groups = [
        printing::find,
        stream_output::find,
        string_building::find,
        string_search::find,
        blocks::find,
        allocation::find,
        classification::find,
        conversion::find,
        stream_input::find,
        stream_control::find,
        scanning::find,
        sorting::find,
        process::find,
        mathematical::find,
        files::find,
        file_status::find,
        locale::find,
        randomness::find,
        environment::find,
        signals::find,
        clock::find,
        options::find,
    ];
    groups.iter().find_map(|group| group(name))
}
