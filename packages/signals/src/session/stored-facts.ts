import type { SessionFactsInput } from './session-input.ts';

/** Facts that were added to an open session, encrypted in a row of their own. */
export type StoredPatch = {
  /** Facts that were sent. */
  input: SessionFactsInput;
  /** Address that sent them; '' when a server adds them. */
  ip: string;
};

/** Stored evidence of a session, encrypted: the facts that were sent, and those that the gateway observed. */
export type StoredFacts = {
  /** Facts that were sent. */
  input: SessionFactsInput;
  observed: {
    ip: string;
    userAgent: string;
    acceptLanguage: string;
    /** The first-party browser id, '' without one. */
    browserId: string;
    /** What identifies the device, '' when nothing does. */
    device: string;
    /** Those of OBSERVED_HEADERS that were sent. */
    headers: Record<string, string>;
    /** Those of EDGE_HEADERS that a trusted proxy sent. */
    edge: Record<string, string>;
    /** Other addresses that sent facts later, each once. */
    laterIps?: string[];
  };
};
