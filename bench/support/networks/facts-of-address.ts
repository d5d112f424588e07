import { describeUserAgent } from '../../../src/domain/signals/device/user-agent.ts';
import type { SessionFacts } from '../../../src/domain/signals/evidence/evidence.ts';
import type { NetworkFacts } from '../../../src/domain/signals/network/network-facts.ts';

/** A session with only a known address. */
export function factsOfAddress(network: NetworkFacts, startTime: Date): SessionFacts {
  return {
    startTime,
    source: 'web',
    ip: network.ip,
    network,
    laterNetworks: [],
    webrtcNetworks: [],
    userAgent: '',
    ua: describeUserAgent('', {}),
    headers: {},
    edge: null,
    browser: { language: '', languages: [], timezone: '', timezoneOffsetMinutes: null, platform: '' },
    device: {
      gpu: '',
      cpuCores: null,
      memory: null,
      screenWidth: null,
      screenHeight: null,
      pixelRatio: null,
      touchPoints: null,
    },
    interaction: null,
    checks: null,
    gps: null,
    mobile: null,
    carrier: null,
  };
}
