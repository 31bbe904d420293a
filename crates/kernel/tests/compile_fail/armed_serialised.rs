use countersign_kernel::gates::arm::Armed;

fn store(armed: &Armed) -> String {
    serde_json::to_string(armed).unwrap()
}

fn main() {
    let _ = store;
}
