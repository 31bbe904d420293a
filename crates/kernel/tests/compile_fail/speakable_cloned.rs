use countersign_kernel::gates::shape::Speakable;

fn twice(said: &Speakable) -> Speakable {
    said.clone()
}

fn main() {
    let _ = twice;
}
