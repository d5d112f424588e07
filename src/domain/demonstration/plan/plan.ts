import type { ListFields } from '../../lists/list-input.ts';
import type { NewRule } from '../../rules/rule-input.ts';
import type { BrowserKind } from './devices.ts';
import type { Place } from './places.ts';

/*
 * The form of the plan. Keys name objects within the plan; their ids are in the record of the set (set-ids.ts). What the gateway
 * computes, such as scores, links and decisions, is not part of it.
 */

/** A simulated session, and the account that it authenticates. */
export type PlannedVisit = {
  readonly account: string;
  readonly hoursAgo: number;
  readonly ip: string;
  /** Name of the device, unique in the set. */
  readonly device: string;
  readonly browser: BrowserKind;
  /** Whether the browser keeps its first-party id from visit to visit. */
  readonly isSameBrowser?: true;
  readonly place: Pick<Place, 'timezone' | 'language'>;
};

export type PlannedAccount = {
  readonly key: string;
  /** Local part of the email address; null without an address. */
  readonly mailbox: string | null;
  readonly phone?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly username?: string | undefined;
  /** Role of the account in the set, which its metadata shows. */
  readonly story: string;
};

export type PlannedRule = Omit<NewRule, 'description'> & { readonly key: string; readonly purpose: string };

export type PlannedVerification = {
  readonly key: string;
  readonly account: string;
  readonly kind: 'id' | 'face';
  readonly decision: 'Real' | 'Suspicious' | 'Fake';
  readonly riskFlags: readonly ('repeat_face' | 'likely_fake_id' | 'moderate_id_face_match_score')[];
  readonly review?: 'approved' | 'rejected';
};

export type PlannedMembership = {
  /** Name of a list. */
  readonly list: string;
  readonly accounts: readonly string[];
  readonly reason: string;
};

export type PlannedOutcome = {
  readonly account: string;
  readonly outcome: 'fraud' | 'legitimate' | 'chargeback';
  readonly hoursAgo: number;
};

export type DemonstrationPlan = {
  readonly lists: readonly (Pick<ListFields, 'effect'> & {
    readonly key: string;
    readonly name: string;
    readonly purpose: string;
  })[];
  readonly rules: readonly PlannedRule[];
  readonly accounts: readonly PlannedAccount[];
  /** The earliest first. */
  readonly visits: readonly PlannedVisit[];
  readonly memberships: readonly PlannedMembership[];
  readonly outcomes: readonly PlannedOutcome[];
  readonly verifications: readonly PlannedVerification[];
  /** Keys of the accounts whose addresses are checked. */
  readonly emailChecks: readonly string[];
};
