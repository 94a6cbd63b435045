// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, QueryPayment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = QueryPayment::by_merchant_payment_code("order-1001");
    let response = client.query_payment(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
