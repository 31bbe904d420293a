use std::collections::BTreeMap;

use countersign_kernel::effect::Effect;
use countersign_kernel::state::{Call, Proposer};

fn main() {
    let call = Call {
        tool: "create_boleto".to_owned(),
        arguments: BTreeMap::new(),
        proposer: Proposer::Planner,
        number: 1,
    };
    let _ = Effect::CallTool(call);
}
