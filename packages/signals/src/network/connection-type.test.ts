import { expect, test } from 'vitest';
import { connectionTypeOf } from './connection-type.ts';

test.each([
  [['satellite', 'hosting', 'mobile'], 'satellite'],
  [['mobile', 'hosting'], 'hosting'],
  [['vpn'], 'hosting'],
  [['tor'], 'hosting'],
  [['cdn'], 'hosting'],
  [['education', 'mobile'], 'mobile'],
  [['government', 'education'], 'education'],
  [['business', 'government'], 'government'],
  [['business'], 'business'],
  [[], 'isp'],
] as const)('%j is %s', (classes, type) => {
  expect(connectionTypeOf(true, classes)).toBe(type);
});

test('an unknown network has no type', () => {
  expect(connectionTypeOf(false, [])).toBe('');
});
