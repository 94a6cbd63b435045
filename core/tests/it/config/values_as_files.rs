//! Values in place of the files that hold them.

use payments_core::{Client, Config};

const SECRET: &str = "ab3/s3cr3t+canary==";

#[test]
fn a_value_in_place_of_its_file_is_not_shown() {
    let folder = std::env::temp_dir().join(format!("values-as-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("payments.json");
    let members = [
        "integration_key_file",
        "client_secret_file",
        "key_file",
        "key_passphrase_file",
        "public_key_file",
        "token_store_key_file",
    ];
    let of_an_hsm = cfg!(feature = "pkcs11").then_some("pkcs11_pin_file");
    for member in members.into_iter().chain(of_an_hsm) {
        for value in [SECRET, "canary", "/canary", "eyJ.canary.c2ln"] {
            let json = format!(r#"{{"base_url":"https://api.example","{member}":"{value}"}}"#);
            std::fs::write(&file, &json).unwrap();
            for config in [Config::from_json(json.as_bytes()), Config::from_file(&file)] {
                let error = Client::new(config.unwrap()).unwrap_err();
                assert!(!format!("{error:?} {error}").contains("canary"), "{member}: {error}");
                assert_eq!(
                    (error.path(), error.code().as_str()),
                    (Some(member), "file_unreadable")
                );
            }
        }
        let json = format!(r#"{{"base_url":"https://api.example","{member}":"missing.pem"}}"#);
        let config = Config::from_json(json.as_bytes()).unwrap();
        let error = Client::new(config).unwrap_err();
        assert!(error.message().contains("missing.pem: no such file"), "{member}: {error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_configuration_in_place_of_its_file_is_not_shown() {
    for text in [r#"{"client_secret":"canary"}"#, " {\"key\": \"canary\"\n}"] {
        let error = Config::from_file(text).unwrap_err();
        assert!(!error.message().contains("canary"), "{error}");
        assert_eq!((error.path(), error.code().as_str()), (Some("config"), "file_unreadable"));
    }
}
