//! Colours by meaning. Each role is a colour and a modifier, and each state has a glyph: nothing is said by colour alone.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

/// How many colours the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorDepth {
    /// No colours: bold, underlined and reversed text only.
    None,
    /// The 16 colours of the terminal's own palette.
    #[value(name = "16")]
    #[serde(rename = "16")]
    Ansi16,
    /// 256 colours.
    #[value(name = "256")]
    #[serde(rename = "256")]
    Ansi256,
    /// 24-bit colours.
    #[value(name = "truecolor")]
    TrueColor,
}

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Ordinary text.
    Text,
    /// Less important text.
    Dim,
    /// Headings.
    Heading,
    /// Lines around parts.
    Border,
    /// The border of the part with the focus.
    Focus,
    /// The row under the cursor.
    Selected,
    /// A key in the footer or the help.
    Key,
    /// A required fact that is there, a line that carries one.
    Useful,
    /// A replaced fact.
    Stale,
    /// A fact that the user asked to forget.
    Forgotten,
    /// A required fact that is not there.
    Missing,
    /// An answer that passes.
    Pass,
    /// An answer that fails, a gate that failed.
    Fail,
    /// An answer that cannot be graded.
    Incomplete,
    /// The words of a required fact inside a text.
    UsefulMatch,
    /// The words of a replaced fact inside a text.
    StaleMatch,
    /// The words of a forgotten fact inside a text.
    ForgottenMatch,
    /// What the search looks for, inside a text.
    Found,
    /// A word shared with the question.
    Shared,
    /// What a step added.
    Added,
    /// Something that needs attention.
    Warning,
    /// The first line of a chart.
    SeriesA,
    /// The second line of a chart.
    SeriesB,
    /// The third line of a chart.
    SeriesC,
    /// The fourth line of a chart.
    SeriesD,
}

/// A role's look: colour on dark and on light ground, one of the 16 colours for terminals that have no more, modifiers.
struct Look {
    dark: (u8, u8, u8),
    light: (u8, u8, u8),
    basic: Color,
    modifier: Modifier,
    /// Whether the colour is the ground rather than the letters.
    ground: bool,
}

const fn look(dark: u32, light: u32, basic: Color, modifier: Modifier, ground: bool) -> Look {
    const fn rgb(hex: u32) -> (u8, u8, u8) {
        ((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
    }
    Look { dark: rgb(dark), light: rgb(light), basic, modifier, ground }
}

const PLAIN: Modifier = Modifier::empty();
const BOLD: Modifier = Modifier::BOLD;
const UNDERLINED: Modifier = Modifier::UNDERLINED;

impl Role {
    fn look(self) -> Look {
        use Color::{Blue, Cyan, DarkGray, Gray, Green, Magenta, Red, Yellow};
        match self {
            Self::Text => look(0xd8dee9, 0x24292f, Color::Reset, PLAIN, false),
            Self::Dim => look(0x8b95a7, 0x656d76, DarkGray, Modifier::DIM, false),
            Self::Heading => look(0xe5e9f0, 0x1f2328, Color::Reset, BOLD, false),
            Self::Border => look(0x4c566a, 0xc0c6cf, DarkGray, Modifier::DIM, false),
            Self::Focus => look(0x88c0d0, 0x0969da, Cyan, BOLD, false),
            Self::Selected => look(0x37465c, 0xd3e4fb, Blue, PLAIN, true),
            Self::Key => look(0x88c0d0, 0x0969da, Cyan, BOLD, false),
            Self::Useful => look(0xa3be8c, 0x1a7f37, Green, BOLD, false),
            Self::Stale => look(0xebcb8b, 0x9a6700, Yellow, BOLD, false),
            Self::Forgotten => look(0xff7b86, 0xcf222e, Red, BOLD, false),
            Self::Missing => look(0xd08770, 0xbc4c00, Magenta, BOLD, false),
            Self::Pass => look(0xa3be8c, 0x1a7f37, Green, PLAIN, false),
            Self::Fail => look(0xff7b86, 0xcf222e, Red, BOLD, false),
            Self::Incomplete => look(0xb48ead, 0x8250df, Magenta, PLAIN, false),
            Self::UsefulMatch => look(0x35583a, 0xaceebb, Green, BOLD, true),
            Self::StaleMatch => look(0x6b5518, 0xfae17d, Yellow, BOLD, true),
            Self::ForgottenMatch => look(0x7d2731, 0xffcecb, Red, BOLD, true),
            Self::Found => look(0x5e4a8a, 0xd8b9ff, Magenta, BOLD, true),
            Self::Shared => look(0xd8dee9, 0x24292f, Color::Reset, UNDERLINED, false),
            Self::Added => look(0x88c0d0, 0x0969da, Cyan, BOLD, false),
            Self::Warning => look(0xebcb8b, 0x9a6700, Yellow, BOLD, false),
            Self::SeriesA => look(0x81a1c1, 0x0969da, Blue, PLAIN, false),
            Self::SeriesB => look(0xa3be8c, 0x1a7f37, Green, PLAIN, false),
            Self::SeriesC => look(0xebcb8b, 0x9a6700, Yellow, PLAIN, false),
            Self::SeriesD => look(0xff7b86, 0xcf222e, Red, PLAIN, false),
        }
        .or_gray(Gray)
    }
}

impl Look {
    /// Dark grey text is invisible on many 16-colour terminals; dimmed grey is not.
    fn or_gray(mut self, gray: Color) -> Self {
        if self.basic == Color::DarkGray && !self.ground {
            self.basic = gray;
        }
        self
    }
}

/// How things look on this terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// How many colours there are.
    pub depth: ColorDepth,
    /// Whether the terminal's ground is light.
    pub light: bool,
    /// Whether to draw with ASCII only.
    pub ascii: bool,
}

impl Default for Theme {
    fn default() -> Self {
        Self { depth: ColorDepth::TrueColor, light: false, ascii: false }
    }
}

impl Theme {
    /// The style of a role. Without colours only modifiers are left: a theme that named colours would make the terminal
    /// library reset bold and reverse under NO_COLOR.
    pub fn style(&self, role: Role) -> Style {
        let look = role.look();
        let color = match self.depth {
            ColorDepth::None => {
                let modifier = if look.ground { look.modifier | Modifier::REVERSED } else { look.modifier };
                return Style::new().add_modifier(modifier);
            }
            ColorDepth::Ansi16 => look.basic,
            ColorDepth::Ansi256 => cube(if self.light { look.light } else { look.dark }),
            ColorDepth::TrueColor => {
                let (r, g, b) = if self.light { look.light } else { look.dark };
                Color::Rgb(r, g, b)
            }
        };
        // The terminal's own colour of ordinary text stays; so does its ground.
        match role {
            Role::Text | Role::Shared => return Style::new().add_modifier(look.modifier),
            Role::Heading => return Style::new().fg(Color::Reset).add_modifier(look.modifier),
            _ => {}
        }
        let style = Style::new().add_modifier(look.modifier);
        match (look.ground, self.depth) {
            (false, _) => style.fg(color).remove_modifier(Modifier::DIM),
            (true, ColorDepth::Ansi16) => style.fg(Color::Black).bg(color),
            (true, _) => style.bg(color),
        }
    }

    /// The style of the cursor's row where the row's own highlights must stay readable: never reversed.
    pub fn cursor(&self) -> Style {
        match self.depth {
            ColorDepth::None | ColorDepth::Ansi16 => Style::new().add_modifier(Modifier::BOLD),
            _ => self.style(Role::Selected),
        }
    }

    /// One of two texts: Unicode, or ASCII.
    pub fn pick<'a>(&self, unicode: &'a str, ascii: &'a str) -> &'a str {
        if self.ascii { ascii } else { unicode }
    }

    /// A key as it is drawn: arrows for the arrow keys.
    pub fn key(&self, key: &str) -> String {
        match key {
            "left" => self.pick("←", "left"),
            "right" => self.pick("→", "right"),
            "up" => self.pick("↑", "up"),
            "down" => self.pick("↓", "down"),
            other => other,
        }
        .to_owned()
    }

    /// The mark of a line or fact that is useful.
    pub fn useful(&self) -> &'static str {
        self.pick("✓", "+")
    }

    /// The mark of a fact that is missing.
    pub fn missing(&self) -> &'static str {
        self.pick("○", "o")
    }

    /// The mark of a replaced fact.
    pub fn stale(&self) -> &'static str {
        "S"
    }

    /// The mark of a forgotten fact.
    pub fn forgotten(&self) -> &'static str {
        "F"
    }

    /// The mark of a record that was replaced and kept as history: no leak, so not the mark of a replaced fact.
    pub fn superseded(&self) -> &'static str {
        self.pick("»", "~")
    }

    /// The mark of a line that the question does not need.
    pub fn neutral(&self) -> &'static str {
        self.pick("·", ".")
    }

    /// The mark of the row under the cursor.
    pub fn pointer(&self) -> &'static str {
        self.pick("▌", ">")
    }

    /// The pip of an answer: passed, failed, incomplete.
    pub fn pip(&self, verdict: crate::grade::Verdict) -> (&'static str, Role) {
        use crate::grade::Verdict;
        match verdict {
            Verdict::Pass => (self.pick("●", "*"), Role::Pass),
            Verdict::Fail => (self.pick("✗", "x"), Role::Fail),
            Verdict::Incomplete => (self.pick("◌", "?"), Role::Incomplete),
        }
    }

    /// The mark where text was cut.
    pub fn ellipsis(&self) -> &'static str {
        self.pick("…", "~")
    }
}

/// The nearest colour of the 6×6×6 cube or the grey ramp of 256-colour terminals.
fn cube((r, g, b): (u8, u8, u8)) -> Color {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| {
        STEPS
            .iter()
            .enumerate()
            .min_by_key(|(_, step)| step.abs_diff(value))
            .map_or((0, 0), |(i, step)| (i as u8, *step))
    };
    let ((ri, rv), (gi, gv), (bi, bv)) = (nearest(r), nearest(g), nearest(b));
    let distance = |(x, y, z): (u8, u8, u8)| {
        [(x, r), (y, g), (z, b)].iter().map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum::<u32>()
    };
    let gray = ((u16::from(r) + u16::from(g) + u16::from(b)) / 3) as u8;
    let step = (gray.saturating_sub(3) / 10).min(23);
    let level = 8 + 10 * step;
    if distance((level, level, level)) < distance((rv, gv, bv)) {
        Color::Indexed(232 + step)
    } else {
        Color::Indexed(16 + 36 * ri + 6 * gi + bi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_no_style_names_one() {
        let theme = Theme { depth: ColorDepth::None, ..Theme::default() };
        for role in [Role::Selected, Role::Stale, Role::Fail, Role::StaleMatch, Role::Dim, Role::Text] {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
        assert!(theme.style(Role::Selected).add_modifier.contains(Modifier::REVERSED));
        assert!(theme.style(Role::ForgottenMatch).add_modifier.contains(Modifier::REVERSED));
    }

    #[test]
    fn the_cube_keeps_pure_colours() {
        assert_eq!(cube((255, 0, 0)), Color::Indexed(196));
        assert_eq!(cube((8, 8, 8)), Color::Indexed(232));
    }
}
