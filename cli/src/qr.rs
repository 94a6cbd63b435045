//! QR codes in a terminal, two modules per character.

use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::output::Style;

/// The lines of the QR code for `text`, including its margin; `None` if the
/// text is too long for one.
///
/// Scanners expect dark modules on a light background. With colors, the code is
/// drawn that way; without, the light modules are drawn, since most terminals
/// have light text on a dark background.
pub(crate) fn lines(text: &str, style: Style) -> Option<Vec<String>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let mut image = code.render::<Dense1x2>();
    if !style.is_coloured() {
        image.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
    }
    let painted = |line: &str| match style.is_coloured() {
        true => format!("\x1b[30;107m{line}\x1b[0m"),
        false => line.to_owned(),
    };
    Some(image.build().lines().map(painted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pix_code_fits_into_eighty_columns() {
        let lines = lines(&"0".repeat(150), Style::plain()).unwrap();
        assert!(lines.iter().all(|line| line.chars().count() < 70));
        assert!(lines.len() > 20);
    }

    #[test]
    fn what_is_too_long_has_no_code() {
        assert!(lines(&"x".repeat(5000), Style::plain()).is_none());
    }
}
