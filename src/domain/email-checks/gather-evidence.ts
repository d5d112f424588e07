import { setTimeout as delay } from 'node:timers/promises';
import {
  type AddressHistory,
  type DomainOverrides,
  type EmailEvidence,
  type EmailProviders,
  type MailEvidence,
  NO_OVERRIDES,
  type ParsedEmail,
  type ProviderEvidence,
  parseEmail,
} from '@vouchgraph/email';
import type { EmailCheckInput } from '@vouchgraph/email/checks';
import type { MailExchangers } from '@vouchgraph/email/mail-exchangers-adapter';
import { mapInSlices } from '@vouchgraph/platform/slices';
import type { Project } from '../projects/project.ts';

/** Sources of evidence; null for a disabled source. */
export type EvidenceSources = {
  readonly mail: Pick<MailExchangers, 'evidence' | 'settledEvidence' | 'resolver'> | null;
  readonly providers: Pick<EmailProviders, 'isOnline' | 'lookUp' | 'lookUpOffline'> | null;
  readonly findHistories:
    | ((
        project: Project,
        addresses: readonly ParsedEmail[],
        at: Date,
        before: { readonly checkIds: readonly string[] },
      ) => Promise<AddressHistory[]>)
    | null;
  readonly overridesOf: ((project: Project) => DomainOverrides) | null;
};

/** Time limit for the network look-ups of one chunk. Later answers count as unknown. */
const GATHERING_MS = 8000;

/** `checkId`: id of a stored check, which is not part of its own history. */
type Asked = Pick<EmailCheckInput, 'email' | 'identityIntelligence'> & { readonly checkId?: string };
type Network = { readonly mail: MailEvidence | null; readonly providers: ProviderEvidence | null };
const NO_NETWORK: Network = { mail: null, providers: null };

/** Evidence without the network; null if the network could add evidence. */
function knownEvidence(
  { mail, providers }: EvidenceSources,
  email: ParsedEmail,
  { identityIntelligence: profiles }: Asked,
): Network | null {
  if (!email.valid) return NO_NETWORK;
  if (providers?.isOnline) return null;
  const known = mail?.evidence(email.domain) ?? null;
  // Unreliable name servers are not waited for.
  if (known?.exchange === 'unknown' && mail!.resolver !== 'failing') return null;
  return { mail: known, providers: providers?.lookUpOffline(email, { breaches: true, profiles }) ?? null };
}

/** Evidence of one address without the network; null if the network could add evidence. */
export async function gatherOffline(
  sources: EvidenceSources,
  project: Project,
  asked: Asked,
  at: Date,
): Promise<EmailEvidence | null> {
  const email = parseEmail(asked.email);
  const known = knownEvidence(sources, email, asked);
  if (!known) return null;
  const [history = null] = (await sources.findHistories?.(project, [email], at, { checkIds: [] })) ?? [];
  return { at, ...known, history, overrides: sources.overridesOf?.(project) ?? NO_OVERRIDES };
}

/**
 * The evidence of several addresses: their history in one statement, and concurrently the network, with one look-up for
 * each domain and each address.
 */
export async function gatherEvidence(
  sources: EvidenceSources,
  project: Project,
  asked: readonly Asked[],
  at: Date,
  signal: AbortSignal,
): Promise<EmailEvidence[]> {
  const emails = await mapInSlices(asked, ({ email }) => parseEmail(email));
  const checkIds = asked.flatMap(({ checkId }) => checkId ?? []);
  const [histories, network] = await Promise.all([
    sources.findHistories?.(project, emails, at, { checkIds }) ?? null,
    queryNetwork(sources, emails, asked, signal),
  ]);
  const overrides = sources.overridesOf?.(project) ?? NO_OVERRIDES;
  return network.map((found, index) => ({ at, ...found, history: histories?.[index] ?? null, overrides }));
}

async function queryNetwork(
  sources: EvidenceSources,
  emails: readonly ParsedEmail[],
  asked: readonly Asked[],
  signal: AbortSignal,
): Promise<Network[]> {
  const stop = new AbortController();
  const ends = AbortSignal.any([signal, stop.signal]);
  const timeIsUp = delay(GATHERING_MS, null, { signal: ends, ref: false }).catch(() => null);
  const mails = new Map<string, Promise<MailEvidence | null>>();
  const answers = new Map<string, Promise<ProviderEvidence | null>>();
  const { mail, providers } = sources;
  const mailOf = async (domain: string): Promise<MailEvidence | null> =>
    (await Promise.race([mail!.settledEvidence(domain), timeIsUp])) ?? mail!.evidence(domain);
  const answersOf = async (email: ParsedEmail, profiles: boolean): Promise<ProviderEvidence | null> => {
    const wanted = { breaches: true, profiles };
    if (!providers!.isOnline) return providers!.lookUpOffline(email, wanted);
    const answer = providers!.lookUp(email, wanted, ends);
    return (await Promise.race([answer, timeIsUp])) ?? providers!.lookUpOffline(email, wanted);
  };
  try {
    const begun = await mapInSlices(emails, async (email, index) => {
      if (!email.valid) return NO_NETWORK;
      const profiles = asked[index]!.identityIntelligence;
      // Both are under way at the same time.
      const mailFound = mail && once(mails, email.domain, () => mailOf(email.domain));
      const answer =
        providers && once(answers, `${profiles} ${email.address}`, () => answersOf(email, profiles));
      return { mail: await mailFound, providers: await answer };
    });
    return await Promise.all(begun);
  } finally {
    stop.abort();
  }
}

/** One promise for each key. */
function once<T>(known: Map<string, Promise<T>>, key: string, begin: () => Promise<T>): Promise<T> {
  const begun = known.get(key) ?? begin();
  known.set(key, begun);
  return begun;
}
