import type { AsnClass } from './asn-class.ts';

type NamePattern = { asnClass: AsnClass; pattern: RegExp; unless?: RegExp };

/*
 * Patterns over the registered names of networks. Each was checked against the whole table, largest networks first; the
 * exceptions are false positives. A name is weaker evidence than the curated lists, and is kept apart from them.
 */
const NAME_PATTERNS: readonly NamePattern[] = [
  {
    asnClass: 'satellite',
    pattern:
      /\b(viasat|inmarsat|intelsat|eutelsat|globalstar|oneweb|satellite (broadband|internet(?! exchange)))\b/i,
  },
  {
    asnClass: 'mobile',
    pattern: /\b(mobile|mobil|moviles|movil|celular|cellular|gsm|mobitel|mobifone)\b/i,
    // Companies and places with such names, and operators that run fixed lines through the same system.
    unless:
      /exxon|(city|county) of mobile|mobile (county|infirmary|mini|bay)|china mobile|t-mobile (?!usa)|america movil|microsoft mobile|two degrees|jusan|advanced wireless|automobile|mobile (games?|gaming|apps?|media|solutions|technolog|interim|medic)/i,
  },
  {
    asnClass: 'hosting',
    pattern:
      /\b(?!ghost)\w*host(ing|ings|ed|er)?\b|\bhost(?!el|ess|iv|om|yn)\w*|\b(?!observer|conserver)\w*servers?\b|\bserver\w*|\w*cloud\w*|\bvps\w*|\w+vps\b|\bdata ?cent(er|re|ers|res|rum)\b|\bcentro de datos\b|\bidc\b|\bcolo(cation)?\b|\bco-location\b|\bbare ?metal\b/i,
    // Access providers with such a name, and the city of St. Cloud.
    unless: /afrihost|fiberhost|the cloud networks|\b(st\.?|saint) cloud\b|africa on cloud|it hostline/i,
  },
  {
    asnClass: 'education',
    pattern:
      /\b(universit\w*|universid\w+|univerzit\w*|uniwersytet\w*|uniwersitet\w*|universiteit\w*|hochschule\w*|fachhochschule|college|colleges|school|schools|academic|polytechnic\w*|institute of technology|education|educational|educacao|educacion|ecole|lycee)\b/i,
    unless: /academic press|old school/i,
  },
  {
    asnClass: 'government',
    pattern:
      /\b(government|gobierno|governo|gouvernement|ministry of|ministere|ministerio|ministerium|department of|dept\.? of|state of|city of|county of|town of|village of|province of|commonwealth of|county government|city council|county council|borough council|district council|municipality|municipalidad|prefeitura|dod|air force|navy|army|house of representatives|senate|parliament|national guard|police|national laborator(y|ies)|usda|nasa|federal (aviation|bureau|reserve|deposit)|state government)\b/i,
    unless: /salvation army|old navy|college|universit/i,
  },
  {
    asnClass: 'business',
    pattern:
      /\b(bank|banks|banking|banque|banco|banca|bancorp|credit union|insurance|assurances?|assicurazioni|versicherung\w*|seguros|motor company|motors|automobiles?|pharmaceuticals?|hospitals?|clinic|health ?care|airlines?|airways|airport|petroleum|steel|mining|supermarkets?|hotels?|casino|breweries|brewery|semiconductors?|llp|law firm|securities|asset management|stock exchange|railway|railways|railroad)\b/i,
    // Makers of telephone exchanges and cable operators whose names contain such words.
    unless: /telecom|internet|broadband|communications|cable/i,
  },
];

/** The classes that a network's registered name suggests. An empty list means unknown. */
export function classesOfName(name: string): AsnClass[] {
  return NAME_PATTERNS.filter(({ pattern, unless }) => pattern.test(name) && !unless?.test(name)).map(
    ({ asnClass }) => asnClass,
  );
}
