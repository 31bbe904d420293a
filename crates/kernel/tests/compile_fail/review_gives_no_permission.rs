use countersign_kernel::gates::arm::Armed;
use countersign_kernel::review::Review;

fn permission(review: Review) -> Armed {
    review.into()
}

fn main() {
    let _ = permission;
}
