import { type Evidence, type HistoryCode, type SessionTrace, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.6 } as const;

/**
 * A family shares a tablet, so four accounts in a week are nothing; each more is worth less than the one before:
 * `weight · (1 − e^(−(accounts − 4) / 5))`, .11 for five, .42 for ten, .57 for twenty.
 */
const DEVICE_SHARING = { honestAccounts: 4, scaleAccounts: 5 } as const;

/**
 * A device that was reset between two sessions of an account, by its counters. People reset a phone that they sell, and
 * two devices of one model are sometimes identified as one. The slack is for facts that arrive late.
 */
const DEVICE_RESET = { confidence: 0.6, slackMinutes: 60 } as const;

export const deviceSharedOrReset = {
  code: 'device_shared_or_reset',
  family: 'device',
  describes:
    'Device of more than 4 accounts within 7 days, or device that was reset between two sessions of the ' +
    'account, according to its counters.',
  needs: 'number of accounts on the device in 7 days; boot count and uptime in the last session',
  limits:
    'One person in every case: families share devices, and two devices of one model are sometimes identified as one.',
  weights: WEIGHTS,
  evaluate({ session, previous, accountsOnDevice }) {
    const found = [shared(accountsOnDevice), previous && reset(previous, session)].filter(
      (each) => each !== null,
    );
    return found.length === 0 ? null : found;
  },
} satisfies HistoryCode;

function evidence(strength: number, source: string, observed: string): Evidence {
  return {
    code: 'device_shared_or_reset',
    family: 'device',
    group: 'reuse',
    ...weigh(WEIGHTS, strength),
    confidence: strength,
    source,
    sourceAsOf: null,
    observed,
  };
}

function shared(accounts: number | null): Evidence | null {
  const { honestAccounts, scaleAccounts } = DEVICE_SHARING;
  if (accounts === null || !(accounts > honestAccounts)) return null;
  const strength = 1 - Math.exp(-(accounts - honestAccounts) / scaleAccounts);
  return evidence(strength, 'accounts_on_device', `${accounts} accounts on this device in 7 days`);
}

function reset(previous: SessionTrace, session: SessionTrace): Evidence | null {
  if (session.device === '' || session.device !== previous.device) return null;
  const observed = bootsTakenBack(previous, session) ?? upTooLong(previous, session);
  return observed === null ? null : evidence(DEVICE_RESET.confidence, 'earlier_session', observed);
}

/** The system counts its starts, and resets the count only with all data (Android, Settings.Global.BOOT_COUNT). */
function bootsTakenBack(previous: SessionTrace, session: SessionTrace): string | null {
  const [before, now] = [known(previous.bootCount), known(session.bootCount)];
  if (before === null || now === null || now >= before) return null;
  return `boot count ${now}, ${before} in the last session`;
}

/**
 * A device cannot have an uptime that is longer than the time since its last start. Some systems do not count sleep as
 * uptime, which moves the apparent start later, and never earlier.
 */
function upTooLong(previous: SessionTrace, session: SessionTrace): string | null {
  const earliest = earliestStart(previous, session);
  const seeming = startedAt(session);
  const slackMs = DEVICE_RESET.slackMinutes * 60_000;
  if (earliest === null || seeming === null || !(seeming < earliest - slackMs)) return null;
  return `up ${Math.round((earliest - seeming) / 3_600_000)} h longer than possible since the last session`;
}

/** A larger boot count means a start since the last session; the same count means that the device kept running. */
function earliestStart(previous: SessionTrace, session: SessionTrace): number | null {
  const [before, now] = [known(previous.bootCount), known(session.bootCount)];
  const hasRestarted = before !== null && now !== null && now > before;
  return hasRestarted ? previous.startTime.getTime() : startedAt(previous);
}

function startedAt({ startTime, uptimeSeconds }: SessionTrace): number | null {
  const uptime = known(uptimeSeconds);
  return uptime === null ? null : startTime.getTime() - uptime * 1000;
}

function known(count: number | null): number | null {
  return count !== null && Number.isFinite(count) && count >= 0 ? count : null;
}
