//! Seeded worlds: two people of one tenant, a deterministic muddle of messages, repeats, jumps of the clock and
//! restarts, and what must hold after every action and at the end.
//!
//! A failure names its seed; `COUNTERSIGN_SEED=<seed> cargo test -p countersign-sim --test worlds` repeats it.
//! Deliberately absent: crashes in the middle of a turn; they need a process of their own to die.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "worlds/muddle.rs"]
mod muddle;
#[path = "worlds/watch.rs"]
mod watch;

use countersign_runtime::Delivery;
use countersign_runtime::ports::Clock;
use countersign_runtime::replay::replay;
use countersign_sim::world::{Agent, START, TENANT, World, WorldError};
use countersign_store::audit::verify_export;
use jiff::SignedDuration;

use muddle::{Action, Muddle, PEOPLE};
use watch::{Tally, Watch};

/// Worlds of one run; enough that every kind of action meets every kind of state.
const SEEDS: std::ops::Range<u64> = 0..16;
/// Actions in one world.
const ACTIONS: usize = 60;
/// Records read at a time.
const PAGE: u32 = 256;

/// One world, and what was last delivered in it.
struct Run<'a> {
    agent: &'a Agent,
    world: World,
    watch: Watch,
    delivered: Vec<Delivery>,
}

impl Run<'_> {
    async fn play(&mut self, seed: u64) -> Result<(), String> {
        let mut muddle = Muddle::new(seed);
        for _ in 0..ACTIONS {
            let action = muddle.next(&self.watch);
            self.watch.begin(format!("{} {action:?}", self.world.clock().now()));
            self.act(action).await?;
            self.watch.count(&self.world)?;
        }
        self.check_end().await
    }

    async fn act(&mut self, action: Action) -> Result<(), String> {
        let now = self.world.clock().now();
        let heard = match action {
            Action::Says { person, content } => {
                let delivery = Delivery {
                    conversation: format!("{person}-talk"),
                    customer: person.to_owned(),
                    channel: "sim".to_owned(),
                    provider_id: format!("id-{}", self.delivered.len()),
                    content,
                };
                self.delivered.push(delivery.clone());
                let heard = self.world.deliver(delivery.clone()).await.map_err(told)?;
                return self.watch.answered(&heard, Some(&delivery), now);
            }
            Action::Repeats { back } => {
                let Some(index) = self.delivered.len().checked_sub(back + 1) else { return Ok(()) };
                let Some(delivery) = self.delivered.get(index).cloned() else { return Ok(()) };
                let heard = self.world.deliver(delivery).await.map_err(told)?;
                return self.watch.repeated(&heard);
            }
            Action::Waits { seconds } => self.world.wait(SignedDuration::from_secs(seconds)).await,
            Action::ClockGoesBack { seconds } => self.world.wait(SignedDuration::from_secs(-seconds)).await,
            Action::Restarts => self.world.restart().await,
            Action::HandsBack { person } => {
                let engine = self.world.engine().ok_or("no engine")?;
                let talk = format!("{person}-talk");
                let done = engine.operator_says(&talk, person, "operator-1", "", true).await;
                done.map_err(|error| error.to_string())?;
                self.watch.handed_back(&talk);
                self.world.tick().await
            }
        };
        let now = self.world.clock().now();
        self.watch.answered(&heard.map_err(told)?, None, now)
    }

    /// The log is gapless, whole and signed, and every conversation decided again comes out the same.
    async fn check_end(&self) -> Result<(), String> {
        let (store, sqlite) = (self.world.store().ok_or("no store")?, self.world.sqlite().ok_or("no store")?);
        let mut seq = 0;
        loop {
            let records = store.records(None, seq, PAGE).await.map_err(|error| error.to_string())?;
            if records.is_empty() {
                break;
            }
            for record in records {
                seq += 1;
                ensure(record.seq == seq, || format!("record {} stands where {seq} should", record.seq))?;
            }
        }
        for person in PEOPLE {
            let talk = format!("{person}-talk");
            let replayed = replay(&self.agent.policy, None, store.as_ref(), TENANT, &talk).await;
            let replayed = replayed.map_err(|error| error.to_string())?;
            ensure(replayed.records > 0 && replayed.erased == 0, || format!("{talk}: {replayed:?}"))?;
            ensure(replayed.differences.is_empty(), || format!("replay of {talk}: {:?}", replayed.differences))?;
        }
        let mut export = Vec::new();
        sqlite.export(TENANT, &mut export).await.map_err(|error| error.to_string())?;
        let key = sqlite.public_key(TENANT).map_err(|error| error.to_string())?;
        let report = verify_export(export.as_slice(), Some(&key));
        ensure(report.problems.is_empty(), || format!("export: {:?}", report.problems))?;
        ensure(report.records == seq && report.signatures > 0, || format!("export: {report:?}, {seq} records"))
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn told(error: WorldError) -> String {
    format!("the world failed: {error:?}")
}

async fn run(agent: &Agent, seed: u64) -> Watch {
    let world = World::new(agent, START.parse().unwrap()).await.unwrap();
    let mut run = Run { agent, world, watch: Watch::default(), delivered: Vec::new() };
    if let Err(what) = run.play(seed).await {
        panic!(
            "seed {seed}: {what}\nrepeat with: COUNTERSIGN_SEED={seed} cargo test -p countersign-sim --test worlds\n{}",
            run.watch.history()
        );
    }
    run.watch
}

#[tokio::test]
async fn whatever_happens_nothing_is_done_unasked_twice_or_untold() {
    let agent = Agent::of_repository("iris").unwrap();
    if let Ok(seed) = std::env::var("COUNTERSIGN_SEED") {
        println!("{}", run(&agent, seed.parse().unwrap()).await.history());
        return;
    }
    let mut all = Tally::default();
    for seed in SEEDS {
        all.add(run(&agent, seed).await.tally);
    }
    // Worlds in which nothing happens would prove nothing.
    all.check_varied();
}
