//! The build script of the original, in its folder.

#[path = "../../../host/build.rs"]
mod original;

fn main() -> Result<(), std::io::Error> {
    std::env::set_current_dir("../../../host")?;
    original::main()
}
