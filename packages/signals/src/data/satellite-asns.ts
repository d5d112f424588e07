import type { AsnRow } from './asn-class-rows.ts';

/**
 * Operators whose customers connect by satellite, from their registered names and their own publications. Omitted:
 * cable companies with "Satellite" in their names, and operators of satellites that mostly sell fibre.
 */
export const SATELLITE_ASNS: readonly AsnRow[] = [
  // Low orbit. 14593 is Starlink; the two others belong to its operating company.
  ['Space Exploration Technologies', 14593],
  ['SpaceX Services', 40714, 397763],
  ['OneWeb', 800],
  // Broadband to homes from geostationary orbit.
  ['Hughes Network Systems', 1358, 6621, 12440, 44795, 63062],
  ['Hughes Communications India', 17648],
  ['HUGHES TELECOMUNICACOES DO BRASIL', 28613, 266417],
  ['HUGHES DE COLOMBIA', 265705],
  ['ViaSat', 7155, 16491, 40306, 40310, 40311, 46536],
  ['VIASAT BRASIL', 273754],
  ['SKYLOGIC', 29286, 201935], // Eutelsat's broadband
  ['Eutelsat', 15829, 29137, 34444, 204276],
  ['Avanti', 39356, 328306],
  ['Star Satellite Communications', 198247, 198381, 198394, 198504, 206283, 208428], // YahClick
  ['IPSTAR Australia', 38172, 45603],
  ['Kacific Broadband Satellites', 135409],
  // Operators of satellites.
  ['SES ASTRA', 12684, 60725, 201554],
  ['New Skies Satellites', 23649],
  ['Intelsat', 22351, 26243, 46982],
  ['Hispasat', 197991, 28552, 265554],
  ['Arab Satellite Communications', 39064, 41659],
  ['Hellas Sat', 41697, 211761],
  ['Measat Satellite Systems', 38891],
  ['Asia Satellite Telecommunications', 141735],
  ['Russian Satellite Communication', 57107],
  ['Telesat Network Services', 11919, 19036],
  // Phones and terminals at sea, in the air and off the grid.
  ['Inmarsat', 25222, 31515, 31753, 152659, 397496],
  ['IRIDIUM SATELLITE', 22184, 398736],
  ['Globalstar', 19458],
  ['Thuraya', 44703],
  ['Ligado', 40435],
  ['Marlink', 5377, 8264, 8841, 14549, 22218, 24039, 44933, 55784, 209980, 210314],
  ['SpeedCast', 4913, 5666, 9229, 9731, 32034, 38456, 47339, 273359],
  ['KVH INDUSTRIES', 25687],
  ['MTNSAT', 32806],
  ['Panasonic Avionics', 64294, 132011, 394603],
  ['Anuvu', 400110],
  // Networks of small ground stations (VSAT).
  ['Globecomm', 11127, 11300, 24753, 38056],
  ['X2nSat', 15035],
  ['UltiSat', 393439],
  ['NSSLGlobal', 206437],
  ['Applied Satellite Technology', 132299, 212694, 399426],
  ['Gilat Satellite Networks', 56804],
  ['GILAT Colombia', 28083],
  ['GILAT TO HOME PERU', 61485],
  ['GILAT NETWORKS PERU', 267743],
];
