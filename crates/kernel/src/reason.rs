//! The closed list of reason codes: why a gate passed, asked, waited or stopped.
//!
//! Invariant: a code never changes its meaning, and each has a page in `docs/reasons` (held by `sim/tests/tidy.rs`).
//! Deliberately absent: free text. A pack chooses from this list, so that the same stop counts as the same stop in
//! every agent's statistics.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! reasons {
    ($($variant:ident = $code:literal : $summary:literal,)+) => {
        /// Why a gate decided as it did.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Reason {
            $(
                #[doc = $summary]
                #[serde(rename = $code)]
                $variant,
            )+
        }

        impl Reason {
            /// Every reason, in the order of the list.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)+];

            /// The stable snake_case code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Reason::$variant => $code,)+ }
            }

            /// One line for help texts and pages.
            #[must_use]
            pub fn summary(self) -> &'static str {
                match self { $(Reason::$variant => $summary,)+ }
            }
        }
    };
}

reasons! {
    Ok = "ok": "the gate found nothing to object to",
    // Hear
    EmptyMessage = "empty_message": "the message has no text after trimming",
    MessageTooLong = "message_too_long": "the message is longer than the limit",
    TranscriptionFailed = "transcription_failed": "a voice note could not be turned into text",
    OptedOut = "opted_out": "the person asked not to be written to any more",
    PersonWanted = "person_wanted": "the person asked for a human being",
    HandedOver = "handed_over": "a human being has taken over this conversation",
    RateLimited = "rate_limited": "more messages than the limit allows",
    LanguageSwitched = "language_switched": "the reading was sure of another allowed language",
    LanguageKept = "language_kept": "the reading was not sure enough to change the language",
    SmallTalk = "small_talk": "small talk beyond what the pack allows",
    Spam = "spam": "the message is not business and not small talk",
    Abuse = "abuse": "the message is abusive",
    SensitiveTopic = "sensitive_topic": "a legal, medical or self-harm topic that belongs to a human being",
    Ambiguous = "ambiguous": "the message can mean more than one thing",
    LowConfidence = "low_confidence": "the intent is not certain enough to act on",
    UnknownIntent = "unknown_intent": "no intent of the pack fits the message",
    TooManyClarifications = "too_many_clarifications": "three clarifying questions in a row brought no progress",
    StayedInJourney = "stayed_in_journey": "not sure enough to leave the current journey",
    EnteredJourney = "entered_journey": "a journey begins",
    Digressed = "digressed": "another journey begins and the current one waits",
    StepAnswered = "step_answered": "the message answers the question that was asked",
    CancelledByPerson = "cancelled_by_person": "the person called the whole thing off",
    RepeatedQuestion = "repeated_question": "the person asked to hear the last question again",
    MissingSlot = "missing_slot": "a required value has not been given yet",
    UnclearValue = "unclear_value": "more than one value was given where one is needed",
    AmountNotPositive = "amount_not_positive": "the amount is zero or negative",
    AmountOverLimit = "amount_over_limit": "the amount is above the highest one allowed",
    DateInPast = "date_in_past": "the date lies before today",
    DateInvalid = "date_invalid": "the words look like a date that no calendar has",
    ValueOutOfRange = "value_out_of_range": "the value breaks a rule of the pack",
    SlotReplaced = "slot_replaced": "the person gave a new value for something already said",
    // Act
    NoOrigin = "no_origin": "an argument cannot be traced to anything that may supply it",
    OriginNotAllowed = "origin_not_allowed": "the argument has an origin, but not one this argument accepts",
    NoOpenRequest = "no_open_request": "nobody asked for what this call does",
    ActMismatch = "act_mismatch": "the call serves another request than the open one",
    ValueWithdrawn = "value_withdrawn": "the person replaced or withdrew this value",
    RoleMismatch = "role_mismatch": "the value was said, but for another field",
    UnitMismatch = "unit_mismatch": "the number is right and its unit is not",
    LinkMismatch = "link_mismatch": "the id does not belong to the thing that was named",
    RowMismatch = "row_mismatch": "two arguments that must come from one row come from two",
    FactStale = "fact_stale": "a fact is older than it may be",
    ToolUnknown = "tool_unknown": "the tool is not in the pack's closed set",
    ToolNotAllowedHere = "tool_not_allowed_here": "the tool may not run in this step",
    ArgumentUnknown = "argument_unknown": "the call has an argument the tool does not declare",
    ArgumentMissing = "argument_missing": "a required argument has no value",
    ArgumentInvalid = "argument_invalid": "an argument does not have the declared type or form",
    NotFound = "not_found": "the thing that was named does not exist",
    AmbiguousMatch = "ambiguous_match": "more than one thing has that name",
    StateConflict = "state_conflict": "the thing is not in a state that allows this",
    AlreadyExists = "already_exists": "the same thing exists already",
    CapacityTaken = "capacity_taken": "nothing is left to take",
    PreconditionFailed = "precondition_failed": "a precondition of the tool does not hold",
    CannotDecide = "cannot_decide": "a fact that the decision needs is missing",
    FactUnavailable = "fact_unavailable": "a read that the decision needs failed",
    SpendLimit = "spend_limit": "the amount would exceed a spend limit",
    ConfirmationRequired = "confirmation_required": "the call waits for a yes to exactly these arguments",
    ConfirmationPending = "confirmation_pending": "the answer was neither a yes nor a no",
    ConfirmationConfirmed = "confirmation_confirmed": "a yes to exactly this call",
    ConfirmationRejected = "confirmation_rejected": "the person said no",
    ConfirmationExpired = "confirmation_expired": "the yes came too late, or never",
    ConfirmationCorrected = "confirmation_corrected": "the answer changed a value, so the question is asked again",
    ConfirmationNotRequired = "confirmation_not_required": "this tool may run without a yes",
    QuoteChanged = "quote_changed": "what the question showed is no longer true",
    ApprovalRequired = "approval_required": "a person on the operator's side must approve",
    ApprovalGiven = "approval_given": "an operator approved exactly this call",
    ApprovalDenied = "approval_denied": "an operator said no",
    ApprovalExpired = "approval_expired": "no operator decided in time",
    BreakerOpen = "breaker_open": "the tool failed too often and rests",
    TwinUnresolved = "twin_unresolved": "the same call is still being checked",
    RepeatWithinWindow = "repeat_within_window": "the same call succeeded a moment ago",
    ConfirmationUsed = "confirmation_used": "that yes was already spent",
    LeaseLost = "lease_lost": "another node owns this conversation now",
    NewerMessage = "newer_message": "a newer message arrived before the call could start",
    OneEffectPerTurn = "one_effect_per_turn": "this turn already did something",
    TooManyReads = "too_many_reads": "the call needs more reads than a turn may make",
    TooManyProposals = "too_many_proposals": "the planner's proposals were refused twice",
    FreeTextInsteadOfCall = "free_text_instead_of_call": "the model answered in prose where a call was demanded",
    Armed = "armed": "the call may run, once",
    // Result
    ToolDone = "tool_done": "the tool did it, and the record shows it",
    ToolFailed = "tool_failed": "the tool failed",
    ToolRefused = "tool_refused": "the tool refused for a reason of its own",
    OutcomeUnknown = "outcome_unknown": "nobody knows yet whether the tool acted",
    ResultMalformed = "result_malformed": "the tool's answer does not have the promised shape",
    ResultMismatch = "result_mismatch": "what the tool did is not what was asked",
    ReadBackMismatch = "read_back_mismatch": "the record does not show what the tool reported",
    ToolErrorsInRow = "tool_errors_in_row": "two tool errors in a row",
    // Speak
    Grounded = "grounded": "every fact in the reply is in evidence",
    Ungrounded = "ungrounded": "the reply states something that is not in evidence",
    RuleViolated = "rule_violated": "the reply breaks a rule of the pack",
    JudgeUnavailable = "judge_unavailable": "a rule needs a judge and there is none",
    ReplyReshaped = "reply_reshaped": "the reply was cut to what the channel allows",
    FallbackUsed = "fallback_used": "the pack's safe sentence was said instead",
    Silence = "silence": "nothing may be said",
    // Around the turn
    Resumed = "resumed": "the turn goes on after an interruption",
    OperatorMessage = "operator_message": "a human being on the operator's side wrote",
    CallbackHint = "callback_hint": "a callback arrived and is only a hint until the record is read",
    Delivered = "delivered": "the channel reported on a message",
    ClockWentBack = "clock_went_back": "the clock jumped back; the conversation keeps its own time",
    OutOfTurn = "out_of_turn": "the event answers nothing this conversation is waiting for",
    Frustrated = "frustrated": "the person is still frustrated after two turns",
    TurnFailed = "turn_failed": "the turn could not be completed and was handed to a human being",
}

impl Reason {
    /// Finds a reason by its code.
    #[must_use]
    pub fn parse(code: &str) -> Option<Reason> {
        Reason::ALL.iter().copied().find(|reason| reason.code() == code)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_found_again() {
        for reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.code()), Some(*reason));
        }
        let unique: std::collections::BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        assert_eq!(unique.len(), Reason::ALL.len());
        assert_eq!(Reason::parse("invalid_amount_error"), None);
    }
}
