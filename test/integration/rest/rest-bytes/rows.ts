import { ROUTE_CASES } from '../../../support/operations/index.ts';
import type { Parity } from '../../../support/operations/operation.ts';
import { ACCOUNT_ROWS } from './account-rows.ts';
import { EMAIL_ROWS } from './email-rows.ts';
import { LIST_ROWS } from './list-rows.ts';
import { PHONE_ROWS } from './phone-rows.ts';
import type { BytesRow } from './recorder.ts';
import { SESSION_ROWS } from './session-rows.ts';
import { VERIFICATION_ROWS } from './verification-rows.ts';

const ROWS: readonly BytesRow[] = [
  ...SESSION_ROWS,
  ...ACCOUNT_ROWS,
  ...VERIFICATION_ROWS,
  ...LIST_ROWS,
  ...EMAIL_ROWS,
  ...PHONE_ROWS,
];

/** The request of the parity test, for a route without requests of its own. */
const usual = (route: string, { prepare }: Parity): BytesRow => ({
  route,
  sample: ({ project, gateway }) => prepare(project, gateway),
  async cases({ project, gateway, ask }) {
    await ask('everything known', await prepare(project, gateway));
  },
});

const own = new Set(ROWS.map(({ route }) => route));

/** Every route of the REST interface, once. */
export const BYTES_ROWS: readonly BytesRow[] = [
  ...ROWS,
  ...Object.entries(ROUTE_CASES).flatMap(([route, { parity }]) =>
    own.has(route) || !parity ? [] : [usual(route, parity)],
  ),
];
