use countersign_kernel::effect::Effect;

fn twice(effect: &Effect) -> Effect {
    effect.clone()
}

fn main() {
    let _ = twice;
}
