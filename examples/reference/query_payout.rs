use payments_core::{Client, Config, QueryPayout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let response = client.query_payout(&QueryPayout::by_external_reference("payout-1001"))?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
