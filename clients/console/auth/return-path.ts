const ROOT = '/console';

/** Path of the console to open after the sign-in. Anything else, such as another host, becomes the first page. */
export function returnPath(wanted: string | undefined, ownOrigin: string = location.origin): string {
  if (wanted === undefined || !URL.canParse(wanted, ownOrigin)) return ROOT;
  const { origin, pathname, search } = new URL(wanted, ownOrigin);
  const isOfConsole = pathname === ROOT || pathname.startsWith(`${ROOT}/`);
  const isSignIn = pathname === `${ROOT}/sign-in`;
  return origin === ownOrigin && isOfConsole && !isSignIn ? pathname + search : ROOT;
}
