use countersign_kernel::gates::arm::Armed;
use countersign_runtime::permit::Permit;
use jiff::Timestamp;

fn skip_the_journal(armed: Armed) -> Permit {
    Permit::new(armed, Timestamp::MAX)
}

fn main() {
    let _ = skip_the_journal;
}
