import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** An address without a country, and one of an access provider in France. */
const LOOPBACK = '127.0.0.1';
const POITIERS = '90.54.1.1';

const countryOf = async (facts: Record<string, unknown>) => {
  const { session } = await project.authenticate({ id: unique('located') }, facts);
  return session.true_country_code;
};
const languages = (...tags: string[]) => ({ language: tags[0], languages: tags });

describe('the true country', () => {
  it.each([['de-DE', 'de'], ['ja'], ['en-NG']])('is unset with only the language %s', async (...tags) => {
    const facts = { ip_address: LOOPBACK, browser: languages(...tags) };
    expect(await countryOf(facts)).toBeUndefined();
    const id = await project.session({ ...facts, headers: { 'accept-language': tags.join() } });
    const { session } = await project.graphql(
      'query ($id: ID!) { session(sessionId: $id) { trueCountryCode } }',
      {
        id,
      },
    );
    expect(session.trueCountryCode).toBeNull();
  });

  it('is proposed by a time zone, which a language of the same country supports', async () => {
    const browser = { ...languages('de-DE'), timezone: 'Europe/Berlin' };
    expect(await countryOf({ ip_address: LOOPBACK, browser: { timezone: 'Europe/Berlin' } })).toBe('DE');
    expect(await countryOf({ ip_address: LOOPBACK, browser })).toBe('DE');
  });

  it('remains the country of the address for any language', async () => {
    expect(await countryOf({ ip_address: POITIERS, browser: languages('de-DE', 'de') })).toBe('FR');
  });
});

describe('a position of 0, 0', () => {
  const NULL_ISLAND = { latitude: 0, longitude: 0, accuracy_m: 5 };
  /** Reasons and scores of a session, without its ids and times. */
  const assessed = async (location?: object) => {
    const account = { id: unique('positioned') };
    const facts = {
      ip_address: POITIERS,
      browser: languages('fr-FR', 'fr'),
      ...(location ? { location } : {}),
    };
    await project.authenticate(account, facts);
    const { session } = await project.authenticate(account, { ...facts, ip_address: '90.54.1.2' });
    const { decision, risk_signals, risk_signal_scores, risk_signal_details, true_country_code } = session;
    return { decision, risk_signals, risk_signal_scores, risk_signal_details, true_country_code };
  };

  it('is no position: the session is assessed as one without', async () => {
    expect(await assessed(NULL_ISLAND)).toEqual(await assessed());
  });

  it.each([
    { latitude: 0, longitude: 32.6 },
    { latitude: 51.48, longitude: 0 },
  ])('differs from a position with one coordinate 0: %o', async (location) => {
    const { risk_signal_scores: scores } = await assessed({ ...location, accuracy_m: 5 });
    expect(scores.location_spoofing).toBeGreaterThan((await assessed()).risk_signal_scores.location_spoofing);
  });
});

describe('an Accept-Language header without a language', () => {
  it.each(['*', '*;q=0.5', '', 'und', 'mul', 'und-DE', '-, ;q=', 'de;q=x;y'])(
    'has no effect: %j',
    async (header) => {
      const { session } = await project.authenticate(
        { id: unique('any-language') },
        { ip_address: POITIERS, browser: languages('fr-FR', 'fr'), headers: { 'accept-language': header } },
      );
      const codes = session.risk_signal_details.device.map(({ code }: { code: string }) => code);
      expect(codes).not.toContain('language_mismatch');
      expect(session.true_country_code).toBe('FR');
    },
  );

  it.each([
    ['*', ''],
    ['*;q=0.5', ''],
    ['und, *;q=0.1', ''],
    ['*, de-AT;q=0.9', 'de-AT'],
    ['fr-CH, fr;q=0.9, en;q=0.8', 'fr-CH'],
  ])('leaves the language of the session unset: %j is %j', async (header, language) => {
    const id = await project.session({ ip_address: LOOPBACK, headers: { 'accept-language': header } });
    const { body } = await project.rest('GET', `/session/${id}`);
    expect(body.browser.language).toBe(language);
    expect(body).not.toHaveProperty('true_country_code');
  });
});
