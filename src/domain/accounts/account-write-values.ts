import { isBlockingKind } from '@vouchgraph/linking';
import type { AccountChange } from './account-change.ts';

/*
 * Parameters of `account.write` and `link.remove` (account-write-store.ts) for the changes of a batch: an array for each column.
 * Pure.
 */

/** The parameters of all changes, except the project. */
export function writeValues(changes: readonly AccountChange[]) {
  // In the order of their ids, so that concurrent writers lock rows in the same order.
  const byId = changes.toSorted((a, b) => (a.account.id < b.account.id ? -1 : 1));
  return {
    ...accountValues(byId),
    ...bindingValues(changes),
    ...identifierValues(changes),
    ...linkValues(changes),
    ...eventValues(changes),
  };
}

function accountValues(changes: readonly AccountChange[]) {
  const rows = changes.map(({ account }) => account);
  const standings = changes.map(({ standing }) => standing);
  return {
    ids: rows.map(({ id }) => id),
    accountIds: rows.map(({ account_id }) => account_id),
    groups: rows.map(({ account_group }) => account_group),
    personal: rows.map(({ personal }) => personal),
    expectedCountries: rows.map(({ expected_countries }) => expected_countries.join()),
    firstSeen: rows.map(({ first_seen }) => first_seen),
    lastSeen: rows.map(({ last_seen }) => last_seen),
    lastSessions: rows.map(({ last_session }) => last_session),
    country: rows.map(({ country }) => country),
    countries: rows.map(({ countries }) => countries.join()),
    numSessions: rows.map(({ num_sessions }) => num_sessions),
    uniqueDevices1d: rows.map(({ unique_devices_1d }) => unique_devices_1d),
    uniqueDevices7d: rows.map(({ unique_devices_7d }) => unique_devices_7d),
    uniqueNetworks1d: rows.map(({ unique_networks_1d }) => unique_networks_1d),
    uniqueNetworks7d: rows.map(({ unique_networks_7d }) => unique_networks_7d),
    aggregates: rows.map(({ aggregates }) =>
      typeof aggregates === 'string' ? aggregates : JSON.stringify(aggregates),
    ),
    createdAt: rows.map(({ created_at }) => created_at),
    times: changes.map(({ now }) => now),
    standingScores: standings.map(({ score }) => score),
    standingDecisions: standings.map(({ decision }) => decision),
    blockingKeys: changes.map(({ identifiers }) => identifiers.blockingKeys),
    settingsVersions: standings.map(({ settingsVersion }) => settingsVersion),
    rescored: changes.flatMap(({ links }) => links.rescored),
    movesIdentity: changes.filter(({ links }) => links.movesIdentity).map(({ account }) => account.id),
  };
}

function bindingValues(changes: readonly AccountChange[]) {
  const bound = changes.flatMap(({ account, requestId, now, binding }) =>
    binding ? [{ accountId: account.id, requestId, now, ...binding }] : [],
  );
  return {
    boundIds: bound.map(({ accountId }) => accountId),
    boundTimes: bound.map(({ now }) => now),
    boundRequests: bound.map(({ requestId }) => requestId),
    sessionIds: bound.map(({ sessionId }) => sessionId),
    sessionStarts: bound.map(({ startTime }) => startTime),
    sessionCountries: bound.map(({ country }) => country),
    scores: bound.map(({ scores }) => `{${scores.join()}}`),
    pairScores: bound.map(({ accountScore }) => accountScore),
    pairDecisions: bound.map(({ decision }) => decision),
    versions: bound.map(({ versions }) => JSON.stringify(versions)),
    decisionIds: bound.map(({ decisionId }) => decisionId),
    areFirstSessions: bound.map(({ isFirstSession }) => isFirstSession),
    decisionInputs: bound.map(({ encryptedInputs }) => encryptedInputs),
  };
}

function identifierValues(changes: readonly AccountChange[]) {
  const rowsOf = (key: 'added' | 'used') =>
    changes.flatMap(({ account, identifiers }) => identifiers[key].map((one) => ({ ...one, account })));
  const { keys = [], added = [] } = Object.groupBy(rowsOf('added'), ({ kind }) =>
    isBlockingKind(kind) ? 'keys' : 'added',
  );
  const used = rowsOf('used');
  return {
    newAccounts: added.map(({ account }) => account.id),
    newKinds: added.map(({ kind }) => kind),
    newHashes: added.map(({ hash }) => hash),
    newGroups: added.map(({ account }) => account.account_group),
    newFirstSeen: added.map(({ firstSeen }) => firstSeen),
    newLastSeen: added.map(({ lastSeen }) => lastSeen),
    newUses: added.map(({ uses }) => uses),
    keyAccounts: keys.map(({ account }) => account.id),
    keyKinds: keys.map(({ kind }) => kind),
    keyHashes: keys.map(({ hash }) => hash),
    keyGroups: keys.map(({ account }) => account.account_group),
    usedAccounts: used.map(({ account }) => account.id),
    usedKinds: used.map(({ kind }) => kind),
    usedHashes: used.map(({ hash }) => hash),
    usedGroups: used.map(({ account }) => account.account_group),
    usedFirstSeen: used.map(({ firstSeen }) => firstSeen),
    usedLastSeen: used.map(({ lastSeen }) => lastSeen),
    usedUses: used.map(({ uses }) => uses),
  };
}

function linkValues(changes: readonly AccountChange[]) {
  const rows = linkRows(changes);
  return {
    linksFrom: rows.map(({ from }) => from),
    linksTo: rows.map(({ to }) => to),
    linkScores: rows.map(({ link }) => link.score),
    linkKinds: rows.map(({ link }) => link.kinds),
    linksFirstSeen: rows.map(({ link }) => link.firstSeen),
    linksLastSeen: rows.map(({ link }) => link.lastSeen),
    linkBridges: rows.map(({ link }) => link.bridges),
  };
}

function eventValues(changes: readonly AccountChange[]) {
  const events = changes.flatMap(({ account, requestId, now, binding, events: own }) =>
    own.map((event) => {
      const isOfSession = binding !== null && event.sessionId === binding.sessionId;
      const referring = isOfSession ? binding.referringSessionId : null;
      return { ...event, accountId: account.id, requestId, now, referring };
    }),
  );
  return {
    eventIds: events.map(({ eventId }) => eventId),
    eventTypes: events.map(({ type }) => type),
    eventAccounts: events.map(({ accountId }) => accountId),
    eventOtherAccounts: events.map(({ otherAccount = null }) => otherAccount),
    eventSessions: events.map(({ sessionId }) => sessionId),
    eventReferringSessions: events.map(({ referring }) => referring),
    eventRequests: events.map(({ requestId }) => requestId),
    eventTimes: events.map(({ now }) => now),
    eventPayloads: events.map(({ payload }) => payload),
  };
}

/** The parameters of `link.remove`, except the project. */
export function removedLinkValues(changes: readonly AccountChange[]) {
  const rows = bothDirections(
    changes.flatMap(({ account, links }) => links.removed.map((other) => ({ from: account.id, to: other }))),
  );
  return { removedFrom: rows.map(({ from }) => from), removedTo: rows.map(({ to }) => to) };
}

function linkRows(changes: readonly AccountChange[]) {
  return bothDirections(
    changes.flatMap(({ account: { id }, links }) =>
      links.changed.map((link) => ({ from: id, to: link.accountId, link })),
    ),
  );
}

/** Both directions of each link in ascending order of the keys, so that concurrent writers lock rows in the same order. */
function bothDirections<T extends { from: string; to: string }>(links: readonly T[]): T[] {
  const rows = links.flatMap((link) => [link, { ...link, from: link.to, to: link.from }]);
  return rows.sort((a, b) => (a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1));
}
