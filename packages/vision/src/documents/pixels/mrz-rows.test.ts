import { describe, expect, it } from 'vitest';
import { mrzRows } from './mrz-rows.ts';
import type { ReadLine } from './recognize-text.ts';

function line(text: string, x: number, y: number, width: number): ReadLine {
  const mrz = text.toUpperCase().replaceAll(/[^A-Z0-9<]/g, '');
  return { box: { x, y, width, height: 40, angle: 0 }, text, confidence: 0.95, mrz, mrzConfidence: 0.9 };
}

const names = line('P<GBRSMITH<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<<<', 500, 600, 900);
const numbers = line('1234567897GBR9001011F3001012<<<<<<<<<<<<<<02', 500, 655, 900);

describe('the rows of a machine readable zone', () => {
  it('are the lines with fillers, not the titles above them', () => {
    const title = line('UNITED KINGDOM OF GREAT BRITAIN', 500, 60, 800);
    const rows = mrzRows([title, line('Surname', 300, 200, 120), names, numbers], 1000);
    expect(rows.map(({ lines }) => lines[0]!.text)).toEqual([names.text, numbers.text]);
  });

  it('are one row when its fillers were detected separately', () => {
    const head = line('P<GBRSMITH<<ANNA<<', 250, 600, 400);
    const tail = line('<<<<<<<', 700, 602, 300);
    const rows = mrzRows([head, tail, numbers], 1000);
    expect(rows).toHaveLength(2);
    expect(rows[0]!.lines).toEqual([head, tail]);
    expect(rows[0]!.box.x - rows[0]!.box.width / 2).toBeCloseTo(50);
    expect(rows[0]!.box.x + rows[0]!.box.width / 2).toBeCloseTo(850);
  });

  it('can include one without fillers beside one with fillers', () => {
    const full = line('IDFRA89XC4264752AB34567890123C', 500, 545, 900);
    expect(mrzRows([full, names, numbers], 1000)).toHaveLength(3);
  });

  it('are not found when only titles are long', () => {
    expect(mrzRows([line('CARTE NATIONALE D IDENTITE', 500, 60, 900)], 1000)).toEqual([]);
  });
});
