import { describe, expect, test } from 'vitest';
import { inspectBuiltIns, isNativeSource } from './native-code.ts';

/** A page with a replaced Date. */
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
  ])('is detected in the source text of every engine: %j', (source) => {
    expect(isNativeSource(source)).toBe(true);
  });

  test.each(['() => "Win32"', 'function userAgent() { return "[native code]"; }', ''])(
    'is not detected in a source text that only mentions it: %j',
    (source) => {
      expect(isNativeSource(source)).toBe(false);
    },
  );
});

describe('inspection of built-ins', () => {
  test('reports nothing when all are native', () => {
    expect(inspectBuiltIns(pageWith(Date.prototype.getTimezoneOffset), sourceOf)).toEqual({
      nonNative: [],
      proxyTraces: [],
    });
  });

  test('reports a function that a script replaced', () => {
    const { nonNative } = inspectBuiltIns(
      pageWith(() => -120),
      sourceOf,
    );
    expect(nonNative).toEqual(['Date.getTimezoneOffset']);
  });

  test('reports a function with a forged source text by its prototype', () => {
    function getTimezoneOffset() {
      return -120;
    }
    const lying = () => 'function getTimezoneOffset() { [native code] }';
    const { nonNative } = inspectBuiltIns(pageWith(getTimezoneOffset), (member) =>
      member === getTimezoneOffset ? lying() : sourceOf(member),
    );
    expect(nonNative).toEqual(['Date.getTimezoneOffset']);
  });

  test('reports a Proxy in front of a function, whose source has no name', () => {
    const disguised = new Proxy(Date.prototype.getTimezoneOffset, { apply: () => -120 });
    const { nonNative, proxyTraces } = inspectBuiltIns(pageWith(disguised), sourceOf);
    expect(nonNative).toEqual([]);
    expect(proxyTraces).toEqual(['Date.getTimezoneOffset: unnamed']);
  });

  test('reports a getter that accepts any object', () => {
    const native = 'function get userAgent() { [native code] }';
    const { proxyTraces } = inspectBuiltIns(
      pageWithGetter(() => 'Mozilla/5.0'),
      () => native,
    );
    expect(proxyTraces).toEqual(['Navigator.userAgent: takes any object']);
  });

  test('never throws, even when built-ins are missing or throw', () => {
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
