import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentedData, factsOfDocumented } from './documented-data.ts';
import { EVENT_TYPES } from './event-type.ts';

describe('documented data', () => {
  it('uses the names of the domain in snake case, with a few exceptions', () => {
    const facts = {
      accountId: 'a',
      uniqueDevices: { oneDay: 1, sevenDay: 2 },
      emailFacts: { trustSignals: [{ domainType: 'x' }] },
      userData: { idNumber2: '', ipTimezoneMismatch: 0 },
    };
    expect(documentedData(facts)).toEqual({
      account_id: 'a',
      unique_devices: { '1_day': 1, '7_day': 2 },
      email: { trust_signals: [{ domain_type: 'x' }] },
      user_data: { id_number2: '', ip_timezone_mismatch: 0 },
    });
  });

  it('contains metadata of clients, contributions and actions unchanged', () => {
    const opaque = { someKey: { OtherKey: 1, third_key: [{ aB: null }] } };
    const facts = { account: { metadata: opaque }, reasons: [{ contributions: opaque }], actions: [opaque] };
    expect(documentedData(facts)).toEqual(facts);
    expect(factsOfDocumented('account.updated', facts)).toEqual(facts);
  });

  it('maps "metadata" and "email" by event type: event metadata of a verification, email facts of an account', () => {
    const data = { metadata: { session_id: 's' }, email: { domain_type: 'x' } };
    const verification = factsOfDocumented('verification.failed', data);
    expect(verification).toEqual({ eventMetadata: { sessionId: 's' }, email: { domainType: 'x' } });
    const account = factsOfDocumented('account.updated', data);
    expect(account).toEqual({ metadata: { session_id: 's' }, emailFacts: { domainType: 'x' } });
    for (const facts of [verification, account]) expect(documentedData(facts)).toEqual(data);
  });

  it('is unchanged, in the same order, after a conversion to facts and back', () => {
    const word = fc.stringMatching(/^[a-z]{2,8}(_[a-z]{2,8}){0,3}$/);
    const name = fc.oneof(
      word,
      fc.constantFrom('1_day', '7_day', 'id_number2', 'metadata', 'email', 'actions'),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    const data = fc.dictionary(name, tree, { maxKeys: 8 }) as fc.Arbitrary<Record<string, unknown>>;
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), data, (type, documented) => {
        const again = documentedData(factsOfDocumented(type, documented));
        expect(JSON.stringify(again)).toBe(JSON.stringify(documented));
      }),
    );
  });
});
