/*
 * A synthetic model of the local parts that legitimate users choose: names of many languages in the forms of
 * people and companies, with years, initials and words. It contains no real address.
 */
const GIVEN = `james mary robert patricia john jennifer michael linda david elizabeth william barbara richard susan joseph
  jessica thomas sarah karen nancy lisa betty sandra ashley emily kimberly donna michelle carol amanda melissa deborah
  stephanie rebecca laura sharon cynthia kathleen amy angela shirley anna brenda pamela emma nicole helen samantha
  lukas leon finn jonas maximilian felix paul hannah mia sophie lena johanna greta jurgen gunther heike ulrike sven
  bjorn lars soren freja astrid ingrid mikkel rasmus eero aino vaino jukka tuomas piotr krzysztof andrzej katarzyna
  malgorzata agnieszka zbigniew wojciech szymon jakub ondrej zdenek vlasta jiri petra istvan laszlo zsofia gyorgy
  dimitris giorgos eleni sofia nikolaos ivan dmitry sergey yekaterina tatyana svetlana vladimir oleksandr kateryna
  volodymyr jean pierre francois guillaume celine aurelie benoit mathieu chloe carlos jose luis maria guadalupe juan
  miguel alejandro ximena rodrigo joao paulo beatriz thiago leticia giovanni francesco giulia chiara alessandro
  mehmet mustafa ayse fatma emre zeynep ahmed mohamed omar khalid fatima aisha hassan yusuf layla noura reza parisa
  amir shirin avi yael moshe rivka noam raj priya amit sunita vijay lakshmi venkatesh suresh anjali deepika harpreet
  gurpreet wei xiaoming li jing yang hui zhiqiang xuemei hiroshi yuki takashi sakura kenji haruka minjun jiwoo
  seoyeon hyunwoo nguyen thuy linh minh huong somchai malee budi siti dewi agus oluwaseun chinwe ngozi kwame ama
  thabo nomvula tendai wanjiku kamau abebe tigist`;
const FAMILY = `smith johnson williams brown jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson
  anderson thomas taylor moore jackson martin lee perez thompson white harris sanchez clark ramirez lewis robinson
  walker young allen king wright scott torres nguyen hill flores green adams nelson baker hall rivera campbell mitchell
  muller schmidt schneider fischer weber meyer wagner becker schulz hoffmann schafer koch bauer richter klein wolf
  schroder neumann schwarz zimmermann braun kruger hofmann hartmann lange werner krause lehmann schmid kohler
  wertheim schwertner andersson johansson karlsson nilsson eriksson larsen hansen olsen pedersen nielsen jensen virtanen
  korhonen makinen nowak kowalski wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski brzezinski
  novotny svoboda dvorak horvath nagy szabo kovacs toth papadopoulos ivanov smirnov kuznetsov popov vasiliev petrov
  shevchenko kovalenko bondarenko tkachenko dubois durand leroy moreau lefebvre rousseau fournier girard mercier
  silva santos oliveira souza pereira ferreira costa almeida rossi russo ferrari esposito bianchi romano colombo
  yilmaz kaya demir celik sahin ozturk khan ahmed ali hussain malik hosseini mohammadi rezaei cohen levi mizrahi
  sharma patel singh kumar gupta reddy krishnamurthy subramaniam iyer banerjee chatterjee wang zhang liu chen huang zhao
  wu zhou xu sun sato suzuki takahashi tanaka watanabe ito yamamoto kim park choi jung kang tran pham hoang phan
  setiawan wijaya santoso okafor adeyemi okonkwo mensah owusu dlamini nkosi ndlovu mwangi otieno tesfaye bekele`;
const WORDS = `sunny blue tiger happy lucky star gamer music photo travel bike runner coffee cat dog garden books ninja
  pixel retro hiking surf yoga chef guitar`;

type Form = (given: string, family: string, word: string, number: number) => string;

const FORMS: readonly Form[] = [
  (given, family) => `${given}.${family}`,
  (given, family) => `${given}_${family}`,
  (given, family) => given + family,
  (given, family) => family + given,
  (given, family) => `${family}.${given}`,
  (given, family) => given[0] + family,
  (given, family) => `${given[0]}.${family}`,
  (given, family) => given + family[0],
  (given, _family, _word, number) => `${given}${1950 + (number % 60)}`,
  (given, family, _word, number) => `${given}.${family}${number % 100}`,
  (given, family, _word, number) => `${given[0]}${family}${number % 1000}`,
  (given, _family, word) => `${word}${given}`,
  (given, _family, word, number) => `${given}_${word}${number % 100}`,
  (_given, family, word) => `${word}.${family}`,
  (given, family, word) => `${given}.${family}+${word}`,
  (given, family, word) => `${given}.${word[0]}.${family}`,
  (_given, family, _word, number) => `${family}${String(number).padStart(6, '0')}`,
  (_given, _family, _word, number) => String(13_000_000_000 + number * 7919),
];

const words = (text: string) => text.trim().split(/\s+/);

/** Local parts of the model; the same count generates the same ones. */
export function honestLocalParts(count: number): string[] {
  const [given, family, other] = [words(GIVEN), words(FAMILY), words(WORDS)];
  let state = 88_172_645;
  const next = (limit: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  return Array.from({ length: count }, () =>
    FORMS[next(FORMS.length)]!(
      given[next(given.length)]!,
      family[next(family.length)]!,
      other[next(other.length)]!,
      next(1_000_000),
    ),
  );
}

/** Given and family names as they are written in scripts other than ASCII, by script. */
const INTERNATIONAL = [
  ['иван мария дмитрий светлана олександр ђорђе', 'петров иванова шевченко кузнецов јовановић'],
  ['γιώργος ελένη νίκος αικατερίνη', 'παπαδόπουλος γεωργίου οικονόμου'],
  ['արմեն անահիտ', 'պետրոսյան հակոբյան'],
  ['محمد فاطمة علی', 'احمد حسینی'],
  ['太郎 さくら 伟 敏', '田中 佐藤 王 张'],
  ['민수 지우', '김 박'],
  ['jürgen søren žofia ömer', 'müller ångström dvořák yılmaz weiß'],
].map(([given = '', family = '']) => ({ given: words(given), family: words(family) }));

const INTERNATIONAL_FORMS: readonly Form[] = [
  (given, family) => `${given}.${family}`,
  (given, family) => given + family,
  (given, family) => `${family}_${given}`,
  (given, _family, _word, number) => `${given}${1950 + (number % 60)}`,
  (given, _family, word) => `${given}.${word}`,
  (_given, family, word, number) => `${word}-${family}${number % 100}`,
];

/** International local parts of the model; an ASCII word is separated from a name in another script. */
export function internationalLocalParts(count: number): string[] {
  const other = words(WORDS);
  return Array.from({ length: count }, (_, index) => {
    const { given, family } = INTERNATIONAL[index % INTERNATIONAL.length]!;
    const place = Math.floor(index / INTERNATIONAL.length);
    return INTERNATIONAL_FORMS[place % INTERNATIONAL_FORMS.length]!(
      given[place % given.length]!,
      family[(place >> 2) % family.length]!,
      other[place % other.length]!,
      place * 7919,
    );
  });
}
