import { attempt } from '../attempt.ts';

/*
 * Whether built-in functions are still those of the browser. Names are sent, and judged on the server: people run
 * extensions that replace some of them, and pages do too.
 */

/** Functions that are no longer native code, and signs of a Proxy, each as `Navigator.userAgent`. */
export type BuiltIns = { nonNative: string[]; proxyTraces: string[] };

/** Member of a built-in object: its path, and whether it is read or called. */
type Member = readonly [owner: string, kind: 'getter' | 'method', ...names: readonly string[]];

type Callable = (this: unknown) => unknown;

const MEMBERS: readonly Member[] = [
  [
    'Navigator',
    'getter',
    'userAgent',
    'platform',
    'language',
    'languages',
    'hardwareConcurrency',
    'deviceMemory',
    'webdriver',
    'plugins',
    'mimeTypes',
    'vendor',
    'productSub',
    'maxTouchPoints',
    'userAgentData',
    'permissions',
  ],
  ['Screen', 'getter', 'width', 'height', 'availWidth', 'availHeight', 'colorDepth'],
  ['NavigatorUAData', 'getter', 'brands', 'platform', 'mobile'],
  ['NavigatorUAData', 'method', 'getHighEntropyValues'],
  ['Function', 'method', 'toString'],
  ['Date', 'method', 'getTimezoneOffset'],
  ['Intl.DateTimeFormat', 'method', 'resolvedOptions'],
  ['HTMLCanvasElement', 'method', 'toDataURL', 'getContext'],
  ['CanvasRenderingContext2D', 'method', 'getImageData'],
  ['WebGLRenderingContext', 'method', 'getParameter'],
  ['WebGL2RenderingContext', 'method', 'getParameter'],
  ['AudioBuffer', 'method', 'getChannelData'],
  ['Permissions', 'method', 'query'],
  ['MediaDevices', 'method', 'enumerateDevices'],
  ['Geolocation', 'method', 'getCurrentPosition'],
  ['HTMLIFrameElement', 'getter', 'contentWindow'],
];

/** Inspects each built-in of the page. `sourceOf` returns a function's source and cannot be replaced by the page. */
export function inspectBuiltIns(page: typeof globalThis, sourceOf: (member: unknown) => string): BuiltIns {
  const nonNative: string[] = [];
  const proxyTraces: string[] = [];
  for (const [owner, kind, ...names] of MEMBERS) {
    const prototype = attempt(() => prototypeOf(page, owner), undefined);
    if (!prototype) continue;
    for (const name of names) {
      const member = attempt(() => memberOf(prototype, kind, name), undefined);
      if (typeof member !== 'function') continue;
      const label = `${owner}.${name}`;
      const source = attempt(() => sourceOf(member), '');
      if (!isNativeSource(source) || Object.getOwnPropertyDescriptor(member, 'prototype')) {
        nonNative.push(label);
        continue;
      }
      proxyTraces.push(
        ...tracesOf(member as Callable, kind, name, source).map((trace) => `${label}: ${trace}`),
      );
    }
  }
  return { nonNative, proxyTraces };
}

const NATIVE = /^function\s*(?:get\s+)?([\w$]*)\s*\(\)\s*\{\s*\[native code\]\s*\}$/;

/** The source of a function that the browser provides, in V8, SpiderMonkey and JavaScriptCore. */
export function isNativeSource(source: string): boolean {
  return NATIVE.test(source.trim());
}

/** Signs that a Proxy of a function cannot hide: its source has no name, and its handler occurs in errors. */
function tracesOf(member: Callable, kind: Member[1], name: string, source: string): string[] {
  const traces = NATIVE.exec(source.trim())?.[1] === name ? [] : ['unnamed'];
  if (kind === 'method') return traces;
  try {
    // The getter of an interface refuses an object of another kind (Web IDL, attribute getters).
    member.call({});
    traces.push('takes any object');
  } catch (error) {
    if (!(error instanceof TypeError)) traces.push('wrong error');
    if (isThrownByHandler(error)) traces.push('stack');
  }
  return traces;
}

/** Only the innermost frame counts: the outer frames are the page's own functions, with any name. */
function isThrownByHandler(error: unknown): boolean {
  const [, innermost = ''] = String((error as Error).stack).split('\n');
  return /\bat (?:Reflect|Object)\.apply\b/.test(innermost);
}

function prototypeOf(page: typeof globalThis, owner: string): object | undefined {
  const interfaceObject = owner
    .split('.')
    .reduce<unknown>((scope, name) => (scope as Record<string, unknown> | undefined)?.[name], page);
  return (interfaceObject as { prototype?: object } | undefined)?.prototype;
}

function memberOf(prototype: object, kind: Member[1], name: string): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  return kind === 'getter' ? descriptor?.get : descriptor?.value;
}
