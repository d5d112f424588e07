import type { SessionFactsInput } from './session-input.ts';

/** Facts that were added to an open session, encrypted in a row of their own. */
export type StoredPatch = {
  told: SessionFactsInput;
  /** The address that they came from; '' when a server adds them. */
  ip: string;
};

/** What is stored, sealed, of a session's evidence: what was told, and what the service saw itself. */
export type StoredFacts = {
  told: SessionFactsInput;
  observed: {
    ip: string;
    userAgent: string;
    acceptLanguage: string;
    /** The first-party browser id, '' when there is none. */
    browserId: string;
    /** What identifies the device, '' when nothing does. */
    device: string;
    /** Those of OBSERVED_HEADERS that came. Sessions of older versions have none. */
    headers?: Record<string, string>;
    /** Those of EDGE_HEADERS that came through a trusted proxy. */
    edge?: Record<string, string>;
    /** Other addresses that facts came from later, each once. */
    laterIps?: string[];
  };
};
