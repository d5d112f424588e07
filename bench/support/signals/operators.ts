/*
 * Networks of people and servers by the numbers of their operators: selected by public knowledge of the
 * operators, not by the classes of the service, so that a wrong class lowers accuracy.
 */

/** Home lines, by country. */
export const HOME_OPERATORS: Readonly<Record<string, readonly number[]>> = {
  US: [7922, 20115, 7018, 22773, 5650, 209, 701, 6128, 10796, 20001], // Comcast, Charter, AT&T, Cox, Frontier, Lumen, Verizon, Altice
  GB: [2856, 5089, 5607, 13285], // BT, Virgin Media, Sky, TalkTalk
  DE: [3320, 3209, 6805, 8881], // Telekom, Vodafone, O2, 1&1
  FR: [3215, 12322, 15557, 5410], // Orange, Free, SFR, Bouygues
  ES: [3352, 12479, 12430], // Telefonica, Orange, Vodafone
  IT: [3269, 1267, 30722, 12874], // TIM, Wind Tre, Vodafone, Fastweb
  NL: [1136, 33915, 50266], // KPN, Ziggo, Odido
  PL: [5617, 12741], // Orange, Netia
  SE: [3301, 1257], // Telia, Tele2
  BR: [28573, 26599, 18881], // Claro, Vivo
  MX: [8151, 13999], // Telmex, Megacable
  AR: [7303, 22927], // Telecom, Telefonica
  CA: [577, 812, 6327, 852, 5769], // Bell, Rogers, Shaw, Telus, Videotron
  JP: [4713, 2516, 17676, 9824], // OCN, KDDI, SoftBank, J:COM
  KR: [4766, 9318], // KT, SK Broadband
  AU: [1221, 4804, 7545], // Telstra, Optus, TPG
  IN: [24560, 9829], // Airtel, BSNL
  TR: [9121], // Türk Telekom
  ZA: [5713], // Telkom
  ID: [7713], // Telkom Indonesia
};

/** Mobile networks. In Germany, France, Japan and Jio's India they share a system with home lines, as the lists above. */
export const MOBILE_OPERATORS: Readonly<Record<string, readonly number[]>> = {
  US: [21928, 20057, 22394, 6167], // T-Mobile, AT&T, Verizon
  GB: [60339, 25135], // Three, Vodafone
  DE: [3320, 3209, 12638],
  FR: [3215, 51207, 15557],
  ES: [3352, 12430, 16299],
  IT: [24608, 30722, 3269],
  NL: [31615, 1136],
  PL: [8374, 39603],
  SE: [44034, 3301],
  BR: [26615, 26599], // TIM, Vivo
  MX: [28403],
  AR: [7303, 22927],
  CA: [812, 852, 577],
  JP: [9605, 17676, 2516],
  KR: [9644],
  AU: [133612, 1221],
  IN: [45609, 55836, 38266],
  TR: [16135],
  ZA: [29975],
  ID: [23693],
};

/** Companies with their own networks, and carriers that offices use. */
export const OFFICE_OPERATORS: Readonly<Record<string, readonly number[]>> = {
  US: [521, 10794, 4249, 11003, 6253, 3356, 174, 2828], // Ford, Bank of America, Eli Lilly, P&G, Prudential; Level 3, Cogent, Verizon Business
  DE: [31399, 3320], // Mercedes-Benz
  FR: [209502, 3215], // EDF
  GB: [2856],
  JP: [4713],
};

/** Cloud gateways for the traffic of companies: Zscaler and Netskope. */
export const GATEWAY_OPERATORS: readonly number[] = [22616, 53813, 62044, 55256];

/** Amazon, Microsoft, Google, Oracle, Linode, DigitalOcean, Vultr, Hetzner, OVH, Scaleway, Contabo, Leaseweb and others. */
export const HOSTING_OPERATORS: readonly number[] = [
  16509, 14618, 8075, 396982, 31898, 63949, 14061, 20473, 24940, 16276, 12876, 51167, 60781, 45102, 132203,
  36352, 53667, 8100, 29802, 9370, 197540, 8560, 47583, 22612, 26496, 49505,
];

/** Networks of VPN companies, and M247 and Datacamp. */
export const VPN_OPERATORS: readonly number[] = [
  9009, 60068, 212238, 136787, 207137, 39351, 216025, 62371, 209103, 209854, 397540, 203619,
];

/** Hosts where VPN companies rent servers among other customers. */
export const VPN_HOSTS: readonly number[] = [20473, 16276, 60781, 8100, 36352, 29802, 24940, 14061];

/** Carriers that host VPN companies: Cogent, GTT. */
export const VPN_CARRIERS: readonly number[] = [174, 3257];

/** Organizations that operate exits of the Tor network. */
export const TOR_OPERATORS: readonly number[] = [
  60729, 62744, 208323, 4224, 401370, 396507, 205100, 198093, 210731, 215125,
];

/** Hosts that tolerate exits. */
export const TOR_HOSTS: readonly number[] = [16276, 24940, 53667, 197540, 44925, 200651];

/** Networks of relay exits: Cloudflare, Akamai, Fastly. */
export const RELAY_OPERATORS: readonly (readonly [asn: number, weight: number])[] = [
  [13335, 57],
  [36183, 33],
  [54113, 10],
];
