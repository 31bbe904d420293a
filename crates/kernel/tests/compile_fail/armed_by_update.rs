use countersign_kernel::gates::arm::Armed;

fn swap(armed: Armed) -> Armed {
    Armed { key: "another".to_owned(), ..armed }
}

fn main() {
    let _ = swap;
}
