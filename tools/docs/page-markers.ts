/** Replaces the text between `<!-- marker:begin -->` and `<!-- marker:end -->` of a page; throws without these markers. */
export function replaceBetweenMarkers(page: string, marker: string, text: string): string {
  const pattern = new RegExp(`(<!-- ${marker}:begin -->\n)[\\s\\S]*?(<!-- ${marker}:end -->)`);
  if (!pattern.test(page)) throw new Error(`the page has no markers for ${marker}`);
  return page.replace(pattern, (_all, begin: string, end: string) => `${begin}\n${text}\n\n${end}`);
}
