import type { AsnRow } from './asn-class-rows.ts';

/**
 * Systems of VPN companies, and the two hosts that most of the large ones rent from (M247, Datacamp). Only names that
 * identify a VPN or that the companies publish. The two hosts have other customers as well, so a hit alone is weaker than
 * an entry on a list of ranges.
 */
export const VPN_ASNS: readonly AsnRow[] = [
  ['M247 Europe', 9009, 51332],
  ['Datacamp', 60068, 211612, 212238],
  ['PacketHub', 136787, 141039, 147049, 207137, 272096], // NordVPN
  ['Cyberzone', 209854], // Surfshark
  ['31173 Services', 39351], // Mullvad
  ['Mullvad VPN', 216025],
  ['Proton AG', 62371, 199218, 208172, 209103],
  ['Strong Technology', 13926, 22781, 54203, 62651, 140952], // StrongVPN
  ['Windscribe', 397540],
  ['IVPN', 203619],
  ['Anonymizer', 201665],
  ['Bullet Proof VPN', 208765],
  ['FREE UNLIMITED VPN', 213163],
  ['Castle VPN', 397282],
  ['IPLOCKVPN', 394104],
  ['VPNWholesaler', 62635],
];

/** Associations that publicly run exits of the Tor network, most of them for that purpose alone. */
export const TOR_ASNS: readonly AsnRow[] = [
  ['Stiftung Erneuerbare Freiheit', 60729],
  ['Quintex Alliance Consulting', 62744],
  ['Foundation for Applied Privacy', 208323],
  ['The Calyx Institute', 4224],
  ['CALYX NETWORKS', 401370],
  ['Emerald Onion', 396507],
  ['F3 Netze', 205100],
  ['Foreningen for digitala fri- och rattigheter', 198093], // DFRI
  ['Forening for DotSrc', 210731],
  ['Church of Cyberology', 215125],
  ['Osservatorio Nessuno', 214094],
  ['Unredacted', 401401, 401720],
];
