//! `countersign chat`: a conversation with an agent, from a terminal or from a pipe.

use anyhow::Result;
use countersign_pack::Source;

use crate::Ending;
use crate::clock::TrialClock;
use crate::config::{ChatArgs, SessionArgs};
use crate::packs;
use crate::session::{Folder, Session, Setting};
use crate::wire;

pub(crate) fn run(args: &ChatArgs) -> Result<Ending> {
    converse(&packs::read(&args.pack)?, args.tenant.as_deref(), &args.session)
}

/// Starts the agent and talks until the input ends.
pub(crate) fn converse(source: &Source, tenant: Option<&str>, args: &SessionArgs) -> Result<Ending> {
    let agent = wire::agent(source, tenant)?;
    let folder = Folder::new(args.data.as_ref())?;
    let runtime = wire::runtime()?;
    let clock = TrialClock::new(args.now);
    let wired = runtime.block_on(wire::start(agent, source, folder.path(), clock, args.crash_at.as_deref()))?;
    let setting = Setting {
        conversation: args.conversation.clone(),
        customer: args.customer.clone(),
        is_json: args.json,
        folder,
    };
    Session::new(wired, setting).run(&runtime)?;
    Ok(Ending::Fine)
}
