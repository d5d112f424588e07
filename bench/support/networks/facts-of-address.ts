import { describeUserAgent, type NetworkFacts, type SessionFacts } from '@vouchgraph/signals';
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
