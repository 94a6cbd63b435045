// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, CreatePayout, Payee, Payout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = CreatePayout::new(Payout {
        external_reference: "payout-1001".into(),
        country: "br".into(),
        currency_code: "BRL".into(),
        amount: "10.50".parse()?,
        target: Some("pix_key".into()),
        target_account: Some("maria@example.com".into()),
        payee: Some(Payee {
            name: Some("Maria Souza".into()),
            document: Some("853.513.468-93".into()),
            document_type: Some("CPF".into()),
            ..Payee::default()
        }),
        ..Payout::default()
    });
    let response = client.create_payout(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
