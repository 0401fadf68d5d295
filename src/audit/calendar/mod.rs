//! Dates in texts: those that are written out ("8 May, 2023") and those that follow from the day a thing was said
//! ("last Saturday").
//!
//! A mention of time is an interval of days, as wide as people mean it: "last week" is any day from the Monday of the week
//! before to yesterday. Two mentions contradict each other only when their intervals share no day, so vagueness never makes
//! a doubt.

mod relative;
mod written;

use std::ops::Range;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

pub use relative::relative;
pub use written::written;

/// An interval of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
}

impl Days {
    /// One day.
    pub fn day(date: Date) -> Self {
        Self { from: date, to: date }
    }

    /// An interval; the ends may come in either order.
    pub fn new(a: Date, b: Date) -> Self {
        Self { from: a.min(b), to: a.max(b) }
    }

    /// From `from` to `to` days after `date`.
    pub fn around(date: Date, from: i64, to: i64) -> Option<Self> {
        Some(Self::new(shifted(date, from)?, shifted(date, to)?))
    }

    /// A calendar month.
    pub fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok()?;
        Some(Self { from: first, to: first.last_of_month() })
    }

    /// A calendar year.
    pub fn year(year: i16) -> Option<Self> {
        Some(Self { from: Date::new(year, 1, 1).ok()?, to: Date::new(year, 12, 31).ok()? })
    }

    /// Whether they share a day.
    pub fn meets(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// The number of days.
    pub fn length(self) -> i64 {
        days_between(self.from, self.to) + 1
    }

    /// The interval with `days` more at both ends.
    pub fn widened(self, days: i64) -> Self {
        let from = shifted(self.from, -days).unwrap_or(self.from);
        Self { from, to: shifted(self.to, days).unwrap_or(self.to) }
    }
}

impl std::fmt::Display for Days {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.from == self.to {
            return write!(f, "{} ({})", self.from, weekday_name(self.from.weekday()));
        }
        write!(f, "{} to {}", self.from, self.to)
    }
}

/// Words of a text that name a time, and the days that they can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What they can mean.
    pub days: Days,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// One day.
    Day,
    /// Seven days.
    Week,
    /// Saturday and Sunday; counted like weeks.
    Weekend,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

impl Unit {
    /// The unit that a word names, in singular or plural.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word.trim_end_matches('s') {
            "day" | "night" => Self::Day,
            "week" => Self::Week,
            "weekend" => Self::Weekend,
            "month" => Self::Month,
            "year" => Self::Year,
            _ => return None,
        })
    }

    /// Its length in days, roughly.
    pub fn days(self) -> f64 {
        match self {
            Self::Day => 1.0,
            Self::Week | Self::Weekend => 7.0,
            Self::Month => 30.44,
            Self::Year => 365.25,
        }
    }

    /// So many of them.
    pub fn span(self, count: i64) -> Option<Span> {
        match self {
            Self::Day => Span::new().try_days(count).ok(),
            Self::Week | Self::Weekend => Span::new().try_weeks(count).ok(),
            Self::Month => Span::new().try_months(count).ok(),
            Self::Year => Span::new().try_years(count).ok(),
        }
    }
}

/// The day on which something was said, from the text that the file gives: ISO, `8 May, 2023` or `May 8, 2023`, with or
/// without a time of day.
pub fn day_of(at: &str) -> Option<Date> {
    written(at, None).into_iter().map(|mention| mention.days).find(|days| days.from == days.to).map(|days| days.from)
}

/// Every mention of time in what was said on a day: written dates and those that follow from the day.
pub fn said_on(text: &str, day: Date) -> Vec<Mention> {
    let mut mentions = written(text, Some(day));
    mentions.extend(relative(text, day));
    mentions.sort_by_key(|mention| mention.span.start);
    mentions
}

/// The days from `from` to `to`; negative where `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// The date so many days later.
pub fn shifted(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

/// The Monday of the date's week.
pub fn monday(date: Date) -> Date {
    let back = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(back.days()).unwrap_or(date)
}

/// The weekday that a lower-case English word names.
pub fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.get(..3)? {
        "mon" => Weekday::Monday,
        "tue" => Weekday::Tuesday,
        "wed" => Weekday::Wednesday,
        "thu" => Weekday::Thursday,
        "fri" => Weekday::Friday,
        "sat" => Weekday::Saturday,
        "sun" => Weekday::Sunday,
        _ => return None,
    })
}

fn weekday_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// The number that words such as `two`, `3`, `a` or `a couple of` name, as the least and the most that they can mean.
pub fn count_of(words: &str) -> Option<(i64, i64)> {
    let words = words.trim().to_lowercase();
    let last = words.trim_end_matches(" of");
    Some(match last {
        "a" | "an" | "one" | "the" => (1, 1),
        "couple" | "a couple" => (2, 3),
        "few" | "a few" | "several" | "some" => (2, 7),
        other => {
            let number = i64::from(super::numbers::value(other)?);
            (number, number)
        }
    })
}

/// Number words before a unit, as part of a pattern.
const COUNT: &str = r"(?:an?|one|the|\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\s+)?few|several|(?:a\s+)?couple(?:\s+of)?)";
/// Names of the week days, as part of a pattern.
const WEEKDAYS: &str = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat)\b";
/// Names of the months, as part of a pattern.
const MONTHS: &str = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";

/// The number of the month that a lower-case word names.
fn month(word: &str) -> Option<i8> {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let place = names.iter().position(|name| Some(*name) == word.to_lowercase().get(..3))?;
    i8::try_from(place + 1).ok()
}

/// The days of a season of a year on the northern half of the globe; winter begins in December.
fn season(word: &str, year: i16) -> Option<Days> {
    let (first, last) = match word.to_lowercase().as_str() {
        "spring" => (3, 5),
        "summer" => (6, 8),
        "fall" | "autumn" => (9, 11),
        "winter" => return Some(Days::new(Date::new(year, 12, 1).ok()?, Days::month(year + 1, 2)?.to)),
        _ => return None,
    };
    Some(Days::new(Date::new(year, first, 1).ok()?, Days::month(year, last)?.to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn the_day_of_an_event_is_read_from_several_formats() {
        let day = Some(date(2023, 5, 8));
        for at in [
            "1:56 pm on 8 May, 2023",
            "2023-05-08",
            "2023-05-08T13:56:00Z",
            "2023/05/08 (Mon) 13:56",
            "May 8, 2023",
            "8th of May 2023",
        ] {
            assert_eq!(day_of(at), day, "{at}");
        }
        assert_eq!(day_of("May 2023"), None);
        assert_eq!(day_of("yesterday"), None);
    }

    #[test]
    fn intervals_meet_when_they_share_a_day() {
        let may = Days::month(2023, 5).unwrap();
        assert!(may.meets(Days::day(date(2023, 5, 31))));
        assert!(!may.meets(Days::day(date(2023, 6, 1))));
        assert_eq!(may.length(), 31);
        assert_eq!(monday(date(2023, 5, 28)), date(2023, 5, 22));
    }
}
