//! The QR code of a payment as a picture.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use miniz_oxide::deflate::compress_to_vec_zlib;
use qrcode::bits::Bits;
use qrcode::optimize::{Optimizer, Parser, Segment};
use qrcode::types::{Mode, QrResult};
use qrcode::{Color, EcLevel, QrCode, Version};

use crate::model::error::{Error, ErrorCode};

/// The light modules on each side, without which readers do not find a code.
const QUIET_ZONE: usize = 4;
/// The side of a module, in pixels, at which an SVG document is shown if nothing
/// scales it.
const SVG_MODULE_SIZE: usize = 6;
/// The largest code has 185 modules on a side: 11,840 pixels.
const MODULE_SIZES: RangeInclusive<u32> = 1..=64;

/// `text` as the QR code that banking apps scan: an SVG document, black on
/// white, with a quiet zone. `None` if it does not fit into one (2,331 bytes).
///
/// The document has a `viewBox`, so it scales, and no XML prolog, so it can stand
/// within a page. Its title is "QR code".
pub fn qr_svg(text: &str) -> Option<String> {
    let grid = Grid::of(text)?;
    let (side, shown) = (grid.side, grid.side * SVG_MODULE_SIZE);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{shown}" height="{shown}" viewBox="0 0 {side} {side}" role="img" shape-rendering="crispEdges"><title>QR code</title><path fill="#fff" d="M0 0h{side}v{side}H0z"/><path fill="#000" d=""##
    );
    for (y, row) in grid.rows().enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|one, next| one == next) {
            let width = run.len();
            if run.first() == Some(&Color::Dark) {
                // Writing to a string does not fail.
                let _ = write!(svg, "M{x} {y}h{width}v1h-{width}z");
            }
            x += width;
        }
    }
    svg.push_str(r#""/></svg>"#);
    Some(svg)
}

/// `text` as the QR code that banking apps scan: a PNG file, black on white,
/// with a quiet zone. `None` if it does not fit into one (2,331 bytes).
///
/// A module is a square of `module_size` pixels, from 1 to 64: 6 suits a screen. A
/// code of 150 characters has about 60 modules on a side, with the quiet zone.
///
/// # Errors
///
/// [`Validation`](crate::ErrorKind::Validation) for another size.
pub fn qr_png(text: &str, module_size: u32) -> Result<Option<Vec<u8>>, Error> {
    if !MODULE_SIZES.contains(&module_size) {
        let (least, most) = (MODULE_SIZES.start(), MODULE_SIZES.end());
        let message = format!("must be a whole number of pixels from {least} to {most}");
        return Err(Error::validation("module_size", ErrorCode::WRONG_TYPE, message));
    }
    Ok(Grid::of(text).map(|grid| grid.png(module_size)))
}

/// `text` as a code. Everything that is not ASCII is in byte mode.
///
/// No ECI names the encoding: readers recognize UTF-8, and there are scanners that
/// would put `\000026` in front of the text, or refuse it.
pub fn qr_code(text: &str, level: EcLevel) -> Option<QrCode> {
    let text = text.as_bytes();
    let segments: Vec<_> = Parser::new(text).map(without_kanji).collect();
    let in_version = |version| {
        let version = Version::Normal(version);
        let mut bits = Bits::new(version);
        bits.push_segments(text, Optimizer::new(segments.iter().copied(), version))?;
        bits.push_terminator(level)?;
        QrResult::Ok(bits)
    };
    let bits = (1..=40).find_map(|version| in_version(version).ok())?;
    QrCode::with_bits(bits, level).ok()
}

/// Kanji mode stores bytes that look like Shift JIS, and readers return the
/// characters of Shift JIS. Only UTF-8 is drawn here.
fn without_kanji(segment: Segment) -> Segment {
    match segment.mode {
        Mode::Kanji => Segment { mode: Mode::Byte, ..segment },
        _ => segment,
    }
}

/// The modules of a code with its quiet zone.
struct Grid {
    modules: Vec<Color>,
    side: usize,
}

impl Grid {
    fn of(text: &str) -> Option<Self> {
        let code = qr_code(text, EcLevel::M)?;
        let width = code.width();
        let side = width + 2 * QUIET_ZONE;
        let mut modules = vec![Color::Light; side * side];
        let rows = modules.chunks_exact_mut(side).skip(QUIET_ZONE);
        for (row, drawn) in rows.zip(code.into_colors().chunks_exact(width)) {
            row[QUIET_ZONE..QUIET_ZONE + width].copy_from_slice(drawn);
        }
        Some(Self { modules, side })
    }

    fn rows(&self) -> impl Iterator<Item = &[Color]> {
        self.modules.chunks_exact(self.side)
    }

    /// The modules as squares of `size` pixels, one bit each.
    fn png(&self, size: u32) -> Vec<u8> {
        const AS_IT_IS: u8 = 0;
        const MINUS_THE_LINE_ABOVE: u8 = 2;
        let repeats = size as usize;
        let mut lines = Vec::new();
        for row in self.rows() {
            let row: Vec<_> = row.iter().flat_map(|it| std::iter::repeat_n(*it, repeats)).collect();
            lines.push(AS_IT_IS);
            lines.extend(row.chunks(8).map(byte_of));
            for _ in 1..repeats {
                lines.push(MINUS_THE_LINE_ABOVE);
                lines.resize(lines.len() + row.len().div_ceil(8), 0);
            }
        }
        let side = u32::try_from(self.side).unwrap_or(u32::MAX).saturating_mul(size).to_be_bytes();
        let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
        // One bit for each pixel, in gray; the rest is the only choice, or not interlaced.
        push_chunk(&mut file, b"IHDR", &[&side[..], &side, &[1, 0, 0, 0, 0]].concat());
        push_chunk(&mut file, b"IDAT", &compress_to_vec_zlib(&lines, 6));
        push_chunk(&mut file, b"IEND", &[]);
        file
    }
}

fn push_chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let chunk = [kind, data].concat();
    file.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    file.extend(&chunk);
    file.extend(crc32(&chunk).to_be_bytes());
}

/// The checksum of a chunk, bit by bit: a file is too small for a table to matter.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Up to eight pixels, the first in the highest bit, which is set for a light one.
fn byte_of(pixels: &[Color]) -> u8 {
    let lights = pixels.iter().enumerate().filter(|(_, pixel)| **pixel == Color::Light);
    lights.fold(0, |byte, (place, _)| byte | 0x80 >> place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing but byte mode, in the smallest version.
    fn in_byte_mode(text: &str) -> Vec<Color> {
        let bits = (1..=40).find_map(|version| {
            let mut bits = Bits::new(Version::Normal(version));
            bits.push_byte_data(text.as_bytes()).ok()?;
            bits.push_terminator(EcLevel::M).ok()?;
            Some(bits)
        });
        QrCode::with_bits(bits.unwrap(), EcLevel::M).unwrap().into_colors()
    }

    #[test]
    fn text_outside_of_ascii_is_in_byte_mode() {
        for text in [
            "ÁÉÍÓÚÂ",
            "李小龙商店有限公司圣保罗分公司",
            "東京ショップ",
            "김철수 상점",
            "שלום",
            "😀🎉",
        ] {
            let code = qr_code(text, EcLevel::M).unwrap();
            assert_eq!(code.into_colors(), in_byte_mode(text), "{text}");
        }
    }

    #[test]
    fn ascii_keeps_its_shorter_modes() {
        // The most that version 40 has room for.
        assert!(qr_code(&"1".repeat(5596), EcLevel::M).is_some());
        assert!(qr_code(&"A".repeat(3391), EcLevel::M).is_some());
        let mixed = format!("{}é{}", "1".repeat(2000), "A".repeat(2000));
        assert!(qr_code(&mixed, EcLevel::M).is_some());
    }
}
