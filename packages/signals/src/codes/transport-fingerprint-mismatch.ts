import {
  type CodeWeights,
  type Evidence,
  type SessionFacts,
  type SignalCode,
  weigh,
} from '../evidence/evidence.ts';
import { initialTimeToLive, timeToLiveOf } from '../transport/time-to-live.ts';
import { expectedFamily, type TlsClient, tlsClientOf } from '../transport/tls-client.ts';

const CONNECTION_WEIGHTS = { deviceNetworkMismatch: 0.6, proxy: 0.5 } as const;
/** Hardly any person uses a browser whose connections a program opens. */
const WEIGHTS = { ...CONNECTION_WEIGHTS, bot: 0.7 } as const;

/**
 * Signs that something else than the browser opened the connection. Companies that look into their people's traffic
 * do so with programs, most often with OpenSSL. A proxy that ends the connection adds its own way to the page's round
 * trip: from 80 ms on, surer with each millisecond up to the most.
 */
const TRANSPORT_CONFIDENCE = {
  program: 0.9,
  genericLibrary: 0.75,
  otherBrowser: 0.8,
  timeToLive: 0.5,
  roundTripFromMs: 80,
  roundTripLeast: 0.4,
  roundTripMost: 0.8,
  roundTripScaleMs: 400,
  /** Radio links wake up late, and their operators' equipment ends connections too. */
  roundTripMobileFactor: 0.5,
} as const;

export const transportFingerprintMismatch = {
  code: 'transport_fingerprint_mismatch',
  family: 'network',
  describes:
    'Contradiction between the user agent and the TLS client or time to live, or round trip of the page ' +
    'more than 80 ms above that of the TCP connection.',
  needs:
    'JA4, time to live and TCP round trip (µs) from a trusted proxy; user agent; round trip of the page (ms)',
  limits: 'A bot in every case. TLS inspection in companies and mobile networks also causes differences.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = [tlsEvidence(facts), timeToLiveEvidence(facts), roundTripEvidence(facts)].filter(
      (each) => each !== null,
    );
    return found.length > 0 ? found : null;
  },
} satisfies SignalCode;

/** Apps bring TLS libraries of their own, so only pages are compared. */
function tlsEvidence({ source, edge, ua, userAgent }: SessionFacts): Evidence | null {
  const client = edge && tlsClientOf(edge.ja4);
  const expected = expectedFamily(ua, userAgent);
  if (!client || expected === null || source !== 'web') return null;
  if (client.kind === 'browser' && client.family === expected) return null;
  const name = client.kind === 'browser' ? client.family : client.name;
  const confidence = tlsConfidence(client);
  const weights = client.kind === 'program' ? WEIGHTS : CONNECTION_WEIGHTS;
  return evidence(weights, confidence, 'ja4', `user agent ${expected}, TLS of ${name}`);
}

function tlsConfidence({ kind }: TlsClient): number {
  const { program, genericLibrary, otherBrowser } = TRANSPORT_CONFIDENCE;
  return { program, library: genericLibrary, browser: otherBrowser }[kind];
}

/**
 * On mobile networks people set the packets of their computers to a phone's value, to hide that they share its
 * connection; and satellite operators terminate connections at their own equipment.
 */
function timeToLiveEvidence({ edge, ua, network }: SessionFacts): Evidence | null {
  if (edge?.ipTtl == null || ua.bot?.strength === 'plain') return null;
  if (network.connectionType === 'mobile' || isRelayed(network.connectionType)) return null;
  const sent = initialTimeToLive(edge.ipTtl);
  const expected = timeToLiveOf(ua.os);
  if (sent === null || expected === null || sent === expected) return null;
  const observed = `user agent ${systemName(expected)}, packets of ${systemName(sent)}`;
  return evidence(CONNECTION_WEIGHTS, TRANSPORT_CONFIDENCE.timeToLive, 'ip_ttl', observed);
}

function systemName(timeToLive: 64 | 128): string {
  return timeToLive === 128 ? 'Windows' : 'a Unix-like system';
}

/**
 * The page's round trip reaches the browser, the connection's only the client that opened it, such as a proxy. The
 * trusted proxy has to be near the service: only the page's round trip includes the distance between the two.
 */
function roundTripEvidence({ edge, checks, network }: SessionFacts): Evidence | null {
  const tcpMs = edge?.tcpRttMs;
  const appMs = checks?.appRttMs;
  if (tcpMs == null || appMs == null || tcpMs < 0 || isRelayed(network.connectionType)) return null;
  const { roundTripFromMs, roundTripMobileFactor } = TRANSPORT_CONFIDENCE;
  const excessMs = appMs - tcpMs;
  if (!(excessMs > roundTripFromMs)) return null;
  const factor = network.connectionType === 'mobile' ? roundTripMobileFactor : 1;
  const observed = `round trip of the page ${Math.round(appMs)} ms, of the connection ${Math.round(tcpMs)} ms`;
  const confidence = roundTripConfidence(excessMs) * factor;
  return evidence({ proxy: WEIGHTS.proxy }, confidence, 'round_trip', observed);
}

function roundTripConfidence(excessMs: number): number {
  const { roundTripFromMs, roundTripLeast, roundTripMost, roundTripScaleMs } = TRANSPORT_CONFIDENCE;
  return Math.min(roundTripMost, roundTripLeast + (excessMs - roundTripFromMs) / roundTripScaleMs);
}

/** Satellite operators and privacy relays end connections for their users, honestly. */
function isRelayed(connectionType: SessionFacts['network']['connectionType']): boolean {
  return connectionType === 'satellite' || connectionType === 'private_relay';
}

function evidence(weights: CodeWeights, confidence: number, source: string, observed: string): Evidence {
  return {
    code: 'transport_fingerprint_mismatch',
    family: 'network',
    group: 'transport',
    ...weigh(weights, confidence),
    confidence,
    source,
    sourceAsOf: null,
    observed,
  };
}
