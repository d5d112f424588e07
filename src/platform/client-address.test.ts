import { describe, expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

describe("the client's address", () => {
  it('is the peer when no proxy is trusted, whatever the header says', () => {
    expect(createClientAddress([])('198.51.100.7', '8.8.8.8')).toBe('198.51.100.7');
  });

  it('is what the trusted proxy saw', () => {
    const address = createClientAddress(['10.0.0.0/8']);
    expect(address('10.1.2.3', '8.8.8.8')).toBe('8.8.8.8');
    expect(address('::ffff:10.1.2.3', '6.6.6.6, 8.8.8.8, 10.9.9.9')).toBe('8.8.8.8');
    expect(address('192.0.2.1', '8.8.8.8')).toBe('192.0.2.1');
  });

  it('is the last good hop when the header is damaged', () => {
    expect(createClientAddress(['10.0.0.0/8'])('10.1.2.3', '8.8.8.8, nonsense')).toBe('10.1.2.3');
    expect(createClientAddress(['10.0.0.0/8'])('10.1.2.3', '')).toBe('10.1.2.3');
  });
});
