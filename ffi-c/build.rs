//! Names the shared library and keeps it mapped.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=abi/version");
    // The one place of the number of the binary interface.
    let abi = std::fs::read_to_string("abi/version").unwrap_or_default();
    let abi = abi.trim();
    assert!(abi.parse::<u32>().is_ok(), "ffi-c/abi/version holds a whole number");
    println!("cargo:rustc-env=PAYMENTS_ABI_VERSION={abi}");
    let target_os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target_os == "macos" {
        // `make install` replaces it by the path of the library.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libpayments.{abi}.dylib");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-headerpad_max_install_names");
    }
    if target_os == "linux" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpayments.so.{abi}");
        // Threads and thread-locals of the library may outlive `dlclose`.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
