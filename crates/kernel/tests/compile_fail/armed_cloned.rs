use countersign_kernel::gates::arm::Armed;

fn twice(armed: &Armed) -> Armed {
    armed.clone()
}

fn main() {
    let _ = twice;
}
