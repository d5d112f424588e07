import { FIELDS, type RuleField } from '@vouchgraph/decisions';
import type { Facts, FieldValue } from '@vouchgraph/rules';
import type { Random } from '../signals/random.ts';

const COUNTRIES = ['DE', 'DE', 'AT', 'CH', 'FR', 'US', 'GB', 'BR', 'IN'];
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'session.timezone': ['Europe/Berlin', 'America/Chicago', 'Asia/Kolkata'],
  'session.state': ['Berlin', 'Texas', 'Île-de-France', 'São Paulo'],
  'session.browser.type': ['Chrome', 'Mobile Safari', 'Firefox', 'Edge'],
  'session.device.type': ['Windows PC', 'iPhone', 'Mac', 'Android phone'],
  'session.device.os': ['Windows 10', 'iOS 17.5', 'macOS 10.15.7', 'Android 14'],
  'account.group': ['', '', '', 'shop-1'],
  'account.email.domain': ['example.com', 'gmail.com', 'universität.example'],
  lists: ['vip', 'trusted', 'watch', 'newsletter'],
};

/** Known facts of a session: every field of sessions and accounts, about one in twenty without a value. */
export function makeEvent(random: Random): Facts {
  const facts: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(FIELDS)) {
    if (field.on === 'verification') continue;
    facts[name] = random.chance(0.05) ? null : fieldValue(name, field, random);
  }
  facts['account.id'] = `account-${random.whole(1, 1_000_000)}`;
  return facts;
}

function fieldValue(name: string, field: RuleField, random: Random): FieldValue {
  if (field.type === 'boolean') return random.chance(0.15);
  if (field.type === 'number') return numberOf(field, random);
  if (field.type === 'address') return `203.0.${random.whole(0, 255)}.${random.whole(0, 255)}`;
  const texts = field.country ? COUNTRIES : (TEXTS[name] ?? field.values ?? ['other']);
  if (field.type === 'string') return random.pick(texts);
  return Array.from({ length: random.whole(0, 3) }, () => random.pick(texts));
}

/** Most scores and counts are small. */
function numberOf({ unit }: RuleField, random: Random): number {
  const share = random.share() ** 3;
  return unit === undefined ? Math.round(share * 10_000) / 10_000 : Math.floor(share * 40);
}
