import { within } from '../sdk/attempt.ts';
import { accompanyingParts, openingParts } from '../sdk/collect/collect.ts';
import { cameraFacts } from '../sdk/collect/on-request.ts';
import { collectParts, runParts } from '../sdk/collect/parts.ts';
import type { Facts } from '../sdk/facts.ts';
import { createInteraction } from '../sdk/interaction.ts';
import { listenToPage } from '../sdk/listeners.ts';
import { createOutbox } from '../sdk/outbox.ts';
import { patchIntervalMs } from '../sdk/patch-interval.ts';
import { createThrottle, type Timers } from '../sdk/throttle.ts';
import { createTransport } from '../sdk/transport.ts';

/** Sends facts of browser and device to the session, like the script for pages. */
export type SessionFacts = {
  /** Reads the names of the cameras again, which the browser reveals after the permission. */
  cameraAllowed(): void;
  /** Sends new facts. False if the session never accepted any. */
  finish(): Promise<boolean>;
  stop(): void;
};

const COLLECTION_DEADLINE_MS = 1500;
/** Wait of the end of the check for parts that a browser never answers. */
const MAX_LATE_MS = 5000;
const MAX_ATTEMPTS = 4;

const TIMERS: Timers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Collects facts and sends them with the session's token. The server has already opened the session. */
export function startSessionFacts(options: {
  basePath: string;
  sessionId: string;
  sessionToken: string;
}): SessionFacts {
  const { basePath, sessionId, sessionToken } = options;
  const startMs = TIMERS.now();
  const transport = createTransport({ baseUrl: basePath });
  const interaction = createInteraction(startMs);
  let wasTaken = false;
  const outbox = createOutbox({
    counts: interaction.facts,
    async send(facts, isUrgent) {
      const path = `/session/${encodeURIComponent(sessionId)}`;
      const answer = await transport.ask({
        method: 'PATCH',
        path,
        token: sessionToken,
        body: facts,
        keepalive: isUrgent,
      });
      wasTaken ||= answer.ok;
      return answer.ok || answer.isFinal ? 'done' : 'again';
    },
  });
  const throttle = createThrottle(
    () => patchIntervalMs(TIMERS.now() - startMs),
    TIMERS,
    () => void outbox.flush(false),
  );
  const add = (facts: Facts) => {
    outbox.add(facts);
    throttle.request();
  };
  const stopListening = listenToPage(interaction, (isUrgent) => {
    if (isUrgent) void outbox.flush(true);
    else throttle.request();
  });
  const collected = collect(add, transport.roundTripMs).then(() => outbox.flush(false));

  return {
    cameraAllowed: () => void runParts([cameraFacts], TIMERS, add),
    async finish() {
      await within(collected, MAX_LATE_MS, true);
      for (let count = 0; count < MAX_ATTEMPTS; count += 1) if (await outbox.flush(false)) break;
      return wasTaken;
    },
    stop() {
      stopListening();
      throttle.stop();
    },
  };
}

/** Workers stay off: the policy of the page allows none. */
async function collect(
  add: (facts: Facts) => void,
  roundTripMs: () => Promise<number | undefined>,
): Promise<void> {
  const accompanied = runParts(accompanyingParts({ worker: false }), TIMERS, add);
  add(
    await collectParts(openingParts(), {
      deadlineMs: COLLECTION_DEADLINE_MS,
      timers: TIMERS,
      onLate: add,
    }),
  );
  await accompanied;
  add({ checks: { app_rtt_ms: await roundTripMs() } });
}
