import { assertObjectType, getNamedType, isLeafType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification } from '../../support/verification.ts';

/* The parts of a session, an account, a verification and an email check have the same types in events and in current objects. */

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** A selection of fields of a type, with all that they contain. */
function allOf(
  typename: string,
  fields: readonly string[] | null = null,
  left: readonly string[] = [],
): string {
  const shown = Object.values(assertObjectType(schema.getType(typename)).getFields()).filter(
    ({ name }) => (fields?.includes(name) ?? true) && !left.includes(name),
  );
  return shown
    .map(({ name, type }) => {
      const named = getNamedType(type);
      return isLeafType(named) ? name : `${name} { ${allOf(named.name)} }`;
    })
    .join(' ');
}

const SESSION = allOf('Session', [
  ...['network', 'location', 'browser', 'device', 'bot', 'riskSignals', 'riskSignalScores'],
]);
const ACCOUNT = allOf('Account', ['uniqueDevices', 'uniqueNetworks', 'riskSignalAverage', 'emailFacts']);
/** Events contain no single observations. */
const REASON = allOf('ReasonCode', null, ['observations']);

/** The only event of a type that is about an account, a session or any. */
async function eventOf(type: string, fields: string, about: Body = {}): Promise<Body> {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    `query ($types: [EventType!], $accountId: ID, $sessionId: ID) {
       events(types: $types, accountId: $accountId, sessionId: $sessionId) { edges { node { ${fields} } } } }`,
    { types: [type], ...about },
  );
  expect(events.edges).toHaveLength(1);
  return events.edges[0].node;
}

/** A French address; clock, language and SIM of Japan: evidence of a spoofed address. */
const SPOOFED = {
  ip_address: '90.54.1.1',
  source: 'android',
  browser: { timezone: 'Asia/Tokyo', language: 'ja-JP', languages: ['ja-JP'] },
  carrier: { name: 'NTT', country_code: 'JP' },
  device: { cpu_cores: 8, screen_width: 412, screen_height: 915 },
  bot: { touch_num_events: 7 },
};

/** Whether a list of relays was available is no fact of an event. */
const withoutRelay = ({ network, ...session }: Body): Body => ({
  ...session,
  network: { ...network, privateRelay: null },
});

describe('the parts in an event', () => {
  it('of a session have the types and the values of the current session', async () => {
    const accountId = unique('parts');
    await project.authenticate({ id: accountId }, SPOOFED);
    const node = await eventOf(
      'ACCOUNT_AUTHENTICATED',
      `data ... on AccountAuthenticatedEvent {
         sessionSnapshot { ${SESSION} networkReasons { ${REASON} observations { source } } deviceReasons { ${REASON} } }
         session { ${SESSION} riskSignalDetails { network { ${REASON} } device { ${REASON} } } } }`,
      { accountId },
    );
    const { networkReasons, deviceReasons, ...parts } = node.sessionSnapshot;
    const { riskSignalDetails, ...current } = node.session;
    expect(parts).toEqual(withoutRelay(current));
    expect(parts.riskSignalScores.spoofedIp).toBeGreaterThan(0);
    expect(node.data.session.risk_signals).toHaveProperty('spoofed_ip');
    expect(node.data.session.risk_signal_scores).not.toHaveProperty('spoofed_ip');
    expect(networkReasons.length).toBeGreaterThan(0);
    expect({ network: networkReasons, device: deviceReasons }).toEqual({
      network: riskSignalDetails.network.map((reason: Body) => ({ ...reason, observations: null })),
      device: riskSignalDetails.device,
    });
  });

  it('of a session without facts are unknown like those of the current session', async () => {
    const accountId = unique('bare');
    await project.authenticate({ id: accountId });
    const { sessionSnapshot, session } = await eventOf(
      'ACCOUNT_AUTHENTICATED',
      `... on AccountAuthenticatedEvent { sessionSnapshot { ${SESSION} } session { ${SESSION} } }`,
      { accountId },
    );
    expect(sessionSnapshot).toEqual(withoutRelay(session));
    expect(session.device).toMatchObject({ gpu: null, cpuCores: null });
  });

  it('of an account keep the values of their time', async () => {
    const accountId = unique('domain');
    const domain = `${accountId}.com`;
    await project.authenticate({ id: accountId, email: `a@${domain}` });
    await project.authenticate({ id: `${accountId}-later`, email: `b@${domain}` });
    const { accountSnapshot, account } = await eventOf(
      'ACCOUNT_AUTHENTICATED',
      `... on AccountChangedEvent { accountSnapshot { ${ACCOUNT} } } account { ${ACCOUNT} }`,
      { accountId },
    );
    expect(account.emailFacts).toMatchObject({ email: `a@${domain}`, numAccountFromDomain: 2 });
    const { emailFacts } = account;
    expect(accountSnapshot).toEqual({ ...account, emailFacts: { ...emailFacts, numAccountFromDomain: 1 } });
  });

  it('of a verification have the types and the values of the current result', async () => {
    const sessionId = await playedVerification(gateway, project, { simulate: 'success', id: 'true' });
    const parts = `${allOf('Verification', ['deviceNetworkSignals'])} session {
      ${allOf('Session', ['network', 'location', 'browser'])} device { ${allOf('SessionDevice', null, ['screenWidth', 'screenHeight'])} } }`;
    const { result, verification } = await eventOf(
      'VERIFICATION_ID_CHECK_COMPLETED',
      `... on IdCheckCompletedEvent {
         result { ${parts} ${allOf('Verification', ['referringSessionSignals'])} } verification { ${parts} } }`,
      { sessionId },
    );
    const { referringSessionSignals, ...shown } = result;
    expect(shown).toEqual({ ...verification, session: withoutRelay(verification.session) });
    expect(Object.values(referringSessionSignals)).toEqual([0, 0, 0, 0, 0]);
  });

  it('of an email check have the types and the values of the current result', async () => {
    const parts = allOf('EmailResult', ['signals', 'domain']);
    await project.graphql(
      `mutation ($email: String!) { checkEmail(input: { email: $email }) { emailCheck { checkStatus } } }`,
      { email: `${unique('someone')}@mailinator.com` },
    );
    await gateway.app.settleEmailChecks(project.projectId);
    const { emailResultSnapshot, emailCheck } = await eventOf(
      'EMAIL_INTELLIGENCE_COMPLETED',
      `... on EmailCheckCompletedEvent { emailResultSnapshot { ${parts} } emailCheck { emailResult { ${parts} } } }`,
    );
    expect(emailResultSnapshot).toEqual(emailCheck.emailResult);
    expect(emailResultSnapshot.signals).toContainEqual(expect.objectContaining({ side: 'RISK' }));
  });
});
