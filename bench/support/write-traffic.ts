import { contactIdentifiers, isCountingKind, kindOfNumber } from '@vouchgraph/linking';
import type { BenchRequest } from './load.ts';
import type { Person, Population } from './population.ts';
import { insertSessions, type MadeSession, type SessionMaker } from './sessions.ts';
import { randomBelow } from './statistics.ts';
import type { Workbench } from './workbench.ts';

const NEW_SHARE = 0.3;
const SHARED_DEVICE_SHARE = 0.1;
/** Beyond the population, so that these accounts are new. */
let nextNewPerson = 1_000_000;

type Attempt = { person: Person; isNew: boolean; shares: boolean; session: MadeSession };

/**
 * The requests of one lane: `share` 0 has the accounts with even numbers, 1 the odd ones. Each request uses an
 * open, unused session; its creation is not measured.
 */
export function createWriteTraffic(
  bench: Workbench,
  population: Population,
  makeSession: SessionMaker,
  lane: { share: number; isLimit: boolean },
) {
  let attempts: Attempt[] = [];

  function personOfLane(): number {
    const count = Math.floor((population.firstHubPartner - 2) / 2);
    return 2 + lane.share + 2 * randomBelow(count - 1);
  }

  function newPerson(): number {
    nextNewPerson += 1;
    return 2 * nextNewPerson + lane.share;
  }

  function nextAttempt(): Attempt {
    const isNew = Math.random() < NEW_SHARE;
    const person = population.personOf(isNew ? newPerson() : personOfLane());
    const shares = Math.random() < SHARED_DEVICE_SHARE;
    const from = shares ? population.personOf(personOfLane()) : person;
    return { person, isNew, shares: shares && from !== person, session: makeSession(from, new Date(), true) };
  }

  return {
    /** Stores fresh sessions and returns the requests that use them. */
    async next(count: number): Promise<BenchRequest[]> {
      attempts = Array.from({ length: count }, nextAttempt);
      await insertSessions(
        bench,
        attempts.map(({ session }) => session),
      );
      return attempts.map((attempt) => requestOf(bench, attempt, lane.isLimit));
    },

    check(index: number, body: string): string | null {
      const { person, shares, session } = attempts[index]!;
      const answer = JSON.parse(body);
      if (answer.account_id !== person.accountId) return `not account ${person.accountId}`;
      if (answer.session_id !== session.row.session_id) return 'another session';
      if (lane.isLimit) return null;
      if (!['Real', 'Fake'].includes(answer.decision)) return 'no decision';
      if (shares && answer.accounts_linked === 0) return 'not linked by its device';
      if (answer.session.network.ip_address !== session.result.network.ipAddress) return 'another address';
      return answer.account.email.email === person.email ? null : "another's email";
    },
  };
}

function requestOf(
  { key, project }: Workbench,
  { person, isNew, session }: Attempt,
  isLimit: boolean,
): BenchRequest {
  const { accountId: id, email, phone } = person;
  const body = { session_id: session.row.session_id, account: { id, email, phone } };
  if (!isLimit) return { method: 'POST', path: '/session/authenticate', headers: { 'x-api-key': key }, body };
  const contact = contactIdentifiers(
    { email, phone, firstName: '', lastName: '', username: '' },
    [],
    (kind, value) => project.cipher.blindIndex(kind, value),
  );
  // The email of a known account does not change, so that identifiers for counting are not written again.
  const written = contact.filter(({ kind }) => isNew || !isCountingKind(kindOfNumber(kind)));
  const identifiers = {
    kinds: written.map(({ kind }) => kind),
    hashes: written.map(({ hash }) => `\\x${hash.toString('hex')}`),
  };
  return { method: 'POST', path: '/', body: { ...body, identifiers } };
}
