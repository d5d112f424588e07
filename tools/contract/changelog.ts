/** What CHANGELOG.md says of versions and of breaking changes. */

const HEADING = /^## (?<version>\d+\.\d+\.\d+)(?<unreleased> \(unreleased\))?/;

/** The newest version that is released; null before the first. */
export function lastRelease(changelog: string): string | null {
  for (const line of changelog.split('\n')) {
    const { version, unreleased } = HEADING.exec(line)?.groups ?? {};
    if (version !== undefined && unreleased === undefined) return version;
  }
  return null;
}

/** Coordinates that notes of the unreleased section name: `- **Breaking**: ` and coordinates in backticks. */
export function notedCoordinates(changelog: string): string[] {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => HEADING.exec(line)?.groups?.unreleased !== undefined);
  if (start < 0) return [];
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join('\n');
  return section
    .split(/\n(?=- )/)
    .filter((entry) => entry.trimStart().startsWith('- **Breaking**:'))
    .flatMap((entry) =>
      [...entry.matchAll(/`([^`]+)`/g)].map(([, coordinate]) => coordinate!.replace(/\s+/g, ' ')),
    );
}

/** Whether a note names a coordinate, or something that contains it: `Account` contains `Account.email`. */
export function isNoted(coordinate: string, noted: readonly string[]): boolean {
  return noted.some(
    (name) =>
      coordinate === name || (coordinate.startsWith(name) && /^[.( []/.test(coordinate.slice(name.length))),
  );
}
