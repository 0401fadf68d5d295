//! Times that follow from the day on which they were said.

use std::sync::LazyLock;

use jiff::civil::{Date, Weekday};
use regex::{Captures, Regex};

use super::{COUNT, Days, MONTHS, Mention, Unit, WEEKDAYS, count_of, monday, month, season, shifted, weekday};
use crate::audit::pattern::compile;

static RELATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(&format!(
        r"(?ix)
          \b(?P<named>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow|yesterday|last\s+night|today|tonight|this\s+(?:morning|afternoon|evening)|tomorrow
            |the\s+other\s+day|recently|lately|earlier\s+this\s+week)\b
        | \b(?P<way>last|this\s+past|past|previous|this\s+coming|this|next|coming|on|upcoming)\s+
            (?:(?P<day>{WEEKDAYS})|(?P<unit>week|weekend|month|year)|(?P<season>spring|summer|fall|autumn|winter)|(?P<month>{MONTHS}))\b
        | \b(?P<count>{COUNT})\s+(?P<of>days?|nights?|weeks?|weekends?|months?|years?)\s+
            (?P<far>ago|back|earlier|later|from\s+now|away)\b
        | \b(?P<ahead>in|for|over|past|last|after)\s+(?:the\s+(?:past|last)\s+)?(?:about\s+|around\s+)?(?P<n>{COUNT})\s+(?P<units>days?|weeks?|months?|years?)\b"
    ))
});

/// The times in a text that follow from the day on which it was said.
pub fn relative(text: &str, day: Date) -> Vec<Mention> {
    let Some(pattern) = RELATIVE.as_ref() else { return Vec::new() };
    let mention = |found: Captures<'_>| Some(Mention { span: found.get(0)?.range(), days: days(&found, day)? });
    pattern.captures_iter(text).filter_map(mention).collect()
}

fn days(found: &Captures<'_>, day: Date) -> Option<Days> {
    let group = |name: &str| found.name(name).map(|hit| hit.as_str().to_lowercase());
    if let Some(named) = group("named") {
        return by_name(&named, day);
    }
    if let Some(way) = group("way") {
        let way = Way::of(&way);
        if let Some(name) = group("day") {
            return on_weekday(way, weekday(&name)?, day);
        }
        if let Some(unit) = group("unit") {
            return by_unit(way, Unit::of(&unit)?, day);
        }
        if let Some(name) = group("season") {
            return by_season(way, &name, day);
        }
        return by_month(way, month(&group("month")?)?, day);
    }
    if let (Some(count), Some(unit), Some(far)) = (group("count"), group("of"), group("far")) {
        let ahead = matches!(far.as_str(), "later" | "away") || far.starts_with("from");
        return counted(count_of(&count)?, Unit::of(&unit)?, if ahead { 1 } else { -1 }, day);
    }
    let count = count_of(&group("n")?)?;
    let unit = Unit::of(&group("units")?)?;
    match group("ahead")?.as_str() {
        "in" => counted(count, unit, 1, day),
        // "For four months now" and "left after four months" began four months ago.
        _ => counted(count, unit, -1, day),
    }
}

fn by_name(named: &str, day: Date) -> Option<Days> {
    if named.ends_with("before yesterday") || named.ends_with("after tomorrow") {
        return if named.ends_with("tomorrow") { Days::around(day, 2, 2) } else { Days::around(day, -2, -2) };
    }
    match named.split_whitespace().next()? {
        "yesterday" | "last" => Days::around(day, -1, -1),
        "today" | "tonight" | "this" => Some(Days::day(day)),
        "tomorrow" => Days::around(day, 1, 1),
        "earlier" => Some(Days::new(monday(day), day)),
        "the" => Days::around(day, -10, -1),
        _ => Days::around(day, -31, 0),
    }
}

/// Which way from the day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Last,
    This,
    Next,
    On,
}

impl Way {
    fn of(words: &str) -> Self {
        match words.split_whitespace().last().unwrap_or_default() {
            "last" | "past" | "previous" => Self::Last,
            "next" | "coming" | "upcoming" => Self::Next,
            "on" => Self::On,
            _ => Self::This,
        }
    }
}

/// A "last Friday" said in the first days after a Friday can mean the one a week before as well.
const FRESH: i64 = 3;

fn on_weekday(way: Way, wanted: Weekday, day: Date) -> Option<Days> {
    let last = day.nth_weekday(-1, wanted).ok()?;
    let next = day.nth_weekday(1, wanted).ok()?;
    match way {
        Way::Last if super::days_between(last, day) <= FRESH && monday(last) == monday(day) => {
            Some(Days::new(shifted(last, -7)?, last))
        }
        Way::Last => Some(Days::day(last)),
        Way::Next => Some(Days::new(next, shifted(next, 7)?)),
        // "This Friday" and "on Friday" are the nearest ones on either side, or today.
        Way::This | Way::On => Some(Days::new(last, next)),
    }
}

fn by_unit(way: Way, unit: Unit, day: Date) -> Option<Days> {
    let week = monday(day);
    let year = day.year();
    match (unit, way) {
        (Unit::Week, Way::Last) => Some(Days::new(shifted(week, -7)?, shifted(day, -1)?)),
        (Unit::Week, Way::Next) => Some(Days::new(shifted(day, 1)?, shifted(week, 13)?)),
        (Unit::Week, _) => Some(Days::new(week, shifted(week, 6)?)),
        (Unit::Weekend, Way::Last) => {
            let saturday = day.nth_weekday(-1, Weekday::Saturday).ok()?;
            let running = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
            // Said on a weekend it is the one before, or the day just gone.
            let from = shifted(saturday, if running { -8 } else { -1 })?;
            Some(Days::new(from, shifted(saturday, 1)?.min(day)))
        }
        (Unit::Weekend, Way::Next) => Some(Days::new(shifted(week, 4)?, shifted(week, 13)?)),
        (Unit::Weekend, _) => Some(Days::new(shifted(week, 4)?, shifted(week, 6)?)),
        (Unit::Month, Way::Last) => Days::month_off(day, -1),
        (Unit::Month, Way::Next) => Days::month_off(day, 1),
        (Unit::Month, _) => Days::month_off(day, 0),
        (Unit::Year, Way::Last) => Days::year(year - 1),
        (Unit::Year, Way::Next) => Days::year(year + 1),
        (Unit::Year, _) => Days::year(year),
        (Unit::Day, _) => None,
    }
}

impl Days {
    /// The calendar month so many months from a day's.
    fn month_off(day: Date, months: i64) -> Option<Self> {
        let there = day.first_of_month().checked_add(Unit::Month.span(months)?).ok()?;
        Self::month(there.year(), there.month())
    }
}

fn by_season(way: Way, name: &str, day: Date) -> Option<Days> {
    let this = season(name, day.year())?;
    let other = |years: i16| season(name, day.year() + years);
    match way {
        Way::Last if this.to < day => Some(this),
        Way::Last => other(-1),
        Way::Next if this.from > day => Some(this),
        Way::Next => other(1),
        Way::This | Way::On => Some(this),
    }
}

fn by_month(way: Way, month: i8, day: Date) -> Option<Days> {
    let this = Days::month(day.year(), month)?;
    match way {
        Way::Last if this.from < day => Some(Days::new(Days::month(day.year() - 1, month)?.from, this.to)),
        Way::Last => Days::month(day.year() - 1, month),
        Way::Next if this.to > day => Some(this),
        Way::Next => Days::month(day.year() + 1, month),
        Way::This | Way::On => Some(this),
    }
}

/// So many units back (`sign` -1) or ahead (1), as exactly as people count: days to the day, weeks to half a week, months to
/// three weeks, years to the calendar year.
fn counted((least, most): (i64, i64), unit: Unit, sign: i64, day: Date) -> Option<Days> {
    let at = |count: i64| day.checked_add(unit.span(sign * count)?).ok();
    let exact = Days::new(at(least)?, at(most)?);
    match unit {
        Unit::Day => Some(if least > 3 { exact.widened(1) } else { exact }),
        Unit::Week | Unit::Weekend => Some(exact.widened(4)),
        Unit::Month => Some(exact.widened(21)),
        Unit::Year => Some(Days::new(Days::year(exact.from.year())?.from, Days::year(exact.to.year())?.to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn on(day: Date, text: &str) -> Option<Days> {
        relative(text, day).first().map(|mention| mention.days)
    }

    #[test]
    fn week_days() {
        let thursday = date(2023, 5, 25);
        assert_eq!(on(thursday, "I ran last Saturday"), Some(Days::day(date(2023, 5, 20))));
        assert_eq!(on(date(2023, 12, 11), "last Friday"), Some(Days::day(date(2023, 12, 8))));
        assert_eq!(on(thursday, "last Tuesday"), Some(Days::new(date(2023, 5, 16), date(2023, 5, 23))));
        assert_eq!(on(thursday, "next Monday"), Some(Days::new(date(2023, 5, 29), date(2023, 6, 5))));
    }

    #[test]
    fn days_weeks_months_and_years() {
        let day = date(2023, 7, 16);
        assert_eq!(on(day, "yesterday"), Some(Days::day(date(2023, 7, 15))));
        assert_eq!(on(day, "Last week I scored"), Some(Days::new(date(2023, 7, 3), date(2023, 7, 15))));
        assert_eq!(on(day, "bought the day before yesterday"), Some(Days::day(date(2023, 7, 14))));
        assert_eq!(on(day, "leaving the day after tomorrow"), Some(Days::day(date(2023, 7, 18))));
        assert_eq!(on(day, "two days ago"), Some(Days::day(date(2023, 7, 14))));
        assert_eq!(on(day, "two weeks ago"), Some(Days::new(date(2023, 6, 28), date(2023, 7, 6))));
        assert_eq!(on(day, "last month"), Days::month(2023, 6));
        assert_eq!(on(date(2023, 1, 31), "next month"), Days::month(2023, 2));
        assert_eq!(on(day, "last year"), Days::year(2022));
        assert_eq!(on(day, "ten years ago"), Days::year(2013));
        assert_eq!(on(day, "last weekend"), Some(Days::new(date(2023, 7, 7), date(2023, 7, 16))));
        assert_eq!(on(day, "I have a week"), None);
    }

    #[test]
    fn seasons_and_beginnings() {
        assert_eq!(on(date(2022, 11, 9), "a hike last summer"), season("summer", 2022));
        assert_eq!(on(date(2022, 7, 9), "last summer"), season("summer", 2021));
        assert_eq!(
            on(date(2023, 12, 6), "for about four months"),
            Some(Days::new(date(2023, 7, 16), date(2023, 8, 27)))
        );
    }
}
