/* Documents of the public schema that the commands of statistics run. */

import { RISK_SCORE_KEYS } from '@vouchgraph/signals';

const DECISIONS = '{ real suspicious fake }';
const CHECKS = `{ completed failed decisions ${DECISIONS} }`;

const COUNTS = `{ sessionsCompleted sessionsBound decisions ${DECISIONS}
  signals { ${RISK_SCORE_KEYS.join(' ')} }
  rules { ruleId rule { name } live shadow } idChecks ${CHECKS} faceChecks ${CHECKS}
  outcomes { fraud legitimate chargeback } }`;

export const STATS = `query Stats($by: StatsInterval!, $since: DateTime!, $until: DateTime) {
  stats(by: $by, since: $since, until: $until) {
    by since until buckets { start end counts ${COUNTS} } total ${COUNTS} } }`;
