import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { inNamesOfCall } from './call-names.ts';

/** The call of a command with the argument <list>, accounts and options. */
function called(...args: string[]): Command {
  const command = new Command('add')
    .addArgument(new Argument('<list>'))
    .addArgument(new Argument('[account...]'))
    .addOption(new Option('--expires <timestamp>'))
    .addOption(new Option('--half-life-days <days>').default('30'))
    .addOption(new Option('--keep-off'))
    .addOption(new Option('--url <url>'))
    .exitOverride()
    .action(() => {});
  return command.parse(args, { from: 'user' });
}

function named(error: AppError, ...args: string[]) {
  const { message, inputPath } = inNamesOfCall(error, called(...args)) as AppError;
  return [message, inputPath];
}

describe('an error of the API', () => {
  it('names the option or the argument of the call', () => {
    const late = invalidInput('expiresAt: must be later than now', ['input', 'expiresAt']);
    expect(named(late, 'x', '--expires', '2020')).toEqual(['--expires: must be later than now', ['expires']]);
    const whole = invalidInput('input.sourceList: must not be empty', ['input', 'sourceList']);
    expect(named(whole, '')).toEqual(['list: must not be empty', ['list']]);
    const item = invalidInput('accountIds.1: must not be ..', ['input', 'accountIds', 1]);
    expect(named(item, 'x', 'a', '..')).toEqual(['account.1: must not be ..', ['account', 1]]);
    const snake = invalidInput('half_life_days: must be a number', ['half_life_days']);
    expect(named(snake, 'x', '--half-life-days', 'y')[0]).toBe('--half-life-days: must be a number');
  });

  it('is unchanged for a field that the call does not contain', () => {
    const late = invalidInput('expiresAt: must be later than now', ['input', 'expiresAt']);
    expect(named(late, 'x')).toEqual([late.message, late.inputPath]);
    const days = invalidInput('halfLifeDays: must be a number', ['halfLifeDays']);
    expect(named(days, 'x')).toEqual([days.message, days.inputPath]);
    const url = invalidInput('url: must be a URL', ['input', 'url']);
    expect(named(url, 'x', '--url', 'https://id.example.com')).toEqual([url.message, url.inputPath]);
  });

  it('names options in the text, but not in quoted values', () => {
    const error = new AppError('x.conflict', 'conflict', 'keepOff excludes expiresAt: "keepOff"');
    expect(named(error, 'x', '--keep-off', '--expires', '2020')[0]).toBe(
      '--keep-off excludes --expires: "keepOff"',
    );
  });

  it('of a missing object contains its name, once', () => {
    const missing = (message: string) => new AppError('list.not_found', 'not_found', message);
    expect(named(missing('List not found.'), 'a "b"')).toEqual(['List not found: "a \\"b\\""', ['list']]);
    expect(named(missing('List not found: "other"'), 'x')[0]).toBe('List not found: "other"');
    expect(named(missing('List not found; keepOff requires a list'), 'x', '--keep-off')[0]).toBe(
      'List not found: "x"; --keep-off requires a list',
    );
  });
});

it('an error without a code is unchanged', () => {
  const defect = new TypeError('expiresAt');
  expect(inNamesOfCall(defect, called('x', '--expires', '2020'))).toBe(defect);
});
