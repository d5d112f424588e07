import { type Facts, mergeFacts } from './facts.ts';
import type { ErrorCode, Settings } from './options.ts';
import { createOutbox } from './outbox.ts';
import type { Transport } from './transport.ts';

/** Id of the session, or an error code. */
export type SessionAnswer =
  | { session_id: string; error?: undefined }
  | { session_id: null; error: ErrorCode };

/** The service's answer to an opening. */
export type Opening = {
  answer: SessionAnswer;
  /** False when it would be answered alike, however often it is asked. */
  canTryAgain: boolean;
  /** The browser's signed id, as it should be kept. */
  browserToken?: unknown;
};

/** The line to the service over which one session is opened, fed and completed. */
export type SessionLink = {
  /** Opens the session with all that is known by now. */
  open(browserToken: string | null): Promise<Opening>;
  /** Facts for the next request. */
  add(facts: Facts): void;
  /** Sends what is new, when the session is open; `isUrgent` when the page may be gone in a moment. */
  flush(isUrgent: boolean): Promise<void>;
  complete(): Promise<void>;
  /** All that was sent so far. */
  sent(): Facts;
};

export function createSessionLink(deps: {
  settings: Pick<Settings, 'projectId' | 'environment'>;
  /** Version of this script. */
  version: string;
  transport: Pick<Transport, 'ask'>;
  counts: () => Facts;
  /** Called when the session accepts no more facts. */
  onOver: () => void;
  /** Called when facts could not be sent and wait for a retry. */
  onUnsent: () => void;
}): SessionLink {
  const { settings, version, transport, counts } = deps;
  let session: { path: string; token: string } | null = null;
  let sent: Facts = {};

  const outbox = createOutbox({
    counts,
    async send(facts, isUrgent) {
      const { path, token } = session!;
      const answer = await transport.ask({ method: 'PATCH', path, token, body: facts, keepalive: isUrgent });
      if (answer.ok) sent = mergeFacts(sent, facts);
      if (answer.ok) return 'done';
      if (!answer.isFinal) return 'again';
      // The session is complete or expired, or the project is deleted: nothing is sent.
      deps.onOver();
      return 'done';
    },
  });

  return {
    add: outbox.add,
    async flush(isUrgent) {
      if (!session) return;
      const isSent = await outbox.flush(isUrgent);
      if (!isSent) deps.onUnsent();
    },
    sent: () => sent,
    async open(browserToken) {
      sent = outbox.takeAll();
      const answer = await transport.ask({
        method: 'POST',
        path: '/session',
        body: {
          project_id: settings.projectId,
          browser_token: browserToken ?? undefined,
          source: 'web',
          source_version: `sdk-${version}`,
          ...sent,
        },
      });
      if (!answer.ok) return failed(answer.error, !answer.isFinal);
      const { session_id, token, environment, browser_token } = answer.body;
      if (typeof session_id !== 'string' || typeof token !== 'string') return failed('server_error', true);
      if (settings.environment !== null && environment !== settings.environment) {
        return failed('environment_mismatch', false);
      }
      session = { path: `/session/${encodeURIComponent(session_id)}`, token };
      return { answer: { session_id }, canTryAgain: false, browserToken: browser_token };
    },
    async complete() {
      if (!session) return;
      const { path, token } = session;
      await transport.ask({ method: 'POST', path: `${path}/complete`, token });
    },
  };
}

function failed(error: ErrorCode, canTryAgain: boolean): Opening {
  return { answer: { session_id: null, error }, canTryAgain };
}
