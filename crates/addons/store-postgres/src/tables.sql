-- The tables of a store. The lock serializes concurrent calls: if two create the same table at once, one fails.
begin;
select pg_advisory_xact_lock(4711822916337201);
create table if not exists {keys} (
    id bigint generated always as identity primary key,
    project text collate "C" not null,
    session_id text collate "C" not null,
    -- Empty for the session itself.
    subpath text collate "C" not null,
    -- The position of the next entry.
    next bigint not null default 0,
    modified_ms bigint not null default 0,
    summary text,
    unique (project, session_id, subpath)
);
create table if not exists {entries} (
    key bigint not null references {keys} (id) on delete cascade,
    position bigint not null,
    -- The SHA-256 of the entry's id: an id may have any length, and may contain NUL, which `text` can't.
    uuid bytea,
    -- JSON, as it was written: `json` and `jsonb` refuse or change some of it.
    entry text not null,
    primary key (key, position),
    unique (key, uuid)
);
commit;
