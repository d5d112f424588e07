import {
  type AccountScoreParts,
  type Aggregates,
  accountBot,
  accountRisk,
  accountScore,
  averageSignals,
  type DecidingList,
  type Decision,
  type DecisionTrace,
  decide,
  type LinkStrength,
  multipleAccountsScore,
  parseAggregates,
} from '@vouchgraph/decisions';
import { describeEmail, type EmailContext, type EmailFacts, overridesOf } from '@vouchgraph/email';
import { type PersonalFields, readPhone } from '@vouchgraph/persons';
import { describeAccountPhone, type PhoneFacts } from '@vouchgraph/phone';
import type { RiskScoreKey } from '@vouchgraph/signals';
import { decryptReason } from '../lists/member-reason.ts';
import type { AccountRow } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
import { findingsOf } from './known-email.ts';

/**
 * An account for readers. Personal fields are decrypted lazily. Scores and the decision are computed from the current state,
 * so that changes of lists and thresholds take effect immediately.
 */
export class Account {
  readonly project: Project;
  readonly row: AccountRow;
  /** Set when the account was read together with its links; otherwise null. */
  readonly links: LinkStrength | null;
  #personal: PersonalFields | undefined;
  #aggregates: Aggregates | undefined;
  #emailFacts: EmailFacts | undefined;
  /** Number of accounts with an email of the same domain; set after a change of the account, otherwise null. */
  readonly accountsFromDomain: number | null;

  constructor(
    project: Project,
    row: AccountRow,
    known: { links?: LinkStrength; personal?: PersonalFields; accountsFromDomain?: number } = {},
  ) {
    this.project = project;
    this.row = row;
    this.links = known.links ?? null;
    this.accountsFromDomain = known.accountsFromDomain ?? null;
    this.#personal = known.personal;
  }

  get personal(): PersonalFields {
    this.#personal ??= decryptPersonal(this.project, this.row);
    return this.#personal;
  }

  /** The phone in E.164 if it is valid, otherwise as the client sent it. */
  get phone(): string {
    const { phone } = this.personal;
    if (phone === '') return '';
    const { valid, e164 } = readPhone(phone, this.row.expected_countries);
    return valid ? e164 : phone;
  }

  /** Facts derived from the phone number; null without one. */
  get phoneFacts(): PhoneFacts | null {
    const { phone } = this.personal;
    return phone === '' ? null : describeAccountPhone(phone, this.row.expected_countries);
  }

  get aggregates(): Aggregates {
    this.#aggregates ??= parseAggregates(this.row.aggregates);
    return this.#aggregates;
  }

  get bot(): number {
    return accountBot(this.aggregates);
  }

  get riskSignals(): number {
    return accountRisk(this.aggregates);
  }

  get riskSignalAverage(): Record<RiskScoreKey, number> {
    return averageSignals(this.aggregates);
  }

  get emailFacts(): EmailFacts {
    this.#emailFacts ??= describeEmail(this.personal.email, this.#emailContext());
    return this.#emailFacts;
  }

  /** Ages are relative to the time when the account was last seen, so that equal rows give equal results. */
  #emailContext(): EmailContext {
    const { firstName, lastName } = this.personal;
    const { email } = this.aggregates;
    return {
      names: { firstName, lastName },
      at: this.row.last_seen ?? this.row.updated_at,
      mailExchange: email?.mailExchange ?? 'unknown',
      mailHosts: email?.throwawayHost === undefined ? [] : [email.throwawayHost],
      providers: findingsOf({ project: this.project, rowId: this.row.id }, email) ?? undefined,
      overrides: overridesOf(this.project),
      history: email && { firstSeen: new Date(email.firstSeen), sightings: email.sightings },
    };
  }

  multipleAccounts(links: LinkStrength): number {
    return multipleAccountsScore(
      links,
      this.row.lists.some(({ name, standard }) => standard && name === 'main_account'),
    );
  }

  /** Parts of the score; `multipleAccounts` depends on the links only. */
  scoreParts(links: LinkStrength): AccountScoreParts {
    return {
      riskSignals: this.riskSignals,
      bot: this.bot,
      multipleAccounts: multipleAccountsScore(links, false),
      email: this.emailFacts.emailScore,
    };
  }

  accountScore(links: LinkStrength): number {
    return accountScore({ ...this.scoreParts(links), multipleAccounts: this.multipleAccounts(links) });
  }

  /** The account's lists as inputs of decisions. */
  get decidingLists(): DecidingList[] {
    const { cipher } = this.project;
    const { account_id: accountId, lists } = this.row;
    return lists.map(({ name, effect, source, actor, waited, ...stored }) => {
      const expiresAt = stored.expiresAt ?? waited?.expiresAt;
      const reason = stored.reason ?? decryptReason(cipher, accountId, stored.encryptedReason ?? null);
      return { name, effect, source, actor, reason, ...(expiresAt ? { expiresAt } : {}) };
    });
  }

  /** The current decision by score, lists and the rule outcomes of the latest session. */
  decisionTrace(links: LinkStrength): DecisionTrace {
    const { suspiciousFrom, fakeFrom } = this.project.settings;
    const { suspicious, required } = this.aggregates.ruleOutcome ?? {};
    return decide({
      thresholds: { suspiciousFrom, fakeFrom },
      after: { score: this.accountScore(links), lists: this.decidingLists, suspicious },
      required,
    });
  }

  decision(links: LinkStrength): Decision {
    return this.decisionTrace(links).decision;
  }
}
