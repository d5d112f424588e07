import type { FraudSighting, NetworkFacts, RiskScoreKey } from '@vouchgraph/signals';
import type { FeedKind } from '@vouchgraph/signals/feed-match';
import type { SessionFactsInput } from '@vouchgraph/signals/internals/session/session-input';
import type { AddressBook } from './addresses.ts';
import type { Random } from './random.ts';

/** The measured signals: the ten risk signals and the bot score. */
export type Signal = RiskScoreKey | 'bot';

/** An operator's list that contains the address, and its age in days. */
export type Listing = { kind: FeedKind; ageDays: number; place?: { countryCode: string; city: string } };

/** One session as it reaches the service. */
export type Visit = {
  startTime: Date;
  network: NetworkFacts;
  laterNetworks: NetworkFacts[];
  /** Of the public addresses that WebRTC found. */
  webrtcNetworks: NetworkFacts[];
  input: SessionFactsInput;
  headers: Record<string, string>;
  edge: Record<string, string>;
  /** What identifies the device, '' when nothing does. */
  device: string;
  listings: Listing[];
};

/** A labeled session with its history. */
export type SessionCase = {
  visit: Visit;
  previous: Visit | null;
  expectedCountries: string[];
  fraud: FraudSighting[];
  accountsOnDevice: number | null;
  /**
   * True signals. null: not judged, since either answer would be right (such as whether the address of a VPN is
   * spoofed). Omitted signals are false.
   */
  truth: Partial<Record<Signal, boolean | null>>;
};

export type World = { random: Random; book: AddressBook };

/** A kind of person or program, with a description. */
export type SessionKind = {
  name: string;
  isHonest: boolean;
  /** Its facts and their noise. */
  describes: string;
  /** Share among all sessions. */
  weight: number;
  make(world: World): SessionCase;
};
