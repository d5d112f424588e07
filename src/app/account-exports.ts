import { accountExport } from '../domain/accounts/export/export-account-store.ts';
import { decisionsExports } from '../domain/decisions/export-account-store.ts';
import { emailChecksExports } from '../domain/email-checks/export-account-store.ts';
import { eventsExports } from '../domain/events/export-account-store.ts';
import { linkingExports } from '../domain/linking/export-account-store.ts';
import { listsExports } from '../domain/lists/export-account-store.ts';
import type { MediaService } from '../domain/media/media-service.ts';
import type { AccountExport } from '../domain/model/account-export-store.ts';
import { outcomesExports } from '../domain/outcomes/export-account-store.ts';
import { revealsExports } from '../domain/reveals/export-account-store.ts';
import { rulesExports } from '../domain/rules/export-account-store.ts';
import { sessionsExports } from '../domain/sessions/export-account-store.ts';
import { verificationExports } from '../domain/verification/export-account-store.ts';
import { webhooksExports } from '../domain/webhooks/export-account-store.ts';

/** What each folder of the domain exports of an account, in the order of the export. */
export function accountExports(deps: {
  media: Pick<MediaService, 'ofSession' | 'readUrl'>;
}): AccountExport[] {
  return [
    accountExport,
    ...linkingExports,
    ...sessionsExports,
    ...listsExports,
    ...decisionsExports,
    ...rulesExports,
    ...outcomesExports,
    ...verificationExports(deps),
    ...emailChecksExports,
    ...eventsExports,
    ...webhooksExports,
    ...revealsExports,
  ];
}
