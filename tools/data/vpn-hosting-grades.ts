import type { GradedSystem } from '@vouchgraph/signals/internals/data/vpn-hosting';

/*
 * Grades of hosting systems that VPN providers rent servers in. Pure: `build-lists.ts` feeds it with the published
 * servers and the sizes of the systems.
 */

/** A system with the servers that VPN providers publish there. IPv4 only: its blocks can be counted. */
export type RentedSystem = {
  asn: number;
  name: string;
  /** Whether its curated class or its name identifies it as a host of servers. */
  isHosting: boolean;
  /** Whether it is a VPN company's, a Tor operator's or a content network, which have classes of their own. */
  hasOwnClass: boolean;
  /** Published addresses. */
  servers: number;
  /** Blocks of 256 addresses that contain a published address. */
  blocks: number;
  /** Blocks of 256 addresses that the system announces. */
  announced: number;
  providers: number;
};

/**
 * Carriers and access providers that also rent out racks and lines. Most of their addresses are homes and offices: they
 * never get a grade, whatever is published there.
 */
export const NEVER_GRADED: ReadonlySet<number> = new Set([
  174, // Cogent
  701, // Verizon
  1257, // Tele2
  1299, // Arelion
  2856, // BT
  2914, // NTT
  3257, // GTT
  3320, // Deutsche Telekom
  3356, // Lumen
  3491, // PCCW
  3549, // Lumen, formerly Level 3
  5511, // Orange
  6453, // Tata
  6461, // Zayo
  6762, // Sparkle
  6939, // Hurricane Electric
  7018, // AT&T
  7922, // Comcast
  8473, // Bahnhof
  9002, // RETN
  12956, // Telxius
  22773, // Cox
  51815, // GlobalConnect
  56704, // Farice
]);

const MIN_SERVERS = 20;
/** Servers of only one provider may be a few machines among many. */
const MIN_SERVERS_OF_ONE_PROVIDER = 50;
const MIN_BLOCKS = 4;
const MIN_SHARE = 0.01;
/** From this share of its blocks, a system is as dense as known hosts of VPN companies (M247: 9 %). */
const FULL_SHARE = 0.1;
const MIN_GRADE = 0.4;
const MAX_GRADE = 0.6;

/**
 * `0.4 + 0.2 · min(1, s / 0.1)`, s the share of the system's blocks that contain a published VPN server; null with fewer
 * than 20 servers (50 when all are of one provider), 4 blocks or 1 % of the blocks, and for systems that are no hosts.
 */
export function gradeSystem(system: RentedSystem): GradedSystem | null {
  const { asn, name, servers, blocks, announced, providers } = system;
  if (!system.isHosting || system.hasOwnClass || NEVER_GRADED.has(asn)) return null;
  const share = blocks / announced;
  const minServers = providers > 1 ? MIN_SERVERS : MIN_SERVERS_OF_ONE_PROVIDER;
  if (servers < minServers || blocks < MIN_BLOCKS || !(share >= MIN_SHARE)) return null;
  const grade = MIN_GRADE + (MAX_GRADE - MIN_GRADE) * Math.min(1, share / FULL_SHARE);
  return { asn, name, servers, blocks, announced, providers, grade: Math.round(grade * 1000) / 1000 };
}
