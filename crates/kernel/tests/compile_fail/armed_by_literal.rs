use countersign_kernel::gates::arm::Armed;

fn main() {
    let _ = Armed { key: String::new() };
}
