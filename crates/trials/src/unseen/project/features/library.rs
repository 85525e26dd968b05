//! What the C library calls and finds by name.

use super::super::draft::{Draft, fixed, fixed_lines, statement};
use super::super::world::{Image, World};
use super::{is_compiled_c, some_module};

/// Functions in the place of those of the library, which count their calls.
pub fn own_library_functions(world: &mut World, _: &mut Draft) {
    let module = match world.random.chance(60) {
        true => world.own_module(),
        false => {
            let other = some_module(world, |place| {
                is_compiled_c(place) && place.image() == Image::Executable
            });
            other.unwrap_or(0)
        }
    };
    let fresh = world.fresh();
    let count = format!("count{fresh}");
    world.modules[module]
        .flags
        .insert("-fno-builtin".to_owned());
    world.modules[module]
        .variables
        .push(fixed(format!("unsigned {count};")));
    let counting = statement(&mut world.random, |number| {
        format!("    {count} += {number};")
    });
    let (head, body) = *world.random.pick(&[
        (
            "void *memcpy(void *to, const void *from, size_t size) {",
            "    for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];\n    return to;",
        ),
        (
            "size_t strlen(const char *text) {",
            "    size_t length = 0;\n    while (text[length]) length++;\n    return length;",
        ),
        (
            "char *strdup(const char *text) {",
            "    char *copy = malloc(20);\n    strcpy(copy, text);\n    return copy;",
        ),
        (
            "void *malloc(size_t size) {",
            "    static _Alignas(16) char pool[1 << 20];\n    static size_t used;\n    char *block = pool + used;\n    used += (size + 15) / 16 * 16;\n    return used <= sizeof pool ? block : 0;",
        ),
    ]);
    let mut lines = vec![fixed(head), counting];
    lines.extend(fixed_lines(body));
    lines.push(fixed("}"));
    if head.contains("malloc(") {
        lines.extend(fixed_lines("void free(void *block) {\n    (void)block;\n}"));
    }
    world.early_functions(module, lines);
    world.declare(0, format!("extern unsigned {count};"));
    let call = fixed(
        "    { char *text = strdup(\"abc\"); struct pair one = {x, 2}, two; memcpy(&two, &one, sizeof one); x += two.a + strlen(text); }",
    );
    let print = world.print(&count);
    world.add_body(0, vec![call, fixed(print)]);
}

pub fn looked_up_by_name(world: &mut World, _: &mut Draft) {
    let Some(number) = world.plain_number() else {
        return;
    };
    world.link.push("-rdynamic".to_owned());
    let name = world.globals[number].name.clone();
    let print = world.print("*found");
    let lines = vec![
        fixed("    {"),
        fixed(format!(
            "    unsigned *found = dlsym(RTLD_DEFAULT, \"{name}\");"
        )),
        fixed(print),
        statement(&mut world.random, |number| {
            format!("    *found += {number};")
        }),
        fixed("    }"),
    ];
    world.add_body(0, lines);
}
