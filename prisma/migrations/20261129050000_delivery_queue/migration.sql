-- Deliveries are their own queue: the row says when its next attempt is due, and which gateway attempts it now.
alter table webhook_deliveries
  -- Format of the stored body; null until the body is rendered.
  add column payload_format integer,
  -- Whether its first attempt is sent in the order of its account; false once that attempt has ended.
  add column is_ordered boolean not null default false,
  -- Whether its next attempt is a repetition: these have a share of the queue of their own.
  add column is_retry boolean not null default false,
  -- The gateway that attempts it, and until when nobody else does.
  add column claimed_by uuid,
  add column claimed_until timestamptz(3);
-- A claim changes no indexed column: pages keep room for one more version of some of their rows.
alter table webhook_deliveries set (fillfactor = 85);
alter table webhook_endpoints drop column is_resuming;

set local role vouchgraph_system;
-- Until now each delivery that waited had a job of pg-boss, and deliveries of one account at one endpoint had one together.
update webhook_deliveries d set is_retry = true where d.state = 'waiting' and d.attempts > 0;
update webhook_deliveries d set is_ordered = true
where d.state = 'waiting' and d.attempts = 0 and d.account_id is not null and not exists (
  select 1 from webhook_attempts a where a.project_id = d.project_id and a.delivery_id = d.delivery_id
);
-- Of an account the first is due, as it was; those behind it have no time until its attempt has ended.
update webhook_deliveries d set next_attempt_at = null
from (
  select project_id, delivery_id,
    row_number() over (partition by project_id, endpoint_id, account_id order by position, delivery_id) as place
  from webhook_deliveries where is_ordered
) o
where o.place > 1 and d.project_id = o.project_id and d.delivery_id = o.delivery_id;
reset role;

-- The body of an event in a payload format: rendered once, encrypted, and sent byte for byte at each attempt.
create table webhook_bodies (
  project_id uuid not null,
  event_id uuid not null,
  payload_format integer not null,
  body bytea not null,
  constraint webhook_bodies_pkey primary key (project_id, event_id, payload_format)
);
alter table webhook_bodies enable row level security;
alter table webhook_bodies force row level security;
create policy one_project on webhook_bodies to vouchgraph_app
  using (project_id = (select nullif(current_setting('app.project', true), '')::uuid))
  with check (project_id = (select nullif(current_setting('app.project', true), '')::uuid));
create policy every_project on webhook_bodies to vouchgraph_system using (true) with check (true);
grant select, insert, update, delete on webhook_bodies to vouchgraph_app, vouchgraph_system;

-- A body is erased with its event, whatever deletes the event. Who stores a body holds the event meanwhile.
create function vouchgraph_delete_bodies() returns trigger language plpgsql set search_path from current as $$
begin
  delete from webhook_bodies b using gone g where b.project_id = g.project_id and b.event_id = g.event_id;
  return null;
end
$$;
create trigger delete_bodies after delete on outbox_events
  referencing old table as gone for each statement execute function vouchgraph_delete_bodies();

-- A delivery that is deleted before its first attempt has ended makes the next of its account due, whatever deletes it. The
-- lock is that of webhooks/delivery-queue-store.ts: a dispatch adds no delivery behind the deleted one meanwhile.
create function vouchgraph_release_deliveries() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select 1 from gone where is_ordered and next_attempt_at is not null) then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(hashtextextended('webhook deliveries ' || p.project_id, 0))
  from (select distinct project_id from gone where is_ordered order by project_id) p;
  update webhook_deliveries d set next_attempt_at = h.due_at
  from (
    select project_id, endpoint_id, account_id, min(next_attempt_at) as due_at
    from gone where is_ordered group by project_id, endpoint_id, account_id
  ) h
  cross join lateral (
    select x.delivery_id, x.next_attempt_at from webhook_deliveries x
    where x.project_id = h.project_id and x.endpoint_id = h.endpoint_id and x.account_id = h.account_id and x.is_ordered
    order by x.position limit 1 for update
  ) f
  where h.due_at is not null and f.next_attempt_at is null
    and d.project_id = h.project_id and d.delivery_id = f.delivery_id;
  return null;
end
$$;
create trigger release_deliveries after delete on webhook_deliveries
  referencing old table as gone for each statement execute function vouchgraph_release_deliveries();
