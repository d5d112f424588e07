import type { BenchRequest } from './load.ts';
import type { Person, Population } from './population.ts';
import { insertSessions, type MadeSession, type SessionMaker } from './sessions.ts';
import { randomBelow } from './statistics.ts';
import type { Workbench } from './workbench.ts';

const NEW_SHARE = 0.3;
const SHARED_DEVICE_SHARE = 0.1;
/** Beyond the population, so that these accounts are new. */
let nextNewPerson = 1_000_000;

type Attempt = { person: Person; shares: boolean; session: MadeSession };

/**
 * Authenticates of accounts with even numbers: others keep their links. Each request uses an open, unused session; its creation
 * is not measured.
 */
export function createWriteTraffic(bench: Workbench, population: Population, makeSession: SessionMaker) {
  let attempts: Attempt[] = [];

  function knownPerson(): number {
    const count = Math.floor((population.firstHubPartner - 2) / 2);
    return 2 + 2 * randomBelow(count - 1);
  }

  function newPerson(): number {
    nextNewPerson += 1;
    return 2 * nextNewPerson;
  }

  function nextAttempt(): Attempt {
    const person = population.personOf(Math.random() < NEW_SHARE ? newPerson() : knownPerson());
    const shares = Math.random() < SHARED_DEVICE_SHARE;
    const from = shares ? population.personOf(knownPerson()) : person;
    return { person, shares: shares && from !== person, session: makeSession(from, new Date(), true) };
  }

  return {
    /** Stores fresh sessions and returns the requests that use them. */
    async next(count: number): Promise<BenchRequest[]> {
      attempts = Array.from({ length: count }, nextAttempt);
      await insertSessions(
        bench,
        attempts.map(({ session }) => session),
      );
      return attempts.map((attempt) => requestOf(bench, attempt));
    },

    check(index: number, body: string): string | null {
      const { person, shares, session } = attempts[index]!;
      const answer = JSON.parse(body);
      if (answer.account_id !== person.accountId) return `not account ${person.accountId}`;
      if (answer.session_id !== session.row.session_id) return 'another session';
      if (!['Real', 'Fake'].includes(answer.decision)) return 'no decision';
      if (shares && answer.accounts_linked === 0) return 'not linked by its device';
      if (answer.session.network.ip_address !== session.result.network.ipAddress) return 'another address';
      return answer.account.email.email === person.email ? null : "another's email";
    },
  };
}

function requestOf({ key }: Workbench, { person, session }: Attempt): BenchRequest {
  const { accountId: id, email, phone } = person;
  const body = { session_id: session.row.session_id, account: { id, email, phone } };
  return { method: 'POST', path: '/session/authenticate', headers: { 'x-api-key': key }, body };
}
