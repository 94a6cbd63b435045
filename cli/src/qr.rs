//! QR codes: in a terminal, two modules per character, and as a picture.

use std::path::Path;

use payments_core::json::Json;
use payments_core::{ErrorCode, Operation, Outcome, qr_svg};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::failure::Failure;
use crate::output::{self, Style};

/// The member of a view with what the payer scans.
pub(crate) const MEMBER: &str = "qr_code_value";

/// Refuses a file in a folder that does not exist, before anything is sent.
pub(crate) fn check_folder(file: &Path) -> Result<(), Failure> {
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    match folder.filter(|it| !it.is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let folder = folder.display();
            let message = format!("--qr: there is no folder {folder}; create it first");
            Err(Failure::io(ErrorCode::OUTPUT_FAILED, message))
        }
    }
}

/// Writes the QR code of a response, if it has one, to `file`.
pub(crate) fn write(operation: Operation, view: &Json, file: &Path) -> Result<(), Failure> {
    let code = view.get(MEMBER).and_then(Json::as_str);
    let Some(picture) = code.and_then(qr_svg) else {
        output::note("the response has no QR code; query the payment until it has one");
        return Ok(());
    };
    std::fs::write(file, picture).map_err(|error| {
        let place = file.display().to_string();
        Failure::response_lost(operation, Outcome::Executed, &place, &error)
    })
}

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
