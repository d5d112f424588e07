import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

it.each([
  'consultant.com',
  'dr.com',
  'myself.com',
  'techie.com',
  'writeme.com',
  'engineer.com',
  'cheerful.com',
])('a mailbox at %s is personal and not disposable', async (domain) => {
  const id = unique('mail-com');
  const { account } = await project.authenticate({ id, email: `${id}@${domain}` });
  expect(account.email).toMatchObject({ valid: true, disposable: false, domain_type: 'personal' });
  expect(account.email.risk_signals).not.toContain('disposable_email');
  const answer = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { emailFacts { disposable personal domainType } } }',
    { id },
  );
  expect(answer.account.emailFacts).toEqual({ disposable: false, personal: true, domainType: 'PERSONAL' });
});

it('a disposable mailbox remains disposable', async () => {
  const id = unique('disposable');
  const { account } = await project.authenticate({ id, email: `${id}@mailinator.com` });
  expect(account.email).toMatchObject({ disposable: true, domain_type: 'personal' });
});
