import { describe, expect, test } from 'vitest';
import { inspectBuiltIns, isNativeSource } from './native-code.ts';

/** A page whose Date is replaced by what a test hands in. */
function pageWith(getTimezoneOffset: unknown): typeof globalThis {
  return { Intl, Function, Date: { prototype: { getTimezoneOffset } } } as unknown as typeof globalThis;
}

function pageWithGetter(get: () => unknown): typeof globalThis {
  const prototype = Object.defineProperty({}, 'userAgent', { get, configurable: true });
  return { Navigator: { prototype } } as unknown as typeof globalThis;
}

const sourceOf = (member: unknown) => Function.prototype.toString.call(member);

describe('native code', () => {
  test.each([
    'function get userAgent() { [native code] }',
    'function toDataURL() { [native code] }',
    'function userAgent() {\n    [native code]\n}',
    'function () {\n    [native code]\n}',
  ])('is known in every engine: %j', (source) => {
    expect(isNativeSource(source)).toBe(true);
  });

  test.each(['() => "Win32"', 'function userAgent() { return "[native code]"; }', ''])(
    'is not what only mentions it: %j',
    (source) => {
      expect(isNativeSource(source)).toBe(false);
    },
  );
});

describe('built-ins of a page', () => {
  test('those of the engine itself are all native', () => {
    expect(inspectBuiltIns(pageWith(Date.prototype.getTimezoneOffset), sourceOf)).toEqual({
      nonNative: [],
      proxyTraces: [],
    });
  });

  test('a function that a script replaced is named', () => {
    const { nonNative } = inspectBuiltIns(
      pageWith(() => -120),
      sourceOf,
    );
    expect(nonNative).toEqual(['Date.getTimezoneOffset']);
  });

  test('a function that lies about its source is known by its prototype', () => {
    function getTimezoneOffset() {
      return -120;
    }
    const lying = () => 'function getTimezoneOffset() { [native code] }';
    const { nonNative } = inspectBuiltIns(pageWith(getTimezoneOffset), (member) =>
      member === getTimezoneOffset ? lying() : sourceOf(member),
    );
    expect(nonNative).toEqual(['Date.getTimezoneOffset']);
  });

  test('a Proxy in front of a function has no name in its source', () => {
    const disguised = new Proxy(Date.prototype.getTimezoneOffset, { apply: () => -120 });
    const { nonNative, proxyTraces } = inspectBuiltIns(pageWith(disguised), sourceOf);
    expect(nonNative).toEqual([]);
    expect(proxyTraces).toEqual(['Date.getTimezoneOffset: unnamed']);
  });

  test('a getter that answers for any object is none of the browser', () => {
    const native = 'function get userAgent() { [native code] }';
    const { proxyTraces } = inspectBuiltIns(
      pageWithGetter(() => 'Mozilla/5.0'),
      () => native,
    );
    expect(proxyTraces).toEqual(['Navigator.userAgent: takes any object']);
  });

  test('a page that has none of them, or fights back, is looked at without a throw', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
      },
    ) as typeof globalThis;
    expect(inspectBuiltIns({} as typeof globalThis, sourceOf)).toEqual({ nonNative: [], proxyTraces: [] });
    expect(inspectBuiltIns(hostile, sourceOf)).toEqual({ nonNative: [], proxyTraces: [] });
  });
});
