//! The table of the members of a configuration.

use super::Config;
use super::value::ConfigField;

/// The type of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// A text.
    Text,
    /// A secret text: never shown.
    Secret,
    /// The path of a file, relative to the folder of the configuration file.
    Path,
    /// A whole number.
    Integer,
    /// `true` or `false`; in the environment also `1` and `0`.
    Switch,
    /// Texts; in the environment separated by commas.
    List,
    /// A JSON object, also in the environment.
    Object,
}

/// A member of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in JSON. The environment variable is `PAYMENTS_` and this
    /// name in upper case.
    pub name: &'static str,
    /// Its type.
    pub shape: Shape,
    /// Where its value is stored.
    pub(super) destination: fn(&mut Config) -> &mut dyn ConfigField,
}
