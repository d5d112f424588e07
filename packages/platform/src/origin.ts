const LOCAL_HOSTS = /^(localhost|.+[.]localhost|127[.]0[.]0[.]1|\[::1\])$/;
const MAX_ORIGIN_LENGTH = 300;

/**
 * An origin in the form that browsers send: lower case, without the default port, the host's letters as Punycode. Null when
 * the text is no origin (a path, a user, a wildcard), or one whose pages others could forge: plain http is only for the
 * developer's own machine.
 */
export function toOrigin(text: string): string | null {
  if (text.length > MAX_ORIGIN_LENGTH || !/^https?:[/]{2}[^\s/\\?#@*]+$/i.test(text) || !URL.canParse(text))
    return null;
  const { origin, protocol, hostname } = new URL(text);
  return protocol === 'https:' || LOCAL_HOSTS.test(hostname) ? origin : null;
}
