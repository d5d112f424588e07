import type { AsnRow } from './asn-class-rows.ts';

/** National research and education networks that their names do not identify. */
export const EDUCATION_ASNS: readonly AsnRow[] = [
  ['SURF B.V.', 1101, 1102, 1103],
  ['Jisc', 786],
  ['GARR', 137],
  ['Renater', 1715, 1942, 2200],
  ['Deutschen Forschungsnetzes', 680], // DFN
  ['SWITCH', 559],
  ['SIKT', 224],
  ['SUNET', 1653],
  ['CSC - Tieteen', 1741], // Funet
  ['NORDUnet', 2603],
  ['GEANT', 20965],
  ['ACONET', 1853],
  ['HEAnet', 1213],
  ['BELNET', 2611],
  ['CESNET', 2852],
  ['Poznan Supercomput', 8501], // PIONIER
  ['ARNES', 2107],
  ['KIFU', 1955],
  ['National Infrastructures for Research', 5408], // GRNET
  ['Red.es', 766], // RedIRIS
  ['Fundacao para a Ciencia', 1930],
  ['IUCC', 378],
  ['Internet2', 11537],
  ['CANARIE', 6509],
  ['Rede Nacional de Ensino', 1916],
  ['TENET', 2018],
  ['National Institute of Informa', 2907], // SINET
  ['KISTI', 17579],
];

/** Public bodies that their names do not identify. */
export const GOVERNMENT_ASNS: readonly AsnRow[] = [
  ['Headquarters, USAISC', 1540, 4010],
  ['ESnet', 293],
  ['SERPRO', 10954],
  ['China eGovNet', 37937],
];

/** Companies with large blocks for their own staff that their names do not identify. */
export const BUSINESS_ASNS: readonly AsnRow[] = [
  ['Apple', 714, 6185],
  ['Mercedes-Benz', 31399],
  ['Eli Lilly', 4249],
  ['Procter and Gamble', 11003],
  ['Exxon Mobil', 1766],
  ['Accenture', 3573],
];
