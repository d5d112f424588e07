import { describe, expect, test } from 'vitest';
import { botdValues } from './botd-values.ts';

const found = (value: unknown) => ({ state: 0, value });

describe('BotD values', () => {
  test('are sent by name, without components that were not found', () => {
    const components = {
      evalLength: found(33),
      rtt: { state: -1, error: 'undefined' },
      webDriver: found(false),
    };
    expect(botdValues(components, undefined)).toEqual({ evalLength: 33, webDriver: false });
  });

  test('use the existing WebGL context', () => {
    const graphics = { vendor: 'Brian Paul', renderer: 'Mesa OffScreen', vendorUnmasked: 'x' };
    expect(botdValues({}, graphics)).toEqual({ webGL: { vendor: 'Brian Paul', renderer: 'Mesa OffScreen' } });
  });

  test('contain no address of the page in an error trace', () => {
    const trace = 'TypeError: x\n    at f (https://shop.example.com/cart?user=ada:1:2)\n    at PhantomJS';
    const { errorTrace } = botdValues({ errorTrace: found(trace) }, undefined);
    expect(errorTrace).toBe('TypeError: x\n    at f ()\n    at PhantomJS');
  });

  test('contain only the fields of a process object that BotD reads', () => {
    const process = { type: 'renderer', env: { SECRET: '1' }, versions: { electron: '30.0.0', node: '20' } };
    expect(botdValues({ process: found(process) }, undefined).process).toEqual({
      type: 'renderer',
      versions: { electron: '30.0.0' },
    });
  });

  test('are truncated when they are long', () => {
    const values = botdValues(
      { appVersion: found('x'.repeat(9000)), documentElementKeys: found(Array(500).fill('a')) },
      undefined,
    );
    expect(JSON.stringify(values).length).toBeLessThan(1000);
  });
});
