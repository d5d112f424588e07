import { authenticated, PHONE_FACTS } from './facts.ts';
import type { BytesRow } from './recorder.ts';

const check: BytesRow = {
  route: 'POST /phone',
  sample: () => ({ body: { phone_number: '+14155552671' } }),
  async cases(recorder) {
    const numbered = (phone_number: unknown, country?: unknown) => ({ body: { phone_number, country } });
    const { ask } = recorder;
    await ask('nothing known', numbered('12345'));
    await ask('no country', numbered('0301234567'));
    await ask('a national number', numbered('(415) 555-2671', 'us'));
    await ask('a calling code of no country', numbered('+88310000000'));
    await authenticated(recorder, { id: 'ada', phone: '+33612345678', lists: ['block'] }, PHONE_FACTS);
    await authenticated(recorder, { id: 'eve', phone: '+33612345678', lists: ['beta'] });
    await ask('everything known', numbered('+33 6 12 34 56 78'));
    await ask('premium', numbered('+1 900 555 0199'));
    await ask('not a number', numbered('none'));
    await ask('empty', numbered(''));
    await ask('a number', numbered(14155552671));
    await ask('33 characters', numbered('1'.repeat(33)));
    await ask('an empty country', numbered('4155552671', ''));
    await ask('a country that is none', numbered('4155552671', 'USA'));
  },
};

export const PHONE_ROWS: readonly BytesRow[] = [check];
