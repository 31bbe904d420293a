use countersign_kernel::gates::arm::Armed;
use countersign_runtime::permit::Permit;
use jiff::Timestamp;

fn forge(armed: Armed) -> Permit {
    Permit { armed, deadline: Timestamp::MAX }
}

fn main() {
    let _ = forge;
}
