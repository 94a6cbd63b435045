// Generated from spec/operations by generate/templates/program.rs.jinja; do not edit. To update: cargo xtask generate

use payments_core::{Client, Config, Item, RegisterTracking, Tracking, TrackingDetails};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let request = RegisterTracking::new(Tracking {
        order_number: "order-1001".into(),
        email: "maria@example.com".into(),
        tracking_code: vec![
            "AA123456785BR".into(),
            TrackingDetails {
                tracking_code: "AA123456799BR".into(),
                items: vec![Item {
                    name: Some("Mug".into()),
                    quantity: Some(2),
                    ..Item::default()
                }],
                ..TrackingDetails::default()
            }
            .into(),
        ],
        ..Tracking::default()
    });
    let response = client.register_tracking(&request)?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
