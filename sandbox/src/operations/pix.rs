//! The text of a pix QR code.

/// The "copy and paste" text of a pix charge in EMV format: tag, length,
/// content, with a checksum at the end. It cannot be paid, because its key is
/// random.
pub(crate) fn qr_code_value(key: &str, amount: &str, charge: &str) -> String {
    let account = format!("{}{}", field("00", "br.gov.bcb.pix"), field("01", key));
    let mut code = [
        field("00", "01"),
        field("26", &account),
        field("52", "0000"),
        field("53", "986"),
        field("54", amount),
        field("58", "BR"),
        field("59", "SANDBOX"),
        field("60", "SAO PAULO"),
        field("62", &field("05", charge)),
        "6304".to_owned(),
    ]
    .concat();
    let checksum = crc16(code.as_bytes());
    code.push_str(&format!("{checksum:04X}"));
    code
}

fn field(tag: &str, content: &str) -> String {
    format!("{tag}{:02}{content}", content.len())
}

/// CRC-16/CCITT-FALSE.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |mut crc: u16, &byte| {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 };
        }
        crc
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_agrees_with_its_check_value() {
        assert_eq!(crc16(b"123456789"), 0x29b1);
    }

    #[test]
    fn code_carries_key_and_amount() {
        let code = qr_code_value("a-key", "100.10", "charge1");
        assert!(code.starts_with("000201"));
        assert!(code.contains("0014br.gov.bcb.pix0105a-key"));
        assert!(code.contains("5406100.10"));
        assert_eq!(code.len() - code.rfind("6304").unwrap(), 8);
    }
}
