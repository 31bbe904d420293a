-- The control file: which tenants exist, and the two secrets each one has.

CREATE TABLE tenant (
    name        TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 64),
    key         BLOB NOT NULL CHECK (length(key) = 32),
    signing_key BLOB NOT NULL,
    public_key  BLOB NOT NULL CHECK (length(public_key) = 32),
    created     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A changed key would make every wrapped key and every signature of the tenant worthless.
CREATE TRIGGER tenant_keeps_its_keys BEFORE UPDATE ON tenant
BEGIN SELECT RAISE(ABORT, 'a tenant never changes'); END;
