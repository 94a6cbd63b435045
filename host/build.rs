//! Compresses what `explain` says, which is most of the text in the library.

use std::io::{Error, ErrorKind};
use std::path::Path;
use std::{env, fs};

pub(crate) fn main() -> Result<(), Error> {
    const SOURCE: &str = "src/commands/explanations.json";
    println!("cargo:rerun-if-changed={}", env::current_dir()?.join(SOURCE).display());
    let folder = env::var_os("OUT_DIR").ok_or(Error::new(ErrorKind::NotFound, "no OUT_DIR"))?;
    let compressed = miniz_oxide::deflate::compress_to_vec(&fs::read(SOURCE)?, 10);
    fs::write(Path::new(&folder).join("explanations"), compressed)
}
