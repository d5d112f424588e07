import type { ParsedEmail } from '../email-address.ts';
import type { ProviderEvidence } from '../email-evidence.ts';
import { mergeEvidence, type ProviderResult } from './merge-evidence.ts';
import {
  type EmailProvider,
  type OfflineProvider,
  PROVIDER_KINDS,
  type ProviderAnswer,
  type ProviderKind,
  type ProviderStatus,
  unknownAnswer,
} from './provider.ts';

/** A provider has its own time limit; this one is for a provider that exceeds it. */
const TIMEOUT_MS = 6000;

export type WantedEvidence = { readonly breaches: boolean; readonly profiles: boolean };

export type EmailProviders = {
  /** Whether a look-up queries online providers. */
  readonly isOnline: boolean;
  /**
   * Queries all providers of the wanted kinds concurrently. Never throws, and ends within the time limit. A kind without an
   * answer of a provider is null. An invalid address is not looked up.
   */
  lookUp(email: ParsedEmail, wanted: WantedEvidence, signal?: AbortSignal): Promise<ProviderEvidence>;
  /** Evidence of the imported files, synchronously. Never throws. */
  lookUpOffline(email: ParsedEmail, wanted?: WantedEvidence): ProviderEvidence;
  /** State of each provider, by name. */
  status(): ProviderStatus[];
  /** Aborts running look-ups; later ones find no provider available. */
  close(): Promise<void>;
};

export type EmailProvidersOptions = {
  /** Providers over the network. */
  readonly online?: readonly EmailProvider[];
  /** Current providers of imported files: files are added and removed while the gateway runs. */
  readonly offline?: () => readonly OfflineProvider[];
  readonly timeoutMs?: number;
  readonly onClose?: () => void;
};

const EVERYTHING: WantedEvidence = { breaches: true, profiles: true };

/** Combines providers into one. */
export function createEmailProviders(options: EmailProvidersOptions = {}): EmailProviders {
  const { online = [], offline = () => [], timeoutMs = TIMEOUT_MS, onClose } = options;
  const closing = new AbortController();

  function offlineResults(email: ParsedEmail, wanted: WantedEvidence): ProviderResult[] {
    if (closing.signal.aborted) return [];
    return offline().flatMap((provider) => {
      const looked = wantedKinds(provider, wanted);
      return looked.length === 0
        ? []
        : [{ provider: provider.name, looked, answer: answerNow(provider, email) }];
    });
  }

  async function queryOnline(
    provider: EmailProvider,
    looked: readonly ProviderKind[],
    email: ParsedEmail,
    signal: AbortSignal,
  ): Promise<ProviderResult> {
    return {
      provider: provider.name,
      looked,
      answer: await answerInTime(provider, email, signal, timeoutMs),
    };
  }

  return {
    isOnline: online.length > 0,
    async lookUp(email, wanted, signal) {
      if (!email.valid) return mergeEvidence([]);
      const until = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal;
      // Requests run while files are read.
      const asked = online.flatMap((provider) => {
        const looked = wantedKinds(provider, wanted);
        return looked.length === 0 ? [] : [queryOnline(provider, looked, email, until)];
      });
      const known = offlineResults(email, wanted);
      return mergeEvidence([...known, ...(await Promise.all(asked))]);
    },
    lookUpOffline(email, wanted = EVERYTHING) {
      return mergeEvidence(email.valid ? offlineResults(email, wanted) : []);
    },
    status() {
      return [...offline(), ...online]
        .map((provider) => provider.status())
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async close() {
      closing.abort();
      onClose?.();
      await Promise.allSettled(online.map(async (provider) => provider.close()));
    },
  };
}

function wantedKinds(
  { looksInto }: Pick<EmailProvider, 'looksInto'>,
  wanted: WantedEvidence,
): readonly ProviderKind[] {
  return PROVIDER_KINDS.filter((kind) => wanted[kind] && looksInto.includes(kind));
}

function answerNow(provider: OfflineProvider, email: ParsedEmail): ProviderAnswer {
  try {
    return provider.lookUpNow(email);
  } catch {
    return unknownAnswer('unreadable');
  }
}

/** The answer of a provider or the reason of its failure, always within the time limit. */
function answerInTime(
  provider: EmailProvider,
  email: ParsedEmail,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ProviderAnswer> {
  if (signal.aborted) return Promise.resolve(unknownAnswer('aborted'));
  const own = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ProviderAnswer>();
  const timer = setTimeout(() => resolve(unknownAnswer('timeout')), timeoutMs);
  const abort = () => resolve(unknownAnswer('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  // Inside a promise, so that a synchronous exception of a provider becomes a rejection.
  void Promise.resolve()
    .then(() => provider.lookUp(email, { signal: own.signal }))
    .then(resolve, () => resolve(unknownAnswer('unreachable')));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    own.abort();
  });
}
