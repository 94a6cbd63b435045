// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, CreatePayment, Payment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = CreatePayment::new(Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        document: Some("853.513.468-93".into()),
        country: "br".into(),
        payment_type_code: "pix".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse()?,
        merchant_payment_code: "order-1001".into(),
        ..Payment::default()
    });
    let response = client.create_payment(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
