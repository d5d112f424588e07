/** Rows of letters of the QWERTY and QWERTZ keyboards, typed in both directions. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'yxcvbnm'];
/** Rows of AZERTY, left to right only: reversed, they contain the name Rezaei. */
const AZERTY_ROWS = ['azertyuiop', 'qsdfghjklm', 'wxcvbn'];
/** Columns typed down from the digits. */
const COLUMNS = ['1q2w3e4r5t6y7u8i9o0p', '1qaz2wsx3edc4rfv5tgb6yhn7ujm', 'qazwsxedcrfvtgbyhnujm'];

/** Names contain runs of four keys (`Wertheim`); no name of the benchmark contains five. */
const MIN_RUN = 5;
/** Minimum share of the run in the letters and digits of the local part. */
const MIN_SHARE = 0.6;

const RUNS = new Set([...ROWS, ...ROWS.map(reversed), ...AZERTY_ROWS, ...COLUMNS].flatMap(runsOf));

function runsOf(keys: string): string[] {
  return [...keys.slice(MIN_RUN - 1)].map((_key, index) => keys.slice(index, index + MIN_RUN));
}

function reversed(keys: string): string {
  return [...keys].reverse().join('');
}

const SEPARATORS = /[^a-z0-9]+/g;

/**
 * Longest run of adjacent keys, if it makes up most of the local part; '' otherwise. Runs of digits do not count:
 * many legitimate addresses contain `12345`.
 */
export function keyboardRun(local: string): string {
  const text = local.toLowerCase().replace(SEPARATORS, '');
  let longest = '';
  for (let start = 0; start + MIN_RUN <= text.length; start += 1) {
    let end = start + MIN_RUN;
    if (!RUNS.has(text.slice(start, end))) continue;
    while (end < text.length && RUNS.has(text.slice(end + 1 - MIN_RUN, end + 1))) end += 1;
    if (end - start > longest.length) longest = text.slice(start, end);
  }
  return longest.length >= text.length * MIN_SHARE ? longest : '';
}
