import { ruleLanguage } from '@vouchgraph/decisions';
import { type Expression, printExpression } from '@vouchgraph/rules';
import type { Random } from '../signals/random.ts';

const COUNTRIES = ['DE', 'AT', 'CH', 'FR', 'US', 'GB', 'NL', 'PL', 'BR', 'IN', 'NG', 'VN'];
const SIGNALS = [
  'vpn',
  'proxy',
  'tor',
  'datacenter',
  'impossible_travel',
  'location_spoofing',
  'device_risk',
];
const SCORES = [
  'device_risk',
  'vpn',
  'proxy',
  'recent_fraud_ip',
  'device_network_mismatch',
  'location_spoofing',
];
const CODES = ['ip_on_vpn_list', 'headless_browser_detected', 'gpu_os_mismatch', 'no_human_interaction'];
const VELOCITIES = ['sessions', 'devices', 'networks', 'accounts_per_device', 'accounts_per_network'];

/** Typical conditions of operators, one each. */
const CONDITIONS: readonly ((random: Random) => string)[] = [
  (random) => `session.risk_signals.${random.pick(SIGNALS)}`,
  (random) => `session.risk_signal_scores.${random.pick(SCORES)} >= ${random.whole(3, 9) / 10}`,
  (random) => `session.codes CONTAINS "${random.pick(CODES)}"`,
  (random) => `session.bot > ${random.whole(3, 9) / 10}`,
  (random) => `session.connection_type IN ["hosting", "${random.pick(['satellite', 'mobile', 'business'])}"]`,
  (random) => `session.country_code NOT IN [${countryList(random, random.whole(2, 10))}]`,
  (random) => `session.country_code = "${random.pick(COUNTRIES)}"`,
  (random) => `session.browser.type CONTAINS "${random.pick(['chrome', 'firefox', 'safari'])}"`,
  (random) => `session.device.category != "${random.pick(['mobile', 'tablet', 'desktop'])}"`,
  () => 'session.is_first',
  (random) => `account.account_score > ${random.whole(3, 9) / 10}`,
  (random) => `account.multiple_accounts >= ${random.whole(3, 9) / 10}`,
  (random) => `account.age_days < ${random.whole(1, 90)}`,
  (random) => `account.countries CONTAINS "${random.pick(COUNTRIES)}"`,
  () => 'account.email.disposable',
  (random) => `account.email.domain_type = "${random.pick(['personal', 'relay', 'inactive', 'business'])}"`,
  (random) => `account.email.email_score > ${random.whole(1, 9) / 10}`,
  () => 'account.has_phone = false',
  (random) => `account.group IS ${random.pick(['MISSING', 'PRESENT'])}`,
  (random) => `lists MATCHES LIST "${random.pick(['vip', 'trusted', 'watch', 'newsletter'])}"`,
  (random) =>
    `velocity.${random.pick(VELOCITIES)}_${random.pick(['1h', '1d', '7d'])} > ${random.whole(1, 12)}`,
];

function countryList(random: Random, length: number): string {
  return Array.from({ length }, () => `"${random.pick(COUNTRIES)}"`).join(', ');
}

function conditionText(random: Random): string {
  const text = random.pick(CONDITIONS)(random);
  return random.chance(0.15) ? `NOT ${text}` : text;
}

/** Two to four members; nested ones up to three operators deep. */
function expressionText(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.5)) return conditionText(random);
  const members = Array.from({ length: random.whole(2, 4) }, () => expressionText(random, depth - 1));
  return `(${members.join(random.chance(0.6) ? ' AND ' : ' OR ')})`;
}

/** Different rules, as in a project with many: most with several conditions, some nested. */
export function makeRules(random: Random, count: number) {
  const byText = new Map<string, Expression>();
  while (byText.size < count) {
    const members = Array.from({ length: random.whole(1, 3) }, () => expressionText(random, 2));
    const expression = ruleLanguage.parse(members.join(' AND '));
    byText.set(printExpression(expression), expression);
  }
  return [...byText.values()];
}
