use countersign_kernel::gates::arm::Armed;

fn main() {
    let _: Armed = serde_json::from_str("{}").unwrap();
}
