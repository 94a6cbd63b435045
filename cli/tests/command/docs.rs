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
        for value in ["duplicate_reference", "bancolombia-button", "uy", "PYG"] {
            let is_completed = run
                .text()
                .split(|it: char| !it.is_alphanumeric() && it != '-' && it != '_')
                .any(|it| it == value);
            assert_eq!(is_completed, shell != "powershell", "{shell}: {value}");
        }
    }
}

#[test]
fn every_subcommand_has_a_man_page() {
    let folder = new_folder();
    let run = Payments::new(&folder, ["man", "--out", "pages"]).run();
    assert_eq!((run.code, run.stderr.as_str(), run.text()), (0, "", ""));
    for name in ["payments", "payments-create-payment", "payments-prepare-send", "payments-check"] {
        let page = std::fs::read_to_string(folder.join("pages").join(format!("{name}.1"))).unwrap();
        for section in
            ["NAME", "SYNOPSIS", "DESCRIPTION", "\"EXIT STATUS\"", "EXAMPLES", "\"SEE ALSO\""]
        {
            let heading = format!("\n.SH {section}\n");
            assert_eq!(page.matches(&heading).count(), 1, "{name} {section}: {page}");
        }
        assert!(!page.contains(".SH EXTRA"), "{name}");
    }
    let page = |name: &str| {
        let page = std::fs::read_to_string(folder.join("pages").join(name)).unwrap();
        page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    };
    let batch = page("payments-create-payouts.1");
    assert!(batch.contains("[--decimal point|comma]"), "values are in the synopsis: {batch}");
    assert!(batch.contains("Possible values:"), "{batch}");
    assert!(batch.contains("payments(1), "), "{batch}");
    assert!(batch.contains("payments-journal(1)"), "{batch}");
    let keygen = page("payments-keygen.1");
    assert!(!keygen.contains("--config") && keygen.contains("--out DIR"), "{keygen}");
    assert!(page("payments.1").contains(".SH \"PAYMENTS AND PAYOUTS\"\n"));
    assert!(page("payments-create-payment.1").contains("\n.SH REQUEST\n"));
    let file = test_key("test_rsa_4096_public.pem");
    let failure = Payments::new(&folder, ["man", "--out"]).argument(file).run().failure(1);
    assert_eq!(failure["code"], "file_unwritable");
}
