/*
 * Installed fonts among a fixed list. They come with systems, languages and programs, and stay for years.
 */

/** Fonts that distinguish systems and installed programs; no web fonts. */
const FONTS = [
  // Windows, by version and language.
  ...['Segoe UI', 'Calibri', 'Cambria Math', 'Bahnschrift', 'Aptos', 'Ebrima', 'Gabriola', 'Nirmala UI'],
  ...['Sitka Text', 'Leelawadee', 'Malgun Gothic', 'Meiryo', 'Microsoft YaHei', 'MS Gothic', 'SimSun'],
  // Office and what came with it over the years.
  ...['Century Gothic', 'Franklin Gothic Medium', 'Garamond', 'Haettenschweiler', 'MS Outlook', 'MT Extra'],
  ...['MS Reference Specialty', 'Wingdings 3', 'Bookshelf Symbol 7', 'Monotype Corsiva', 'Pristina'],
  // macOS and iOS.
  ...['Helvetica Neue', 'Menlo', 'Avenir Next', 'Gill Sans', 'Optima', 'Chalkduster', 'Luminari', 'Geneva'],
  ...['PingFang SC', 'Hiragino Sans', 'Apple SD Gothic Neo', 'Galvji', 'STIX Two Text'],
  // Linux, ChromeOS and Android.
  ...['DejaVu Sans', 'Liberation Sans', 'Cantarell', 'Nimbus Sans', 'Noto Sans CJK SC', 'Droid Sans Mono'],
  // Design and drawing programs.
  ...['Minion Pro', 'Myriad Pro', 'Trajan Pro', 'Futura Bk BT', 'Univers CE 55 Medium', 'ZWAdobeF'],
];

const FALLBACK = 'monospace';
const SAMPLE = 'mMwWlLiI0O&@ 17';

/**
 * The fonts whose text is not as wide as that of the fallback. It is measured in a frame's document, since a font that
 * the page itself loaded says nothing of the device.
 */
export function installedFonts(frameDocument: Document): string[] {
  const context = frameDocument.createElement('canvas').getContext('2d');
  if (!context) return [];
  const widthOf = (family: string) => {
    context.font = `64px ${family}`;
    return context.measureText(SAMPLE).width;
  };
  const plain = widthOf(FALLBACK);
  return FONTS.filter((font) => widthOf(`"${font}", ${FALLBACK}`) !== plain);
}
