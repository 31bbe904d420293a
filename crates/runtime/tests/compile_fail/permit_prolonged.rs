use countersign_runtime::permit::Permit;
use jiff::Timestamp;

fn prolong(mut permit: Permit) {
    permit.deadline = Timestamp::MAX;
}

fn main() {
    let _ = prolong;
}
