//! What a turn did, for whoever watches: the terminal, a test, a server.

use countersign_kernel::decision::Decision;
use serde_json::Value as Json;

/// A sentence that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// Label and payload of each button.
    pub buttons: Vec<(String, String)>,
}

/// A tool call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// The tool.
    pub tool: String,
    /// The arguments that ran.
    pub arguments: Json,
    /// `done`, `refused`, `failed` or `unknown`.
    pub outcome: String,
    /// What it answered.
    pub result: Json,
}

/// What a turn did.
#[derive(Debug, Clone, Default)]
pub struct TurnReport {
    /// The conversation.
    pub conversation: String,
    /// The message it answered, if it was one.
    pub message: Option<u64>,
    /// What the gates decided, in order.
    pub decisions: Vec<Decision>,
    /// What was said, in order.
    pub replies: Vec<Reply>,
    /// Tool calls that were made.
    pub executed: Vec<Executed>,
    /// Reads made for calls, by name.
    pub reads: Vec<String>,
    /// Messages to others: address and text.
    pub messages: Vec<(String, String)>,
    /// What was handed to a person.
    pub tickets: Vec<Json>,
}
