import type { Clock } from '@vouchgraph/platform/clock';
import { type MailExchange, type MailResolver, resolveMailRoute } from './mail-route-adapter.ts';

/** Domains that reliably receive mail. Both must answer: in doubt a resolver counts as unreliable. */
const CANARIES = ['gmail.com', 'outlook.com'] as const;

export type ResolverState = 'unknown' | 'healthy' | 'failing';

export type ResolverHealth = {
  /** As the last check found it; `unknown` before the first. */
  readonly state: ResolverState;
  check(): Promise<boolean>;
  /** Result of the latest check, repeated when it is older than this. */
  isHealthy(maxAgeMs: number): Promise<boolean>;
};

/**
 * Checks whether a resolver is reliable. A resolver without access to the internet answers within milliseconds that no
 * domain exists, not even gmail.com.
 */
export function createResolverHealth(resolver: MailResolver, clock: Clock): ResolverHealth {
  let state: ResolverState = 'unknown';
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<boolean> | null = null;

  /** One lost packet must not silence everything until the next check. */
  async function queryTwice(domain: string): Promise<MailExchange> {
    const { exchange } = await resolveMailRoute(resolver, domain);
    return exchange === 'unknown' ? (await resolveMailRoute(resolver, domain)).exchange : exchange;
  }

  async function queryCanaries(): Promise<boolean> {
    const answers = await Promise.all(CANARIES.map(queryTwice));
    const healthy = answers.every((answer) => answer === 'accepts');
    state = healthy ? 'healthy' : 'failing';
    checkedAtMs = clock.now().getTime();
    running = null;
    return healthy;
  }

  async function check(): Promise<boolean> {
    running ??= queryCanaries();
    return running;
  }

  return {
    get state() {
      return state;
    },
    check,
    async isHealthy(maxAgeMs) {
      const ageMs = clock.now().getTime() - checkedAtMs;
      return ageMs <= maxAgeMs ? state === 'healthy' : check();
    },
  };
}
