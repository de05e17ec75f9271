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
  searched_text text not null,
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
  used_percent real not null generated always as (
    case when total_budget_amount <= 0 then -1
      when used_amount > 0 and used_amount * 1000 < total_budget_amount then 0.1
      when used_amount < total_budget_amount and used_amount * 1000 > total_budget_amount * 999 then 99.9
      else (used_amount * 1000 + total_budget_amount / 2) / total_budget_amount / 10.0 end
  ) virtual,
  -- Cents are divided apart: the amount times 100000 may exceed 64 bits.
  effective_cpm real not null generated always as (
    case when view_count > 0
      then (used_amount * 1000 / view_count * 100 + (used_amount * 1000 % view_count * 100 + view_count / 2) / view_count)
        / 100.0 else -1 end
  ) virtual,
  created_at text not null,
  updated_at text not null,
  brief text
) strict;
create index campaigns_by_organization on campaigns (organization_id, {id|position});
create index campaigns_by_organization_without_drafts on campaigns (organization_id, {id|position}) where status <> 'draft';
create index campaigns_by_organization_and_status on campaigns (organization_id, status, {id|position});
create index campaigns_by_budget on campaigns (organization_id, currency, total_budget_amount, {id|position});
create index campaigns_by_used on campaigns (organization_id, currency, used_amount, {id|position}) where used_amount >= 1;
create index campaigns_by_percent on campaigns (organization_id, used_percent, {id|position}) where used_percent >= 0.1;
create index campaigns_by_views on campaigns (organization_id, view_count, {id|position}) where view_count >= 1;
create index campaigns_by_submissions on campaigns (organization_id, submissions_count, {id|position}) where submissions_count >= 1;
create index campaigns_by_publication on campaigns (organization_id, published_at, {id|position}) where published_at is not null;
create index campaigns_by_cost on campaigns (organization_id, currency, effective_cpm, {id|position}) where view_count >= 1;
create index campaigns_nearly_spent on campaigns (organization_id, used_percent, {id|position}) where status = 'active' and used_percent >= 80;
create index campaigns_without_budget on campaigns (organization_id, {id|position}) where status = 'active' and used_percent = -1;

create table collabs (
  {id integer not null primary key autoincrement
  |id text not null unique, position integer not null primary key autoincrement},
  organization_id {integer|text} not null references organizations (id),
  name text not null,
  searched_text text not null,
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
create index collabs_by_submissions on collabs (organization_id, submissions_count, {id|position}) where submissions_count >= 1;
create index collabs_by_completed on collabs (organization_id, completed_count, {id|position}) where completed_count >= 1;
create index collabs_by_publication on collabs (organization_id, published_at, {id|position}) where published_at is not null;

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
  expires_at text not null,
  result text
) strict;
create index processed_forms_by_expiry on processed_forms (expires_at, id);

-- The bytes come last: columns after them would be read through all of them.
create table kept_images (
  id text not null unique,
  position integer not null primary key autoincrement,
  user_id text not null,
  name text not null,
  type text not null,
  size integer not null,
  expires_at text not null,
  bytes blob not null
) strict;
create index kept_images_by_expiry on kept_images (expires_at, position);

create table deleted_organizations (
  id {integer|text} not null primary key references organizations (id)
) strict;
create index deleted_organizations_all on deleted_organizations (id);

-- Totals
--
-- What the rows of an organization add up to, because counting a million rows is too slow for a page: in the benchmark
-- "Growth", reading the total takes 0.02 ms of CPU time, and `count(*)` 26 ms. Triggers maintain them in the writing
-- transaction, so they are correct for all writers. They run for each row: SQLite has no other triggers. Sums are real,
-- because an integer could overflow, and the write would fail; they are exact up to 2^53.
--
-- In totals, `used_percent` is the threshold that was reached: -1 without a budget, 0, 80 or 100.
--
-- Blocks count the rows of each state whose numbers differ only in the last 15 bits. A page in the middle of 10 million
-- rows adds up the blocks before it and skips at most 32,768 rows, instead of millions.

create table campaigns_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  status text not null,
  currency text not null,
  used_percent integer not null,
  total integer not null,
  total_budget_amount real not null,
  used_amount real not null,
  unused_amount real not null,
  view_count real not null,
  submissions_count real not null,
  constraint campaigns_totals_key primary key (organization_id, status, currency, used_percent)
) strict, without rowid;
create trigger campaigns_totals_inserted after insert on campaigns begin
  insert into campaigns_totals (organization_id, status, currency, used_percent, total, total_budget_amount, used_amount, unused_amount, view_count, submissions_count)
  values (new.organization_id, new.status, new.currency, case when new.used_percent >= 100 then 100 when new.used_percent >= 80 then 80 when new.used_percent >= 0 then 0 else -1 end,
    1, new.total_budget_amount, new.used_amount, new.unused_amount, new.view_count, new.submissions_count)
  on conflict (organization_id, status, currency, used_percent) do update set
    total = campaigns_totals.total + excluded.total,
    total_budget_amount = campaigns_totals.total_budget_amount + excluded.total_budget_amount,
    used_amount = campaigns_totals.used_amount + excluded.used_amount,
    unused_amount = campaigns_totals.unused_amount + excluded.unused_amount,
    view_count = campaigns_totals.view_count + excluded.view_count,
    submissions_count = campaigns_totals.submissions_count + excluded.submissions_count;
end;
create trigger campaigns_totals_deleted after delete on campaigns begin
  insert into campaigns_totals (organization_id, status, currency, used_percent, total, total_budget_amount, used_amount, unused_amount, view_count, submissions_count)
  values (old.organization_id, old.status, old.currency, case when old.used_percent >= 100 then 100 when old.used_percent >= 80 then 80 when old.used_percent >= 0 then 0 else -1 end,
    -1, -old.total_budget_amount, -old.used_amount, -old.unused_amount, -old.view_count, -old.submissions_count)
  on conflict (organization_id, status, currency, used_percent) do update set
    total = campaigns_totals.total + excluded.total,
    total_budget_amount = campaigns_totals.total_budget_amount + excluded.total_budget_amount,
    used_amount = campaigns_totals.used_amount + excluded.used_amount,
    unused_amount = campaigns_totals.unused_amount + excluded.unused_amount,
    view_count = campaigns_totals.view_count + excluded.view_count,
    submissions_count = campaigns_totals.submissions_count + excluded.submissions_count;
end;
create trigger campaigns_totals_updated after update of organization_id, status, currency, total_budget_amount, used_amount, unused_amount, view_count, submissions_count
on campaigns begin
  insert into campaigns_totals (organization_id, status, currency, used_percent, total, total_budget_amount, used_amount, unused_amount, view_count, submissions_count)
  values (old.organization_id, old.status, old.currency, case when old.used_percent >= 100 then 100 when old.used_percent >= 80 then 80 when old.used_percent >= 0 then 0 else -1 end,
    -1, -old.total_budget_amount, -old.used_amount, -old.unused_amount, -old.view_count, -old.submissions_count)
  on conflict (organization_id, status, currency, used_percent) do update set
    total = campaigns_totals.total + excluded.total,
    total_budget_amount = campaigns_totals.total_budget_amount + excluded.total_budget_amount,
    used_amount = campaigns_totals.used_amount + excluded.used_amount,
    unused_amount = campaigns_totals.unused_amount + excluded.unused_amount,
    view_count = campaigns_totals.view_count + excluded.view_count,
    submissions_count = campaigns_totals.submissions_count + excluded.submissions_count;
  insert into campaigns_totals (organization_id, status, currency, used_percent, total, total_budget_amount, used_amount, unused_amount, view_count, submissions_count)
  values (new.organization_id, new.status, new.currency, case when new.used_percent >= 100 then 100 when new.used_percent >= 80 then 80 when new.used_percent >= 0 then 0 else -1 end,
    1, new.total_budget_amount, new.used_amount, new.unused_amount, new.view_count, new.submissions_count)
  on conflict (organization_id, status, currency, used_percent) do update set
    total = campaigns_totals.total + excluded.total,
    total_budget_amount = campaigns_totals.total_budget_amount + excluded.total_budget_amount,
    used_amount = campaigns_totals.used_amount + excluded.used_amount,
    unused_amount = campaigns_totals.unused_amount + excluded.unused_amount,
    view_count = campaigns_totals.view_count + excluded.view_count,
    submissions_count = campaigns_totals.submissions_count + excluded.submissions_count;
end;
create table campaigns_blocks (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  block integer not null,
  status text not null,
  total integer not null,
  constraint campaigns_blocks_key primary key (organization_id, block, status)
) strict, without rowid;
create trigger campaigns_blocks_inserted after insert on campaigns begin
  insert into campaigns_blocks (organization_id, block, status, total)
  values (new.organization_id, new.{id|position} >> 15, new.status, 1)
  on conflict (organization_id, block, status) do update set total = campaigns_blocks.total + excluded.total;
end;
create trigger campaigns_blocks_deleted after delete on campaigns begin
  insert into campaigns_blocks (organization_id, block, status, total)
  values (old.organization_id, old.{id|position} >> 15, old.status, -1)
  on conflict (organization_id, block, status) do update set total = campaigns_blocks.total + excluded.total;
end;
create trigger campaigns_blocks_updated after update of {id|position}, organization_id, status on campaigns begin
  insert into campaigns_blocks (organization_id, block, status, total)
  values (old.organization_id, old.{id|position} >> 15, old.status, -1)
  on conflict (organization_id, block, status) do update set total = campaigns_blocks.total + excluded.total;
  insert into campaigns_blocks (organization_id, block, status, total)
  values (new.organization_id, new.{id|position} >> 15, new.status, 1)
  on conflict (organization_id, block, status) do update set total = campaigns_blocks.total + excluded.total;
end;

create table collabs_totals (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  state text not null,
  currency text not null,
  total integer not null,
  submissions_count real not null,
  completed_count real not null,
  constraint collabs_totals_key primary key (organization_id, state, currency)
) strict, without rowid;
create trigger collabs_totals_inserted after insert on collabs begin
  insert into collabs_totals (organization_id, state, currency, total, submissions_count, completed_count)
  values (new.organization_id, new.state, new.currency,
    1, new.submissions_count, new.completed_count)
  on conflict (organization_id, state, currency) do update set
    total = collabs_totals.total + excluded.total,
    submissions_count = collabs_totals.submissions_count + excluded.submissions_count,
    completed_count = collabs_totals.completed_count + excluded.completed_count;
end;
create trigger collabs_totals_deleted after delete on collabs begin
  insert into collabs_totals (organization_id, state, currency, total, submissions_count, completed_count)
  values (old.organization_id, old.state, old.currency,
    -1, -old.submissions_count, -old.completed_count)
  on conflict (organization_id, state, currency) do update set
    total = collabs_totals.total + excluded.total,
    submissions_count = collabs_totals.submissions_count + excluded.submissions_count,
    completed_count = collabs_totals.completed_count + excluded.completed_count;
end;
create trigger collabs_totals_updated after update of organization_id, state, currency, submissions_count, completed_count
on collabs begin
  insert into collabs_totals (organization_id, state, currency, total, submissions_count, completed_count)
  values (old.organization_id, old.state, old.currency,
    -1, -old.submissions_count, -old.completed_count)
  on conflict (organization_id, state, currency) do update set
    total = collabs_totals.total + excluded.total,
    submissions_count = collabs_totals.submissions_count + excluded.submissions_count,
    completed_count = collabs_totals.completed_count + excluded.completed_count;
  insert into collabs_totals (organization_id, state, currency, total, submissions_count, completed_count)
  values (new.organization_id, new.state, new.currency,
    1, new.submissions_count, new.completed_count)
  on conflict (organization_id, state, currency) do update set
    total = collabs_totals.total + excluded.total,
    submissions_count = collabs_totals.submissions_count + excluded.submissions_count,
    completed_count = collabs_totals.completed_count + excluded.completed_count;
end;
create table collabs_blocks (
  organization_id {integer|text} not null references organizations (id) on delete cascade,
  block integer not null,
  state text not null,
  total integer not null,
  constraint collabs_blocks_key primary key (organization_id, block, state)
) strict, without rowid;
create trigger collabs_blocks_inserted after insert on collabs begin
  insert into collabs_blocks (organization_id, block, state, total)
  values (new.organization_id, new.{id|position} >> 15, new.state, 1)
  on conflict (organization_id, block, state) do update set total = collabs_blocks.total + excluded.total;
end;
create trigger collabs_blocks_deleted after delete on collabs begin
  insert into collabs_blocks (organization_id, block, state, total)
  values (old.organization_id, old.{id|position} >> 15, old.state, -1)
  on conflict (organization_id, block, state) do update set total = collabs_blocks.total + excluded.total;
end;
create trigger collabs_blocks_updated after update of {id|position}, organization_id, state on collabs begin
  insert into collabs_blocks (organization_id, block, state, total)
  values (old.organization_id, old.{id|position} >> 15, old.state, -1)
  on conflict (organization_id, block, state) do update set total = collabs_blocks.total + excluded.total;
  insert into collabs_blocks (organization_id, block, state, total)
  values (new.organization_id, new.{id|position} >> 15, new.state, 1)
  on conflict (organization_id, block, state) do update set total = collabs_blocks.total + excluded.total;
end;

-- Search
--
-- The program stores `indexedText(name)` in searched_text. This is the index of its three-character parts, with one for the
-- organization: otherwise a search would read the rows of other organizations that have the words. In the benchmark
-- "Growth", finding a text among a million names takes milliseconds; reading all names takes 240 ms.

create virtual table campaigns_search using fts5(parts, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
create trigger campaigns_search_inserted after insert on campaigns begin
  insert into campaigns_search (rowid, parts) values (new.{id|position},
    new.searched_text || ' {OO|}' || {char(0x20000 + new.organization_id % 0x10000)|upper(substr(new.organization_id, -3))});
end;
create trigger campaigns_search_deleted after delete on campaigns begin
  delete from campaigns_search where rowid = old.{id|position};
end;
create trigger campaigns_search_updated after update of searched_text, organization_id on campaigns begin
  insert or replace into campaigns_search (rowid, parts) values (new.{id|position},
    new.searched_text || ' {OO|}' || {char(0x20000 + new.organization_id % 0x10000)|upper(substr(new.organization_id, -3))});
end;

create virtual table collabs_search using fts5(parts, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
create trigger collabs_search_inserted after insert on collabs begin
  insert into collabs_search (rowid, parts) values (new.{id|position},
    new.searched_text || ' {OO|}' || {char(0x20000 + new.organization_id % 0x10000)|upper(substr(new.organization_id, -3))});
end;
create trigger collabs_search_deleted after delete on collabs begin
  delete from collabs_search where rowid = old.{id|position};
end;
create trigger collabs_search_updated after update of searched_text, organization_id on collabs begin
  insert or replace into collabs_search (rowid, parts) values (new.{id|position},
    new.searched_text || ' {OO|}' || {char(0x20000 + new.organization_id % 0x10000)|upper(substr(new.organization_id, -3))});
end;
