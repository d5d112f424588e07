import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRandomLocalPart } from './local-part-shape.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Chosen to be hard: names rich in consonants, initials, numbers, codes, vowels left out. */
const HONEST = words(`
  j.smith1985 xqcow jane.doe jrrtolkien jkrowling bjkim94 mhchoi90 dgkhan kjwlee hjyoon88 mcdonaldkt c3po.r2d2
  nguyenthithuytrang nguyen.van.anh tranthibichngoc phamquynhnhu huynhthanhphuong kyawzinhtut htetwaiyan
  szczepan.brzeczyszczykiewicz krzysztof.wojciechowski grzegorz.brzeczyszczyk malgorzata.dzwonkowska
  zbigniew.krzyzanowski gvozdenovic hrvoje.horvat srdjan.mrkonjic yekaterina.khrushcheva vyacheslav.dzhugashvili
  zhangxiaoming xuzhiqiang liqiuxiang wangzhongshuo zhuangzixuan xiexuqing quanxiaoqing
  schwarzschild hirschsprung angstschweiss knightsbridge.dental katzenschlager thorbjorn.halvorsen
  snaebjornsdottir llanfairpwllgwyn llewelynrhydderch mkhitaryan.h krishnamurthysv subrahmanyamvvs ppvsnraju
  tvsrao1965 vsmurthy dr.k.p.singh jean-philippe.lefebvre oluwaseunadeyemi ngozichukwuka nkrumahkwame mbappe.k
  xochitlquetzalli ixchelcuauhtemoc yhwhfollower the.real.slim.shady xx_dragonslayer_xx rockstr99 dpstyles
  emp0012345 e1234567 u20231234 b07901234 s12345678 1234567890 8613812345678 1rv17cs001 21bcs1234 2k19cse045
  f20190421 ee20b045 jb007james m4rk3t1ng b3n10fan h4ck3rm4n 4n0nym0us l33tgam3r mrbnks2000 mtnbkr2010 rbwh.cncl
  rchmnd.hill ptsmthrs cmptrgk88 hldngsltd txtmsgr jsmith.hrdept gtx1080fan rx7fd3s ps5xbox360 mp3player2k
  ak47gamer vw1302ls bmw320d.e46 jpmcb2b bbqking77 qwrtlabs mkyong.xyz wd40man mh370
`);

/** Made by a generator of random numbers and taken as they came. */
const RANDOM_LETTERS = words(`
  aoyvxyggn dvffjibixw mgcjobbbeuf uoxvelkdhdtv dyncfudsfhbhi puxsetiouqskov oyapnookm mqegarujzo mmrsbglezol
  duisstntjjuf gipcdluwpepez lbhqwoyrgdlnbf xgkptaukx kvyitxcqmq aidqvrghvsk lyeqsoxxtmvj towfwzmmnuqkk
  fsjmtvxokeuayd zcldsmitu mojajxxvoh
`);
const RANDOM_MIXED = words(`
  3es0g0dwum roumwzx793t mbxj1jg4uvh0 v51h26pgfp1db avox4eca1mwv8p nyidzg9s2ajlkyb 2oxtnlcjxj8ias51 kqtl4rthdm
  7ssmitizewb geb9thdrceuk 8oqswq9kprxuy ulnem825ixrsws f57adq02ujy65kq w1jg21j34lp81okm lnelgt28tr kxvmxcrlfpv
  0h2u0hw6xuvl qas4kmjn3zyg6 1kmerb68s1lpex fhbsd7plsw3z7bw b7eafea8abfd9b76 87f9a5bae9808fc9 4a49dfa2864e32a8
  51027ee9d02078be 9a8859d10eb9440d 3816e5c4db4c8e10
`);
/** Typed by drumming on the keys. */
const MASHED = words(`
  asdfghjkl sdfkjhsdf lkjhgfdsa zxcvbnmlk qwerfdsazx fghjfghj jklsdfjkl dfgdfgdfg hjkhjkhjk wertyuiop asdasdasd
  xcvxcvxcv
`);

const found = (locals: readonly string[]) => locals.filter(isRandomLocalPart).length / locals.length;

describe('random local part', () => {
  test.each(HONEST)('does not include %s', (local) => expect(isRandomLocalPart(local)).toBe(false));

  test('is detected in at least three of five generated cases', () => {
    expect(found(RANDOM_LETTERS)).toBeGreaterThanOrEqual(0.6);
    expect(found(RANDOM_MIXED)).toBeGreaterThanOrEqual(0.6);
    expect(found(MASHED)).toBeGreaterThanOrEqual(0.8);
  });

  test('is detected in any letter case', () => {
    expect(isRandomLocalPart('LbhqwoyRgdlnbf')).toBe(true);
  });

  test('does not include numbers of any length after at most two letters', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{0,2}[0-9]{1,60}$/), (local) => {
        expect(isRandomLocalPart(local)).toBe(false);
      }),
    );
  });

  test('has at least eight characters', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{1,7}$/), (local) => {
        expect(isRandomLocalPart(local)).toBe(false);
      }),
    );
  });

  test('contains only letters of the language model', () => {
    for (const local of ['жфщцчшъыьэюя', 'łżźćśąęółżź', "x'q!z#v&k*j", '']) {
      expect(isRandomLocalPart(local)).toBe(false);
    }
  });
});
