const ROOT = '/console';

/** Path of the console to open after the sign-in. Anything else, such as another host, becomes the first page. */
export function returnPath(wanted: string | undefined, ownOrigin: string = location.origin): string {
  if (wanted === undefined || !URL.canParse(wanted, ownOrigin)) return ROOT;
  const { origin, pathname, search } = new URL(wanted, ownOrigin);
  const isOfConsole = pathname === ROOT || pathname.startsWith(`${ROOT}/`);
  const isEntry = pathname === `${ROOT}/sign-in` || pathname === `${ROOT}/invitation`;
  return origin === ownOrigin && isOfConsole && !isEntry ? pathname + search : ROOT;
}
