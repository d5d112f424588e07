import { type AccountExport, orderBy } from '../model/account-export-store.ts';
import { CHECK_COLUMNS, type CheckRow, toCheck } from './email-check-row.ts';

/** Checks of the account, and those of its mailboxes that clients started. */
export const emailChecksExports: readonly AccountExport[] = [
  {
    section: 'email_checks',
    columns: ['email_checks.account_id'],
    select: CHECK_COLUMNS,
    from: `email_checks c where c.project_id = $1 and c.check_id = any(array(
             select x.check_id from email_checks x where x.project_id = $1 and x.account_id = $2
             union
             select x.check_id from email_checks x
             where x.project_id = $1 and x.address_hash = any($3::bytea[]) and x.account_id is null
           ))`,
    values: ({ addressHashes }) => [addressHashes],
    order: [orderBy('c.check_id', 'uuid')],
    record: (row, { project }) => {
      // The internal id of the account is meaningless outside the gateway.
      const { accountId: _, position: __, ...check } = toCheck(project.cipher, row as CheckRow);
      return check;
    },
  },
];
