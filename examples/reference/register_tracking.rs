use payments_core::{Client, Config, Item, RegisterTracking, Tracking, TrackingDetails};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(Config::from_file("merchant/payments.json")?)?;
    let mugs = Item { name: Some("Mug".into()), quantity: Some(2), ..Item::default() };
    let parcel = TrackingDetails {
        tracking_code: "AA123456799BR".into(),
        items: vec![mugs],
        ..TrackingDetails::default()
    };
    let tracking = Tracking {
        order_number: "order-1001".into(),
        email: "maria@example.com".into(),
        tracking_code: vec!["AA123456785BR".into(), parcel.into()],
        ..Tracking::default()
    };
    let response = client.register_tracking(&RegisterTracking::new(tracking))?;
    println!("{}", response.raw().json()?.to_text());
    Ok(())
}
