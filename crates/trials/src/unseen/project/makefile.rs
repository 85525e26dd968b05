//! The Makefile of a project, and what is made before it.

use super::draft::{Draft, DraftFile, fixed};
use super::world::{Image, Place, World};
use crate::unseen::pair::Kind;

pub fn write(world: &mut World, draft: &mut Draft) {
    let mut commands = std::mem::take(&mut world.commands);
    let (mut objects, mut libraries) = (Vec::new(), Vec::new());
    let mut members: [Vec<String>; 2] = Default::default();
    let optimise = *world.random.pick(&["-O0", "-O1", "-O1", "-O2"]);
    // Includes that are forced are found from where the compiler runs.
    let in_directory: Vec<bool> = (0..world.modules.len())
        .map(|_| world.random.chance(12))
        .collect();
    for (module, in_directory) in in_directory.iter().enumerate() {
        let is_shared = world.image(module) != Image::Executable;
        let module = &world.modules[module];
        let name = &module.name;
        let mut flags = format!("{optimise} -w");
        for flag in &module.flags {
            flags += &format!(" {flag}");
        }
        if is_shared {
            flags += " -fPIC";
        }
        let options: Vec<String> = module
            .steps
            .iter()
            .filter(|step| step.starts_with('-'))
            .map(|option| format!(" {option}"))
            .collect();
        let options = options.concat();
        let compile = format!("gcc {flags} -c {name}.c");
        let steps = module.steps.iter().filter(|step| !step.starts_with('-'));
        match module.place {
            Place::Unit => {
                let elsewhere =
                    *in_directory && module.steps.is_empty() && !flags.contains("-include");
                match elsewhere {
                    true => {
                        commands.push(format!(
                            "mkdir -p out && cd out && {}",
                            compile.replace(&format!("{name}.c"), &format!("-I.. ../{name}.c"))
                        ));
                        objects.push(format!("out/{name}.o"));
                    }
                    false => {
                        commands.push(compile);
                        commands.extend(steps.cloned());
                        objects.push(format!("{name}.o"));
                    }
                }
            }
            Place::Archive(archive) => {
                commands.push(compile);
                members[archive].push(format!("{name}.o"));
            }
            Place::Assembly => {
                commands.push(format!("gcc -c {name}.s"));
                objects.push(format!("{name}.o"));
            }
            Place::CompiledAssembly => {
                let command = format!("gcc {flags} -S {name}.c && rm {name}.c");
                draft.prepare.push(command);
                commands.push(format!("gcc -c {name}.s"));
                objects.push(format!("{name}.o"));
            }
            Place::PrebuiltObject => {
                draft.prepare.push(format!("{compile} && rm {name}.c"));
                objects.push(format!("{name}.o"));
            }
            Place::PrebuiltArchive => {
                draft.prepare.push(format!(
                    "{compile} && ar rcs lib{name}.a {name}.o && rm {name}.c {name}.o"
                ));
                libraries.push(format!("lib{name}.a"));
            }
            Place::SharedLibrary => {
                commands.push(compile);
                commands.push(format!("gcc -shared -o lib{name}.so {name}.o{options}"));
                libraries.push(format!("-l{name}"));
            }
            Place::PrebuiltSharedLibrary => {
                draft.prepare.push(format!(
                    "gcc {flags} -shared -o lib{name}.so {name}.c{options} && rm {name}.c"
                ));
                libraries.push(format!("-l{name}"));
            }
            Place::PlugIn => {
                commands.push(compile);
                commands.push(format!("gcc -shared -o {name}.so {name}.o{options}"));
            }
            Place::PrebuiltPlugIn => {
                draft.prepare.push(format!(
                    "gcc {flags} -shared -o {name}.so {name}.c{options} && rm {name}.c"
                ));
            }
        }
    }
    let mut archives = Vec::new();
    for (number, members) in members.iter().enumerate() {
        if !members.is_empty() {
            commands.push(format!("ar rcs libpart{number}.a {}", members.join(" ")));
            archives.push(format!("libpart{number}.a"));
        }
    }
    if world.random.chance(50) {
        archives.reverse();
    }
    libraries.splice(0..0, archives);
    let link = link_command(world, objects, &libraries, &mut commands);
    commands.push(link);
    let mut lines = vec![fixed("prog:")];
    lines.extend(commands.iter().map(|command| fixed(format!("\t{command}"))));
    let kind = Kind::Nothing;
    draft
        .files
        .insert("Makefile".to_owned(), DraftFile { kind, lines });
    if !world.ignored.is_empty() {
        let lines = world.ignored.iter().map(fixed).collect();
        draft
            .files
            .insert(".gitignore".to_owned(), DraftFile { kind, lines });
    }
}

fn link_command(
    world: &mut World,
    mut objects: Vec<String>,
    libraries: &[String],
    commands: &mut Vec<String>,
) -> String {
    if objects.len() > 2 && world.random.chance(12) {
        let parts = objects.split_off(1);
        commands.push(format!("ld -r -o parts.o {}", parts.join(" ")));
        objects.push("parts.o".to_owned());
    }
    // The compiler's start files come first in any order of the others.
    if world.random.chance(40) {
        objects.reverse();
    }
    let libraries = match (world.whole_archives, libraries.len()) {
        (_, 0) => String::new(),
        (true, _) => format!(
            "-Wl,--whole-archive {} -Wl,--no-whole-archive",
            libraries.join(" ")
        ),
        (false, 1) => libraries.join(" "),
        (false, _) => match world.random.chance(60) {
            true => format!("-Wl,--start-group {} -Wl,--end-group", libraries.join(" ")),
            false => format!("{0} {0}", libraries.join(" ")),
        },
    };
    let plain = *world.random.pick(&["", "", "", " -no-pie"]);
    // Some builds link under another name.
    let (output, last) = *world.random.pick(&[
        ("prog", ""),
        ("prog", ""),
        ("prog", ""),
        ("prog", ""),
        ("prog", " && strip prog"),
        ("prog.new", " && mv prog.new prog"),
        ("prog.new", " && strip -o prog prog.new"),
        ("prog.new", " && cp prog.new prog"),
    ]);
    format!(
        "gcc{plain} -o {output} {} -L. {libraries} {} -Wl,-rpath,. -ldl{last}",
        objects.join(" "),
        world.link.join(" ")
    )
}
