fn main() {
    let _ = countersign_kernel::act::act;
}
