import { type SignalCode, weigh } from '../evidence.ts';
import { NETWORK_CLASS_CONFIDENCE, VPN_LIST_WEIGHTS } from '../weights.ts';
import { classSourceName, networkName } from './network-name.ts';

export const ipOnVpnList = {
  code: 'ip_on_vpn_list',
  family: 'network',
  describes: 'A VPN hides where a person is and lets one person appear as many.',
  needs: 'the network of the address, or a list of VPN ranges',
  evaluate({ network }) {
    if (!network.asnClasses.includes('vpn')) return null;
    const confidence = NETWORK_CLASS_CONFIDENCE.vpn;
    return {
      code: 'ip_on_vpn_list',
      family: 'network',
      group: 'vpn_list',
      contributions: weigh(VPN_LIST_WEIGHTS, confidence),
      confidence,
      source: classSourceName(network),
      sourceAsOf: null,
      observed: networkName(network),
    };
  },
} satisfies SignalCode;
