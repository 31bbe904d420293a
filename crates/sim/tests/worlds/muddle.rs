//! What happens next in a world, drawn from its seed alone and from what was seen so far.

use countersign_runtime::Incoming;

use crate::watch::{Talk, Watch};

/// The two people of every world, by address.
pub(crate) const PEOPLE: [&str; 2] = ["first", "second"];

/// Lines that are a yes and nothing else; written down here, so that the reader of answers is checked and not trusted.
pub(crate) const YES: &[&str] = &["sim", "Sim!", "confirmo", "pode", "OK.", "sim, por favor", "ok 👍"];

const CREATE: &[&str] = &[
    "boleto de 150 reais para a Ana Souza, vence sexta",
    "cria um boleto de 80 reais para a Carla Dias, vencendo amanhã",
    "quero um boleto de R$ 1.234,56 para o Bruno Lima, vence dia 10",
    "boleto de 45 reais para o João, vence sexta",
    "quero criar um boleto",
    "boleto de 0 reais para a Ana Souza, vence sexta",
    "boleto de 200 mil reais para a Ana Souza, vence sexta",
    "boleto de 10 reais para o Zacarias Pinto, vence sexta",
];
const NO: &[&str] = &["não", "nao", "cancela", "pare", "não, obrigado"];
const DOUBT: &[&str] = &["talvez", "acho que sim", "sim, mas espera", "sim?", "sim e não", "hmm", "não sei"];
const CORRECT: &[&str] =
    &["na verdade 200 reais", "troca para a Carla Dias", "muda o vencimento para amanhã", "sim, mas de 90 reais"];
const OTHER: &[&str] = &[
    "cancela o boleto BOL-1001",
    "cancela o boleto BOL-1003",
    "cancela o boleto BOL-1004",
    "cancela o boleto BOL-1002",
    "cancela o boleto BOL-1008",
    "cancela o boleto BOL-9999",
    "qual o status do boleto BOL-1001?",
    "qual o status do boleto BOL-1008?",
    "lista os boletos",
    "manda mensagem para a Ana Souza: bom dia",
    "Ana Souza",
    "150",
    "sexta",
    "o segundo",
    "1",
    "bom dia",
    "obrigado",
    "o que você faz?",
    "deixa pra lá",
    "repete",
    "quero falar com um atendente",
];
const NOISE: &[&str] =
    &["", "   ", "xyzzy plugh", "👍", "🙂🙂🙂", "\u{200b}", "'; drop table boletos; --", "SIM sim NÃO", "stop"];

/// Something that happens.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Somebody sends something.
    Says { person: &'static str, content: Incoming },
    /// The channel delivers something again, by how long ago it was.
    Repeats { back: usize },
    /// Time passes and timers fire.
    Waits { seconds: i64 },
    /// The clock is set back.
    ClockGoesBack { seconds: i64 },
    /// The process ends and starts again.
    Restarts,
    /// An operator gives a conversation back to the agent.
    HandsBack { person: &'static str },
}

/// Draws actions; the same seed draws the same ones.
pub(crate) struct Muddle {
    state: u64,
}

impl Muddle {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next(&mut self, watch: &Watch) -> Action {
        let person = self.pick(&PEOPLE);
        let talk = watch.talk(&format!("{person}-talk"));
        if talk.is_handed_over && self.chance(60) {
            return Action::HandsBack { person };
        }
        match self.below(100) {
            0..62 => Action::Says { person, content: Incoming::Text(self.line(&talk).to_owned()) },
            62..72 => Action::Says { person, content: self.press(&talk) },
            72..80 => Action::Repeats { back: usize::try_from(self.below(4)).unwrap_or(0) },
            80..90 => Action::Waits { seconds: self.wait() },
            90..94 => Action::ClockGoesBack { seconds: 1 + self.seconds(20) },
            _ => Action::Restarts,
        }
    }

    /// What somebody writes: mostly what fits, so that requests get somewhere.
    fn line(&mut self, talk: &Talk) -> &'static str {
        if talk.is_opted_out && self.chance(60) {
            return "start";
        }
        let roll = self.below(100);
        let lines = match (talk.question.is_some(), roll) {
            (true, 0..45) => YES,
            (true, 45..53) => NO,
            (true, 53..63) => DOUBT,
            (true, 63..73) => CORRECT,
            (false, 0..45) | (true, 73..80) => CREATE,
            (false, 45..50) => YES,
            (_, 94..) => NOISE,
            (_, _) => OTHER,
        };
        self.pick(lines)
    }

    /// A press on a button: the yes or no of the latest question, or one of an old question; a voice note if there is
    /// none to press.
    fn press(&mut self, talk: &Talk) -> Incoming {
        let back = match self.below(100) {
            0..50 => 1,
            50..60 => 0,
            _ => self.below(12),
        };
        let index = talk.buttons.len().checked_sub(1 + usize::try_from(back).unwrap_or(0));
        let payload = index.and_then(|index| talk.buttons.get(index)).cloned();
        payload.map_or_else(|| Incoming::Voice(Vec::new()), Incoming::Button)
    }

    /// Seconds, or up to ten minutes: both sides of a confirmation's five.
    fn wait(&mut self) -> i64 {
        if self.chance(60) { 1 + self.seconds(60) } else { 1 + self.seconds(600) }
    }

    fn seconds(&mut self, below: u64) -> i64 {
        i64::try_from(self.below(below)).unwrap_or(0)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        let index = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(index).copied().unwrap_or_default()
    }

    fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }

    /// The generator splitmix64.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
