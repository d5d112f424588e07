/** Width of the documents, in characters. */
const WIDTH = 130;

/** An item of a Markdown list: a label and words as code, in lines of the width of the documents. */
export function codeItem(label: string, words: Iterable<string>): string {
  const lines = [`- ${label}:`];
  for (const word of words) {
    const line = `${lines.at(-1)} \`${word}\``;
    if (line.length <= WIDTH) lines[lines.length - 1] = line;
    else lines.push(`  \`${word}\``);
  }
  return lines.join('\n');
}
