use countersign_kernel::effect::Effect;

fn main() {
    let _ = Effect::Send("feito".to_owned());
}
