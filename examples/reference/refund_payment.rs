// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, QueryPayment, RefundPayment};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let payment = client.query_payment(&QueryPayment::by_merchant_payment_code("order-1003"))?;
    let request = RefundPayment::by_hash(payment.hash().ok_or("no hash")?)
        .amount("50.05".parse()?)
        .description("one of two items came back")
        .merchant_refund_code("refund-1001");
    let response = client.refund_payment(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
