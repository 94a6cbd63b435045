//! QR codes: in a terminal, two modules per character, and as a picture.

use payments_core::inside::qr_code;
use payments_core::json::Json;
use payments_core::{ErrorCode, Operation, Outcome, qr_png, qr_svg};
use qrcode::EcLevel;
use qrcode::render::unicode::Dense1x2;

use crate::args::operation::QrFile;
use crate::output::{self, Style};
use crate::process::failure::Failure;

/// The member of a view with the code that the payer scans.
pub(crate) const MEMBER: &str = "qr_code_value";

/// The side of a module of a PNG file, in pixels, unless it is given.
const MODULE_SIZE: u32 = 6;

enum Format {
    Svg,
    Png,
}

impl QrFile {
    /// Refuses what cannot be written, before anything is sent.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if let (Format::Svg, Some(_)) = (self.format()?, self.module_size) {
            let message = "--qr-module-size: an SVG picture has no pixels; scale it where it is \
                           shown, or give --qr a name that ends in .png";
            return Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message));
        }
        if self.file.is_dir() {
            let message = format!("--qr: {} is a folder; name a file in it", self.file.display());
            return Err(Failure::io(ErrorCode::OUTPUT_FAILED, message));
        }
        let folder = self.file.parent().filter(|it| !it.as_os_str().is_empty());
        match folder.filter(|it| !it.is_dir()) {
            None => Ok(()),
            Some(folder) => {
                let folder = folder.display();
                let message = format!("--qr: there is no folder {folder}; create it first");
                Err(Failure::io(ErrorCode::OUTPUT_FAILED, message))
            }
        }
    }

    /// The format that the name of the file says; SVG if it says none.
    fn format(&self) -> Result<Format, Failure> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        // A script may make the name `.png`, which to Rust has no extension.
        let Some((_, extension)) = name.rsplit_once('.') else { return Ok(Format::Svg) };
        match &*extension.to_ascii_lowercase() {
            "svg" => Ok(Format::Svg),
            "png" => Ok(Format::Png),
            _ => {
                let file = self.file.display();
                let message =
                    format!("--qr writes SVG and PNG pictures; end {file} in .svg or .png");
                Err(Failure::usage(ErrorCode::INVALID_ARGUMENTS, message))
            }
        }
    }

    /// Writes the QR code of a response, if it has one.
    pub(crate) fn write(&self, operation: Operation, view: &Json) -> Result<(), Failure> {
        let Some(code) = view.get(MEMBER).and_then(Json::as_str) else {
            output::note("the response has no QR code; query the payment until it has one");
            return Ok(());
        };
        let drawn = match self.format()? {
            Format::Svg => qr_svg(code).map(String::into_bytes),
            Format::Png => qr_png(code, self.module_size.unwrap_or(MODULE_SIZE))?,
        };
        let Some(picture) = drawn else {
            output::note("the text to scan is too long for a QR code; show it as text");
            return Ok(());
        };
        std::fs::write(&self.file, picture).map_err(|error| {
            let lost = ["QR code", &*self.file.to_string_lossy()];
            Failure::response_lost(operation, Outcome::Executed, lost, &error)
        })
    }
}

/// The lines of the QR code for `text`, including its margin; `None` if the
/// text is too long for one.
///
/// Scanners expect dark modules on a light background. With colors, the code is
/// drawn that way; without, the light modules are drawn, since most terminals
/// have light text on a dark background.
pub(crate) fn lines(text: &str, style: Style) -> Option<Vec<String>> {
    let code = qr_code(text, EcLevel::L)?;
    let mut image = code.render::<Dense1x2>();
    if !style.is_coloured() {
        image.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark);
    }
    let painted = |line: &str| {
        if style.is_coloured() { format!("\x1b[30;107m{line}\x1b[0m") } else { line.to_owned() }
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
    fn a_text_that_is_too_long_has_no_code() {
        assert!(lines(&"x".repeat(5000), Style::plain()).is_none());
    }
}
