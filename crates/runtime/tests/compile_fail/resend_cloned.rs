use countersign_runtime::permit::Resend;

fn twice(resend: &Resend) -> Resend {
    resend.clone()
}

fn main() {
    let _ = twice;
}
