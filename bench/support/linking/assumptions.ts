/*
 * Assumptions of the model, each a prior without a measurement. They were written before the first run and
 * follow from the behavior of such people, not from the results of the rules. Shares are of 1.
 */
export const ASSUMPTIONS = {
  /** Accounts of fraud rings. */
  ringAccounts: 0.04,
  /** People with more than one account, among those outside rings. */
  severalAccounts: 0.25,
  /** Share of them who hide it: for a bonus, or after a ban. The others forgot, or separate work and leisure. */
  evaders: 0.4,

  /** Fields that services require, or leave optional. */
  emailGiven: 0.98,
  phoneGiven: 0.65,
  nameGiven: 0.85,
  /** Accounts for which the service says in which country it expects the person. */
  countryExpected: 0.5,
  /** Phones written without the country's code: always where a country is expected, seldom elsewhere. */
  nationalWhereExpected: 0.5,
  nationalElsewhere: 0.05,
  /** Typing errors that are not corrected. */
  emailTypo: 0.02,
  nameTypo: 0.02,
  /** Names that are written differently the next time: without accents, short, swapped, in Latin letters. */
  nameRewritten: 0.18,

  /** Attributes that the further account of a person who forgot the first shares with it. */
  forgetfulSameMailbox: 0.1,
  forgetfulNearEmail: 0.15,
  forgetfulSamePhone: 0.8,
  forgetfulOtherName: 0.02,
  forgetfulOtherDevice: 0.35,
  forgetfulClears: 0,
  /** … and that of an evader. */
  evaderSameMailbox: 0.3,
  evaderNearEmail: 0.25,
  evaderSamePhone: 0.2,
  evaderOtherName: 0.45,
  evaderOtherDevice: 0.25,
  /** Cookies cleared, another profile, or a private window. */
  evaderClears: 0.6,
  evaderUsesVpn: 0.25,

  /** Browsers that keep a first-party id for seven days only (Safari and those with strict protection). */
  browserForgetsInWeek: 0.35,
  /** Share of visits before which the cookies were cleared. */
  visitAfterClearing: 0.05,
  /** People with a computer besides the phone. */
  ownsComputer: 0.6,
  /** Phones replaced within the eleven months of the model. */
  mobileReplaced: 0.22,
  /** Visits on another device than the one that the account was opened with, by those who have one. */
  visitOnOtherDevice: 0.2,

  /** Homes by their line: an address of their own for months, for a day, behind the operator's NAT, or IPv6. */
  homeStable: 0.45,
  homeDaily: 0.15,
  homeShared: 0.1,
  homeIpv6: 0.3,
  /** Visits of phones outside the home's Wi-Fi; share of the operator's customers behind IPv4 NAT. */
  visitOnMobile: 0.4,
  mobileIpv4: 0.5,
  /** People behind a commercial VPN. */
  vpnUsers: 0.04,

  /** People who live with another customer: a share that a service known to one adult in fifteen has. */
  livesWithCustomer: 0.12,
  /** Such homes with a shared tablet; share of them with one shared browser profile; visits on it. */
  homeSharesTablet: 0.12,
  tabletOneProfile: 0.5,
  visitOnTablet: 0.3,
  /**
   * Such homes in which a person enters the number of another (a child's account, a landline), or a mailbox
   * with a tag.
   */
  homeSharesPhone: 0.03,
  homeSharesMailbox: 0.01,

  /** People who visit from an office of 20 to 300, and from a university of some hundreds. */
  worksInOffice: 0.08,
  studies: 0.03,
  visitFromWork: 0.35,
  /** People who come from an internet café, a library or a shop's tablet, 5 to 80 at each. */
  kioskPeople: 0.01,
  /** Kiosks that do not clear the browser between customers. */
  kioskKeepsBrowser: 0.2,
  /** People whose number was another customer's, three months earlier at least. */
  recycledPhone: 0.002,

  /**
   * First and last names from the country's most frequent two dozen; the others come from a long tail. In the United
   * States these are a quarter and a tenth of the people (Census 1990 and 2010), elsewhere more and less.
   */
  frequentFirstName: 0.3,
  frequentLastName: 0.12,
  /** Addresses at the large provider, and in the person's own domain. */
  greatProvider: 0.5,
  ownDomain: 0.1,

  /**
   * Kinds of rings: one number for all confirmations, one browser, one mailbox in many spellings, or only
   * shared machines.
   */
  ringByPhone: 0.35,
  ringByBrowser: 0.25,
  ringByMailbox: 0.15,
  ringByDevices: 0.25,
  /** Rings whose mailboxes are numbered (`promo17`, `promo18`), except those with one mailbox. */
  ringNumbersMailboxes: 0.3,
  /** Rings with a fresh address for each account; the others work from one or two. */
  ringUsesProxies: 0.6,
} as const;

/** The table of all of them, a line for a few each. */
export function describeAssumptions(): string[] {
  const words = Object.entries(ASSUMPTIONS).map(([name, share]) => `${name} ${share}`);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 112) lines.push(word);
    else lines[lines.length - 1] = `${last}, ${word}`;
  }
  return lines;
}
