use payments_core::{Client, Config, CreatePayment, Payment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let payment = Payment {
        name: "Maria Souza".into(),
        email: "maria@example.com".into(),
        document: Some("853.513.468-93".into()),
        country: "br".into(),
        payment_type_code: "pix".into(),
        merchant_payment_code: "order-1001".into(),
        currency_code: "BRL".into(),
        amount_total: "100.10".parse()?,
        ..Payment::default()
    };
    let response = client.create_payment(&CreatePayment::new(payment))?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
