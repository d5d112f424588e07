/** Business of a network's operator. */
export type AsnClass =
  | 'satellite'
  | 'mobile'
  | 'vpn'
  | 'tor'
  | 'hosting'
  | 'cdn'
  | 'education'
  | 'government'
  | 'business';
