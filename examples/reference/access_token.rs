use payments_core::{Client, Config};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    // `token.value` is a secret, for the header "Authorization: Bearer …".
    let token = client.access_token(&client.context())?;
    println!(r#"{{"scope":"{}"}}"#, token.members["scope"]);
    Ok(())
}
