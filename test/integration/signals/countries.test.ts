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
