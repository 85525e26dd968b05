//! Which date and time of day is a number of seconds, and how is it written?
//!
//! The proleptic Gregorian calendar in UTC, which is the time zone of every run, and `strftime` in the
//! C locale. Days are counted from 1 March of year 0, so that leap days come last; both directions are
//! constant time.

/// A point in time as `struct tm` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BrokenTime {
    pub(crate) second: i32,
    pub(crate) minute: i32,
    pub(crate) hour: i32,
    /// 1 to 31.
    pub(crate) day: i32,
    /// 0 to 11.
    pub(crate) month: i32,
    /// Since 1900.
    pub(crate) year: i32,
    /// Since Sunday.
    pub(crate) weekday: i32,
    /// Since 1 January.
    pub(crate) day_of_year: i32,
}

const DAY: i64 = 86_400;

const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Days from 1 January 1970 to a date; months may be any number.
fn days_before(year: i64, month: i64) -> i64 {
    let year = year + month.div_euclid(12);
    let month = month.rem_euclid(12);
    // March-based: January and February belong to the year before.
    let (year, month) = if month < 2 {
        (year - 1, month + 10)
    } else {
        (year, month - 2)
    };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

impl BrokenTime {
    /// The time of a number of seconds since 1970; `None` when the year does not fit `int`.
    pub(crate) fn from_seconds(seconds: i64) -> Option<BrokenTime> {
        let days = seconds.div_euclid(DAY);
        let second_of_day = seconds.rem_euclid(DAY);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = (shifted_month + 2) % 12;
        let year = year_of_era + era * 400 + i64::from(month < 2);
        Some(BrokenTime {
            second: (second_of_day % 60) as i32,
            minute: (second_of_day / 60 % 60) as i32,
            hour: (second_of_day / 3600) as i32,
            day: day as i32,
            month: month as i32,
            year: i32::try_from(year - 1900).ok()?,
            weekday: (days + 4).rem_euclid(7) as i32,
            day_of_year: (days - days_before(year, 0)) as i32,
        })
    }

    /// `mktime` and `timegm`: the seconds, from fields that need not be in their ranges.
    pub(crate) fn to_seconds(self) -> i64 {
        let days = days_before(i64::from(self.year) + 1900, i64::from(self.month))
            + i64::from(self.day)
            - 1;
        days * DAY
            + i64::from(self.hour) * 3600
            + i64::from(self.minute) * 60
            + i64::from(self.second)
    }

    /// `asctime`, with its newline.
    pub(crate) fn ordinary_text(&self) -> Option<Vec<u8>> {
        self.text(b"%a %b %e %H:%M:%S %Y\n")
    }

    /// ISO 8601's week: the year it belongs to and its number.
    fn week(&self) -> (i64, i64) {
        let weekday = i64::from((self.weekday + 6).rem_euclid(7));
        // The week's Thursday decides.
        let thursday = i64::from(self.day_of_year) - weekday + 3;
        let year = i64::from(self.year) + 1900;
        let length = |year| days_before(year + 1, 0) - days_before(year, 0);
        if thursday < 0 {
            (year - 1, (thursday + length(year - 1)) / 7 + 1)
        } else if thursday >= length(year) {
            (year + 1, (thursday - length(year)) / 7 + 1)
        } else {
            (year, thursday / 7 + 1)
        }
    }

    /// `strftime`; `None` for a conversion that is not known here.
    pub(crate) fn text(&self, format: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut bytes = format.iter().copied();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            let mut conversion = bytes.next()?;
            if matches!(conversion, b'E' | b'O') {
                conversion = bytes.next()?;
            }
            text.extend(self.conversion(conversion)?);
        }
        Some(text)
    }

    fn conversion(&self, conversion: u8) -> Option<Vec<u8>> {
        let weekday = WEEKDAYS
            .get(usize::try_from(self.weekday).unwrap_or(7))
            .copied()
            .unwrap_or("?");
        let month = MONTHS
            .get(usize::try_from(self.month).unwrap_or(12))
            .copied()
            .unwrap_or("?");
        let short = |name: &'static str| name.get(..3).unwrap_or(name).to_owned();
        let year = i64::from(self.year) + 1900;
        let clock_hour = match self.hour % 12 {
            0 => 12,
            hour => hour,
        };
        let text = match conversion {
            b'a' => short(weekday),
            b'A' => weekday.to_owned(),
            b'b' | b'h' => short(month),
            b'B' => month.to_owned(),
            b'c' => return self.text(b"%a %b %e %H:%M:%S %Y"),
            b'C' => year.div_euclid(100).to_string(),
            b'd' => format!("{:02}", self.day),
            b'D' | b'x' => return self.text(b"%m/%d/%y"),
            b'e' => format!("{:2}", self.day),
            b'F' => return self.text(b"%Y-%m-%d"),
            b'g' => format!("{:02}", self.week().0.rem_euclid(100)),
            b'G' => self.week().0.to_string(),
            b'H' => format!("{:02}", self.hour),
            b'I' => format!("{clock_hour:02}"),
            b'j' => format!("{:03}", self.day_of_year + 1),
            b'k' => format!("{:2}", self.hour),
            b'l' => format!("{clock_hour:2}"),
            b'm' => format!("{:02}", self.month + 1),
            b'M' => format!("{:02}", self.minute),
            b'n' => "\n".to_owned(),
            b'p' => if self.hour >= 12 { "PM" } else { "AM" }.to_owned(),
            b'P' => if self.hour >= 12 { "pm" } else { "am" }.to_owned(),
            b'r' => return self.text(b"%I:%M:%S %p"),
            b'R' => return self.text(b"%H:%M"),
            b's' => self.to_seconds().to_string(),
            b'S' => format!("{:02}", self.second),
            b't' => "\t".to_owned(),
            b'T' | b'X' => return self.text(b"%H:%M:%S"),
            b'u' => if self.weekday == 0 { 7 } else { self.weekday }.to_string(),
            b'U' => format!("{:02}", (self.day_of_year + 7 - self.weekday) / 7),
            b'V' => format!("{:02}", self.week().1),
            b'w' => self.weekday.to_string(),
            b'W' => format!("{:02}", (self.day_of_year + 7 - (self.weekday + 6) % 7) / 7),
            b'y' => format!("{:02}", year.rem_euclid(100)),
            b'Y' => year.to_string(),
            b'z' => "+0000".to_owned(),
            b'Z' => "UTC".to_owned(),
            b'%' => "%".to_owned(),
            _ => return None,
        };
        Some(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::host_oracle::{Dice, assert_agreement, hexadecimal};
    use super::*;

    const EVERYTHING: &[u8] =
        b"%a %A %b %B %c %C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %n %p %P %r %R %s %S %t %T %u %U %V %w %W %x %X %y %Y %z %%";

    #[test]
    fn dates_are_written_as_the_host_writes_them() {
        let mut dice = Dice(51);
        let cases: Vec<_> = (0..5_000)
            .map(|_| {
                let seconds = dice.next() as i64 >> dice.pick(&[24, 26, 28, 30, 32]);
                let time = BrokenTime::from_seconds(seconds).expect("the year fits");
                assert_eq!(time.to_seconds(), seconds);
                let text = time.text(EVERYTHING).expect("every conversion is known");
                (
                    format!("time {seconds} {}", hexadecimal(EVERYTHING)),
                    hexadecimal(&text),
                )
            })
            .collect();
        assert_agreement(&cases);
    }

    #[test]
    fn fields_outside_their_ranges_carry_over() {
        let time = BrokenTime {
            month: 13,
            day: 0,
            year: 100,
            hour: -1,
            ..BrokenTime::default()
        };
        let normal = BrokenTime::from_seconds(time.to_seconds()).expect("the year fits");
        assert_eq!(
            (normal.year, normal.month, normal.day, normal.hour),
            (101, 0, 30, 23)
        );
    }
}
