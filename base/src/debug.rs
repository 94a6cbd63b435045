//! `Debug` forms that show some members and hide the rest.

/// Implements `Debug` so that it shows these values, and indicates that there
/// are others.
#[macro_export]
macro_rules! debug_shows {
    ($type:ident $(<$life:lifetime>)? $(, |$this:ident| $($name:ident = $value:expr),+)?) => {
        impl std::fmt::Debug for $type $(<$life>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($type));
                $(
                    let $this = self;
                    $(shown.field(stringify!($name), &$value);)+
                )?
                shown.finish_non_exhaustive()
            }
        }
    };
}
