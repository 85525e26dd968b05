//! Questions and their answers: functions from plain data to the structs that are published.

pub mod after;
mod assumptions;
pub mod diff;
mod diff_report;
pub mod equiv;
pub mod programs;
mod run_time_files;
pub mod shown_files;
pub mod slice;
pub mod summary;
pub mod why;
