-- The schema for SQLite. `../schema.ts` applies each file of this folder once, and records it with its hash: change this
-- one only until it is released, then add a file with the next number. `tables.ts` describes the same tables to the
-- program.
--
-- `{a|b}` is a where ids are integers, and b where they are opaque: then the number of a row is in a column of its own.
-- Booleans are 0 or 1, times are texts in ISO 8601, lists of strings are JSON. Without `strict`, SQLite would accept a
-- text in an integer column. Long texts are last, because SQLite would read past them to the columns that follow.

-- Tables and indexes

create table users (
  id text not null primary key,
  name text not null,
  email text not null
) strict;
create unique index users_by_email on users (email);

create table access_tokens (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  user_id text not null references users (id),
  digest text not null,
  description text not null,
  permission text not null,
  created_at text not null,
  revoked_at text
) strict;
create unique index access_tokens_by_digest on access_tokens (digest);
create index access_tokens_by_user on access_tokens (user_id, {id|position}) where revoked_at is null;

create table organizations (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  name text not null,
  privacy_setting text not null,
  website text,
  logo_key text,
  default_currency text not null,
  default_countries text not null,
  has_active_subscription integer not null,
  created_at text not null,
  updated_at text not null,
  brief_template text
) strict;

create table memberships (
  id text not null unique,
  position integer not null primary key autoincrement,
  organization_id {integer|text} not null references organizations (id),
  user_id text not null references users (id),
  role text not null,
  is_owner integer not null,
  created_at text not null,
  updated_at text not null
) strict;
create unique index memberships_by_organization_and_user on memberships (organization_id, user_id);
-- Also for the members with one role.
create index memberships_by_organization on memberships (organization_id, role, position);
create index memberships_by_user on memberships (user_id, {organization_id|position});

create table campaigns (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  organization_id {integer|text} not null references organizations (id),
  name text not null,
  status text not null,
  currency text not null,
  countries text not null,
  website text,
  content_type text not null,
  category text not null,
  platform_ids text not null,
  tiktok_music_id text,
  cpm_amount integer not null,
  min_payout_amount integer not null,
  max_payout_amount integer not null,
  base_reward_amount integer not null,
  total_budget_amount integer not null,
  used_amount integer not null,
  unused_amount integer not null,
  view_count integer not null,
  submissions_count integer not null,
  published_at text,
  paused_at text,
  banner_image_key text,
  created_at text not null,
  updated_at text not null,
  brief text
) strict;
create index campaigns_by_organization on campaigns (organization_id, {id|position});
create index campaigns_by_organization_without_drafts on campaigns (organization_id, {id|position}) where status <> 'draft';
create index campaigns_by_organization_and_status on campaigns (organization_id, status, {id|position});

create table collabs (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  organization_id {integer|text} not null references organizations (id),
  name text not null,
  state text not null,
  currency text not null,
  countries text not null,
  website text,
  require_spark_ads integer not null,
  requires_product_shipment integer not null,
  submissions_count integer not null,
  approved_submissions_count integer not null,
  completed_count integer not null,
  published_at text,
  banner_image_key text,
  created_at text not null,
  updated_at text not null,
  brief text
) strict;
create index collabs_by_organization on collabs (organization_id, {id|position});
create index collabs_by_organization_without_drafts on collabs (organization_id, {id|position}) where state <> 'draft';
create index collabs_by_organization_and_state on collabs (organization_id, state, {id|position});

create table social_accounts (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  user_id text not null references users (id),
  platform_id text not null,
  account_url text not null,
  normalized_url text not null,
  uid text not null,
  status text not null,
  subscriber_count integer,
  view_count integer,
  video_count integer,
  likes_count integer,
  engagement_rate text,
  last_synced_at text,
  created_at text not null,
  updated_at text not null
) strict;
create unique index social_accounts_by_normalized_url on social_accounts (normalized_url);
create index social_accounts_by_user on social_accounts (user_id, {id|position});

create table addresses (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  user_id text not null references users (id),
  address_one text not null,
  address_two text,
  city text not null,
  state text not null,
  postal_code text not null,
  country_code text not null,
  latitude text,
  longitude text,
  google_place_id text,
  created_at text not null,
  updated_at text not null
) strict;
create unique index addresses_by_user on addresses (user_id);

create table images (
  id text not null primary key,
  organization_id {integer|text} not null references organizations (id),
  type text not null,
  bytes blob not null
) strict;
create index images_by_organization on images (organization_id, id);

create table ended_sessions (
  id text not null primary key,
  expires_at text not null
) strict;
create index ended_sessions_by_expiry on ended_sessions (expires_at);

create table processed_forms (
  id text not null primary key,
  result text,
  expires_at text not null
) strict;
create index processed_forms_by_expiry on processed_forms (expires_at);

create table deleted_organizations (
  id {integer|text} not null primary key references organizations (id)
) strict;
create index deleted_organizations_all on deleted_organizations (id);

-- Totals
--
-- The number of rows of each key of a list, because counting a million rows is too slow for a page: in the benchmark
-- "Growth", reading the total takes 0.02 ms of CPU time, and `count(*)` 26 ms. Triggers maintain them in the writing
-- transaction, so they are correct for all writers. They run for each row: SQLite has no other triggers.

create table campaigns_by_organization_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  total integer not null,
  constraint campaigns_by_organization_totals_key primary key (organization_id)
) strict, without rowid;
create trigger campaigns_by_organization_totals_inserted after insert on campaigns
begin
  insert into campaigns_by_organization_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = campaigns_by_organization_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_totals_deleted after delete on campaigns
begin
  insert into campaigns_by_organization_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = campaigns_by_organization_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_totals_moved_out after update of organization_id on campaigns
begin
  insert into campaigns_by_organization_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = campaigns_by_organization_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_totals_moved_in after update of organization_id on campaigns
begin
  insert into campaigns_by_organization_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = campaigns_by_organization_totals.total + excluded.total;
end;

create table campaigns_by_organization_without_drafts_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  total integer not null,
  constraint campaigns_by_organization_without_drafts_totals_key primary key (organization_id)
) strict, without rowid;
create trigger campaigns_by_organization_without_drafts_totals_inserted after insert on campaigns
  when new.status <> 'draft'
begin
  insert into campaigns_by_organization_without_drafts_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = campaigns_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_without_drafts_totals_deleted after delete on campaigns
  when old.status <> 'draft'
begin
  insert into campaigns_by_organization_without_drafts_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = campaigns_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_without_drafts_totals_moved_out after update of organization_id, status on campaigns
  when old.status <> 'draft'
begin
  insert into campaigns_by_organization_without_drafts_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = campaigns_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_without_drafts_totals_moved_in after update of organization_id, status on campaigns
  when new.status <> 'draft'
begin
  insert into campaigns_by_organization_without_drafts_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = campaigns_by_organization_without_drafts_totals.total + excluded.total;
end;

create table campaigns_by_organization_and_status_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  status text not null,
  total integer not null,
  constraint campaigns_by_organization_and_status_totals_key primary key (organization_id, status)
) strict, without rowid;
create trigger campaigns_by_organization_and_status_totals_inserted after insert on campaigns
begin
  insert into campaigns_by_organization_and_status_totals (organization_id, status, total)
  values (new.organization_id, new.status, 1)
  on conflict (organization_id, status) do update set total = campaigns_by_organization_and_status_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_and_status_totals_deleted after delete on campaigns
begin
  insert into campaigns_by_organization_and_status_totals (organization_id, status, total)
  values (old.organization_id, old.status, -1)
  on conflict (organization_id, status) do update set total = campaigns_by_organization_and_status_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_and_status_totals_moved_out after update of organization_id, status on campaigns
begin
  insert into campaigns_by_organization_and_status_totals (organization_id, status, total)
  values (old.organization_id, old.status, -1)
  on conflict (organization_id, status) do update set total = campaigns_by_organization_and_status_totals.total + excluded.total;
end;
create trigger campaigns_by_organization_and_status_totals_moved_in after update of organization_id, status on campaigns
begin
  insert into campaigns_by_organization_and_status_totals (organization_id, status, total)
  values (new.organization_id, new.status, 1)
  on conflict (organization_id, status) do update set total = campaigns_by_organization_and_status_totals.total + excluded.total;
end;

create table collabs_by_organization_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  total integer not null,
  constraint collabs_by_organization_totals_key primary key (organization_id)
) strict, without rowid;
create trigger collabs_by_organization_totals_inserted after insert on collabs
begin
  insert into collabs_by_organization_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = collabs_by_organization_totals.total + excluded.total;
end;
create trigger collabs_by_organization_totals_deleted after delete on collabs
begin
  insert into collabs_by_organization_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = collabs_by_organization_totals.total + excluded.total;
end;
create trigger collabs_by_organization_totals_moved_out after update of organization_id on collabs
begin
  insert into collabs_by_organization_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = collabs_by_organization_totals.total + excluded.total;
end;
create trigger collabs_by_organization_totals_moved_in after update of organization_id on collabs
begin
  insert into collabs_by_organization_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = collabs_by_organization_totals.total + excluded.total;
end;

create table collabs_by_organization_without_drafts_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  total integer not null,
  constraint collabs_by_organization_without_drafts_totals_key primary key (organization_id)
) strict, without rowid;
create trigger collabs_by_organization_without_drafts_totals_inserted after insert on collabs
  when new.state <> 'draft'
begin
  insert into collabs_by_organization_without_drafts_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = collabs_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger collabs_by_organization_without_drafts_totals_deleted after delete on collabs
  when old.state <> 'draft'
begin
  insert into collabs_by_organization_without_drafts_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = collabs_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger collabs_by_organization_without_drafts_totals_moved_out after update of organization_id, state on collabs
  when old.state <> 'draft'
begin
  insert into collabs_by_organization_without_drafts_totals (organization_id, total)
  values (old.organization_id, -1)
  on conflict (organization_id) do update set total = collabs_by_organization_without_drafts_totals.total + excluded.total;
end;
create trigger collabs_by_organization_without_drafts_totals_moved_in after update of organization_id, state on collabs
  when new.state <> 'draft'
begin
  insert into collabs_by_organization_without_drafts_totals (organization_id, total)
  values (new.organization_id, 1)
  on conflict (organization_id) do update set total = collabs_by_organization_without_drafts_totals.total + excluded.total;
end;

create table collabs_by_organization_and_state_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  state text not null,
  total integer not null,
  constraint collabs_by_organization_and_state_totals_key primary key (organization_id, state)
) strict, without rowid;
create trigger collabs_by_organization_and_state_totals_inserted after insert on collabs
begin
  insert into collabs_by_organization_and_state_totals (organization_id, state, total)
  values (new.organization_id, new.state, 1)
  on conflict (organization_id, state) do update set total = collabs_by_organization_and_state_totals.total + excluded.total;
end;
create trigger collabs_by_organization_and_state_totals_deleted after delete on collabs
begin
  insert into collabs_by_organization_and_state_totals (organization_id, state, total)
  values (old.organization_id, old.state, -1)
  on conflict (organization_id, state) do update set total = collabs_by_organization_and_state_totals.total + excluded.total;
end;
create trigger collabs_by_organization_and_state_totals_moved_out after update of organization_id, state on collabs
begin
  insert into collabs_by_organization_and_state_totals (organization_id, state, total)
  values (old.organization_id, old.state, -1)
  on conflict (organization_id, state) do update set total = collabs_by_organization_and_state_totals.total + excluded.total;
end;
create trigger collabs_by_organization_and_state_totals_moved_in after update of organization_id, state on collabs
begin
  insert into collabs_by_organization_and_state_totals (organization_id, state, total)
  values (new.organization_id, new.state, 1)
  on conflict (organization_id, state) do update set total = collabs_by_organization_and_state_totals.total + excluded.total;
end;

-- Search
--
-- The index of all three-character parts of the names. In the benchmark "Growth", finding a text among a million names
-- takes milliseconds; reading all names takes 240 ms, which blocks the process.

create virtual table campaigns_search using
  fts5(searched_text, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');
create trigger campaigns_search_inserted after insert on campaigns begin
  insert into campaigns_search (rowid, searched_text) values (new.{id|position}, new.name);
end;
create trigger campaigns_search_deleted after delete on campaigns begin
  delete from campaigns_search where rowid = old.{id|position};
end;
create trigger campaigns_search_updated after update of name on campaigns begin
  delete from campaigns_search where rowid = old.{id|position};
  insert into campaigns_search (rowid, searched_text) values (new.{id|position}, new.name);
end;

create virtual table collabs_search using
  fts5(searched_text, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');
create trigger collabs_search_inserted after insert on collabs begin
  insert into collabs_search (rowid, searched_text) values (new.{id|position}, new.name);
end;
create trigger collabs_search_deleted after delete on collabs begin
  delete from collabs_search where rowid = old.{id|position};
end;
create trigger collabs_search_updated after update of name on collabs begin
  delete from collabs_search where rowid = old.{id|position};
  insert into collabs_search (rowid, searched_text) values (new.{id|position}, new.name);
end;
