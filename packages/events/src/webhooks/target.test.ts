import { describe, expect, it } from 'vitest';
import { isPublicAddress, urlProblem } from './target.ts';

const PUBLIC = { allowsLoopback: false };

describe('the URL of a receiver', () => {
  it.each(['https://example.com/webhooks', 'https://example.com:8443/?a=b', 'https://93.184.215.14/'])(
    '%s is accepted',
    (url) => expect(urlProblem(url, PUBLIC)).toBeNull(),
  );

  it.each([
    ['not a URL', 'spaces'],
    ['example.com', 'must be a URL'],
    ['https://user:password@example.com/', 'user name or password'],
    ['https://example.com/#part', 'fragment'],
    ['ftp://example.com/', 'must start with https://'],
    ['http://example.com/', 'must start with https://'],
    ['https://10.0.0.1/', 'public host'],
    ['https://[::1]/', 'public host'],
    ['https://host.internal/', 'public host'],
    ['https://intranet/', 'public host'],
    [`https://example.com/${'ü'.repeat(400)}`, 'at most 2,000 characters'],
  ])('%s is rejected', (url, problem) => expect(urlProblem(url, PUBLIC)).toContain(problem));

  it('can be loopback only if that is allowed', () => {
    expect(urlProblem('http://127.0.0.1:3000/', { allowsLoopback: true })).toBeNull();
    expect(urlProblem('http://localhost./', { allowsLoopback: true })).toBeNull();
    expect(urlProblem('https://127.0.0.1/', PUBLIC)).toContain('public host');
    expect(urlProblem('http://10.0.0.1/', { allowsLoopback: true })).toContain('https://');
  });
});

it('an address is public in whichever form it is written', () => {
  expect(isPublicAddress('93.184.215.14')).toBe(true);
  for (const address of ['127.0.0.1', '169.254.169.254', '::ffff:10.0.0.1', 'fe80::1', 'fd00::1', 'text'])
    expect(isPublicAddress(address), address).toBe(false);
});
