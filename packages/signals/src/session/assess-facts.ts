import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import type { Calibration } from '../assessment/calibration.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { NetworkIntelligence } from '../network/network-intelligence.ts';
import { encryptSessionFacts } from './fact-patches.ts';
import { encryptTrace } from './session-history.ts';
import { type SessionFactsInput, sourceOf } from './session-input.ts';
import { type AssembledSession, assembleSession } from './session-result.ts';
import { signalBits } from './signal-bits.ts';
import type { EdgePosition } from './signal-facts.ts';
import type { StoredFacts } from './stored-facts.ts';

export type AssessDeps = { network: NetworkIntelligence; edgePosition?: EdgePosition | null | undefined };

/** Assesses the facts of a session with the data of its networks. */
export function assessFacts(
  { network, edgePosition }: AssessDeps,
  { calibration }: { calibration: Calibration | null },
  facts: StoredFacts,
  startTime: Date,
  history: readonly Evidence[],
) {
  return assembleSession(facts, startTime, {
    network: network.lookup(facts.observed.ip),
    laterNetworks: (facts.observed.laterIps ?? []).map((ip) => network.lookup(ip)),
    webrtcNetworks: webrtcAddresses(facts.input).map((ip) => network.lookup(ip)),
    sources: network.status(),
    calibration,
    history,
    edgePosition: edgePosition ?? null,
  });
}

/** Columns computed from the facts. */
export function assessedColumns(
  { cipher }: { cipher: ProjectCipher },
  sessionId: string,
  facts: StoredFacts,
  { result, trace }: AssembledSession,
) {
  return {
    source: sourceOf(facts.input),
    source_version: facts.input.sourceVersion ?? '',
    true_country_code: result.trueCountryCode,
    connection_type: result.network.connectionType,
    facts: encryptSessionFacts({ cipher }, sessionId, facts),
    signals: signalBits(result.riskSignals),
    result: cipher.encryptCompactJson('sessions', sessionId, result),
    trace: encryptTrace(cipher, sessionId, trace),
  };
}

/** At most 8 of the addresses that WebRTC found in the page. */
function webrtcAddresses({ checks }: SessionFactsInput): string[] {
  const addresses: unknown = checks?.webrtc_addresses;
  const texts = Array.isArray(addresses)
    ? addresses.filter((each): each is string => typeof each === 'string')
    : [];
  return texts.slice(0, 8).flatMap((text) => normalizeIp(text) ?? []);
}
