//! The picture of a QR code, decoded by another library.

use payments_core::{ErrorKind, qr_png, qr_svg};

const CODE: &str = "00020101021226580014br.gov.bcb.pix0136123e4567-e89b-12d3-a456-4266554400005204\
                    00005303986540510.105802BR5912Loja Exemplo6009SAO PAULO62070503***6304A1B2";

/// The side of a module at which an SVG document is shown, in pixels.
const MODULE: usize = 6;

/// The number after `name="` in the document.
fn attribute(svg: &str, name: &str) -> usize {
    let (_, after) = svg.split_once(&format!(" {name}=\"")).unwrap();
    after.split('"').next().unwrap().parse().unwrap()
}

/// The modules that the document draws dark: runs `M x y h w v 1 h -w z` of its
/// second path, by rows.
fn dark_modules(svg: &str) -> Vec<Vec<bool>> {
    let (_, path) = svg.rsplit_once(" d=\"").unwrap();
    let path = path.split('"').next().unwrap();
    let side = attribute(svg, "width") / MODULE;
    let mut rows = vec![vec![false; side]; side];
    for run in path.split('M').skip(1) {
        let numbers: Vec<&str> = run.split([' ', 'h', 'v', 'z']).collect();
        let [x, y, width, height, back, ""] = numbers[..] else { panic!("a run: {run}") };
        assert_eq!((height, back), ("1", &*format!("-{width}")), "{run}");
        let [x, y, width]: [usize; 3] = [x, y, width].map(|it| it.parse().unwrap());
        rows[y][x..x + width].fill(true);
    }
    rows
}

/// The text that another library reads off a picture of the modules.
fn decoded(modules: &[Vec<bool>]) -> String {
    let side = modules.len() * MODULE;
    let gray = |x: usize, y: usize| if modules[y / MODULE][x / MODULE] { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, gray);
    let [grid] = &image.detect_grids()[..] else { panic!("one code") };
    grid.decode().unwrap().1
}

/// The pixels of a PNG file, by rows: whether each is dark.
fn pixels(file: &[u8]) -> Vec<Vec<bool>> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let (kind, depth) = (reader.info().color_type, reader.info().bit_depth);
    assert_eq!((kind, depth), (png::ColorType::Grayscale, png::BitDepth::One));
    let width = reader.info().width as usize;
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    let is_dark = |row: &[u8], x: usize| row[x / 8] >> (7 - x % 8) & 1 == 0;
    let rows = bytes.chunks_exact(frame.line_size);
    rows.map(|row| (0..width).map(|x| is_dark(row, x)).collect()).collect()
}

#[test]
fn the_picture_holds_the_text() {
    for text in [CODE, "00020126", "Lojão São José, 李小龙"] {
        let modules = dark_modules(&qr_svg(text).unwrap());
        assert_eq!(decoded(&modules), text);
        let has_margin = |row: &Vec<bool>| !row[..4].contains(&true) && row[4];
        assert!(has_margin(&modules[4]) && !modules[..4].concat().contains(&true));
    }
}

#[test]
fn the_svg_document_is_small_and_can_stand_in_a_page() {
    let svg = qr_svg(CODE).unwrap();
    let side = attribute(&svg, "width") / MODULE;
    assert!(svg.starts_with("<svg xmlns="), "{svg}");
    assert!(svg.contains(&format!(" viewBox=\"0 0 {side} {side}\" role=\"img\"")), "{svg}");
    assert!(svg.contains("><title>QR code</title><path "), "{svg}");
    // Two modules that touch are one run.
    let modules = dark_modules(&svg);
    let starts = |row: &Vec<bool>| row.windows(2).filter(|pair| *pair == [false, true]).count();
    assert_eq!(svg.matches('M').count(), 1 + modules.iter().map(starts).sum::<usize>());
}

#[test]
fn the_png_file_has_the_same_modules() {
    for text in [CODE, "ÁÉÍÓÚÂ", "1"] {
        let modules = dark_modules(&qr_svg(text).unwrap());
        for size in [1, 6, 7, 64] {
            let pixels = pixels(&qr_png(text, size).unwrap().unwrap());
            let size = size as usize;
            assert_eq!(pixels.len(), modules.len() * size);
            for (y, row) in pixels.iter().enumerate() {
                let scaled = modules[y / size].iter().flat_map(|it| vec![*it; size]);
                assert_eq!(*row, scaled.collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn a_module_has_from_1_to_64_pixels() {
    for size in [0, 65, u32::MAX] {
        let error = qr_png(CODE, size).unwrap_err();
        assert_eq!((error.kind(), error.path()), (ErrorKind::Validation, Some("module_size")));
        assert!(error.to_string().contains("from 1 to 64"), "{error}");
    }
}

#[test]
fn a_text_that_does_not_fit_has_no_picture() {
    assert!(qr_svg(&"a".repeat(2331)).is_some());
    assert_eq!(qr_svg(&"a".repeat(2332)), None);
    assert!(qr_png(&"漢".repeat(777), 1).unwrap().is_some());
    assert_eq!(qr_png(&"漢".repeat(778), 1).unwrap(), None);
}
