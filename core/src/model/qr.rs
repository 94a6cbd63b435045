//! The QR code of a payment as a picture.

use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

/// The side of a module, in pixels.
const MODULE: u32 = 6;

/// `text` as the QR code that banking apps scan: an SVG document, black on
/// white, with a quiet zone. `None` if it does not fit into one (2,331 bytes).
pub fn qr_svg(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    Some(code.render::<svg::Color<'_>>().module_dimensions(MODULE, MODULE).build())
}
