//! How the explorer looks and which keys it has: the settings file, the command line, the environment.

use std::collections::BTreeMap;
use std::path::Path;

use etcetera::BaseStrategy;
use serde::Deserialize;

use crate::embed::Server;
use crate::source::json::did_you_mean;
use crate::source::{InputError, Source};

use super::action::Action;
use super::keymap::{Key, Keymap};
use super::theme::{ColorDepth, Theme};

/// Which colours to use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThemeChoice {
    /// Light where the terminal says that its ground is light, else dark; without colours under NO_COLOR.
    #[default]
    Auto,
    /// For a light ground.
    Light,
    /// For a dark ground.
    Dark,
    /// Without colours.
    Mono,
}

/// What `show` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ShowFormat {
    /// Plain text.
    Text,
    /// Text with escape sequences for colours.
    Ansi,
    /// A picture.
    Svg,
}

/// The resolved look and keys.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// How things look.
    pub theme: Theme,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Whether the mouse is on from the start.
    pub mouse: bool,
    /// Who signs decisions.
    pub author: Option<String>,
    /// Where embeddings come from.
    pub embeddings: Option<Server>,
    choice: ThemeChoice,
    depth: Option<ColorDepth>,
    ascii: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigFile {
    theme: ThemeChoice,
    colors: Option<ColorDepth>,
    ascii: bool,
    mouse: bool,
    author: Option<String>,
    embeddings: Option<EmbeddingsFile>,
    keys: BTreeMap<toml::Spanned<String>, toml::Spanned<Vec<toml::Spanned<String>>>>,
}

/// The server of embeddings. The API key itself has no place in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddingsFile {
    url: String,
    model: String,
    key_variable: Option<String>,
    cache: Option<std::path::PathBuf>,
}

impl From<EmbeddingsFile> for Server {
    fn from(file: EmbeddingsFile) -> Self {
        Self { url: file.url, model: file.model, key_variable: file.key_variable, cache: file.cache }
    }
}

impl Settings {
    /// Reads the settings file at `path`, or the one in the user's configuration folder if it is there.
    ///
    /// # Errors
    /// The named file cannot be read, or a file has an unknown setting, action or key.
    pub fn load(path: Option<&Path>) -> Result<Self, InputError> {
        let source = match path {
            Some(path) => Some(Source::read(path)?),
            None => match etcetera::choose_base_strategy() {
                Ok(base) => {
                    let path = base.config_dir().join("recallscope").join("config.toml");
                    path.is_file().then(|| Source::read(&path)).transpose()?
                }
                Err(_) => None,
            },
        };
        match source {
            Some(source) => Self::parse(&source),
            None => Ok(Self::default()),
        }
    }

    /// Reads settings from a text.
    ///
    /// # Errors
    /// An unknown setting, action or key, with its place.
    pub fn parse(source: &Source) -> Result<Self, InputError> {
        let at = |offset: Option<usize>, message: String| InputError {
            source: source.name().into(),
            position: offset.map(|offset| source.position(offset)),
            message,
        };
        let file: ConfigFile = toml::from_str(source.text())
            .map_err(|error| at(error.span().map(|span| span.start), error.message().to_owned()))?;
        let mut changes = Vec::new();
        for (name, keys) in &file.keys {
            let names: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
            let action = Action::ALL.iter().find(|action| action.name() == name.get_ref()).ok_or_else(|| {
                let hint = did_you_mean(name.get_ref(), &names);
                let hint = hint.map(|known| format!("; did you mean \"{known}\"?")).unwrap_or_default();
                at(Some(name.span().start), format!("found the unknown action \"{}\"{hint}", name.get_ref()))
            })?;
            let keys = keys
                .get_ref()
                .iter()
                .map(|key| Key::parse(key.get_ref()).map_err(|message| at(Some(key.span().start), message)));
            changes.push((*action, keys.collect::<Result<_, _>>()?));
        }
        Ok(Self {
            keymap: Keymap::default().with(changes),
            mouse: file.mouse,
            author: file.author,
            embeddings: file.embeddings.map(Server::from),
            choice: file.theme,
            depth: file.colors,
            ascii: file.ascii,
            theme: Theme::default(),
        })
    }

    /// The settings with what the command line says, which goes before the file, which goes before the environment.
    pub fn with(mut self, theme: Option<ThemeChoice>, depth: Option<ColorDepth>, ascii: bool) -> Self {
        self.choice = theme.unwrap_or(self.choice);
        self.depth = depth.or(self.depth);
        self.ascii |= ascii;
        let environment = Environment::read();
        self.theme = Theme {
            depth: match self.choice {
                ThemeChoice::Mono => ColorDepth::None,
                _ => self.depth.unwrap_or_else(|| environment.depth()),
            },
            light: match self.choice {
                ThemeChoice::Light => true,
                ThemeChoice::Dark | ThemeChoice::Mono => false,
                ThemeChoice::Auto => environment.is_light(),
            },
            ascii: self.ascii || !environment.speaks_utf8(),
        };
        self
    }

    /// The settings for a screen that is written to a file or a pipe: Unicode and full colours, wherever it is made, unless
    /// asked otherwise. `NO_COLOR` asks for no escape sequences of colour; a picture has none.
    pub fn for_picture(self, format: ShowFormat) -> Self {
        let no_color = format == ShowFormat::Ansi && Environment::read().no_color;
        self.pictured(no_color)
    }

    fn pictured(mut self, no_color: bool) -> Self {
        self.theme.depth = match (self.choice, self.depth) {
            (ThemeChoice::Mono, _) => ColorDepth::None,
            (_, Some(depth)) => depth,
            (ThemeChoice::Auto, None) if no_color => ColorDepth::None,
            (_, None) => ColorDepth::TrueColor,
        };
        self.theme.light = self.choice == ThemeChoice::Light;
        self.theme.ascii = self.ascii;
        self
    }
}

/// What the environment says of the terminal.
#[derive(Debug, Default)]
struct Environment {
    no_color: bool,
    colorterm: String,
    term: String,
    colorfgbg: String,
    locale: Option<String>,
}

impl Environment {
    fn read() -> Self {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            no_color: variable("NO_COLOR").is_some(),
            colorterm: variable("COLORTERM").unwrap_or_default(),
            term: variable("TERM").unwrap_or_default(),
            colorfgbg: variable("COLORFGBG").unwrap_or_default(),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name)),
        }
    }

    fn depth(&self) -> ColorDepth {
        if self.no_color || self.term.starts_with("vt1") || self.term.starts_with("vt2") {
            ColorDepth::None
        } else if matches!(self.colorterm.as_str(), "truecolor" | "24bit") {
            ColorDepth::TrueColor
        } else if self.term.contains("256") || self.term.contains("kitty") || self.term.contains("direct") {
            ColorDepth::Ansi256
        } else {
            ColorDepth::Ansi16
        }
    }

    /// `COLORFGBG` ends in the ground's number among the 16 colours.
    fn is_light(&self) -> bool {
        self.colorfgbg.rsplit(';').next().is_some_and(|ground| matches!(ground, "7" | "15"))
    }

    /// A locale that names another encoding than UTF-8 cannot show our glyphs. One that names none at all (as in many
    /// containers) says nothing of the terminal, which is UTF-8 nearly everywhere, except for `C` and `POSIX` themselves.
    fn speaks_utf8(&self) -> bool {
        let Some(locale) = &self.locale else { return true };
        let encoding = locale.split_once('.').map(|(_, encoding)| encoding.split('@').next().unwrap_or_default());
        match encoding {
            Some(encoding) => encoding.to_ascii_lowercase().replace('-', "") == "utf8",
            None => !matches!(locale.as_str(), "C" | "POSIX"),
        }
    }
}

/// A settings file with every setting at its default.
pub fn default_config() -> String {
    let mut text = String::from(
        "# Settings of recallscope. Copy what you change to recallscope/config.toml in your configuration folder.\n\n\
         theme = \"auto\"    # auto, light, dark, mono\n\
         # colors = \"256\"   # none, 16, 256, truecolor; what the terminal says if left out\n\
         ascii = false     # draw with ASCII characters only\n\
         mouse = false     # the mouse from the start; key `m` turns it on and off\n\
         # author = \"Ada\"   # who signs decisions\n\n\
         # [embeddings]   # for the strategies dense and hybrid\n\
         # url = \"http://localhost:11434\"   # any server with /v1/embeddings\n\
         # model = \"all-minilm\"   # as that server knows it\n\
         # key_variable = \"EMBEDDINGS_KEY\"   # the environment variable that holds the API key\n\
         # cache = \"embeddings.sqlite\"   # the user's cache folder if left out\n\n[keys]\n",
    );
    let mut scope = None;
    for action in Action::ALL {
        if scope.replace(action.scope()) != Some(action.scope()) {
            text.push_str(&format!("\n# {}\n", action.scope().title()));
        }
        let keys: Vec<String> = action.default_keys().iter().map(|key| format!("\"{key}\"")).collect();
        text.push_str(&format!("{} = [{}]  # {}\n", action.name(), keys.join(", "), action.sentence()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Scope;

    #[test]
    fn the_default_file_is_the_default() {
        let settings = Settings::parse(&Source::new("config.toml", default_config())).unwrap();
        for action in Action::ALL {
            assert_eq!(
                settings.keymap.keys(action.scope(), *action),
                Keymap::default().keys(action.scope(), *action),
                "{action:?}"
            );
        }
    }

    #[test]
    fn mistakes_name_their_place() {
        let error = |text: &str| Settings::parse(&Source::new("c.toml", text)).unwrap_err().to_string();
        assert_eq!(
            error("[keys]\nquitt = [\"x\"]"),
            "c.toml:2:1: found the unknown action \"quitt\"; did you mean \"quit\"?"
        );
        assert!(error("[keys]\nquit = [\"hyper-x\"]").starts_with("c.toml:2:9: found the key \"hyper-x\""));
        assert!(error("tehme = \"dark\"").starts_with("c.toml:1:1: unknown field `tehme`"));
    }

    #[test]
    fn a_file_changes_a_key() {
        let settings = Settings::parse(&Source::new("c.toml", "[keys]\nquit = [\"ctrl-q\"]")).unwrap();
        assert_eq!(settings.keymap.hint(Scope::Overview, Action::Quit).unwrap(), "ctrl-q");
        assert_eq!(settings.keymap.action(Scope::Overview, Key::parse("q").unwrap()), None);
    }

    #[test]
    fn the_environment_decides_the_rest() {
        let environment =
            |locale: Option<&str>| Environment { locale: locale.map(str::to_owned), ..Environment::default() };
        for locale in [Some("en_US.UTF-8"), Some("en_us.utf8"), Some("ja_JP.UTF-8"), None] {
            assert!(environment(locale).speaks_utf8(), "{locale:?}");
        }
        for locale in [Some("C"), Some("POSIX"), Some("de_DE.ISO-8859-1")] {
            assert!(!environment(locale).speaks_utf8(), "{locale:?}");
        }
        let depth = |term: &str, colorterm: &str, no_color| {
            Environment { term: term.into(), colorterm: colorterm.into(), no_color, ..Environment::default() }.depth()
        };
        assert_eq!(depth("xterm-256color", "", false), ColorDepth::Ansi256);
        assert_eq!(depth("xterm-256color", "truecolor", false), ColorDepth::TrueColor);
        assert_eq!(depth("xterm-256color", "truecolor", true), ColorDepth::None);
        assert_eq!(depth("linux", "", false), ColorDepth::Ansi16);
        assert_eq!(depth("vt100", "", false), ColorDepth::None);
    }

    #[test]
    fn a_wish_goes_before_no_color() {
        let depth =
            |choice, depth, no_color| Settings { choice, depth, ..Settings::default() }.pictured(no_color).theme.depth;
        assert_eq!(depth(ThemeChoice::Auto, None, false), ColorDepth::TrueColor);
        assert_eq!(depth(ThemeChoice::Auto, None, true), ColorDepth::None);
        assert_eq!(depth(ThemeChoice::Auto, Some(ColorDepth::Ansi16), true), ColorDepth::Ansi16);
        assert_eq!(depth(ThemeChoice::Light, None, true), ColorDepth::TrueColor);
        assert_eq!(depth(ThemeChoice::Mono, Some(ColorDepth::Ansi16), false), ColorDepth::None);
    }
}
