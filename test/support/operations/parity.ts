import type { Gateway, TestProject } from '../gateway.ts';
import { playedVerification } from '../verification.ts';
import type { Call } from './operation.ts';

/* Parts of several calls of REST. */

export const FACTS = {
  ip_address: '90.54.1.1',
  device_id: 'phone of two',
  start_time: '2026-01-05T10:00:00.125Z',
};
export const NOBODY = '00000000-0000-4000-8000-000000000000';
export const ACCOUNT = {
  id: 'one',
  email: 'ada.lovelace@example.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR'],
  metadata: { plan: 'free' },
  group: 'testers',
  lists: ['beta'],
};
export const noSession = { message: 'Session ID not found' };
export const noAccount = { params: { account_id: 'nobody' }, message: 'Account not found' };

/** Two accounts that share a phone and a device. */
export async function linked(project: TestProject): Promise<Call> {
  await project.authenticate(ACCOUNT, FACTS);
  await project.authenticate(
    { id: 'two', phone: ACCOUNT.phone, group: ACCOUNT.group, first_name: 'Eve' },
    FACTS,
  );
  return { params: { account_id: 'one' } };
}

/** A list with two accounts. */
export async function listed(project: TestProject): Promise<Call> {
  await project.authenticate({ ...ACCOUNT, lists: ['beta'] }, FACTS);
  await project.authenticate({ id: 'two', lists: ['beta'] }, FACTS);
  return { params: { list_name: 'beta' } };
}
export const noList = { params: { list_name: 'nothing' }, message: 'List not found.' };

export const prepareOpenSession = async (project: TestProject): Promise<Call> => ({
  params: { session_id: await project.session({ ...FACTS, open: true }) },
});

/** A completed simulated check, and its account. */
export async function verified(gateway: Gateway, project: TestProject, kind: 'id' | 'face'): Promise<string> {
  await project.authenticate({ id: 'one', group: 'testers' }, FACTS);
  const referring_session_id = await project.session(FACTS);
  return playedVerification(gateway, project, {
    ...(kind === 'id' ? { id: 'true' } : {}),
    ...{ simulate: 'success', simulate_decision: 'Real', account_id: 'one', referring_session_id },
  });
}
export const noVerification = { message: 'session_not_found' };
