//! What a turn costs, part by part, on this machine, as ratios where a ratio says more than a number.
//!
//! `cargo bench -p countersign-sim --bench turn` runs all; a word after `--` picks a part:
//! `steps`, `whole`, `durable`, `tenants`, `long`, `idle`, and `looks`, one long run for a profiler.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a bench measures with clocks, prints what it measured and may stop at the first surprise"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use countersign_connect::tools::Toolbox;
use countersign_connect::transcriber::NoTranscriber;
use countersign_kernel::event::{Event, Happening};
use countersign_kernel::policy::Policy;
use countersign_kernel::state::{Session, State};
use countersign_kernel::{snapshot, step};
use countersign_nlu::{Context, extract};
use countersign_runtime::ports::{Channel, NoFaults, Sensor, Store, TenantStore};
use countersign_runtime::record::Personal;
use countersign_runtime::vault::{Purpose, Vault};
use countersign_runtime::{Delivery, Engine, Incoming, Ports};
use countersign_sim::clock::ManualClock;
use countersign_sim::folder::TempFolder;
use countersign_sim::world::{Agent, START};
use countersign_store::sqlite::{Options, SqliteStore};

/// The allocator of the binary, so that the bench measures what runs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A turn that only looks: one read for its precondition, one call of a reading tool.
const LOOKS: [&str; 4] = ["qual o status do boleto BOL-1001?"; 4];

/// A booking conversation: a request, a yes, a look, a list.
const TURNS: [&str; 4] = [
    "quero um boleto de 150 reais para a Ana Souza, vence sexta",
    "sim",
    "qual o status do boleto BOL-1001?",
    "lista os boletos",
];

fn main() {
    let part = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    let bench = Bench::new();
    if wanted("steps") {
        bench.steps();
    }
    if wanted("whole") {
        bench.whole();
    }
    if wanted("durable") {
        bench.durable();
    }
    if part.as_deref() == Some("looks") {
        bench.rate("looks", LOOKS, 1, 200, 20);
    }
    if wanted("tenants") {
        bench.tenants();
    }
    if wanted("long") {
        bench.long();
    }
    if wanted("idle") {
        bench.idle();
    }
}

/// Takes every message and shows it to nobody.
struct Nowhere;

#[async_trait]
impl Channel for Nowhere {
    async fn send(&self, _: &str, _: Option<&str>, _: &str, _: &[(String, String)]) -> Result<(), String> {
        Ok(())
    }
}

/// One tenant's engine, with what it stands on.
struct Shop {
    engine: Engine,
    store: Arc<dyn TenantStore>,
}

struct Bench {
    agent: Agent,
    runtime: tokio::runtime::Runtime,
}

impl Bench {
    fn new() -> Self {
        let mut agent = Agent::of_repository("iris").unwrap();
        agent.policy = Arc::new(unlimited(&agent.policy));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        Self { agent, runtime }
    }

    fn shops(&self, folder: &TempFolder, tenants: usize) -> (SqliteStore, Vec<Shop>) {
        let sqlite = SqliteStore::open(folder.path(), Options { threads: 2, open_files: 256 }).unwrap();
        let tools = Arc::new(Toolbox::new(folder.path(), self.agent.data.clone()));
        let clock = Arc::new(ManualClock::new(START.parse().unwrap(), 1));
        let shops = (0..tenants).map(|number| {
            let name = format!("shop-{number}");
            let store = self.runtime.block_on(sqlite.tenant(&name)).unwrap();
            tools.prepare(&name).unwrap();
            let ports = Ports {
                store: Arc::clone(&store),
                tools: Arc::clone(&tools) as _,
                sensor: Arc::clone(&self.agent.sensor) as _,
                channel: Arc::new(Nowhere),
                transcriber: Arc::new(NoTranscriber),
                clock: Arc::clone(&clock) as _,
                faults: Arc::new(NoFaults),
            };
            Shop { engine: Engine::new(&name, Arc::clone(&self.agent.policy), ports), store }
        });
        let shops = shops.collect();
        (sqlite, shops)
    }

    /// All steps of a booking conversation, text already read; and what reading costs.
    fn steps(&self) {
        println!("# steps: the kernel alone, recorded events");
        let folder = TempFolder::new().unwrap();
        let (_sqlite, shops) = self.shops(&folder, 1);
        let shop = shops.first().unwrap();
        self.runtime.block_on(async {
            for (number, text) in TURNS.iter().enumerate() {
                say(&shop.engine, "bench", number as u64, text).await;
            }
        });
        let turns = self.runtime.block_on(recorded(shop.store.as_ref()));
        let policy = &self.agent.policy;
        let context = Context {
            now: "2026-11-16T12:00:00".parse().unwrap(),
            language: policy.language(),
            currency: policy.currency,
            region: policy.region,
        };
        let mut state = fresh(policy);
        for events in &turns {
            let before = state.clone();
            let mut texts: Vec<String> = Vec::new();
            for event in events {
                if let Happening::Heard(heard) = &event.what
                    && let countersign_kernel::event::Content::Text(text) = &heard.content
                {
                    texts.push(text.clone());
                }
                let stepped = step(policy, state, event);
                for effect in &stepped.effects {
                    if let countersign_kernel::effect::Effect::Send(said) = effect {
                        texts.push(said.text().to_owned());
                    }
                }
                state = stepped.state;
            }
            let all = best(|| {
                let mut state = before.clone();
                for event in events {
                    state = step(policy, state, event).state;
                }
                std::hint::black_box(&state);
            });
            let copy = best(|| {
                std::hint::black_box(&before.clone());
            });
            let reading = best(|| {
                for text in &texts {
                    std::hint::black_box(extract(text, &context));
                }
            });
            let sensing = best(|| {
                if let Some(text) = texts.first() {
                    std::hint::black_box(futures_now(self.agent.sensor.sense(text, policy.language())));
                }
            });
            let rest = all.saturating_sub(copy).saturating_sub(reading);
            println!(
                "{:>2} events: steps {:>6.1} us, reading and grounding {:>6.1} us, sensing {:>6.1} us  | {}",
                events.len(),
                us(rest),
                us(reading),
                us(sensing),
                texts.first().map_or("", String::as_str)
            );
        }
    }

    /// CPU of whole turns, disk waits not counted.
    fn whole(&self) {
        println!("# whole: CPU of the process per turn (engine, seals, store, tools)");
        let folder = TempFolder::new().unwrap();
        let (sqlite, shops) = self.shops(&folder, 1);
        let shop = shops.first().unwrap();
        for (what, texts) in [("looks", LOOKS), ("bookings", TURNS)] {
            let rounds = 250_u64;
            self.runtime.block_on(conversation(&shop.engine, what, texts, 0));
            let (cpu, wall, commits) = (cpu_time(), Instant::now(), sqlite.commits());
            self.runtime.block_on(async {
                for round in 1..=rounds {
                    conversation(&shop.engine, what, texts, round * 4).await;
                }
            });
            let turns = rounds * 4;
            let used = cpu_time().saturating_sub(cpu);
            println!(
                "{what:>8}, {turns} turns one after the other: {:.3} ms CPU a turn, {:.3} ms wall, {:.2} commits a turn",
                ms(used) / turns as f64,
                ms(wall.elapsed()) / turns as f64,
                (sqlite.commits() - commits) as f64 / turns as f64
            );
        }
    }

    /// Durable turns a second: one conversation, then 200 of one tenant.
    fn durable(&self) {
        println!("# durable: turns a second of one tenant, every commit on disk");
        for (what, texts) in [("looks", LOOKS), ("bookings", TURNS)] {
            let one = self.rate(what, texts, 1, 1, 100);
            let many = self.rate(what, texts, 1, 200, 8);
            println!("{what:>8}: group commit gives {:.1} times the one-at-a-time rate", many / one);
        }
    }

    fn tenants(&self) {
        println!("# tenants: the same load over 200 tenants");
        self.rate("looks", LOOKS, 200, 200, 4);
        self.rate("bookings", TURNS, 200, 200, 4);
    }

    fn rate(&self, what: &str, texts: [&'static str; 4], tenants: usize, conversations: usize, rounds: u64) -> f64 {
        let folder = TempFolder::new().unwrap();
        let (sqlite, shops) = self.shops(&folder, tenants);
        let shops: Arc<Vec<Shop>> = Arc::new(shops);
        let (start, cpu, commits) = (Instant::now(), cpu_time(), sqlite.commits());
        self.runtime.block_on(async {
            let mut tasks = Vec::new();
            for number in 0..conversations {
                let shops = Arc::clone(&shops);
                tasks.push(tokio::spawn(async move {
                    let shop = shops.get(number % shops.len()).unwrap();
                    for round in 0..rounds {
                        conversation(&shop.engine, &format!("c{number}"), texts, round * 4).await;
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        let wall = start.elapsed();
        let turns = conversations as u64 * rounds * 4;
        let rate = turns as f64 / wall.as_secs_f64();
        println!(
            "{what:>8}, {tenants:>3} tenants, {conversations:>3} conversations: {rate:>7.0} turns/s, {:.2} turns a commit, CPU {:.0} % of one core",
            turns as f64 / (sqlite.commits() - commits) as f64,
            cpu_time().saturating_sub(cpu).as_secs_f64() / wall.as_secs_f64() * 100.0
        );
        rate
    }

    /// Turn 1000 against turn 10 of one conversation, and bytes on disk.
    fn long(&self) {
        println!("# long: one conversation of 1000 turns");
        let folder = TempFolder::new().unwrap();
        let (sqlite, shops) = self.shops(&folder, 1);
        let shop = shops.first().unwrap();
        let mut times = Vec::new();
        let begin = folder_bytes(&folder);
        self.runtime.block_on(async {
            for number in 0..1000_u64 {
                let (cpu, wall) = (cpu_time(), Instant::now());
                say(&shop.engine, "long", number, LOOKS.first().unwrap()).await;
                times.push((cpu_time().saturating_sub(cpu), wall.elapsed()));
            }
        });
        let mean = |from: usize| {
            let chosen = times.get(from..from + 40).unwrap();
            chosen.iter().map(|(_, wall)| us(*wall)).sum::<f64>() / 40.0
        };
        let (early, late) = (mean(10), mean(960));
        println!("turns 10-50: {early:.0} us wall a turn; turns 960-1000: {late:.0} us; ratio {:.3}", late / early);
        drop(shops);
        drop(sqlite);
        println!("bytes on disk a turn: {}", folder_bytes(&folder).saturating_sub(begin) / 1000);
    }

    /// Memory with 10,000 conversations that wait.
    fn idle(&self) {
        println!("# idle: memory with 10,000 conversations waiting for an answer");
        let folder = TempFolder::new().unwrap();
        let (_sqlite, shops) = self.shops(&folder, 1);
        let before = rss_kb();
        let shops = Arc::new(shops);
        self.runtime.block_on(async {
            let mut tasks = Vec::new();
            for worker in 0..100 {
                let shops = Arc::clone(&shops);
                tasks.push(tokio::spawn(async move {
                    for number in 0..100 {
                        let name = format!("idle-{worker}-{number}");
                        say(&shops.first().unwrap().engine, &name, 0, TURNS.first().unwrap()).await;
                    }
                }));
            }
            for task in tasks {
                task.await.unwrap();
            }
        });
        println!("RSS {} MB before, {} MB after", before / 1024, rss_kb() / 1024);
    }
}

/// The same agent without ceilings, so that a bench measures work and not refusals.
fn unlimited(policy: &Policy) -> Policy {
    let mut parts = (**policy).clone();
    parts.limits.per_minute = u32::MAX;
    parts.limits.per_day = u32::MAX;
    for tool in parts.tools.values_mut() {
        tool.spend.clear();
        tool.repeat_s = 0;
    }
    Policy::new(parts).unwrap()
}

async fn conversation(engine: &Engine, name: &str, texts: [&str; 4], first: u64) {
    for (number, text) in texts.iter().enumerate() {
        say(engine, name, first + number as u64, text).await;
    }
}

async fn say(engine: &Engine, conversation: &str, number: u64, text: &str) {
    let delivery = Delivery {
        conversation: conversation.to_owned(),
        customer: format!("customer of {conversation}"),
        channel: "bench".to_owned(),
        provider_id: format!("{conversation}-{number}"),
        content: Incoming::Text(text.to_owned()),
    };
    let reports = engine.receive(delivery).await.unwrap();
    assert!(reports.iter().any(|report| !report.replies.is_empty()), "no reply to `{text}`: {reports:?}");
}

/// The recorded events, turn by turn.
async fn recorded(store: &dyn TenantStore) -> Vec<Vec<Event>> {
    let mut turns: Vec<Vec<Event>> = Vec::new();
    for record in store.records(None, 0, 1000).await.unwrap() {
        let subject = store.subject_by_name(&record.subject).await.unwrap().unwrap();
        let vault = Vault::new(&subject.key).unwrap();
        let plain = vault.open(Purpose::Record, &record.sealed.unwrap()).unwrap();
        let personal: Personal = serde_json::from_slice(&plain).unwrap();
        let events = personal.events.iter().map(|text| snapshot::decode_event(text.as_bytes()).unwrap());
        for event in events {
            match turns.last_mut() {
                Some(turn) if !matches!(event.what, Happening::Heard(_)) => turn.push(event),
                _ => turns.push(vec![event]),
            }
        }
    }
    turns
}

fn fresh(policy: &Policy) -> State {
    let session = Session { tenant: "shop-0".into(), customer: "customer".into(), conversation: "bench".into() };
    State::new(session, policy.language())
}

/// The embedded sensor never waits, so one poll is enough.
fn futures_now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("the embedded sensor does not wait"),
    }
}

/// The time of one run, the best of many batches: what the work costs when nobody else uses the machine.
fn best(mut work: impl FnMut()) -> Duration {
    let batch = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..20 {
            work();
        }
        start.elapsed() / 20
    };
    (0..201).map(|_| batch(&mut work)).min().unwrap_or_default()
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// User and system time of this process.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // The kernel counts in hundredths of a second on every Linux this runs on.
    Duration::from_millis(ticks * 10)
}

fn rss_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

fn folder_bytes(folder: &TempFolder) -> u64 {
    let mut folders = vec![folder.path().to_owned()];
    let mut bytes = 0;
    while let Some(path) = folders.pop() {
        for entry in std::fs::read_dir(path).unwrap().flatten() {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                bytes += meta.len();
            }
        }
    }
    bytes
}
