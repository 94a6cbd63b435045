//! The picture of a QR code, decoded by another library.

use payments_core::qr_svg;

const CODE: &str = "00020101021226580014br.gov.bcb.pix0136123e4567-e89b-12d3-a456-4266554400005204\
                    00005303986540510.105802BR5912Loja Exemplo6009SAO PAULO62070503***6304A1B2";

/// The number after `name="` in the document.
fn attribute(svg: &str, name: &str) -> usize {
    let (_, after) = svg.split_once(&format!(" {name}=\"")).unwrap();
    after.split('"').next().unwrap().parse().unwrap()
}

/// Where the document draws: rectangles `M x y h w v h …` of its path.
fn rectangles(svg: &str) -> Vec<[usize; 4]> {
    let (_, path) = svg.split_once(" d=\"").unwrap();
    let path = path.split('"').next().unwrap();
    path.split('M')
        .skip(1)
        .map(|rectangle| {
            let numbers = rectangle.split(|it: char| !it.is_ascii_digit());
            let numbers: Vec<usize> = numbers.filter_map(|it| it.parse().ok()).collect();
            numbers[..4].try_into().unwrap()
        })
        .collect()
}

fn decoded(svg: &str) -> String {
    let rectangles = rectangles(svg);
    let is_dark = |x, y| {
        rectangles.iter().any(|&[left, top, width, height]| {
            (left..left + width).contains(&x) && (top..top + height).contains(&y)
        })
    };
    let (width, height) = (attribute(svg, "width"), attribute(svg, "height"));
    let gray = |x, y| if is_dark(x, y) { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(width, height, gray);
    let [grid] = &image.detect_grids()[..] else { panic!("one code") };
    grid.decode().unwrap().1
}

#[test]
fn the_picture_holds_the_text() {
    for text in [CODE, "00020126"] {
        assert_eq!(decoded(&qr_svg(text).unwrap()), text);
    }
}

#[test]
fn a_text_that_does_not_fit_has_no_picture() {
    assert!(qr_svg(&"a".repeat(2331)).is_some());
    assert_eq!(qr_svg(&"a".repeat(2332)), None);
}
