//! Number words, ordinals, units and the names of months, each brought to one form.

/// What a number word adds to a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// From zero to nineteen.
    Small(f64),
    /// Twenty to ninety.
    Tens(f64),
    /// Hundred, thousand, million, dozen: multiplies what came before.
    Scale(f64),
}

/// The part that a lower-case word names.
pub(super) fn part(word: &str) -> Option<Part> {
    use Part::{Scale, Small, Tens};
    Some(match word {
        "zero" => Small(0.0),
        "one" => Small(1.0),
        "two" => Small(2.0),
        "three" => Small(3.0),
        "four" => Small(4.0),
        "five" => Small(5.0),
        "six" => Small(6.0),
        "seven" => Small(7.0),
        "eight" => Small(8.0),
        "nine" => Small(9.0),
        "ten" => Small(10.0),
        "eleven" => Small(11.0),
        "twelve" => Small(12.0),
        "thirteen" => Small(13.0),
        "fourteen" => Small(14.0),
        "fifteen" => Small(15.0),
        "sixteen" => Small(16.0),
        "seventeen" => Small(17.0),
        "eighteen" => Small(18.0),
        "nineteen" => Small(19.0),
        "twenty" => Tens(20.0),
        "thirty" => Tens(30.0),
        "forty" | "fourty" => Tens(40.0),
        "fifty" => Tens(50.0),
        "sixty" => Tens(60.0),
        "seventy" => Tens(70.0),
        "eighty" => Tens(80.0),
        "ninety" => Tens(90.0),
        "dozen" => Scale(12.0),
        "hundred" => Scale(100.0),
        "thousand" => Scale(1e3),
        "million" => Scale(1e6),
        "billion" => Scale(1e9),
        _ => return None,
    })
}

/// The number that an ordinal word names; `second` is left to the caller, for it is a unit of time as well.
pub(super) fn ordinal(word: &str) -> Option<f64> {
    Some(match word {
        "first" => 1.0,
        "third" => 3.0,
        "fourth" => 4.0,
        "fifth" => 5.0,
        "sixth" => 6.0,
        "seventh" => 7.0,
        "eighth" => 8.0,
        "ninth" => 9.0,
        "tenth" => 10.0,
        "eleventh" => 11.0,
        "twelfth" => 12.0,
        "thirteenth" => 13.0,
        "fourteenth" => 14.0,
        "fifteenth" => 15.0,
        "twentieth" => 20.0,
        "thirtieth" => 30.0,
        _ => return None,
    })
}

/// The one form of a word that is written in several: units, months, symbols.
pub(super) fn one_form(word: &str) -> Option<&'static str> {
    Some(match word {
        "hr" | "hrs" | "hours" => "hour",
        "min" | "mins" | "minutes" => "minute",
        "sec" | "secs" | "seconds" => "second",
        "yr" | "yrs" | "years" => "year",
        "wk" | "wks" | "weeks" => "week",
        "months" => "month",
        "days" => "day",
        "times" | "x" => "time",
        "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kms" => "km",
        "centimeter" | "centimeters" | "centimetre" | "centimetres" => "cm",
        "meters" | "metre" | "metres" => "meter",
        "miles" | "mi" => "mile",
        "kilogram" | "kilograms" | "kilo" | "kilos" | "kgs" => "kg",
        "pounds" | "lb" | "lbs" | "gbp" => "pound",
        "ounces" | "oz" => "ounce",
        "feet" | "ft" => "foot",
        "dollars" | "usd" | "bucks" => "dollar",
        "euros" | "eur" => "euro",
        "pct" | "percentage" => "percent",
        "jan" => "january",
        "feb" => "february",
        "apr" => "april",
        "jun" => "june",
        "jul" => "july",
        "aug" => "august",
        "sep" | "sept" => "september",
        "oct" => "october",
        "nov" => "november",
        "dec" => "december",
        "mom" | "moms" | "mum" | "mums" => "mother",
        "dad" | "dads" => "father",
        "tv" => "television",
        _ => return None,
    })
}

/// Units that may stand right behind the digits of a number, such as `5km`.
pub(super) fn suffix(letters: &str) -> Option<&'static str> {
    Some(match letters {
        "h" => "hour",
        "m" => "meter",
        "s" => "second",
        "am" => "am",
        "pm" => "pm",
        "km" => "km",
        "kg" => "kg",
        "cm" => "cm",
        "mph" => "mph",
        _ => one_form(letters).filter(|_| !matches!(letters, "jan" | "mom" | "mum" | "dad" | "tv"))?,
    })
}

/// The number of the month with this full name, from 1.
pub(super) fn month(name: &str) -> Option<i8> {
    const NAMES: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    NAMES.iter().position(|month| *month == name).and_then(|place| i8::try_from(place + 1).ok())
}

/// A number as it is compared: without places that say nothing.
pub(super) fn shown(value: f64) -> String {
    format!("{value}")
}
