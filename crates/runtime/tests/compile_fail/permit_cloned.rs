use countersign_runtime::permit::Permit;

fn twice(permit: &Permit) -> Permit {
    permit.clone()
}

fn main() {
    let _ = twice;
}
