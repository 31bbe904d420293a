-- One tenant's file. Times are nanoseconds since 1970; everything called `sealed` is encrypted by the caller.

CREATE TABLE subject (
    pseudonym    TEXT PRIMARY KEY,
    address_hmac BLOB NOT NULL UNIQUE CHECK (length(address_hmac) = 32),
    wrapped_key  BLOB NOT NULL,
    address      BLOB NOT NULL, -- sealed with the person's key
    is_opted_out INTEGER NOT NULL DEFAULT 0 CHECK (is_opted_out IN (0, 1)),
    created      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The row outlives an erased person, without a subject: the epoch and the message numbers must never fall back.
CREATE TABLE conversation (
    id           INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL UNIQUE,
    subject      TEXT REFERENCES subject (pseudonym),
    epoch        INTEGER NOT NULL DEFAULT 0,
    next_message INTEGER NOT NULL DEFAULT 1,
    open_key     TEXT REFERENCES intent (key),
    sealed_state BLOB
) STRICT;
CREATE INDEX conversation_subject ON conversation (subject) WHERE subject IS NOT NULL;
CREATE INDEX conversation_open ON conversation (conversation) WHERE open_key IS NOT NULL;

CREATE TRIGGER conversation_only_rises BEFORE UPDATE OF epoch, next_message ON conversation
WHEN NEW.epoch < OLD.epoch OR NEW.next_message < OLD.next_message
BEGIN SELECT RAISE(ABORT, 'epochs and message numbers only rise'); END;
CREATE TRIGGER conversation_stays BEFORE DELETE ON conversation
BEGIN SELECT RAISE(ABORT, 'a conversation is emptied, never deleted'); END;

CREATE TABLE inbox (
    channel      TEXT NOT NULL,
    provider_id  TEXT NOT NULL,
    conversation TEXT NOT NULL,
    message      INTEGER NOT NULL,
    subject      TEXT NOT NULL REFERENCES subject (pseudonym),
    sealed       BLOB,
    around       TEXT NOT NULL,
    at           INTEGER NOT NULL,
    state        TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'parked')),
    attempts     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, provider_id),
    CHECK (state = 'done' OR sealed IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_subject ON inbox (subject, at);
CREATE UNIQUE INDEX inbox_new ON inbox (conversation, message) WHERE state = 'new';

CREATE TABLE confirmation (
    nonce        TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    tool         TEXT NOT NULL,
    digest       TEXT NOT NULL,
    expires_at   INTEGER NOT NULL,
    state        TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'consumed', 'void')),
    -- What an intent's composite key points at.
    UNIQUE (nonce, conversation, tool, digest, state)
) STRICT, WITHOUT ROWID;
CREATE INDEX confirmation_conversation ON confirmation (conversation) WHERE state = 'pending';

CREATE TRIGGER confirmation_is_final BEFORE UPDATE ON confirmation
WHEN OLD.state <> 'pending' OR NEW.nonce <> OLD.nonce OR NEW.conversation <> OLD.conversation
     OR NEW.tool <> OLD.tool OR NEW.digest <> OLD.digest
BEGIN SELECT RAISE(ABORT, 'a confirmation is decided once and covers one call'); END;
CREATE TRIGGER confirmation_begins_pending BEFORE INSERT ON confirmation
WHEN NEW.state <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a confirmation begins pending'); END;
CREATE TRIGGER confirmation_stays BEFORE DELETE ON confirmation
BEGIN SELECT RAISE(ABORT, 'a confirmation is never deleted'); END;

CREATE TABLE intent (
    key          TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    subject      TEXT NOT NULL,
    epoch        INTEGER NOT NULL,
    tool         TEXT NOT NULL,
    risk         TEXT NOT NULL CHECK (risk IN ('money', 'write', 'message')),
    digest       TEXT NOT NULL,
    sameness     TEXT NOT NULL,
    class        TEXT NOT NULL CHECK (class IN ('A', 'B', 'C', 'D', 'R')),
    nonce        TEXT UNIQUE,
    -- Not nullable, because one null column would switch the composite key off.
    nonce_state  TEXT NOT NULL DEFAULT 'consumed' CHECK (nonce_state = 'consumed'),
    failures_max INTEGER NOT NULL,
    open_s       INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    sealed_call  BLOB,
    CHECK (risk <> 'money' OR nonce IS NOT NULL),
    FOREIGN KEY (nonce, conversation, tool, digest, nonce_state)
        REFERENCES confirmation (nonce, conversation, tool, digest, state)
) STRICT, WITHOUT ROWID;
CREATE INDEX intent_same ON intent (subject, tool, sameness);

CREATE TRIGGER intent_is_a_fact BEFORE UPDATE ON intent
WHEN NOT (NEW.sealed_call IS NULL AND NEW.key IS OLD.key AND NEW.conversation IS OLD.conversation
     AND NEW.subject IS OLD.subject AND NEW.epoch IS OLD.epoch AND NEW.tool IS OLD.tool AND NEW.risk IS OLD.risk
     AND NEW.digest IS OLD.digest AND NEW.sameness IS OLD.sameness AND NEW.class IS OLD.class
     AND NEW.nonce IS OLD.nonce AND NEW.nonce_state IS OLD.nonce_state AND NEW.failures_max IS OLD.failures_max
     AND NEW.open_s IS OLD.open_s AND NEW.at IS OLD.at)
BEGIN SELECT RAISE(ABORT, 'an intent is append-only; only its sealed call may be erased'); END;
CREATE TRIGGER intent_stays BEFORE DELETE ON intent
BEGIN SELECT RAISE(ABORT, 'an intent is append-only'); END;

CREATE TABLE outcome (
    key     TEXT NOT NULL REFERENCES intent (key),
    k       INTEGER NOT NULL CHECK (k IN (1, 2)),
    verdict TEXT NOT NULL CHECK (verdict IN ('done', 'refused', 'failed', 'unknown')),
    sealed  BLOB,
    at      INTEGER NOT NULL,
    PRIMARY KEY (key, k)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX outcome_final ON outcome (key) WHERE verdict <> 'unknown';
CREATE UNIQUE INDEX outcome_unknown ON outcome (key) WHERE verdict = 'unknown';

CREATE TRIGGER outcome_is_a_fact BEFORE UPDATE ON outcome
WHEN NOT (NEW.sealed IS NULL AND NEW.key IS OLD.key AND NEW.k IS OLD.k AND NEW.verdict IS OLD.verdict
     AND NEW.at IS OLD.at)
BEGIN SELECT RAISE(ABORT, 'an outcome is append-only; only its sealed value may be erased'); END;
CREATE TRIGGER outcome_stays BEFORE DELETE ON outcome
BEGIN SELECT RAISE(ABORT, 'an outcome is append-only'); END;
CREATE TRIGGER outcome_final_is_last BEFORE INSERT ON outcome
WHEN EXISTS (SELECT 1 FROM outcome WHERE key = NEW.key AND verdict <> 'unknown')
BEGIN SELECT RAISE(ABORT, 'a final outcome is the last one'); END;

CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    subject      TEXT NOT NULL,
    class        TEXT NOT NULL CHECK (class IN ('reply', 'message')),
    intent_key   TEXT REFERENCES intent (key),
    sealed       BLOB,
    at           INTEGER NOT NULL,
    state        TEXT NOT NULL DEFAULT 'sending' CHECK (state IN ('sending', 'sent', 'unknown', 'cancelled')),
    attempts     INTEGER NOT NULL DEFAULT 1,
    CHECK (state <> 'sending' OR sealed IS NOT NULL)
) STRICT;
CREATE INDEX outbox_unsent ON outbox (id) WHERE state = 'sending';
CREATE INDEX outbox_subject ON outbox (subject) WHERE sealed IS NOT NULL;
CREATE INDEX outbox_intent ON outbox (intent_key) WHERE intent_key IS NOT NULL;

CREATE TABLE timer (
    conversation TEXT NOT NULL,
    kind         TEXT NOT NULL,
    reference    TEXT NOT NULL,
    subject      TEXT NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (conversation, kind, reference)
) STRICT, WITHOUT ROWID;
CREATE INDEX timer_due ON timer (at);

-- Open while `failures >= failures_max`, for `open_s` seconds after the last failure; then `probe` names the one call.
CREATE TABLE breaker (
    tool         TEXT PRIMARY KEY,
    failures     INTEGER NOT NULL DEFAULT 0,
    failures_max INTEGER NOT NULL,
    open_s       INTEGER NOT NULL,
    failed_at    INTEGER NOT NULL,
    probe        TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE spend (
    key    TEXT NOT NULL REFERENCES intent (key),
    bucket TEXT NOT NULL,
    at     INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (key, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX spend_window ON spend (bucket, at, amount);

-- Sums per minute, so that a long window over a busy bucket costs a few hundred rows at most. Kept by triggers:
-- nothing else writes here.
CREATE TABLE spend_minute (
    bucket TEXT NOT NULL,
    minute INTEGER NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (bucket, minute)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER spend_adds AFTER INSERT ON spend
BEGIN
    INSERT INTO spend_minute (bucket, minute, amount) VALUES (NEW.bucket, NEW.at / 60000000000, NEW.amount)
    ON CONFLICT (bucket, minute) DO UPDATE SET amount = amount + excluded.amount;
END;
CREATE TRIGGER spend_releases AFTER DELETE ON spend
BEGIN
    UPDATE spend_minute SET amount = amount - OLD.amount
    WHERE bucket = OLD.bucket AND minute = OLD.at / 60000000000;
END;
CREATE TRIGGER spend_is_fixed BEFORE UPDATE ON spend
BEGIN SELECT RAISE(ABORT, 'a reservation is released, never changed'); END;

CREATE TABLE ticket (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,
    at           INTEGER NOT NULL
) STRICT;
CREATE INDEX ticket_subject ON ticket (subject);

CREATE TABLE record (
    seq          INTEGER PRIMARY KEY,
    header       TEXT NOT NULL,
    body         TEXT NOT NULL,
    conversation TEXT NOT NULL,
    subject      TEXT NOT NULL,
    sealed       BLOB
) STRICT;
CREATE INDEX record_conversation ON record (conversation, seq);

CREATE TRIGGER record_has_no_gap BEFORE INSERT ON record
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM record)
BEGIN SELECT RAISE(ABORT, 'records are numbered without a gap'); END;
CREATE TRIGGER record_is_a_fact BEFORE UPDATE ON record
WHEN NOT (NEW.sealed IS NULL AND NEW.seq IS OLD.seq AND NEW.header IS OLD.header AND NEW.body IS OLD.body
     AND NEW.conversation IS OLD.conversation AND NEW.subject IS OLD.subject)
BEGIN SELECT RAISE(ABORT, 'a record is append-only; only its sealed values may be erased'); END;
CREATE TRIGGER record_stays BEFORE DELETE ON record
BEGIN SELECT RAISE(ABORT, 'a record is append-only'); END;

CREATE TABLE checkpoint (
    size      INTEGER PRIMARY KEY CHECK (size > 0),
    root      TEXT NOT NULL,
    signature TEXT NOT NULL,
    at        INTEGER NOT NULL
) STRICT;
CREATE TRIGGER checkpoint_is_a_fact BEFORE UPDATE ON checkpoint
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never changed'); END;
CREATE TRIGGER checkpoint_stays BEFORE DELETE ON checkpoint
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never deleted'); END;

-- The end of the chain, one row: the number and leaf of the last record and the tree's frontier.
CREATE TABLE head (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    seq      INTEGER NOT NULL,
    leaf     BLOB NOT NULL CHECK (length(leaf) = 32),
    frontier BLOB NOT NULL CHECK (length(frontier) % 32 = 0)
) STRICT;
INSERT INTO head (id, seq, leaf, frontier) VALUES (1, 0, zeroblob(32), x'');
