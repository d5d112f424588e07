import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
} from '../../support/gateway.ts';
import { createVerification, refusal } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const sessionsOf = async (of: TestProject): Promise<Body[]> =>
  (await of.graphql('{ verifications(first: 100) { edges { node { sessionId } } } }')).verifications.edges;

const byGraphql = async (of: TestProject, input: Body): Promise<Body> =>
  (
    await of.rawGraphql(
      'mutation ($input: CreateVerificationSessionInput!) { createVerificationSession(input: $input) { sessionId } }',
      { input: { kind: 'FACE_CHECK', ...input } },
    )
  ).body;

const MISUSES: readonly Record<string, string>[] = [
  { simulate: 'maybe' },
  { simulate: 'Success' },
  { simulate_decision: 'Real' },
  { simulate_risk_score: '0.5' },
  { simulate_risk_flags: 'repeat_id' },
  { simulate: 'success', simulate_decision: 'real' },
  { simulate: 'success', simulate_decision: 'Maybe' },
  { simulate: 'success', simulate_risk_score: '1.0001' },
  { simulate: 'success', simulate_risk_score: '-0.1' },
  { simulate: 'success', simulate_risk_score: 'NaN' },
  { simulate: 'success', simulate_risk_score: '0x1' },
  { simulate: 'success', simulate_risk_score: 'much' },
  { simulate: 'success', simulate_risk_flags: 'nonsense' },
  { simulate: 'success', simulate_risk_flags: 'repeat_id,nonsense' },
  { simulate: 'liveness_check_failed', simulate_decision: 'Real' },
  { simulate: 'invalid_session_id', simulate_risk_score: '0' },
  { simulate: 'session_id_not_found', simulate_risk_flags: 'repeat_face' },
];

describe('an error names the parameter and the accepted values', () => {
  it.each([
    [{ simulate_decision: 'Maybe' }, 'simulate_decision: must be Real, Suspicious or Fake'],
    [{ simulate_risk_score: '2' }, 'simulate_risk_score: must be between 0 and 1'],
    [{ simulate_risk_score: 'much' }, 'simulate_risk_score: must be between 0 and 1'],
  ] as [Record<string, string>, string][])('%j', async (query, message) => {
    const { body } = await createVerification(project, { simulate: 'success', ...query });
    expect(body.message).toBe(message);
  });

  it.each(['foo', '/back', 'javascript:alert(1)', 'https://user:secret@shop.example'])(
    'for redirect_url %s in a sandbox',
    async (redirect_url) => {
      const { status, body } = await createVerification(project, { redirect_url });
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'redirect_not_allowed' });
      expect(body.message).toMatch(/^redirect_url: must be a URL with a scheme, without credentials/);
    },
  );
});

describe('invalid simulation parameters create nothing', () => {
  it.each(MISUSES)('by REST: %j', async (query) => {
    for (const kind of [{}, { id: 'true' }] as Record<string, string>[]) {
      const { status, body, headers } = await createVerification(project, { ...kind, ...query });
      expect({ status, body }).toEqual({ status: 400, body: refusal('invalid_simulated_session') });
      expect(body.request_id).toBe(headers.get('x-request-id'));
    }
    expect(await sessionsOf(project)).toEqual([]);
  });

  it.each([
    { simulateDecision: 'REAL' },
    { simulateRiskScore: 0 },
    { simulateRiskFlags: ['REPEAT_ID'] },
    { simulate: 'SUCCESS', simulateRiskScore: 1.5 },
    { simulate: 'LIVENESS_CHECK_FAILED', simulateDecision: 'FAKE' },
  ])('by GraphQL: %j', async (input) => {
    const { data, errors } = await byGraphql(project, input);
    expect(data).toEqual({ createVerificationSession: null });
    expect(errors.map(({ extensions }: Body) => extensions.code)).toEqual([
      'verification.invalid_simulated_session',
    ]);
    expect(await sessionsOf(project)).toEqual([]);
  });

  it.each([
    { simulate: 'MAYBE' },
    { simulate: 'SUCCESS', simulateDecision: 'MAYBE' },
    { simulate: 'SUCCESS', simulateRiskFlags: ['REPEAT_ID', ''] },
  ])('and an unknown enum value is rejected by the schema: %j', async (input) => {
    const { data, errors } = await byGraphql(project, input);
    expect(data).toBeUndefined();
    expect(errors.map(({ extensions }: Body) => extensions.code)).toEqual(['graphql.invalid']);
    expect(await sessionsOf(project)).toEqual([]);
  });
});

describe('a key of role read', () => {
  it.each<Record<string, string>>([
    { simulate: 'success' },
    { simulate: 'maybe' },
    { simulate: 'success', simulate_risk_flags: 'nonsense' },
  ])('is rejected for its role before any simulation: %j', async (query) => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const reader = projectClient(gateway.baseUrl, project.projectId, key);
    const { status, body } = await createVerification(reader, query);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'auth.forbidden' });
  });
});

describe('production', () => {
  it.each<Record<string, string>>([
    { simulate: 'success' },
    { simulate: 'liveness_check_failed' },
    { simulate_decision: 'Real' },
  ])('rejects simulation: %j', async (query) => {
    const production = await gateway.project({ environment: 'production' });
    const { status, body } = await createVerification(production, query);
    expect({ status, body }).toEqual({ status: 400, body: refusal('invalid_simulated_session') });
    expect((await byGraphql(production, { simulate: 'SUCCESS' })).errors[0].extensions.code).toBe(
      'verification.invalid_simulated_session',
    );
    expect(await sessionsOf(production)).toEqual([]);
  });

  it('creates a real session', async () => {
    const production = await gateway.project({ environment: 'production' });
    expect((await createVerification(production, { id: 'true' })).status).toBe(200);
    expect(await sessionsOf(production)).toHaveLength(1);
  });
});

describe('an empty parameter', () => {
  it('is absent, and a real session is created', async () => {
    const empty = { simulate: '', simulate_decision: '', simulate_risk_score: '', simulate_risk_flags: '' };
    const { status, body } = await createVerification(project, { ...empty, account_id: '', lng: '' });
    expect(status).toBe(200);
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { simulated kind accountId } }',
      { id: body.session_id },
    );
    expect(verification).toEqual({ simulated: false, kind: 'FACE_CHECK', accountId: null });
  });
});
