use countersign_kernel::gates::arm::Armed;
use countersign_nlu::Value;

fn raise(mut armed: Armed) {
    armed.call.arguments.insert("amount_cents".to_owned(), Value::Int(1));
}

fn main() {
    let _ = raise;
}
