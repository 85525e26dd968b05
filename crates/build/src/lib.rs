//! From source trees to programs: builds, capture, clang, the LLVM text reader, the cache.

mod assembly_files;
mod depfile;
mod generator_inputs;
mod searched_paths;
mod unread_attributes;

pub mod build;
pub mod build_inputs;
pub mod build_plan;
pub mod build_system;
pub mod cache;
pub mod capture;
pub mod changed_inputs;
pub mod clang;
pub mod compile;
pub mod compile_commands;
pub mod compiler_calls;
pub mod configuration;
pub mod configured_files;
pub mod flags;
pub mod git;
pub mod input;
pub mod link_effects;
pub mod link_interface;
pub mod link_order;
mod loaded_code;
pub mod moved_plan;
pub mod nearest_name;
pub mod object_interface;
pub mod recorded_build;
pub mod revision_build;
pub mod scratch;
pub mod stand_ins;
pub mod trust;
pub mod unit;
pub mod unseen_link;
pub mod unseen_units;
