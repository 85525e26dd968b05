//! Times as one types them: `90`, `90s`, `1.5m`.

use std::time::Duration;

/// `90`, `90s`, `1.5m`, `200ms`, `1h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number
        .parse()
        .map_err(|_| "write a time as a number with a unit, such as 90s or 5m".to_owned())?;
    let seconds_per_unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("the unit `{unit}` is not known; use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * seconds_per_unit).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_seconds_are_the_default() {
        let millis = |text: &str| parse_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("90"), Ok(90_000));
        assert_eq!(millis("90s"), Ok(90_000));
        assert_eq!(millis("1.5m"), Ok(90_000));
        assert_eq!(millis("200ms"), Ok(200));
        for bad in ["", "s", "5 s", "5d", "-1s", "1e99h"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
