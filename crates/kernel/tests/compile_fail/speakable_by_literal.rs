use countersign_kernel::gates::shape::Speakable;

fn main() {
    let _ = Speakable { text: "feito".to_owned(), buttons: Vec::new() };
}
