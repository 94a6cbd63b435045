//! Enums whose variants have a name and a text.

/// Defines such an enum from rows: variant, name, documentation, text.
#[macro_export]
macro_rules! named {
    ($(#[$attribute:meta])* $Enum:ident {
        $(#[$of_name:meta])* $name:ident: $Name:ty,
        $(#[$of_text:meta])* $visibility:vis $text:ident,
    } $($variant:ident = $named:expr, $meaning:literal, $said:literal;)+) => {
        $(#[$attribute])*
        pub enum $Enum {
            $(#[doc = $meaning] $variant,)+
        }

        impl $Enum {
            /// All variants, in the order of the documentation.
            pub const ALL: [Self; [$($named),+].len()] = [$(Self::$variant),+];

            $(#[$of_name])*
            pub const fn $name(self) -> $Name {
                match self {
                    $(Self::$variant => $named,)+
                }
            }

            $(#[$of_text])*
            $visibility const fn $text(self) -> &'static str {
                match self {
                    $(Self::$variant => $said,)+
                }
            }
        }
    };
}
