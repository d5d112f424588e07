import type { KnownEmail } from '@vouchgraph/decisions';
import {
  isDisposableHost,
  type MailEvidence,
  mergeBreaches,
  mergeProfiles,
  type ProviderEvidence,
} from '@vouchgraph/email';
import type { Project } from '../projects/project.ts';

/*
 * Stored evidence about an account's email, so that reads are stable until the next change or look-up. Findings of providers are
 * personal data: they are encrypted, and stored without names, phones and URLs of profiles.
 */

/** Evidence about emails that is available without network I/O when a change is planned. */
export type EmailAnswers = {
  readonly mailOf: (domain: string) => MailEvidence;
  /** Evidence of imported files about the email of the change; null without an email or files. */
  readonly providers: ProviderEvidence | null;
};

/** Evidence of look-ups about an email; null for sources that were not queried. */
export type EmailEvidenceFound = {
  readonly mail: MailEvidence | null;
  readonly providers: ProviderEvidence | null;
};

/** Owner of the encrypted findings. */
type Owner = { readonly project: Pick<Project, 'cipher'>; readonly rowId: string };

/** Maximum number of stored findings, newest first. */
const MAX_BREACHES = 200;
const MAX_PROFILES = 100;
const FINDINGS = 'accounts.email_findings';

type Stored = {
  readonly breaches: readonly (readonly [source: string, date: string | null, trustWeight: number])[] | null;
  readonly profiles: readonly (readonly [service: string, since: string | null])[] | null;
  readonly answered: ProviderEvidence['answered'];
};

/**
 * Merges new evidence about an unchanged email: a new answer of a source replaces its earlier one, and the evidence of sources
 * without an answer is kept.
 */
export function withFound(owner: Owner, before: Partial<KnownEmail>, found: EmailEvidenceFound) {
  const findings = mergeFindings(owner, before.findings, found.providers);
  const isAnswered = found.mail !== null && found.mail.exchange !== 'unknown';
  const throwawayHost = isAnswered ? found.mail.hosts.find(isDisposableHost) : before.throwawayHost;
  return {
    mailExchange: isAnswered ? found.mail.exchange : (before.mailExchange ?? ('unknown' as const)),
    ...(throwawayHost === undefined ? {} : { throwawayHost }),
    ...(findings === undefined ? {} : { findings }),
  };
}

function mergeFindings(
  owner: Owner,
  before: string | undefined,
  found: ProviderEvidence | null,
): string | undefined {
  if (found === null || found.answered.length === 0) return before;
  const known = before === undefined ? null : openStored(owner, before);
  const earlier = known && evidenceOf(known);
  const breaches = mergeKind('breaches', earlier, found, mergeBreaches);
  const profiles = mergeKind('profiles', earlier, found, mergeProfiles);
  const stored: Stored = {
    breaches:
      breaches
        ?.slice(0, MAX_BREACHES)
        .map(({ source, date, trustWeight }) => [source, date, trustWeight] as const) ?? null,
    profiles: profiles?.slice(0, MAX_PROFILES).map(({ service, since }) => [service, since] as const) ?? null,
    answered: mergeAnswered(known?.answered ?? [], found),
  };
  // Unchanged findings keep their ciphertext, because changes are detected by comparing it.
  if (JSON.stringify(stored) === JSON.stringify(known)) return before;
  return owner.project.cipher.encryptCompactJson(FINDINGS, owner.rowId, stored).toString('base64');
}

type Kind = 'breaches' | 'profiles';

/**
 * Merges findings of one kind. The provider of each finding is not stored: new findings replace the earlier ones only if all
 * earlier providers answered again, and are added to them otherwise.
 */
function mergeKind<Finding>(
  kind: Kind,
  earlier: ProviderEvidence | null,
  found: ProviderEvidence,
  merge: (findings: readonly Finding[]) => readonly Finding[],
): readonly Finding[] | null {
  const [before, now] = [earlier?.[kind], found[kind]] as (readonly Finding[] | null | undefined)[];
  if (!before || !now) return now ?? before ?? null;
  const isReplaced = earlier!.answered.every(
    ({ provider, looked }) => !looked.includes(kind) || isAnswered(found, provider, kind),
  );
  return isReplaced ? now : merge([...now, ...before]);
}

function isAnswered({ answered }: Pick<ProviderEvidence, 'answered'>, provider: string, kind: Kind): boolean {
  return answered.some((each) => each.provider === provider && each.looked.includes(kind));
}

/** Providers that answered now, and earlier providers that did not answer again. */
function mergeAnswered(
  before: ProviderEvidence['answered'],
  found: ProviderEvidence,
): ProviderEvidence['answered'] {
  const kept = before.flatMap(({ provider, looked }) => {
    const kinds = looked.filter((kind) => !isAnswered(found, provider, kind));
    return kinds.length === 0 ? [] : [{ provider, looked: kinds }];
  });
  return [...found.answered, ...kept];
}

/** Stored findings of providers about an account's email; null without an answer. */
export function findingsOf(owner: Owner, known: KnownEmail | undefined): ProviderEvidence | null {
  if (known?.findings === undefined) return null;
  return evidenceOf(openStored(owner, known.findings));
}

function evidenceOf({ breaches, profiles, answered }: Stored): ProviderEvidence {
  return {
    breaches:
      breaches?.map(([source, date, trustWeight]) => {
        return { source, date, trustWeight, country: null, industry: null };
      }) ?? null,
    profiles:
      profiles?.map(([service, since]) => {
        return { service, since, url: null, name: '', phones: [], country: '' };
      }) ?? null,
    answered,
    failed: [],
  };
}

function openStored({ project, rowId }: Owner, findings: string): Stored {
  return project.cipher.decryptJson<Stored>(FINDINGS, rowId, Buffer.from(findings, 'base64'));
}
