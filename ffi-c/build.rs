//! Names the shared library and keeps it mapped.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target_os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target_os == "linux" {
        // The number changes with the ABI: see `payments_abi_version`.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libpayments.so.0");
        // Threads and thread-locals of the library may outlive `dlclose`.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
