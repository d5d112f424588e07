import {
  type AccountScoreParts,
  accountScore,
  type LinkStrength,
  multipleAccountsScore,
} from '../decisions/account-score.ts';
import { type DecidingList, type Decision, type DecisionTrace, decide } from '../decisions/decide.ts';
import { overridesOf } from '../email/domain-overrides.ts';
import { describeEmail, type EmailContext, type EmailFacts } from '../email/email-facts.ts';
import { readPhone } from '../identifiers/phone-number.ts';
import { decryptReason } from '../lists/member-reason.ts';
import type { AccountRow } from '../model/account-row.ts';
import { openPersonal, type PersonalFields } from '../model/personal-fields.ts';
import { describeAccountPhone, type PhoneFacts } from '../phone/describe-phone.ts';
import type { Project } from '../projects/project.ts';
import type { RiskScoreKey } from '../signals/evidence/risk-scores.ts';
import { type Aggregates, accountBot, accountRisk, averageSignals, parseAggregates } from './aggregates.ts';
import { findingsOf } from './known-email.ts';

/**
 * An account as readers see it. Personal fields are opened when they are first asked for; scores and the decision
 * are computed from what is stored now, so that a list or a threshold acts at once.
 */
export class Account {
  readonly project: Project;
  readonly row: AccountRow;
  /** Known when the account was read together with its links. */
  readonly links: LinkStrength | null;
  #personal: PersonalFields | undefined;
  #aggregates: Aggregates | undefined;
  #emailFacts: EmailFacts | undefined;
  /** Accounts with an address of the same domain, known when the account was just changed. */
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
    this.#personal ??= openPersonal(this.project, this.row);
    return this.#personal;
  }

  /** The phone in E.164 where it is valid, else as it was given. */
  get phone(): string {
    const { phone } = this.personal;
    if (phone === '') return '';
    const { valid, e164 } = readPhone(phone, this.row.expected_countries);
    return valid ? e164 : phone;
  }

  /** What the phone number says by itself; null without one. */
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

  /** Ages count to when the account was last seen, so that the same row always gives the same answer. */
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

  /** What the score is made of; `multipleAccounts` by the links alone. */
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

  /** The account's lists as decisions read them. */
  get decidingLists(): DecidingList[] {
    const { cipher } = this.project;
    const { account_id: accountId, lists } = this.row;
    return lists.map(({ name, effect, source, actor, ...stored }) => {
      return { name, effect, source, actor, reason: decryptReason(cipher, accountId, stored) };
    });
  }

  /** The decision as it is now, by score, lists and what rules left at the latest session. */
  decisionTrace(links: LinkStrength): DecisionTrace {
    const { suspiciousFrom, fakeFrom } = this.project.settings;
    const { suspicious, required } = this.aggregates.ruled ?? {};
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
