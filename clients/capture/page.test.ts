import { describe, expect, it } from 'vitest';
import { type CapturePage, capturePage, capturePageHeaders } from './page.ts';

const PAGE: CapturePage = {
  sessionId: '0198c1c8-7c0e-7d6e-8a44-0f7f6f2b3a10',
  nonce: 'bm9uY2U',
  language: 'en',
  baseUrl: 'https://id.example.com/checks/',
};

describe('document of the hosted page', () => {
  it('contains its language, its direction and its title', () => {
    expect(capturePage(PAGE)).toContain('<html lang="en" dir="ltr">');
    const arabic = capturePage({ ...PAGE, language: 'ar' });
    expect(arabic).toContain('<html lang="ar" dir="rtl">');
    expect(arabic).toContain('<title>التحقق من الهوية</title>');
  });

  it('has one script and one stylesheet, both with the nonce, below the path of the service', () => {
    const html = capturePage(PAGE);
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).toContain('src="/checks/verify/capture.js" nonce="bm9uY2U"');
    expect(html.match(/rel="stylesheet"/g)).toHaveLength(1);
    expect(html).toContain('href="/checks/verify/capture.css" nonce="bm9uY2U"');
    expect(html).not.toContain('id.example.com');
  });

  it('passes the session and the simulation flag to the script', () => {
    expect(capturePage(PAGE)).toContain(`data-session-id="${PAGE.sessionId}"`);
    expect(capturePage(PAGE)).toContain('data-simulated="false"');
    const simulated = capturePage({ ...PAGE, isSimulated: true, dueInMs: 3000 });
    expect(simulated).toContain('data-simulated="true"');
    expect(simulated).toContain('data-due-in-ms="3000"');
  });

  it('contains the escaped redirect URL of the link', () => {
    expect(capturePage(PAGE)).toContain('data-redirect-url=""');
    const html = capturePage({ ...PAGE, redirectUrl: 'https://shop.example/?a=1&b="><script>' });
    expect(html).toContain('data-redirect-url="https://shop.example/?a=1&amp;b=&quot;&gt;&lt;script&gt;"');
  });

  it('shows a message when JavaScript is disabled', () => {
    expect(capturePage(PAGE)).toMatch(/<noscript>.*JavaScript.*<\/noscript>/);
  });

  it('escapes values in attributes', () => {
    const html = capturePage({ ...PAGE, sessionId: '"><script>alert(1)</script>' });
    expect(html.match(/<script/g)).toHaveLength(1);
  });
});

describe('response headers of the hosted page', () => {
  it('allow only content of the page itself', () => {
    const policy = capturePageHeaders('abc')['content-security-policy']!;
    expect(policy.split('; ').sort()).toEqual(
      [
        "default-src 'none'",
        "script-src 'nonce-abc'",
        "style-src 'nonce-abc'",
        "connect-src 'self'",
        'img-src blob: data:',
        'media-src blob:',
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].sort(),
    );
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it('allow the camera for the page itself and send no referrer', () => {
    expect(capturePageHeaders('abc')).toMatchObject({
      'permissions-policy': expect.stringContaining('camera=(self)'),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });
});
