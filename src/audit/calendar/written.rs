//! Dates that are written out, with the words before them that move them ("the Sunday before 22 June 2023").

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};

use super::{COUNT, Days, MONTHS, Mention, Unit, WEEKDAYS, count_of, month, season, shifted, weekday};
use crate::audit::pattern::compile;

/// Words before a month that mark it as one: "may" and "march" are words of other meanings as well.
const LEAD: &str = r"(?:in|since|until|during|early|late|mid|end\s+of|beginning\s+of)";

static WRITTEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(&format!(
        r"(?ix)
          \b(?P<y1>\d{{4}})[-/](?P<m1>\d{{1,2}})[-/](?P<d1>\d{{1,2}})
        | \b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s`]*(?P<m2>{MONTHS})\b\.?,?(?:\s*(?P<y2>\d{{4}})\b)?
        | \b(?:{LEAD}[\s-]+)?(?P<m3>{MONTHS})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y3>\d{{4}})\b)?
        | \b(?:{LEAD}[\s-]+)?(?P<m4>{MONTHS})\.?,?\s+(?:of\s+)?(?P<y4>\d{{4}})\b
        | \b(?P<s5>spring|summer|fall|autumn|winter)(?:\s+of)?,?\s+(?P<y5>\d{{4}})\b
        | \b(?P<y6>(?:19|20)\d\d)\b
        | \b{LEAD}[\s-]+(?P<m7>{MONTHS})\b"
    ))
});

/// The first or last week of a month, with leeway: so many days from its end.
const TENTH: i64 = 10;

/// The words before a date that move it.
static MOVED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(&format!(
        r"(?ix)\b(?:(?:(?P<nth>first|last)|second|third|fourth|(?P<count>{COUNT}))\s+)?(?P<unit>days?|weeks?|weekends?|months?|years?|{WEEKDAYS})\s+
          (?P<way>before|prior\s+to|preceding|after|following|of|from)\s+(?:the\s+)?$"
    ))
});

/// The dates that a text writes out. One without a year counts only where `near` says which year is meant: the one that
/// brings it nearest.
pub fn written(text: &str, near: Option<Date>) -> Vec<Mention> {
    // Without a day to be near to, every form has a digit; most texts have none.
    if near.is_none() && !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let Some(pattern) = WRITTEN.as_ref() else { return Vec::new() };
    let mention = |found: Captures<'_>| {
        let hit = found.get(0)?;
        let days = days(&found, near)?;
        let before = text.get(..hit.start()).unwrap_or_default();
        let moved = MOVED.as_ref().and_then(|pattern| pattern.captures(before)).and_then(|by| {
            let start = by.get(0)?.start();
            Some((start, moved(&by, days)?))
        });
        Some(match moved {
            Some((start, days)) => Mention { span: start..hit.end(), days },
            None => Mention { span: hit.range(), days },
        })
    };
    pattern.captures_iter(text).filter_map(mention).collect()
}

fn days(found: &Captures<'_>, near: Option<Date>) -> Option<Days> {
    let group = |name: &str| found.name(name).map(|hit| hit.as_str());
    let number = |name: &str| group(name).and_then(|text| text.parse::<i16>().ok());
    let day_in = |year: i16, month: i8, day: i16| Date::new(year, month, i8::try_from(day).ok()?).ok().map(Days::day);
    if let (Some(year), Some(month), Some(day)) = (number("y1"), number("m1"), number("d1")) {
        return day_in(year, i8::try_from(month).ok()?, day);
    }
    for (m, d, y) in [("m2", "d2", "y2"), ("m3", "d3", "y3")] {
        if let (Some(name), Some(day)) = (group(m), number(d)) {
            let month = month(name)?;
            return match number(y) {
                Some(year) => day_in(year, month, day),
                None => nearest(near?, |year| day_in(year, month, day)),
            };
        }
    }
    if let (Some(name), Some(year)) = (group("m4"), number("y4")) {
        return Days::month(year, month(name)?);
    }
    if let (Some(name), Some(year)) = (group("s5"), number("y5")) {
        return season(name, year);
    }
    if let Some(year) = number("y6") {
        return Days::year(year);
    }
    let month = month(group("m7")?)?;
    nearest(near?, |year| Days::month(year, month))
}

/// The reading whose year brings it nearest to a date.
fn nearest(near: Date, read: impl Fn(i16) -> Option<Days>) -> Option<Days> {
    let year = near.year();
    let readings = [year - 1, year, year + 1].into_iter().filter_map(read);
    readings.min_by_key(|days| super::days_between(near, days.from).abs())
}

/// Where "the week before", "two days after" or "the Sunday before" bring a date.
fn moved(by: &Captures<'_>, days: Days) -> Option<Days> {
    let unit = by.name("unit")?.as_str().to_lowercase();
    let way = by.name("way")?.as_str().to_lowercase();
    let after = way.starts_with("after") || way.starts_with("follow");
    if way.starts_with("of") || way.starts_with("from") {
        // "The week of 9 June", "the Friday of"; but "the last week of June" lies in that month.
        let nth = by.name("nth").map(|nth| nth.as_str().to_lowercase());
        return match (days.length() > 1, nth.as_deref()) {
            (true, Some("first")) => Some(Days::new(days.from, shifted(days.from, TENTH)?.min(days.to))),
            (true, Some(_)) => Some(Days::new(shifted(days.to, -TENTH)?.max(days.from), days.to)),
            (true, None) => Some(days),
            (false, _) if Unit::of(&unit) == Some(Unit::Day) => Some(days),
            (false, _) => Days::around(days.from, -6, 6),
        };
    }
    let sign = if after { 1 } else { -1 };
    let edge = if after { days.to } else { days.from };
    let (least, most) = by.name("count").map_or(Some((1, 1)), |count| count_of(count.as_str()))?;
    if let Some(day) = weekday(&unit).filter(|_| Unit::of(&unit).is_none()) {
        let nth = |count: i64| edge.nth_weekday(i32::try_from(sign * count).ok()?, day).ok();
        return Some(Days::new(nth(least)?, nth(most)?));
    }
    match Unit::of(&unit)? {
        Unit::Day => Days::around(edge, sign * least, sign * most),
        // "The week before": the calendar week before or the seven days before, whichever is meant.
        Unit::Week if least == 1 => Days::around(edge, sign, sign * 13),
        Unit::Week => Days::around(edge, sign * (7 * least - 4), sign * (7 * most + 4)),
        Unit::Weekend => {
            let saturday = |count: i64| edge.nth_weekday(i32::try_from(sign * count).ok()?, weekday("saturday")?).ok();
            let (near, far) = (saturday(least)?, saturday(most)?);
            Some(Days { from: shifted(near.min(far), -1)?, to: shifted(near.max(far), 1)? })
        }
        unit @ (Unit::Month | Unit::Year) => {
            let slack = if unit == Unit::Month { 20 } else { 200 };
            let at = |count: i64| edge.checked_add(unit.span(sign * count)?).ok();
            Some(Days::new(at(least)?, at(most)?).widened(slack))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn one(text: &str) -> Option<Days> {
        written(text, None).first().map(|mention| mention.days)
    }

    #[test]
    fn dates_months_seasons_and_years() {
        assert_eq!(one("on 7 May 2023."), Some(Days::day(date(2023, 5, 7))));
        assert_eq!(one("June 5th, 2023"), Some(Days::day(date(2023, 6, 5))));
        assert_eq!(one("3June, 2022."), Some(Days::day(date(2022, 6, 3))));
        assert_eq!(one("in July, 2023"), Days::month(2023, 7));
        assert_eq!(one("since May 8, 2023"), Some(Days::day(date(2023, 5, 8))));
        assert_eq!(one("summer 2021"), Some(Days::new(date(2021, 6, 1), date(2021, 8, 31))));
        assert_eq!(one("since 2016"), Days::year(2016));
        assert_eq!(one("31 February 2023"), None);
        assert_eq!(one("in 40 minutes he may 3 times"), None);
    }

    #[test]
    fn words_before_a_date_move_it() {
        assert_eq!(one("The sunday before 22 June 2023"), Some(Days::day(date(2023, 6, 18))));
        assert_eq!(one("two days after 1 May 2023"), Some(Days::day(date(2023, 5, 3))));
        assert_eq!(one("The week before 8 March 2024"), Some(Days::new(date(2024, 2, 24), date(2024, 3, 7))));
        assert_eq!(one("the weekend before 14 August 2023"), Some(Days::new(date(2023, 8, 11), date(2023, 8, 13))));
        assert_eq!(one("last week of August 2023"), Some(Days::new(date(2023, 8, 21), date(2023, 8, 31))));
        assert_eq!(one("the second week of August 2023"), Days::month(2023, 8));
        assert_eq!(one("Two weekends before 14 August 2023"), Some(Days::new(date(2023, 8, 4), date(2023, 8, 6))));
    }

    #[test]
    fn a_date_without_a_year_takes_the_nearest() {
        let near = |text: &str| written(text, Some(date(2023, 1, 10))).first().map(|mention| mention.days);
        assert_eq!(near("on 28 December"), Some(Days::day(date(2022, 12, 28))));
        assert_eq!(near("in February"), Days::month(2023, 2));
        assert_eq!(one("on 28 December"), None);
    }
}
