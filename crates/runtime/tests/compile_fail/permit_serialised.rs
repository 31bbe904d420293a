use countersign_runtime::permit::Permit;

fn store(permit: &Permit) -> String {
    serde_json::to_string(permit).unwrap()
}

fn main() {
    let _ = store;
}
