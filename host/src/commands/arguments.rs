//! Reads arguments as the command `payments` reads its own, with the same codes.

use payments_base::spelling::nearest;
use payments_core::error::ErrorCode;

use super::command_failure::CommandFailure;

/// The words that each command takes besides its options.
const IN_EVERY: [&str; 3] = ["--", "-h", "--help"];

/// The words and options of a command.
pub(super) struct Shape {
    /// Its name.
    pub(super) name: &'static str,
    /// The commands in it, one of which is then required.
    pub(super) commands: &'static [&'static Self],
    /// Options without a value.
    pub(super) flags: &'static [&'static str],
    /// Options with one.
    pub(super) values: &'static [&'static str],
    /// The most words besides the options.
    pub(super) most_words: usize,
}

impl Shape {
    /// A command without options and words.
    pub(super) const fn of(name: &'static str) -> Self {
        Self { name, commands: &[], flags: &[], values: &[], most_words: 0 }
    }

    fn command(&self, name: &str) -> Option<&'static Self> {
        self.commands.iter().copied().find(|it| it.name == name)
    }

    fn options(&self) -> impl Iterator<Item = &'static str> {
        self.flags.iter().chain(self.values).copied()
    }
}

/// The arguments of a command.
pub(super) struct Arguments<'a> {
    /// The innermost command.
    pub(super) command: &'static Shape,
    /// Options that every command takes.
    everywhere: &'static Shape,
    options: Vec<(&'static str, &'a str)>,
    /// Where those of the innermost command begin. They override the words before it.
    inner: usize,
    /// The words that are not options.
    pub(super) words: Vec<&'a str>,
    /// Whether help is wanted, and nothing else.
    pub(super) is_help: bool,
}

impl<'a> Arguments<'a> {
    /// Reads the arguments of `command`.
    ///
    /// # Errors
    /// `usage` if they make no sense.
    pub(super) fn read(
        command: &'static Shape,
        everywhere: &'static Shape,
        arguments: &[&'a str],
    ) -> Result<Self, CommandFailure> {
        let mut given = Self {
            command,
            everywhere,
            options: Vec::new(),
            inner: 0,
            words: Vec::new(),
            is_help: false,
        };
        let mut rest = arguments.iter().copied();
        let mut has_options = true;
        while let Some(argument) = rest.next() {
            match argument {
                "--" if has_options => has_options = false,
                "-h" | "--help" if has_options => given.is_help = true,
                "help" if !given.command.commands.is_empty() => {
                    given.is_help = true;
                    rest.try_for_each(|word| given.choose(word))?;
                    return Ok(given);
                }
                _ if has_options && is_option(argument) => given.take(argument, &mut rest)?,
                _ => given.enter(argument)?,
            }
            if given.is_help {
                return Ok(given);
            }
        }
        if given.command.commands.is_empty() {
            return Ok(given);
        }
        let names: Vec<_> = given.command.commands.iter().map(|it| it.name).collect();
        let message = format!("give one of {}; see --help", names.join(", "));
        Err(usage(ErrorCode::INVALID_ARGUMENTS, message))
    }

    /// Whether this option is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The value of an option.
    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.options.iter().rev().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// The value of an option that is not empty, such as a path.
    ///
    /// # Errors
    /// `usage` if it is empty.
    pub(super) fn path(&self, name: &str) -> Result<Option<&'a str>, CommandFailure> {
        match self.value(name) {
            Some("") => Err(needs_value(name)),
            value => Ok(value),
        }
    }

    /// The options that are there.
    pub(super) fn options(&self) -> &[(&'static str, &'a str)] {
        &self.options
    }

    /// The arguments again, without those that every command takes.
    pub(super) fn own(&self) -> Vec<String> {
        let own = |name: &str| self.command.options().any(|it| it == name);
        let options = self.options.iter().filter(|(name, _)| own(name));
        let options = options.map(|(name, value)| {
            if self.command.flags.contains(name) {
                (*name).to_owned()
            } else {
                format!("{name}={value}")
            }
        });
        let words = self.words.iter().map(|word| (*word).to_owned());
        options.chain(["--".to_owned()]).chain(words).collect()
    }

    /// The missing argument of a command.
    pub(super) fn lacks(&self, names: &[&str]) -> CommandFailure {
        let message = format!("{} needs {}; see --help", self.command.name, names.join(" and "));
        usage(ErrorCode::INVALID_ARGUMENTS, message)
    }

    fn enter(&mut self, word: &'a str) -> Result<(), CommandFailure> {
        if !self.command.commands.is_empty() {
            return self.choose(word);
        }
        if self.words.len() == self.command.most_words {
            let name = self.command.name;
            let message = match self.command.most_words {
                0 => format!("{name} takes options only; see --help"),
                most => format!("{name} takes no more than {most} argument; see --help"),
            };
            return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        self.words.push(word);
        Ok(())
    }

    /// Enters the command of this name.
    fn choose(&mut self, name: &str) -> Result<(), CommandFailure> {
        let names = self.command.commands.iter().map(|it| it.name);
        let unknown = || usage(ErrorCode::INVALID_ARGUMENTS, unknown("command", name, names));
        self.command = self.command.command(name).ok_or_else(unknown)?;
        self.inner = self.options.len();
        Ok(())
    }

    fn take(
        &mut self,
        argument: &'a str,
        rest: &mut (impl Iterator<Item = &'a str> + Clone),
    ) -> Result<(), CommandFailure> {
        let (given, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, None),
        };
        let name = self.known(given).ok_or_else(|| self.unknown_option(given))?;
        let is_flag = self.command.flags.contains(&name) || self.everywhere.flags.contains(&name);
        let value = match (is_flag, value) {
            (true, None) => "",
            (true, Some(_)) => {
                let message = format!("{name} takes no value; leave it out");
                return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
            }
            (false, Some(value)) => value,
            (false, None) => match rest.clone().next() {
                Some(next) if !is_option(next) => rest.next().unwrap_or_default(),
                Some(next) if !IN_EVERY.contains(&next) && self.known(name_of(next)).is_none() => {
                    return Err(self.unknown_option(next));
                }
                _ => return Err(needs_value(name)),
            },
        };
        if self.options[self.inner..].iter().any(|(own, _)| *own == name) {
            let message = format!("{name} is there twice; give it once");
            return Err(usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        self.options.push((name, value));
        Ok(())
    }

    fn known(&self, name: &str) -> Option<&'static str> {
        self.command.options().chain(self.everywhere.options()).find(|it| *it == name)
    }

    fn unknown_option(&self, name: &str) -> CommandFailure {
        let name = name_of(name);
        let known = self.command.options().chain(self.everywhere.options());
        usage(ErrorCode::INVALID_ARGUMENTS, unknown("option", name, known))
    }
}

/// The arguments make no sense.
pub(super) fn usage(code: ErrorCode, message: impl Into<String>) -> CommandFailure {
    CommandFailure::usage(code, message)
}

fn needs_value(name: &str) -> CommandFailure {
    usage(ErrorCode::INVALID_ARGUMENTS, format!("{name} needs a value; see --help"))
}

fn is_option(argument: &str) -> bool {
    argument.len() > 1 && argument.starts_with('-')
}

/// The name of an option that may have a value.
fn name_of(option: &str) -> &str {
    option.split('=').next().unwrap_or_default()
}

/// Shows what looks like a name: anything else may be a secret in the wrong place.
fn unknown(what: &str, name: &str, known: impl Iterator<Item = &'static str>) -> String {
    const LONGEST: usize = 24;
    let is_name = name.len() <= LONGEST
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_');
    if !is_name {
        return format!("unknown {what}; see --help");
    }
    match nearest(name, known) {
        Some(meant) => format!("unknown {what} {name}; did you mean {meant}? see --help"),
        None => format!("unknown {what} {name}; see --help"),
    }
}

#[cfg(test)]
mod tests {
    use payments_core::json::Json;

    use super::*;

    static SHOW: Shape = Shape { most_words: 1, flags: &["--all"], ..Shape::of("show") };
    static PRUNE: Shape = Shape { values: &["--before"], ..Shape::of("prune") };
    static ROOT: Shape = Shape { commands: &[&SHOW, &PRUNE], ..Shape::of("root") };
    static EVERYWHERE: Shape =
        Shape { flags: &["--json"], values: &["--config"], ..Shape::of("everywhere") };

    fn read<'a>(arguments: &[&'a str]) -> Result<Arguments<'a>, (String, String)> {
        let text = |failure: &CommandFailure, name| {
            failure.report.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
        };
        Arguments::read(&ROOT, &EVERYWHERE, arguments)
            .map_err(|failure| (text(&failure, "code"), text(&failure, "message")))
    }

    #[test]
    fn options_may_be_anywhere_and_own_options_are_kept() {
        let given = read(&["--json", "show", "--config=c", "--all", "--", "--help"]).unwrap();
        assert_eq!((given.command.name, &*given.words), ("show", &["--help"][..]));
        assert_eq!((given.value("--config"), given.has("--json")), (Some("c"), true));
        assert_eq!(given.own(), ["--all", "--", "--help"]);
        let given = read(&["--config", "a", "show", "--config", "b"]).unwrap();
        assert_eq!(given.value("--config"), Some("b"));
        assert_eq!(read(&["prune", "--before", "-"]).unwrap().value("--before"), Some("-"));
        assert_eq!(read(&["prune", "--before="]).unwrap().own(), ["--before=", "--"]);
    }

    #[test]
    fn help_is_for_the_command_that_it_follows() {
        for (arguments, command) in [
            (&["-h"][..], "root"),
            (&["help"], "root"),
            (&["help", "show"], "show"),
            (&["prune", "--help", "--unknown"], "prune"),
        ] {
            let given = read(arguments).unwrap();
            assert_eq!((given.is_help, given.command.name), (true, command), "{arguments:?}");
        }
    }

    #[test]
    fn invalid_arguments_have_the_codes_of_payments() {
        for (arguments, code) in [
            (&[][..], "invalid_arguments"),
            (&["shwo"], "invalid_arguments"),
            (&["--all", "show"], "invalid_arguments"),
            (&["show", "--al"], "invalid_arguments"),
            (&["show", "-7"], "invalid_arguments"),
            (&["show", "a", "b"], "invalid_arguments"),
            (&["show", "--all", "--all"], "invalid_arguments"),
            (&["show", "--all=yes"], "invalid_arguments"),
            (&["prune", "--before"], "invalid_arguments"),
            (&["prune", "--before", "--json"], "invalid_arguments"),
            (&["prune", "--before", "--"], "invalid_arguments"),
            (&["prune", "--before", "-h"], "invalid_arguments"),
            (&["prune", "--before=", "--before"], "invalid_arguments"),
            (&["help", "shwo"], "invalid_arguments"),
            (&["help", "show", "--all"], "invalid_arguments"),
            (&["prune", "--before", "-7"], "invalid_arguments"),
        ] {
            assert_eq!(read(arguments).err().unwrap().0, code, "{arguments:?}");
        }
    }

    #[test]
    fn messages_show_names_and_no_values() {
        let message = |arguments: &[&str]| read(arguments).err().unwrap().1;
        assert!(message(&["shwo"]).contains("did you mean show?"));
        for secret in ["--x=geheim", "--u:geheim@h", "show geheim", "postgresql://u:geheim@h"] {
            let arguments: Vec<_> = ["show", "a"].into_iter().chain([secret]).collect();
            assert!(!message(&arguments).contains("geheim"), "{secret}");
            assert!(!message(&[secret]).contains("geheim"), "{secret}");
        }
    }
}
