import type { Statement } from '../../../storage/database.ts';

/** Writes a reassessed result, and keeps the decision of the completion, which statistics count. */
export const WRITE_REASSESSED: Statement = {
  name: 'verification.write_reassessed',
  text: `update verification_sessions set result = $3, decision = $4, risk_score = $5,
           first_decision = coalesce(first_decision, decision)
         where project_id = $1 and session_id = $2 and state = 'completed'`,
};
