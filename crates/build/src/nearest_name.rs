//! Which known name did the user most likely mean?
//!
//! Errors about an unknown key, revision or path offer the nearest known names. Distance is
//! Damerau–Levenshtein (a swap of neighbours is one slip of the fingers); a name further away than a
//! third of its length is no help and is left out.
//!
//! Cost: one distance per candidate; callers pass at most a few thousand names.

/// The candidates nearest to `wanted`, best first, at most `limit`; ties in alphabetical order.
pub fn nearest_names<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<String> {
    let lowercase = wanted.to_lowercase();
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|name| {
            let distance = strsim::damerau_levenshtein(&lowercase, &name.to_lowercase());
            let contained = wanted.chars().count() >= 3 && name.contains(wanted);
            let tolerance = wanted.chars().count().max(name.chars().count()).div_ceil(3);
            (distance <= tolerance || contained).then_some((distance, name))
        })
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked
        .into_iter()
        .take(limit)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// `"; did you mean `a` or `b`?"`, or nothing when there is no near name.
pub fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_of_two_letters_finds_the_name() {
        assert_eq!(
            nearest_names("mian", ["main", "release", "v1.0"], 3),
            ["main"]
        );
    }

    #[test]
    fn a_name_that_shares_nothing_is_not_offered() {
        assert!(nearest_names("zzzzzz", ["main", "release"], 3).is_empty());
    }

    #[test]
    fn a_part_of_a_longer_name_finds_it() {
        assert_eq!(
            nearest_names("login", ["feature/login-form", "main"], 3),
            ["feature/login-form"]
        );
    }
}
