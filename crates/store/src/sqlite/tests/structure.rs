//! Raw SQL against the tables: what the code never does must also be impossible.
//!
//! Every attack runs as its own job on the tenant's connection, with the settings the store serves with.

use super::super::writer::Need;
use super::super::{Handle, SqliteStore};
use super::folder::Folder;
use crate::error::Doing;
use countersign_runtime::ports::Store;

const CONSUMED: &str = "INSERT INTO confirmation (nonce, conversation, tool, digest, expires_at)
                            VALUES ('n1', 'c1', 'pay', 'd1', 0);
                        UPDATE confirmation SET state = 'consumed' WHERE nonce = 'n1';";

fn intent(key: &str, conversation: &str, tool: &str, risk: &str, digest: &str, nonce: &str) -> String {
    format!(
        "INSERT INTO intent (key, conversation, subject, epoch, tool, risk, digest, sameness, class, nonce,
                             failures_max, open_s, at, sealed_call)
         VALUES ('{key}', '{conversation}', 's', 1, '{tool}', '{risk}', '{digest}', 'x', 'C', {nonce}, 1, 1, 1, x'00');"
    )
}

fn legal(key: &str) -> String {
    intent(key, "c1", "pay", "money", "d1", "'n1'")
}

/// A tenant's handle that runs raw SQL.
struct Raw {
    _folder: Folder,
    _store: SqliteStore,
    handle: Handle,
}

impl Raw {
    async fn new() -> Self {
        let folder = Folder::new();
        let store = folder.open();
        store.tenant("shop").await.unwrap();
        let handle = store.existing("shop").unwrap();
        Self { _folder: folder, _store: store, handle }
    }

    async fn run(&self, sql: &str) -> Result<(), String> {
        let sql = sql.to_owned();
        let ran =
            self.handle.ask(Need::Write, move |file| file.connection.execute_batch(&sql).doing("attacking")).await;
        ran.map_err(|error| std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default())
    }

    async fn check(&self, name: &str, sql: &str, expected: Result<(), &str>) {
        match (self.run(sql).await, expected) {
            (Ok(()), Ok(())) => {}
            (Err(why), Err(part)) => assert!(why.contains(part), "{name}: refused, but with `{why}`"),
            (found, expected) => panic!("{name}: {found:?}, expected {expected:?}"),
        }
    }
}

#[tokio::test]
async fn money_without_its_confirmation_cannot_be_written() {
    let raw = Raw::new().await;
    let other = raw._store.tenant("other").await.unwrap();
    drop(other);
    let elsewhere = raw._store.existing("other").unwrap();
    let theirs = CONSUMED.replace("'n1'", "'n9'");
    elsewhere.ask(Need::Write, move |file| file.connection.execute_batch(&theirs).doing("asking")).await.unwrap();

    raw.run(CONSUMED).await.unwrap();
    raw.run(
        "INSERT INTO confirmation (nonce, conversation, tool, digest, expires_at) VALUES ('n2', 'c1', 'pay', 'd1', 0)",
    )
    .await
    .unwrap();
    raw.run(
        "INSERT INTO confirmation (nonce, conversation, tool, digest, expires_at) VALUES ('n3', 'c1', 'pay', 'd1', 0);
         UPDATE confirmation SET state = 'void' WHERE nonce = 'n3'",
    )
    .await
    .unwrap();

    let foreign_key = Err("FOREIGN KEY constraint failed");
    let attacks = [
        ("no confirmation", intent("k1", "c1", "pay", "money", "d1", "NULL"), Err("CHECK constraint failed")),
        ("an invented one", intent("k1", "c1", "pay", "money", "d1", "'invented'"), foreign_key),
        ("other arguments", intent("k1", "c1", "pay", "money", "d2", "'n1'"), foreign_key),
        ("another conversation", intent("k1", "c2", "pay", "money", "d1", "'n1'"), foreign_key),
        ("another tenant's", intent("k1", "c1", "pay", "money", "d1", "'n9'"), foreign_key),
        ("only asked", intent("k1", "c1", "pay", "money", "d1", "'n2'"), foreign_key),
        ("withdrawn, not spent", intent("k1", "c1", "pay", "money", "d1", "'n3'"), foreign_key),
        ("another tool", intent("k1", "c1", "refund", "money", "d1", "'n1'"), foreign_key),
        ("a risk that does not exist", intent("k1", "c1", "pay", "none", "d1", "'n1'"), Err("CHECK")),
        ("the legal one", legal("k1"), Ok(())),
        ("a second use", legal("k2"), Err("UNIQUE constraint failed")),
    ];
    for (name, sql, expected) in &attacks {
        raw.check(name, sql, *expected).await;
    }
}

fn record(seq: u64) -> String {
    format!(
        "INSERT OR REPLACE INTO record (seq, header, body, conversation, subject, sealed)
         VALUES ({seq}, 'h', 'b', 'c1', 's', x'00')"
    )
}

/// One row of each kind that may not be rewritten.
async fn fill(raw: &Raw) {
    for sql in [
        CONSUMED,
        &legal("k1"),
        "INSERT INTO outcome (key, k, verdict, sealed, at) VALUES ('k1', 1, 'unknown', x'00', 1)",
        &record(1),
        "INSERT INTO checkpoint (size, root, signature, at) VALUES (1, 'r', 's', 1)",
        "INSERT INTO conversation (conversation, epoch, next_message) VALUES ('c1', 5, 5)",
    ] {
        raw.run(sql).await.unwrap();
    }
}

#[tokio::test]
async fn what_was_written_cannot_be_rewritten() {
    let raw = Raw::new().await;
    fill(&raw).await;
    let legal_again = legal("k1").replace("INSERT INTO", "INSERT OR REPLACE INTO");
    let attacks: &[(&str, &str, Result<(), &str>)] = &[
        ("lower the risk", "UPDATE intent SET risk = 'write'", Err("append-only")),
        ("another digest", "UPDATE intent SET digest = 'd2'", Err("append-only")),
        ("drop the nonce", "UPDATE intent SET nonce = NULL", Err("append-only")),
        ("delete the intent", "DELETE FROM intent", Err("append-only")),
        ("replace the intent", &legal_again, Err("append-only")),
        ("unspend the yes", "UPDATE confirmation SET state = 'pending'", Err("decided once")),
        ("delete the yes", "DELETE FROM confirmation", Err("never deleted")),
        (
            "replace the yes",
            "INSERT OR REPLACE INTO confirmation (nonce, conversation, tool, digest, expires_at)
             VALUES ('n1', 'c1', 'pay', 'd2', 0)",
            Err("never deleted"),
        ),
        (
            "a yes that begins spent",
            "INSERT INTO confirmation (nonce, conversation, tool, digest, expires_at, state)
             VALUES ('n4', 'c1', 'pay', 'd2', 0, 'consumed')",
            Err("begins pending"),
        ),
        (
            "outcome without intent",
            "INSERT INTO outcome (key, k, verdict, at) VALUES ('k9', 1, 'done', 1)",
            Err("FOREIGN KEY"),
        ),
        ("a second unknown", "INSERT INTO outcome (key, k, verdict, at) VALUES ('k1', 2, 'unknown', 1)", Err("UNIQUE")),
        ("the final one", "INSERT INTO outcome (key, k, verdict, at) VALUES ('k1', 2, 'done', 1)", Ok(())),
        (
            "another final one",
            "INSERT INTO outcome (key, k, verdict, at) VALUES ('k1', 3, 'failed', 1)",
            Err("a final outcome is the last one"),
        ),
        ("another verdict", "UPDATE outcome SET verdict = 'failed'", Err("append-only")),
        ("delete the outcome", "DELETE FROM outcome", Err("append-only")),
        ("edit a record", "UPDATE record SET body = 'x'", Err("append-only")),
        ("edit while erasing", "UPDATE record SET body = 'x', sealed = NULL", Err("append-only")),
        ("other sealed values", "UPDATE record SET sealed = x'01'", Err("append-only")),
        ("delete a record", "DELETE FROM record", Err("append-only")),
        ("replace a record", &record(1), Err("without a gap")),
        ("leave a gap", &record(3), Err("without a gap")),
        ("another root", "UPDATE checkpoint SET root = 'x'", Err("never changed")),
        (
            "a second root",
            "INSERT OR REPLACE INTO checkpoint (size, root, signature, at) VALUES (1, 'x', 's', 1)",
            Err("never deleted"),
        ),
        ("delete a checkpoint", "DELETE FROM checkpoint", Err("never deleted")),
        ("an older epoch", "UPDATE conversation SET epoch = 4", Err("only rise")),
        ("an older message", "UPDATE conversation SET next_message = 4", Err("only rise")),
        ("forget a conversation", "DELETE FROM conversation", Err("never deleted")),
        ("erase a record's values", "UPDATE record SET sealed = NULL", Ok(())),
        ("erase an outcome's values", "UPDATE outcome SET sealed = NULL", Ok(())),
        ("erase a call", "UPDATE intent SET sealed_call = NULL", Ok(())),
        ("look into another file", "ATTACH DATABASE 'other.db' AS other", Err("too many attached databases")),
        ("rewrite the tables", "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema", Err("may not be modified")),
    ];
    for (name, sql, expected) in attacks {
        raw.check(name, sql, *expected).await;
    }
}

#[tokio::test]
async fn minute_sums_follow_every_reservation() {
    let raw = Raw::new().await;
    raw.run(&intent("k1", "c1", "book", "write", "d", "NULL")).await.unwrap();
    raw.run(&intent("k2", "c1", "book", "write", "d", "NULL")).await.unwrap();
    let minute = 60_000_000_000_i64;
    raw.run(&format!("INSERT INTO spend VALUES ('k1', 'b', {minute}, 5), ('k2', 'b', {}, 7)", 2 * minute - 1))
        .await
        .unwrap();
    let sums = async || {
        let read = |file: &mut super::super::file::File| {
            let text = "SELECT group_concat(minute || '=' || amount) FROM spend_minute";
            file.connection.query_row(text, [], |row| row.get::<_, String>(0)).doing("summing")
        };
        raw.handle.ask(Need::Read, read).await.unwrap()
    };
    assert_eq!(sums().await, "1=12");
    raw.run("DELETE FROM spend WHERE key = 'k1'").await.unwrap();
    assert_eq!(sums().await, "1=7");
    raw.check("change a reservation", "UPDATE spend SET amount = 0", Err("never changed")).await;
    raw.check("earn by spending", "INSERT INTO spend VALUES ('k1', 'b', 1, -5)", Err("CHECK")).await;
}
