import { decryptDecision } from '@vouchgraph/decisions';
import { type AccountExport, orderBy } from '../model/account-export-store.ts';

/** Decisions with their inputs. */
export const decisionsExports: readonly AccountExport[] = [
  {
    section: 'decisions',
    columns: ['decisions.account_id'],
    select:
      'd.decision_id, d.session_id, d.request_id, d.at, d.first_session, d.decision, d.account_score, d.versions, d.inputs',
    from: 'decisions d where d.project_id = $1 and d.account_id = $2',
    order: [orderBy('d.decision_id', 'uuid')],
    record: (row, { project }) => ({
      decisionId: row.decision_id,
      sessionId: row.session_id,
      requestId: row.request_id,
      at: row.at,
      isFirstSession: row.first_session,
      decision: row.decision,
      accountScore: row.account_score,
      versions: row.versions,
      ...decryptDecision(project.cipher, row.decision_id, row.inputs),
    }),
  },
];
