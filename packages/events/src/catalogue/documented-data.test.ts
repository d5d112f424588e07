import { describe, expect, it } from 'vitest';
import { documentedData } from './documented-data.ts';

describe('documented data', () => {
  it('uses the names of the domain in snake case, with a few exceptions', () => {
    const facts = {
      accountId: 'a',
      uniqueDevices: { oneDay: 1, sevenDay: 2 },
      emailFacts: { trustSignals: [{ domainType: 'x' }] },
      eventMetadata: { sessionId: 's' },
      userData: { idNumber2: '', ipTimezoneMismatch: 0 },
    };
    expect(documentedData(facts)).toEqual({
      account_id: 'a',
      unique_devices: { '1_day': 1, '7_day': 2 },
      email: { trust_signals: [{ domain_type: 'x' }] },
      metadata: { session_id: 's' },
      user_data: { id_number2: '', ip_timezone_mismatch: 0 },
    });
  });

  it('leaves the score of a spoofed address out of the scores of a session', () => {
    const scores = { vpn: 0.1, spoofedIp: 0.2, tor: 0 };
    const facts = {
      riskSignalScores: scores,
      session: { riskSignalScores: scores },
      riskSignalAverage: scores,
    };
    const documented = { vpn: 0.1, tor: 0 };
    expect(JSON.stringify(documentedData(facts))).toBe(
      JSON.stringify({
        risk_signal_scores: documented,
        session: { risk_signal_scores: documented },
        risk_signal_average: { vpn: 0.1, spoofed_ip: 0.2, tor: 0 },
      }),
    );
    expect(facts.riskSignalScores).toBe(scores);
  });

  it('contains metadata of clients, contributions and actions unchanged', () => {
    const opaque = { someKey: { OtherKey: 1, third_key: [{ aB: null }] } };
    const facts = { account: { metadata: opaque }, reasons: [{ contributions: opaque }], actions: [opaque] };
    expect(documentedData(facts)).toEqual(facts);
  });
});
