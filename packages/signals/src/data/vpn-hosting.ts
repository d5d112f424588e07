import { readFileSync } from 'node:fs';

/** The file that `npm run build:lists` writes. */
export const VPN_HOSTING_FILE = new URL('../../data/vpn-hosting.json', import.meta.url);

/** A hosting system with the servers that VPN providers publish there. IPv4 only: its blocks can be counted. */
export type GradedSystem = {
  asn: number;
  name: string;
  /** Published addresses. */
  servers: number;
  /** Blocks of 256 addresses that contain a published address. */
  blocks: number;
  /** Blocks of 256 addresses that the system announces. */
  announced: number;
  providers: number;
  /** Confidence that an address of the system is a VPN's, 0.4 to 0.6. */
  grade: number;
};

export type VpnHostingTable = {
  /** Date of the newest server list, YYYY-MM-DD. */
  asOf: string;
  source: string;
  licence: string;
  systems: GradedSystem[];
};

/** Hosting systems that VPN providers rent servers in, with their grades. */
export const VPN_HOSTING: VpnHostingTable = readTable();

const BY_NUMBER = new Map(VPN_HOSTING.systems.map((system) => [system.asn, system]));

/** The graded system of a number; null for all others. */
export function vpnHostingOf(asn: number | null): GradedSystem | null {
  return (asn !== null && BY_NUMBER.get(asn)) || null;
}

/** A missing or damaged file must not keep the gateway from starting. */
function readTable(): VpnHostingTable {
  try {
    return JSON.parse(readFileSync(VPN_HOSTING_FILE, 'utf8')) as VpnHostingTable;
  } catch {
    return { asOf: '', source: '', licence: '', systems: [] };
  }
}
