import type { SessionFacts } from '../../../src/domain/signals/evidence.ts';
import type { NetworkFacts } from '../../../src/domain/signals/network-facts.ts';
import { describeUserAgent } from '../../../src/domain/signals/user-agent.ts';

/** A session of which nothing is known but its address. */
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
