/**
 * The tables of R1 for the peers: rows of the project, single-column keys, and no encrypted columns. Row-level
 * security applies as for the gateway (`security_invoker`). PostGraphile finds relations by the comments.
 */
export function peersViews(projectId: string): string {
  const view = (name: string, query: string) =>
    `create view peers.${name} with (security_invoker = true) as ${query};`;
  return `
    create schema peers;
    ${view(
      'account',
      `select id, account_id, country, num_sessions, last_seen, last_session from public.accounts
       where project_id = '${projectId}'`,
    )}
    ${view(
      'session',
      `select session_id, start_time, source from public.sessions where project_id = '${projectId}'`,
    )}
    ${view(
      'link',
      `select account_id, linked_account_id, score, kinds, first_seen from public.links
       where project_id = '${projectId}'`,
    )}
    ${view(
      'membership',
      `select m.account_id, l.name from public.list_members m
       join public.lists l on l.project_id = m.project_id and l.list_id = m.list_id
       where m.project_id = '${projectId}' and (m.expires_at is null or m.expires_at > now())`,
    )}
    comment on view peers.session is E'@primaryKey session_id';
    comment on view peers.account is E'@primaryKey id\\n@unique account_id\\n@foreignKey (last_session) references peers.session (session_id)|@fieldName lastSessionObject';
    comment on view peers.link is E'@primaryKey account_id,linked_account_id\\n@foreignKey (account_id) references peers.account (id)|@fieldName account|@foreignFieldName links\\n@foreignKey (linked_account_id) references peers.account (id)|@fieldName linkedAccount|@foreignFieldName linkedFrom';
    comment on column peers.link.score is E'@behavior orderBy';
    comment on view peers.membership is E'@primaryKey account_id,name\\n@foreignKey (account_id) references peers.account (id)|@fieldName account|@foreignFieldName lists';
    grant usage on schema peers to vouchgraph_app;
    grant select on all tables in schema peers to vouchgraph_app;`;
}
