import type { AsnRow } from './asn-class-rows.ts';

/**
 * Systems that carry only mobile phones, or almost only. Omitted: operators that run mobile and fixed lines through one
 * system (Orange 3215, Telekom 3320, China Mobile, Jio 55836), where an address does not identify the kind.
 */
export const MOBILE_ASNS: readonly AsnRow[] = [
  // North America. 20057 is AT&T Mobility; 6167 and 22394 are Verizon Wireless.
  ['T-Mobile USA', 6614, 18933, 21928, 22140],
  ['AT&T Enterprises', 20057],
  ['Verizon Business', 6167, 22394],
  ['Boost Mobile', 398378],
  ['Liberty Mobile Puerto Rico', 11992],
  ['RadioMovil Dipsa', 28403], // Telcel
  // South America.
  ['COMCEL', 26611], // Claro Colombia
  ['Colombia Movil', 27831],
  ['Claro S/A', 22085],
  ['TELEFONICA MOVIL DE CHILE', 27680],
  ['Telefonica Moviles del Uruguay', 19422],
  ['Telefonica Celular de Bolivia', 27882],
  // Western Europe.
  ['Hutchison 3G UK', 60339, 206067],
  ['Vodafone Limited', 25135], // the mobile network of Vodafone UK
  ['Three Ireland', 13280],
  ['Free Mobile', 51207],
  ['XFERA Moviles', 16299],
  ['Odido', 31615],
  ['Hutchison Drei Austria', 25255],
  ['WIND TRE', 24608], // formerly H3G; 1267 is the fixed network
  ['Hi3G Access', 44034],
  ['Telefonica Germany', 12638], // formerly E-Plus
  // Eastern Europe and the former Soviet Union.
  ['P4 Sp.', 39603], // Play
  ['Polkomtel', 8374],
  ['Ote SA', 29247], // Cosmote
  ['TELEKOM ROMANIA MOBILE', 35725],
  ['VF UKRAINE', 21497],
  ['lifecell', 34058],
  ['Mobile TeleSystems JLLC', 25106],
  ['MegaFon', 25159, 31133, 31163, 31213],
  ['T2 Mobile', 12958, 15378, 41330, 42437, 48092, 48190],
  ['Vimpelcom', 16345],
  ['Kcell', 29355],
  ['Mobile Telecom-Service', 48503],
  // Turkey and the Middle East.
  ['TURKCELL', 16135],
  ['Vodafone Telekomunikasyon', 15897],
  ['TT Mobil', 20978],
  ['KIBRIS MOBILE', 47883],
  ['Pelephone', 16116],
  ['Mobile Telecommunication Company Saudi Arabia', 43766],
  ['Mobile Telecommunications Company', 42961],
  ['NATIONAL MOBILE TELECOMMUNICATIONS', 29357],
  ['ASIACELL', 51684],
  ['Al Atheer', 59588], // Zain Iraq
  ['Syriatel Mobile', 48065],
  ['Mobile Communication Company of Iran', 197207],
  ['Iran Cell', 44244],
  ['Rightel', 57218],
  // Africa.
  ['Mobinil', 37069],
  ['Vodafone Data', 36935],
  ['Wataniya Telecom Algerie', 33779],
  ['Optimum Telecom Algeria', 327931], // Djezzy
  ['Sudanese Mobile Telephone', 36998],
  ['MTN NIGERIA', 29465],
  ['Emerging Markets Telecommunication', 37076],
  ['Scancom', 30986], // MTN Ghana
  ['MTN Uganda', 20294],
  ['MTN Rwandacell', 36890],
  ['Airtel Networks', 36873, 36926],
  ['Airtel Uganda', 36977, 37075],
  ['Airtel Ghana', 37140],
  ['Airtel Tanzania', 37133],
  ['Airtel Congo', 37550],
  ['Safaricom', 33771],
  ['Vodacom', 29975],
  ['Vodacom Tanzania', 36908],
  ['Cell C', 37168],
  // South Asia. 45609 is Airtel's mobile network; its fixed lines are 24560.
  ['Bharti Airtel', 45609],
  ['Vodafone Idea', 38266, 45271, 55410],
  ['Mobilink', 45669],
  ['Telenor Pakistan', 24499],
  ['CMPak', 59257],
  ['PTML', 56167], // Ufone
  ['grameenphone', 24389],
  ['Banglalink', 45245],
  ['Axiata (Bangladesh)', 24432],
  ['Teletalk', 45925],
  ['Mobitel', 45356],
  ['Telecom Development Company Afghanistan', 45178], // Roshan
  // South-east Asia.
  ['Telekomunikasi Selular', 23693],
  ['XL Axiata', 24203],
  ['Indosat Ooredoo Hutchison', 45727], // formerly Hutchison 3
  ['M1 LIMITED', 4773],
  ['Singapore Telecom Mobile', 45143],
  ['DiGi', 4818],
  ['Celcom', 10030],
  ['U Mobile', 38466],
  ['Total Access Communication', 24378], // dtac
  ['DTAC TriNet', 9587],
  ['ADVANCED WIRELESS NETWORK', 131445], // AIS; 133481 is its fibre
  ['Realmove', 132061],
  ['Smart Broadband', 10139],
  ['Globe Telecom', 132199],
  ['DITO', 139831],
  ['MOBIFONE', 131429],
  ['Atom Myanmar', 133385],
  // East Asia.
  ['NTT DOCOMO', 9605],
  ['Rakuten Mobile', 23720, 138384],
  ['SK Telecom', 9644],
  ['LGTELECOM', 17853],
  ['Taiwan Mobile', 24158],
  ['Mobile Business Group', 17421], // Chunghwa's mobile network
  ['Smartone', 17924],
];
