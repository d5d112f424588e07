import { type SignalCode, weigh } from '../evidence.ts';
import { NETWORK_CLASS_CONFIDENCE, TOR_LIST_WEIGHTS } from '../weights.ts';
import { classSourceName, networkName } from './network-name.ts';

export const ipOnTorExitList = {
  code: 'ip_on_tor_exit_list',
  family: 'network',
  describes: 'Behind an exit of the Tor network the person can be anyone, anywhere.',
  needs: 'the network of the address, or a list of exits',
  evaluate({ network }) {
    if (!network.asnClasses.includes('tor')) return null;
    const confidence = NETWORK_CLASS_CONFIDENCE.tor;
    return {
      code: 'ip_on_tor_exit_list',
      family: 'network',
      group: 'tor_list',
      contributions: weigh(TOR_LIST_WEIGHTS, confidence),
      confidence,
      source: classSourceName(network),
      sourceAsOf: null,
      observed: networkName(network),
    };
  },
} satisfies SignalCode;
