import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addEmailData } from '@vouchgraph/email/data-commands';
import { expect, it, onTestFinished } from 'vitest';
import { HIBP_KEY, hibpBreach, startProviderServer } from '../../support/email/provider-server.ts';
import { startGateway, unique } from '../../support/gateway.ts';

it('imported breaches are in the email block of an account immediately, without a later query', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-imported-findings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const email = `${unique('mara')}@mail-house.com`.toLowerCase();
  const file = path.join(folder, 'list.txt');
  await writeFile(file, `${createHash('sha256').update(email).digest('hex')}\n`);
  const data = { name: 'shop', kind: 'breaches', format: 'hashes', breach_date: '2012-03-04' } as const;
  addEmailData(path.join(folder, 'data'), { ...data, file });
  const gateway = await startGateway({ settings: { EMAIL_DATA_DIR: path.join(folder, 'data') } });
  onTestFinished(() => gateway.close());
  const project = await gateway.project();

  const id = unique('imported');
  gateway.takeStatements();
  const answer = await project.authenticate({ id, email });
  expect(gateway.takeStatements().filter((name) => name.startsWith('email_check.insert'))).toEqual([]);
  const signals = ['email_age_greater_than_10_years', 'known_breach'];
  expect(answer.account.email.trust_signals.sort()).toEqual(signals);
  expect((await project.rest('GET', `/account/${id}`)).body.email.trust_signals.sort()).toEqual(signals);
  // They belong to the email, not to the account.
  const changed = await project.rest('PUT', `/account/${id}`, { email: 'nils@mail-house.com' });
  expect(changed.body.email.trust_signals).toEqual([]);
});

it('findings of a network provider remain when imported files return the same email again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-kept-findings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'list.txt');
  await writeFile(file, `${createHash('sha256').update('somebody@mail-house.com').digest('hex')}\n`);
  const data = { name: 'shop', kind: 'breaches', format: 'hashes', breach_date: '2012-03-04' } as const;
  addEmailData(path.join(folder, 'data'), { ...data, file });
  const provider = await startProviderServer();
  onTestFinished(() => provider.close());
  const gateway = await startGateway({
    settings: {
      ...{ EMAIL_DATA_DIR: path.join(folder, 'data'), HIBP_API_KEY: HIBP_KEY, HIBP_URL: provider.url },
      HIBP_REQUESTS_PER_MINUTE: '1000',
    },
  });
  onTestFinished(() => gateway.close());
  const project = await gateway.project();
  const [id, email] = [unique('kept'), `${unique('mara')}@mail-house.com`.toLowerCase()];
  provider.breaches.set(email, [hibpBreach()]);
  await project.authenticate({ id, email });
  await gateway.app.settleEmailChecks(project.projectId);
  const { trust_signals } = (await project.rest('GET', `/account/${id}`)).body.email;
  expect(trust_signals).toContain('known_breach');

  // The files do not contain the email, and no provider is queried: that is no newer result of the provider.
  for (let time = 0; time < 2; time++) {
    const again = await project.authenticate({ id, email });
    await gateway.app.settleEmailChecks(project.projectId);
    expect(again.account.email.trust_signals).toEqual(trust_signals);
  }
  expect((await project.rest('GET', `/account/${id}`)).body.email.trust_signals).toEqual(trust_signals);
});
