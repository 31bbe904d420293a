use countersign_runtime::permit::Resend;

fn main() {
    let _ = Resend { key: "k1".to_owned() };
}
