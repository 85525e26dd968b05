//! Random scripts that build a program: where each compiler runs, how it is told its files, and how
//! the objects come together.

use super::project::{Project, joined};
use crate::random::Random;

/// Where a compiler runs. `$OUTSIDE` is a directory beside the tree.
const PLACES: [&str; 6] = [
    "$ROOT",
    "$ROOT",
    "$ROOT/out",
    "$ROOT/out/deep/er",
    "$OUTSIDE",
    "$ROOT/src",
];

/// How a file of the tree is named from there.
const NAMES: [&str; 5] = ["relative", "relative", "absolute", "dotted", "linked"];

/// Begins each script: the names that its commands use.
const BEGINNING: &str = r#"set -e
ROOT=$PWD
OUTSIDE=$(dirname "$PWD")/beside
mkdir -p "$OUTSIDE" out/deep/er src
ln -sfn . out/link
ln -sfn "$ROOT" "$OUTSIDE/link"
relative() { realpath --relative-to="$PWD" "$ROOT/$1"; }
absolute() { echo "$ROOT/$1"; }
dotted() { echo "./$(realpath --relative-to="$PWD" "$ROOT")/out/../$1"; }
linked() { echo "$OUTSIDE/link/$1"; }
"#;

/// Files that builds leave in the tree.
pub const IGNORED: &str = "/out\n*.o\n*.a\nprog\n";

pub fn script(random: &mut Random, project: &Project) -> String {
    let mut text = BEGINNING.to_owned();
    let level = *random.pick(&["-O0", "-O1", "-O2 -g"]);
    let mut objects = Vec::new();
    let add = |text: &mut String, random: &mut Random, units: &[String], compiles: &str| {
        let place = random.pick(&PLACES);
        let header = named(random, &joined(&project.header_directory, "."));
        let sources: Vec<String> = units.iter().map(|unit| named(random, unit)).collect();
        *text += &format!(
            "(cd \"{place}\"; gcc {level} -I{header} {compiles} {})\n",
            sources.join(" ")
        );
        (*place).to_owned()
    };
    if random.chance(25) {
        add(&mut text, random, &project.units, "-o \"$ROOT/prog\"");
        return text;
    }
    for unit in &project.units {
        let name = unit.rsplit('/').next().unwrap_or(unit);
        let object = name.replace(".c", ".o");
        if random.chance(30) {
            add(
                &mut text,
                random,
                std::slice::from_ref(unit),
                &format!("-o \"$ROOT/out/{object}\" -c"),
            );
            objects.push(format!("\"$ROOT/out/{object}\""));
        } else {
            let place = add(&mut text, random, std::slice::from_ref(unit), "-c");
            objects.push(format!("\"{place}/{object}\""));
        }
    }
    if objects.len() > 2 && random.chance(30) {
        let members = objects.split_off(objects.len() / 2);
        text += &format!("ar rcs out/libpart.a {}\n", members.join(" "));
        objects.push("-Wl,--whole-archive out/libpart.a -Wl,--no-whole-archive".to_owned());
    }
    text + &format!("gcc -o prog {}\n", objects.join(" "))
}

/// The words of the shell for a file of the tree.
fn named(random: &mut Random, path: &str) -> String {
    format!("\"$({} '{path}')\"", random.pick(&NAMES))
}
