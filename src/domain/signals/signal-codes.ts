import { declaredBotUserAgent } from './codes/declared-bot-user-agent.ts';
import { ipInDatacenterRange } from './codes/ip-in-datacenter-range.ts';
import { ipOnTorExitList } from './codes/ip-on-tor-exit-list.ts';
import { ipOnVpnList } from './codes/ip-on-vpn-list.ts';
import { ipTimezoneMismatch } from './codes/ip-timezone-mismatch.ts';
import { userAgentPlatformMismatch } from './codes/user-agent-platform-mismatch.ts';
import type { HistoryCode, SignalCode } from './evidence.ts';

/** Every reason code, in the order in which reasons are shown. */
export const SIGNAL_CODES: readonly SignalCode[] = [
  ipOnVpnList,
  ipOnTorExitList,
  ipInDatacenterRange,
  ipTimezoneMismatch,
  declaredBotUserAgent,
  userAgentPlatformMismatch,
];

/** The codes that compare a session with what was there before. */
export const HISTORY_CODES: readonly HistoryCode[] = [];
