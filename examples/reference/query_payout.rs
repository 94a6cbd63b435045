// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, QueryPayout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = QueryPayout::by_external_reference("payout-1001");
    let response = client.query_payout(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
