use payments_core::{Client, Config, CreatePayout, Payee, Payout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let payout = Payout {
        external_reference: "payout-1001".into(),
        country: "br".into(),
        amount: "10.50".parse()?,
        currency_code: "BRL".into(),
        target: Some("pix_key".into()),
        target_account: Some("maria@example.com".into()),
        payee: Some(Payee {
            name: Some("Maria Souza".into()),
            document: Some("853.513.468-93".into()),
            document_type: Some("CPF".into()),
            ..Payee::default()
        }),
        ..Payout::default()
    };
    let response = client.create_payout(&CreatePayout::new(payout))?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
