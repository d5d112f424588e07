import type { BenchRequest, Load } from '../load.ts';
import type { Person } from '../population.ts';
import { insertSessions, type MadeSession } from '../sessions.ts';
import { randomBelow } from '../statistics.ts';
import { personOf } from './people.ts';
import type { Site } from './site.ts';
import type { GraphLane } from './turns.ts';

const CONNECTIONS = 8;
/** Beyond the accounts of the data set, so that their phone numbers are new. */
const FIRST_NEW = 2_000_000;

type Attempt = { person: Person; session: MadeSession; isNew: boolean };

/** Writes: new accounts with their own phones, and known accounts on the device of another. */
export function createAuthenticateLanes(site: Site, load: Load, requests: number): GraphLane[] {
  return [
    createLane(site, load, { workload: 'authenticate: new account', isNew: true, requests }),
    createLane(site, load, { workload: 'authenticate: known, shared device', isNew: false, requests }),
  ];
}

function createLane(
  site: Site,
  load: Load,
  { workload, isNew, requests }: { workload: string; isNew: boolean; requests: number },
): GraphLane {
  const { bench, network, gateway } = site;
  const name = `${workload}, ${network.size}`;
  const nextPair = pairsOf(network.firstHubPartner);
  let nextNew = FIRST_NEW;
  let attempts: Attempt[] = [];

  function nextAttempt(): Attempt {
    if (isNew) {
      nextNew += 1;
      const person = personOf(nextNew);
      return { person, isNew, session: site.makeSession(person, new Date(), true) };
    }
    const [person, other] = nextPair().map(personOf) as [Person, Person];
    return { person, isNew, session: site.makeSession(other, new Date(), true) };
  }

  return {
    name,
    workload,
    size: network.size,
    isLimit: false,
    server: gateway,
    postgresPid: bench.postgresPid,
    connections: CONNECTIONS,
    async prepareTurn() {
      attempts = Array.from({ length: requests }, nextAttempt);
      await insertSessions(
        bench,
        attempts.map(({ session }) => session),
      );
      await load.setRequests(
        name,
        gateway.url,
        attempts.map((attempt) => requestOf(bench.key, attempt)),
      );
    },
    check(index, body) {
      const { person, session } = attempts[index]!;
      const answer = JSON.parse(body);
      if (answer.account_id !== person.accountId) return `not account ${person.accountId}`;
      if (answer.session_id !== session.row.session_id) return 'another session';
      if (!['Real', 'Fake'].includes(answer.decision)) return 'no decision';
      if (isNew && answer.accounts_linked !== 0) return 'a new account is linked';
      return isNew || answer.accounts_linked > 0 ? null : 'not linked by its device';
    },
  };
}

function requestOf(key: string, { person, session, isNew }: Attempt): BenchRequest {
  const { accountId: id, email, phone } = person;
  const account = isNew ? { id, email, phone } : { id };
  const body = { session_id: session.row.session_id, account };
  return { method: 'POST', path: '/session/authenticate', headers: { 'x-api-key': key }, body };
}

/**
 * Pairs of accounts without a link to the hub. Each account is used once before any is used again: a device
 * would exceed the sharing limit sooner with few of them.
 */
function pairsOf(firstHubPartner: number): () => [number, number] {
  const half = Math.floor((firstHubPartner - 1) / 2);
  const shift = randomBelow(half);
  let drawn = 0;
  return () => {
    const n = drawn++ % half;
    return [1 + n, 1 + half + ((n + shift) % half)];
  };
}
