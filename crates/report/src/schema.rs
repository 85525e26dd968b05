//! The JSON schemas of all reports, generated from their structs.

use crate::{AfterReport, DiffReport, EquivReport, ReadReport, SliceReport, WhyReport, to_json};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};

/// Each schema with the name of its file in `schemas/`.
pub fn schemas() -> Result<Vec<(&'static str, String)>, serde_json::Error> {
    // The contract of what is written, not of what could be read.
    let generator = || {
        SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
    };
    let schema = |generate: fn(SchemaGenerator) -> Schema| to_json(&generate(generator()));
    Ok(vec![
        (
            "knockon.after.1.json",
            schema(SchemaGenerator::into_root_schema_for::<AfterReport>)?,
        ),
        (
            "knockon.diff.1.json",
            schema(SchemaGenerator::into_root_schema_for::<DiffReport>)?,
        ),
        (
            "knockon.equiv.1.json",
            schema(SchemaGenerator::into_root_schema_for::<EquivReport>)?,
        ),
        (
            "knockon.read.1.json",
            schema(SchemaGenerator::into_root_schema_for::<ReadReport>)?,
        ),
        (
            "knockon.slice.1.json",
            schema(SchemaGenerator::into_root_schema_for::<SliceReport>)?,
        ),
        (
            "knockon.why.1.json",
            schema(SchemaGenerator::into_root_schema_for::<WhyReport>)?,
        ),
    ])
}
