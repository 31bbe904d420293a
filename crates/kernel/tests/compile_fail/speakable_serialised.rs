use countersign_kernel::gates::shape::Speakable;

fn store(said: &Speakable) -> String {
    serde_json::to_string(said).unwrap()
}

fn main() {
    let _ = store;
}
