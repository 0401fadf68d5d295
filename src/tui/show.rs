//! Any screen without a terminal: for pictures, reports and tests.

use std::fmt::Write;
use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::app::App;
use super::keymap::Key;
use super::options::{Settings, ShowFormat};
use super::pane::PaneKind;
use super::screen::sgr;
use super::theme::ColorDepth;
use crate::diagnosis::Diagnosis;
use crate::triage::Triage;
use crate::workspace::Workspace;

/// Draws a pane after some keys were pressed.
///
/// # Errors
/// A key that there is not.
pub fn show(
    workspace: Workspace,
    triage: &Triage,
    settings: &Settings,
    pane: PaneKind,
    keys: &str,
    (width, height): (u16, u16),
    format: ShowFormat,
) -> anyhow::Result<String> {
    let settings = match format {
        ShowFormat::Text => settings.clone(),
        ShowFormat::Ansi | ShowFormat::Svg => settings.clone().for_picture(format),
    };
    let (light, depth) = (settings.theme.light, settings.theme.depth);
    let mut app = App::new(settings, pane);
    let workspace = Arc::new(workspace);
    app.loaded(workspace.clone());
    app.diagnosed(Arc::new(Diagnosis::of(&workspace, triage)));
    // Panes know their height only once they were drawn, and a page is as long as that.
    draw(&app, width, height);
    press(&mut app, keys, |app| {
        draw(app, width, height);
    })?;
    let buffer = draw(&app, width, height);
    Ok(match format {
        ShowFormat::Text => to_text(&buffer),
        ShowFormat::Ansi => to_ansi(&buffer, depth),
        ShowFormat::Svg => to_svg(&buffer, light),
    })
}

/// Presses keys, written as in the settings file and separated by white space. A word in double quotes is typed letter by
/// letter. `after` is called after each key. What a job would do in the explorer is done before that.
///
/// # Errors
/// A key that there is not.
pub fn press(app: &mut App, keys: &str, mut after: impl FnMut(&App)) -> anyhow::Result<()> {
    for (index, part) in keys.split('"').enumerate() {
        let keys: Vec<Key> = if index % 2 == 1 {
            part.chars()
                .map(|c| if c == ' ' { Key::parse("space") } else { Key::parse(&c.to_string()) })
                .collect::<Result<_, _>>()
        } else {
            part.split_whitespace().map(Key::parse).collect()
        }
        .map_err(anyhow::Error::msg)?;
        for key in keys {
            app.key(key.event());
            app.rank_now();
            app.count_now();
            after(app);
        }
    }
    Ok(())
}

/// Draws one frame of an app into a buffer.
pub fn draw(app: &App, width: u16, height: u16) -> Buffer {
    let mut terminal = match Terminal::new(TestBackend::new(width, height)) {
        Ok(terminal) => terminal,
        Err(never) => match never {},
    };
    match terminal.draw(|frame| app.draw(frame)) {
        Ok(frame) => frame.buffer.clone(),
        Err(never) => match never {},
    }
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width).max(1))
}

/// The cells of a row that are drawn: the one after a wide character is not.
fn drawn(row: &[Cell]) -> impl Iterator<Item = (usize, &Cell)> {
    let mut next = 0;
    row.iter().enumerate().filter(move |(x, cell)| {
        let shown = *x >= next;
        if shown {
            next = x + crate::text::width(cell.symbol()).max(1);
        }
        shown
    })
}

fn to_text(buffer: &Buffer) -> String {
    rows(buffer)
        .map(|row| {
            let line: String = drawn(row).map(|(_, cell)| cell.symbol()).collect();
            line.trim_end().to_owned() + "\n"
        })
        .collect()
}

fn to_ansi(buffer: &Buffer, depth: ColorDepth) -> String {
    let mut text = String::new();
    for row in rows(buffer) {
        let mut now = String::new();
        for (_, cell) in drawn(row) {
            let style = sgr(cell, depth);
            if style != now {
                let _ = write!(text, "\u{1b}[0{style}m");
                now = style;
            }
            text.push_str(cell.symbol());
        }
        text.push_str("\u{1b}[0m\n");
    }
    text
}

fn palette_index(color: Color) -> Option<u8> {
    const NAMED: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match color {
        Color::Indexed(index) => Some(index),
        other => NAMED.iter().position(|named| *named == other).and_then(|index| u8::try_from(index).ok()),
    }
}

/// Size of a cell in a picture, in pixels.
const CELL: (f32, f32) = (8.4, 18.0);
/// Space around a picture, in pixels.
const MARGIN: f32 = 12.0;

/// A picture with one group a row, so that it can be read, searched and compared as text too.
fn to_svg(buffer: &Buffer, light: bool) -> String {
    let (ground, ink) = if light { ("#ffffff", "#24292f") } else { ("#1e2430", "#d8dee9") };
    let width = f32::from(buffer.area.width) * CELL.0 + 2.0 * MARGIN;
    let height = f32::from(buffer.area.height) * CELL.1 + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{ground}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    for (y, row) in rows(buffer).enumerate() {
        let top = y as f32 * CELL.1 + MARGIN;
        let mut letters = String::new();
        for run in runs(row) {
            let left = run.column as f32 * CELL.0 + MARGIN;
            let length = run.columns as f32 * CELL.0;
            let (mut fg, mut bg) = (css(run.cell.fg), css(run.cell.bg));
            if run.cell.modifier.contains(Modifier::REVERSED) {
                (fg, bg) = (Some(bg.unwrap_or_else(|| ground.into())), Some(fg.unwrap_or_else(|| ink.into())));
            }
            if let Some(bg) = bg {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{bg}\"/>",
                    CELL.1
                );
            }
            if run.text.trim().is_empty() {
                continue;
            }
            let fill = fg.as_deref().unwrap_or(ink);
            let _ = write!(
                letters,
                "<tspan x=\"{left:.1}\" textLength=\"{length:.1}\" fill=\"{fill}\"{}>{}</tspan>",
                attributes(run.cell.modifier),
                escaped(&run.text)
            );
        }
        if !letters.is_empty() {
            let _ = writeln!(svg, "<text y=\"{:.1}\">{letters}</text>", top + CELL.1 * 0.75);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// Neighbouring cells of one style.
struct Run<'a> {
    column: usize,
    columns: usize,
    text: String,
    cell: &'a Cell,
}

fn runs(row: &[Cell]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (column, cell) in drawn(row) {
        let columns = crate::text::width(cell.symbol()).max(1);
        match runs.last_mut() {
            Some(run) if run.cell.style() == cell.style() => {
                run.columns += columns;
                run.text.push_str(cell.symbol());
            }
            _ => runs.push(Run { column, columns, text: cell.symbol().to_owned(), cell }),
        }
    }
    runs
}

fn attributes(modifier: Modifier) -> String {
    [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::DIM, " opacity=\"0.65\""),
    ]
    .into_iter()
    .filter(|(wanted, _)| modifier.contains(*wanted))
    .map(|(_, attribute)| attribute)
    .collect()
}

fn css(color: Color) -> Option<String> {
    const BASIC: [&str; 16] = [
        "#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#c5c5c5", "#767676", "#f14c4c",
        "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
    ];
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        other => palette_index(other).map(|index| match index {
            0..=15 => BASIC.get(usize::from(index)).copied().unwrap_or("#000000").to_owned(),
            16..=231 => {
                let level = |value: u8| if value == 0 { 0 } else { 55 + 40 * value };
                let cube = index - 16;
                format!("#{:02x}{:02x}{:02x}", level(cube / 36), level(cube / 6 % 6), level(cube % 6))
            }
            232..=255 => {
                let gray = 8 + 10 * (index - 232);
                format!("#{gray:02x}{gray:02x}{gray:02x}")
            }
        }),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
