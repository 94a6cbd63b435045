//! Completions and man pages.

use crate::support::{Payments, new_folder, test_key};

#[test]
fn completions_know_the_options_of_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let run = Payments::new(&new_folder(), ["completions", shell]).run();
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        for word in ["create-payment", "payee-name", "show-secrets"] {
            assert!(run.text().contains(word), "{shell}: {word}");
        }
        // PowerShell completes options alone.
        let has_codes = run.text().contains("duplicate_reference");
        assert_eq!(has_codes, shell != "powershell", "{shell}");
    }
}

#[test]
fn every_subcommand_has_a_man_page() {
    let folder = new_folder();
    let run = Payments::new(&folder, ["man", "--out", "pages"]).run();
    assert_eq!((run.code, run.stderr.as_str(), run.text()), (0, "", ""));
    for name in ["payments", "payments-create-payment", "payments-prepare-send", "payments-check"] {
        let page = std::fs::read_to_string(folder.join("pages").join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains("Example"), "{name}: {page}");
    }
    let file = test_key("test_rsa_4096_public.pem");
    let failure = Payments::new(&folder, ["man", "--out"]).argument(file).run().failure(1);
    assert_eq!(failure["code"], "file_unwritable");
}
