import type { SessionFactsInput } from '../../../src/domain/sessions/session-input.ts';
import type { FraudSighting } from '../../../src/domain/signals/evidence/evidence.ts';
import type { RiskScoreKey } from '../../../src/domain/signals/evidence/risk-scores.ts';
import type { FeedKind } from '../../../src/domain/signals/feeds/feed-match.ts';
import type { NetworkFacts } from '../../../src/domain/signals/network/network-facts.ts';
import type { AddressBook } from './addresses.ts';
import type { Random } from './random.ts';

/** What the accuracy is measured of: the ten risk signals and the bot score. */
export type Signal = RiskScoreKey | 'bot';

/** An operator's list that has the address, and how many days old it is. */
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

/** A labeled session, with what was there before it. */
export type SessionCase = {
  visit: Visit;
  previous: Visit | null;
  expectedCountries: string[];
  fraud: FraudSighting[];
  accountsOnDevice: number | null;
  /**
   * Which signals are the case. null: not judged, since either answer would be right (as whether an address that a VPN
   * lends is a spoofed one). What is not named is not the case.
   */
  truth: Partial<Record<Signal, boolean | null>>;
};

export type World = { random: Random; book: AddressBook };

/** A kind of person or program, with what it is like in words. */
export type SessionKind = {
  name: string;
  isHonest: boolean;
  /** Which facts it has, with which noise. */
  describes: string;
  /** Share among all sessions. */
  weight: number;
  make(world: World): SessionCase;
};
