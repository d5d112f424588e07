/*
 * Networks of access providers, data centers and VPN services. Addresses for documentation have no place and no provider, so that
 * nothing could be shown for them. No request is sent to any of these addresses.
 */

export type Place = {
  readonly country: string;
  readonly timezone: string;
  readonly language: string;
  /** The first two bytes of the addresses. */
  readonly network: string;
};

export const PLACES = {
  de: { country: 'DE', timezone: 'Europe/Berlin', language: 'de-DE', network: '84.142' },
  fr: { country: 'FR', timezone: 'Europe/Paris', language: 'fr-FR', network: '90.54' },
  gb: { country: 'GB', timezone: 'Europe/London', language: 'en-GB', network: '86.140' },
  us: { country: 'US', timezone: 'America/Los_Angeles', language: 'en-US', network: '73.162' },
  ca: { country: 'CA', timezone: 'America/Toronto', language: 'en-CA', network: '99.224' },
  se: { country: 'SE', timezone: 'Europe/Stockholm', language: 'sv-SE', network: '81.230' },
  es: { country: 'ES', timezone: 'Europe/Madrid', language: 'es-ES', network: '83.45' },
  it: { country: 'IT', timezone: 'Europe/Rome', language: 'it-IT', network: '79.20' },
  pl: { country: 'PL', timezone: 'Europe/Warsaw', language: 'pl-PL', network: '83.10' },
  br: { country: 'BR', timezone: 'America/Sao_Paulo', language: 'pt-BR', network: '177.32' },
  in: { country: 'IN', timezone: 'Asia/Kolkata', language: 'en-IN', network: '49.36' },
  jp: { country: 'JP', timezone: 'Asia/Tokyo', language: 'ja-JP', network: '126.100' },
} as const satisfies Record<string, Place>;

/** The address of a household. Each has a /24 of its own, because accounts in one /24 share a network. */
export const homeIp = ({ network }: Place, household: number): string => `${network}.${household}.20`;

export const DATACENTER_IPS = ['52.95.110.1', '52.95.110.9', '159.89.10.20'] as const;
export const VPN_IPS = ['185.159.157.10', '89.187.160.10'] as const;
export const TOR_IP = '185.220.101.1';
