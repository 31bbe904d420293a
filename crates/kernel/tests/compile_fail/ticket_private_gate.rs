use countersign_kernel::gates::trace::Traced;

fn main() {}
