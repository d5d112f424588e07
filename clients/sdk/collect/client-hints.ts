import type { Facts } from '../facts.ts';

type Brand = { brand: string; version: string };
type UserAgentData = {
  brands: Brand[];
  mobile: boolean;
  platform: string;
  getHighEntropyValues(hints: string[]): Promise<Record<string, unknown>>;
};

/** Hardware in the user agent client hints, which does not change with an update. */
export type HardwareHints = { architecture?: unknown; bitness?: unknown; model?: unknown };

/** navigator.userAgentData with its details; nothing in browsers that have none (Firefox, Safari). */
export async function readClientHints(): Promise<{ facts: Facts; hardware: HardwareHints }> {
  const data = (navigator as { userAgentData?: UserAgentData }).userAgentData;
  if (!data) return { facts: {}, hardware: {} };
  const details = await data
    .getHighEntropyValues(['architecture', 'bitness', 'model', 'platformVersion', 'fullVersionList'])
    // A site may forbid the details (Permissions-Policy), which leaves the rest.
    .catch((): Record<string, unknown> => ({}));
  const { architecture, bitness, model } = details;
  const hints = {
    brands: data.brands.map(({ brand, version }) => ({ brand, version })),
    mobile: data.mobile,
    platform: data.platform,
    platform_version: details.platformVersion,
    architecture,
    model,
    full_version_list: details.fullVersionList,
  };
  return {
    facts: { browser: { client_hints: hints }, checks: { user_agent_data: hints } },
    hardware: { architecture, bitness, model },
  };
}
