import { isDisposableHost } from '../email/domain-judgement.ts';
import type { MailEvidence, ProviderEvidence } from '../email/email-evidence.ts';
import { mergeBreaches, mergeProfiles } from '../email/providers/merge-evidence.ts';
import type { Project } from '../projects/project.ts';
import type { KnownEmail } from './aggregates.ts';

/*
 * What an account keeps of the evidence about its email, so that readers see the same block until the next change or the
 * next answer. Findings of providers are personal: encrypted, and without names, phones and addresses of profiles.
 */

/** What is known of emails without waiting when a change is planned. */
export type EmailAnswers = {
  readonly mailOf: (domain: string) => MailEvidence;
  /** What imported files say of the email that the change states; null without one, or without files. */
  readonly providers: ProviderEvidence | null;
};

/** What look-ups answered of an address; null where nobody was asked. */
export type EmailEvidenceFound = {
  readonly mail: MailEvidence | null;
  readonly providers: ProviderEvidence | null;
};

/** Owner of the encrypted findings. */
type Owner = { readonly project: Pick<Project, 'cipher'>; readonly rowId: string };

/** Answers that stay in an account: of the newest first, up to these numbers. */
const MAX_BREACHES = 200;
const MAX_PROFILES = 100;
const FINDINGS = 'accounts.email_findings';

type Stored = {
  readonly breaches: readonly (readonly [source: string, date: string | null, trustWeight: number])[] | null;
  readonly profiles: readonly (readonly [service: string, since: string | null])[] | null;
  readonly answered: ProviderEvidence['answered'];
};

/**
 * The evidence after new answers about an unchanged address: an answer replaces an earlier one, and what nobody answered
 * this time stays.
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
  // The same findings keep their bytes: what changed is seen by comparing them.
  if (JSON.stringify(stored) === JSON.stringify(known)) return before;
  return owner.project.cipher.sealCompactJson(FINDINGS, owner.rowId, stored).toString('base64');
}

type Kind = 'breaches' | 'profiles';

/**
 * Findings of one kind after new answers. Which provider had which is not stored: they replace those of before only if
 * all who answered then answered now, and are added to them otherwise.
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

/** Who answered: now, and before where a provider did not answer this time. */
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

/** What providers answered of the address of an account; null while none did. */
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
  return project.cipher.openJson<Stored>(FINDINGS, rowId, Buffer.from(findings, 'base64'));
}
