//! From keys to actions: the defaults and what the settings file changes.

use std::collections::HashMap;
use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{Action, Scope};

/// A key with its modifiers, written as in the settings file: `q`, `ctrl-p`, `alt-left`, `space`, `backtab`, `f1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("space", KeyCode::Char(' ')),
    ("tab", KeyCode::Tab),
    ("backtab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
];

impl Key {
    /// The key of an event. Terminals differ in whether they report Shift with a character: the character says it already.
    pub fn of(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let mut code = event.code;
        if code == KeyCode::Tab && modifiers.contains(KeyModifiers::SHIFT) {
            code = KeyCode::BackTab;
        }
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        if let KeyCode::Char(c) = code
            && modifiers.contains(KeyModifiers::CONTROL)
        {
            code = KeyCode::Char(c.to_ascii_lowercase());
        }
        Self { code, modifiers }
    }

    /// Reads a key as it is written.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        while let Some((prefix, after)) = rest.split_once('-') {
            let modifier = match prefix {
                "ctrl" => KeyModifiers::CONTROL,
                "alt" => KeyModifiers::ALT,
                "shift" => KeyModifiers::SHIFT,
                _ => break,
            };
            if after.is_empty() {
                break;
            }
            modifiers |= modifier;
            rest = after;
        }
        let mut characters = rest.chars();
        let code = match (characters.next(), characters.next()) {
            (Some(c), None) => Some(KeyCode::Char(c)),
            (Some('f'), Some(_))
                if rest.get(1..).is_some_and(|n| n.parse::<u8>().is_ok_and(|n| (1..=24).contains(&n))) =>
            {
                rest.get(1..).and_then(|number| number.parse().ok()).map(KeyCode::F)
            }
            _ => NAMED.iter().find(|(name, _)| *name == rest).map(|(_, code)| *code),
        };
        let code =
            code.ok_or_else(|| format!("found the key \"{text}\", expected such as \"q\", \"ctrl-p\", \"enter\""))?;
        Ok(Self::of(KeyEvent::new(code, modifiers)))
    }

    /// The event of a terminal in which this key was pressed.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in
            [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
        {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::Char(' ') => f.write_str("space"),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(number) => write!(f, "f{number}"),
            code => f.write_str(NAMED.iter().find(|(_, named)| *named == code).map_or("?", |(name, _)| name)),
        }
    }
}

/// Which keys ask for which action.
#[derive(Debug, Clone)]
pub struct Keymap {
    keys: HashMap<Action, Vec<Key>>,
    lookup: HashMap<(Scope, Key), Action>,
}

impl Default for Keymap {
    fn default() -> Self {
        let keys = Action::ALL.iter().map(|&action| {
            let keys = action.default_keys().iter().filter_map(|key| Key::parse(key).ok());
            (action, keys.collect())
        });
        Self::from_keys(keys.collect())
    }
}

impl Keymap {
    fn from_keys(keys: HashMap<Action, Vec<Key>>) -> Self {
        let lookup = keys
            .iter()
            .flat_map(|(action, keys)| keys.iter().map(move |key| ((action.scope(), *key), *action)))
            .collect();
        Self { keys, lookup }
    }

    /// The same keymap with other keys for some actions. A key that another action of the same scope had is taken from it.
    pub fn with(mut self, changes: impl IntoIterator<Item = (Action, Vec<Key>)>) -> Self {
        for (action, keys) in changes {
            for (other, own) in &mut self.keys {
                if other.scope() == action.scope() {
                    own.retain(|key| !keys.contains(key));
                }
            }
            self.keys.insert(action, keys);
        }
        Self::from_keys(self.keys)
    }

    /// What a key asks for in a pane's scope.
    pub fn action(&self, scope: Scope, key: Key) -> Option<Action> {
        [scope, Scope::Motion, Scope::Global].iter().find_map(|scope| self.lookup.get(&(*scope, key)).copied())
    }

    /// The keys of an action that nothing in `scope` takes away from it, the best one first.
    pub fn keys(&self, scope: Scope, action: Action) -> Vec<Key> {
        let own = self.keys.get(&action).map_or(&[][..], Vec::as_slice);
        own.iter().copied().filter(|key| self.action(scope, *key) == Some(action)).collect()
    }

    /// The best key of an action in a scope, as it is written.
    pub fn hint(&self, scope: Scope, action: Action) -> Option<String> {
        self.keys(scope, action).first().map(ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_writing_and_reading() {
        for text in ["q", "ctrl-p", "alt-left", "space", "backtab", "f12", "G", "?", "-", "ctrl--", "é"] {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        assert!(Key::parse("hyper-q").unwrap_err().contains("hyper-q"));
    }

    #[test]
    fn shift_on_a_character_is_the_character() {
        let with = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        let without = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::NONE);
        assert_eq!(Key::of(with), Key::of(without));
    }

    #[test]
    fn no_two_actions_of_a_scope_share_a_default_key() {
        let keymap = Keymap::default();
        let count: usize = Action::ALL.iter().map(|action| action.default_keys().len()).sum();
        assert_eq!(keymap.lookup.len(), count);
    }

    #[test]
    fn a_changed_key_is_taken_from_its_old_action() {
        let key = Key::parse("q").unwrap();
        let keymap = Keymap::default().with([(Action::Help, vec![key])]);
        assert_eq!(keymap.action(Scope::Overview, key), Some(Action::Help));
        assert_eq!(keymap.hint(Scope::Overview, Action::Quit).unwrap(), "ctrl-c");
    }
}
