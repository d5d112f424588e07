import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const CLAIMS = { name: { first: 'Ada', last: 'Lovelace' }, phone: '+14155552671', country: 'fr' };

describe('a single check', () => {
  test('is acknowledged with its id and has the documented result', async () => {
    const email = `${unique('ada')}@gmail.com`;
    const sent = { email, claims: CLAIMS, unknown: 1, identity_intelligence: null };
    const { status, body, headers, text } = await project.rest('POST', '/email', sent);
    expect(status).toBe(200);
    expect(text).toBe(`{"request_id":"${headers.get('x-request-id')}","webhook_configured":false}`);
    const answer = await project.rest('GET', `/email/${body.request_id}`);
    expect(answer.status).toBe(200);
    DOCUMENTED_ANSWERS['email.get']!.parse(answer.body);
    expect(answer.body).toMatchObject({
      request_id: body.request_id,
      batch_id: null,
      project_id: project.projectId,
      event_type: 'email.intelligence.completed',
      status: 'success',
      data: {
        input: {
          email,
          claims: { name: { first: 'Ada', last: 'Lovelace' }, phone: '+14155552671', country: 'FR' },
        },
      },
      error: null,
    });
    expect(answer.body.data.result).not.toHaveProperty('identity_intelligence');
  });

  test('needs two round trips besides authentication', async () => {
    await project.rest('POST', '/email', { email: `${unique('warm')}@gmail.com` });
    const trips = await tripsOf(gateway, () =>
      project.rest('POST', '/email', { email: `${unique('count')}@gmail.com` }),
    );
    // The history is one transaction, sent in one round trip; the second trip stores the check with its event.
    expect(costOf(trips)).toEqual({ trips: 2, statements: 5 });
  });

  test('of text that is not an address is invalid', async () => {
    const { body } = await project.rest('POST', '/email?wait=0', { email: 'no address' });
    expect(body.result.data.result.risk_signals).toContain('invalid_email');
  });
});

describe('a batch', () => {
  test('is stored by one statement, before it is acknowledged', async () => {
    await project.rest('POST', '/email', { emails: [{ email: `${unique('warm')}@gmail.com` }] });
    await gateway.app.settleEmailChecks(project.projectId);
    gateway.takeStatements();
    const emails = Array.from({ length: 1000 }, (_, index) => ({ email: `s${index}@gmail.com` }));
    const { body } = await project.rest('POST', '/email', { emails });
    expect(gateway.takeStatements().filter((name) => name !== 'set_project')[0]).toBe(
      'email_check.insert_batch',
    );
    const { emailBatch } = await project.graphql(
      'query ($id: ID!) { emailBatch(id: $id) { counts { total } } }',
      { id: globalIdOf('EmailBatch', body.batch_id) },
    );
    expect(emailBatch).toEqual({ counts: { total: 1000 } });
  });

  test('is acknowledged, completed in the order sent, and paged', async () => {
    const name = unique('batch');
    const emails = Array.from({ length: 5 }, (_, index) => ({ email: `${unique(`b${index}`)}@gmail.com` }));
    emails.push({ ...emails[0]! });
    const sent = await project.rest('POST', '/email', { emails, batch_name: name });
    expect(sent.body).toEqual({
      batch_id: expect.any(String),
      batch_name: name,
      status: 'pending',
      total_count: 6,
      webhook_configured: false,
    });
    await gateway.app.settleEmailChecks(project.projectId);
    const path = `/email/batch/${sent.body.batch_id}`;
    const whole = await project.rest('GET', path);
    DOCUMENTED_ANSWERS['email.get_batch']!.parse(whole.body);
    expect(whole.body).toMatchObject({
      status: 'completed',
      total_count: 6,
      completed_count: 6,
      next_cursor: null,
    });
    const found = whole.body.results.map((each: { data: { input: object } }) => each.data.input);
    expect(found).toEqual(emails.map(({ email }) => ({ email, claims: null })));

    const first = await project.rest('GET', `${path}?limit=4`);
    const second = await project.rest('GET', `${path}?limit=4&cursor=${first.body.next_cursor}`);
    expect([...first.body.results, ...second.body.results]).toEqual(whole.body.results);
    expect(second.body.next_cursor).toBeNull();
    const one = whole.body.results[3];
    expect((await project.rest('GET', `/email/${one.request_id}`)).body).toEqual(one);
  });
});
