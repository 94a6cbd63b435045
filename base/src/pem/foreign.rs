//! Formats that people give in place of PEM, by name, with the command that
//! converts each.

use super::form::Algorithm;

/// The purpose of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A private key.
    PrivateKey,
    /// A public key.
    PublicKey,
    /// Certificates of authorities.
    Authorities,
}

/// A format that is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// Nothing.
    Empty,
    /// With the name of its byte order for `iconv`.
    Utf16(&'static str),
    /// A JSON Web Key.
    Jwk {
        /// Its algorithm.
        algorithm: Algorithm,
        /// Whether it has the private part.
        is_private: bool,
    },
    /// Other JSON.
    Json,
    /// PEM in base64.
    EncodedTwice,
    /// The BEGIN line of PEM was changed.
    Marker,
    /// Hexadecimal digits.
    Hex,
    /// A keystore of Java.
    Jks,
    /// PKCS#7.
    Pkcs7,
    /// PKCS#12.
    Pkcs12,
    /// A single certificate in DER, where PEM is needed.
    DerCertificate,
    /// `RSAKeyValue` of .NET.
    Xml,
    /// Private keys of Windows: the form for `openssl`.
    Windows(&'static str),
    /// A key file of PuTTY.
    Putty,
    /// A public key for OpenSSH.
    OpenSshPublic,
    /// The path of a file.
    Path,
    /// Something else.
    Unknown,
}

impl Foreign {
    /// Formats that begin with known bytes.
    pub(super) fn of_bytes(contents: &[u8]) -> Option<Self> {
        const HEAD: usize = 32;
        let head = &contents[..contents.len().min(HEAD)];
        // Armor is ASCII: every other byte of it is zero.
        let is_half_zero = |zero: usize| {
            head.len() == HEAD
                && head.iter().enumerate().all(|(i, it)| (*it == 0) == (i % 2 == zero))
        };
        match head {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some(Self::Utf16("UTF-16")),
            _ if is_half_zero(1) => Some(Self::Utf16("UTF-16LE")),
            _ if is_half_zero(0) => Some(Self::Utf16("UTF-16BE")),
            [0xfe, 0xed, 0xfe, 0xed, ..] | [0xce, 0xce, 0xce, 0xce, ..] => Some(Self::Jks),
            [0x1e, 0xf1, 0xb5, 0xb0, ..] => Some(Self::Windows("PVK")),
            [7, 2, 0, 0, 0, 0x24 | 0xa4, 0, 0, b'R', b'S', b'A', b'2', ..] => {
                Some(Self::Windows("MSBLOB"))
            }
            _ => None,
        }
    }

    /// Texts that are something else even if they contain PEM.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        match text {
            "" => Some(Self::Empty),
            _ if text.starts_with('{') => Some(of_json(text)),
            _ if text.starts_with("PuTTY-User-Key-File-") => Some(Self::Putty),
            _ if text.starts_with("ssh-") || text.starts_with("---- BEGIN SSH2 PUBLIC") => {
                Some(Self::OpenSshPublic)
            }
            _ => None,
        }
    }

    /// Texts without a PEM block.
    pub(super) fn of_other_text(text: &str) -> Self {
        if text.contains("<RSAKeyValue>") {
            Self::Xml
        } else if has_changed_marker(text) {
            Self::Marker
        } else if is_hex(text) {
            Self::Hex
        } else if is_path(text) {
            Self::Path
        } else {
            Self::Unknown
        }
    }

    /// The finding and its remedy.
    pub fn message(self, wanted: Use) -> String {
        let (noun, file, label) = match wanted {
            Use::PrivateKey => ("key", "private_key.pem", "PRIVATE KEY"),
            Use::PublicKey => ("key", "public_key.pem", "PUBLIC KEY"),
            Use::Authorities => ("certificate", "ca.pem", "CERTIFICATE"),
        };
        match self {
            Self::Utf16(order) => format!(
                "this is UTF-16 text; save it as UTF-8, for example with \
                 `iconv -f {order} -t UTF-8 FILE > {file}`"
            ),
            Self::Json => {
                format!("this is JSON; give the {noun} in it, as PEM with real line breaks")
            }
            Self::EncodedTwice => format!(
                "this PEM text is encoded in base64 once more; decode it, for example with \
                 `base64 -d FILE > {file}`"
            ),
            Self::Marker => format!(
                "the BEGIN line was changed, perhaps by a text program; it must read \
                 `-----BEGIN {label}-----` with five hyphens on each side: copy the {noun} again \
                 as plain text"
            ),
            Self::Hex => format!(
                "this is hexadecimal text; convert it to bytes with `xxd -r -p FILE {noun}.der`"
            ),
            Self::Windows(form) => format!(
                "this is a private key of Windows ({form}); convert it with \
                 `openssl rsa -inform {form} -in FILE -out private_key.pem`"
            ),
            Self::Xml => "this is an RSA key as XML; export it as PEM, for example with \
                          ExportPkcs8PrivateKeyPem or ExportSubjectPublicKeyInfoPem of .NET"
                .to_owned(),
            Self::Path => {
                format!("this looks like a path; give the {noun} itself, or name the file")
            }
            Self::Jwk { .. } | Self::Jks | Self::Pkcs7 | Self::Pkcs12 | Self::DerCertificate => {
                self.container(wanted)
            }
            Self::Empty | Self::Putty | Self::OpenSshPublic | Self::Unknown => {
                format!("no {noun} was found; give PEM that begins with `-----BEGIN {label}-----`")
            }
        }
    }

    /// Containers, from which each purpose takes another part.
    fn container(self, wanted: Use) -> String {
        let (name, commands) = match self {
            Self::Jwk { .. } => ("a JWK", JWK),
            Self::Jks => ("a Java keystore (JKS or JCEKS)", JKS),
            Self::Pkcs7 => ("a PKCS#7 file (.p7b, .p7c)", PKCS7),
            Self::Pkcs12 => ("a PKCS#12 file (.p12, .pfx)", PKCS12),
            _ => ("a certificate as DER", CERTIFICATE),
        };
        format!("this is {name}{}", commands[wanted as usize])
    }
}

/// The commands to get a private key, a public key, and certificates of
/// authorities from a container.
type Commands = [&'static str; 3];

const JWK: Commands = [
    "; convert it with `node -p 'require(\"crypto\").createPrivateKey({key: JSON.parse(\
     require(\"fs\").readFileSync(\"FILE\")), format: \"jwk\"}).export({type: \"pkcs8\", \
     format: \"pem\"})' > private_key.pem`",
    "; convert it with `node -p 'require(\"crypto\").createPublicKey({key: JSON.parse(\
     require(\"fs\").readFileSync(\"FILE\")), format: \"jwk\"}).export({type: \"spki\", \
     format: \"pem\"})' > public_key.pem`",
    ", which is a key; give the certificates of the authorities as PEM",
];
const JKS: Commands = [
    "; convert it with `keytool -importkeystore -srckeystore FILE -destkeystore key.p12 \
     -deststoretype PKCS12`, then extract the private key with \
     `openssl pkcs12 -in key.p12 -nocerts -out private_key.pem`",
    "; extract the public key with `keytool -exportcert -rfc -keystore FILE -alias NAME | \
     openssl x509 -pubkey -noout -out public_key.pem`",
    "; extract each authority with `keytool -exportcert -rfc -keystore FILE -alias NAME >> ca.pem`",
];
const PKCS7: Commands = [
    ", which contains certificates and no private key; give the RSA private key of the registered \
     public key",
    "; extract its certificates with `openssl pkcs7 -inform DER -in FILE -print_certs -out \
     certificate.pem` (`-inform PEM` if it has a BEGIN line), then the public key with \
     `openssl x509 -in certificate.pem -pubkey -noout -out public_key.pem`",
    "; convert it with `openssl pkcs7 -inform DER -in FILE -print_certs -out ca.pem` \
     (`-inform PEM` if it has a BEGIN line)",
];
const PKCS12: Commands = [
    "; extract its private key with `openssl pkcs12 -in FILE -nocerts -out private_key.pem`",
    "; extract its certificate with `openssl pkcs12 -in FILE -clcerts -nokeys -out \
     certificate.pem`, then the public key with \
     `openssl x509 -in certificate.pem -pubkey -noout -out public_key.pem`",
    "; extract its authorities with `openssl pkcs12 -in FILE -cacerts -nokeys -out ca.pem`",
];
const CERTIFICATE: Commands = [
    ", which contains no private key; give the RSA private key of the registered public key",
    "; extract its public key with `openssl x509 -inform DER -in FILE -pubkey -noout -out \
     public_key.pem`",
    "; convert it with `openssl x509 -inform DER -in FILE -out ca.pem`",
];

/// Looks for members without parsing: a parsed key would have to be wiped.
fn of_json(text: &str) -> Foreign {
    let value_of = |member: &str| {
        let (_, after) = text.split_once(member)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        value.split_once('"').map(|(value, _)| value)
    };
    let algorithm = match value_of("\"kty\"") {
        // A set of several keys.
        _ if text.contains("\"keys\"") => return Foreign::Json,
        None => return Foreign::Json,
        Some("RSA") => Algorithm::Rsa,
        Some("EC") => Algorithm::Ec,
        Some(_) => Algorithm::Other,
    };
    Foreign::Jwk { algorithm, is_private: value_of("\"d\"").is_some() }
}

/// Whether there is a line with BEGIN and a label that is not PEM.
fn has_changed_marker(text: &str) -> bool {
    const NEAR: usize = 48;
    let has = |text: &[u8], word: &[u8]| {
        text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
    };
    let begins = |at: usize| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_marked = |last: char| !last.is_alphanumeric() && !",.;:()".contains(last);
        let after = &text.as_bytes()[at..text.len().min(at + NEAR)];
        before.chars().next_back().is_none_or(is_marked)
            && (has(after, b"key") || has(after, b"certificate"))
    };
    let places = text.as_bytes().windows(5).enumerate();
    places.filter(|(_, word)| word.eq_ignore_ascii_case(b"begin")).any(|(at, _)| begins(at))
}

/// Whether the text is a key or a certificate in hexadecimal.
fn is_hex(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
    text.starts_with("3082") && text.as_bytes().iter().all(is_digit)
}

/// Whether the text looks like the path of a file.
fn is_path(text: &str) -> bool {
    const LONGEST: usize = 255;
    const ENDINGS: [&str; 5] = [".pem", ".der", ".key", ".p8", ".pk8"];
    let begins = ["/", "./", "../", "~/"].iter().any(|it| text.starts_with(it));
    let ends = ENDINGS.iter().any(|it| text.ends_with(it));
    text.len() <= LONGEST && !text.contains('\n') && (begins || ends)
}
