use payments_core::{Client, Config, RawRequest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = RawRequest::new("POST", "/ws/payout/commit")
        .body(r#"{"external_reference":"payout-1001"}"#)
        .reference("payout-1001");
    let response = client.send(&request)?;
    println!("{}", response.json()?.to_text());
    Ok(())
}
