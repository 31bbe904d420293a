fn main() {
    let _ = countersign_kernel::gates::arm::check;
}
