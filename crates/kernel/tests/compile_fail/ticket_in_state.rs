use countersign_kernel::gates::arm::Armed;
use countersign_kernel::state::{Phase, State};

fn keep(state: &mut State, armed: Armed) {
    state.phase = Phase::Calling(armed);
}

fn main() {
    let _ = keep;
}
