import type { Clock } from '@vouchgraph/platform/clock';
import type { EmailProvider, UnknownReason } from '../provider.ts';
import { gravatarProtocol } from './gravatar.ts';
import { hibpProtocol } from './hibp.ts';
import { DEFAULT_LIMITS, type OnlineLimits } from './online-limits.ts';
import { createOnlineProvider } from './online-provider-adapter.ts';

/** A provider's key, address and agreed rate. */
export type OnlineAccess = { readonly key: string; readonly url: string; readonly requests: number };

export type OnlineSettings = {
  /** Have I Been Pwned, its rate per minute; undefined: disabled. */
  readonly hibp?: OnlineAccess;
  /** Gravatar, its rate per hour; undefined: disabled. */
  readonly gravatar?: OnlineAccess;
};

export type ConfiguredOptions = {
  readonly clock?: Clock;
  readonly limits?: Partial<OnlineLimits>;
  readonly onProblem?: (provider: string, reason: UnknownReason) => void;
};

const MINUTE_MS = 60_000;
/** Providers require a user agent that names the program. */
const AGENT = 'Vouchgraph';

/** The online providers with a key in the settings. */
export function createConfiguredProviders(
  { hibp, gravatar }: OnlineSettings,
  { clock, limits, onProblem }: ConfiguredOptions = {},
): EmailProvider[] {
  const optionsOf = ({ requests }: OnlineAccess, windowMs: number) => ({
    limits: { ...DEFAULT_LIMITS, requests, windowMs, ...limits },
    clock,
    onProblem,
  });
  return [
    ...(hibp
      ? [createOnlineProvider(hibpProtocol({ ...hibp, agent: AGENT }), optionsOf(hibp, MINUTE_MS))]
      : []),
    ...(gravatar
      ? [
          createOnlineProvider(
            gravatarProtocol({ ...gravatar, agent: AGENT }),
            optionsOf(gravatar, 60 * MINUTE_MS),
          ),
        ]
      : []),
  ];
}
