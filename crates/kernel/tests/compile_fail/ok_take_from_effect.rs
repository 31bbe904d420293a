//! The honest way: a proof comes out of an effect, and only there.
use countersign_kernel::effect::Effect;

fn key(effect: &Effect) -> Option<&str> {
    if let Effect::CallTool(armed) = effect { Some(armed.key()) } else { None }
}

fn main() {
    assert!(key(&Effect::SetConsent { is_opted_out: true }).is_none());
}
