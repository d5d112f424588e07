/** Another process continues the work of a dead one after this time. */
export const LEASE_SECONDS = 30;

/** SQL: whether an enabled webhook endpoint of the project $1 receives events of a type. */
export const receives = (type: string): string => `exists (
    select 1 from webhook_endpoints w
    where w.project_id = $1 and w.state = 'enabled' and (cardinality(w.event_types) = 0 or ${type} = any(w.event_types))
  )`;
