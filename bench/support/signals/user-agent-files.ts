/** The user agents in a file of a public list, by its name: YAML or JSON as such lists have it, else one a line. */
export function userAgentsOf(name: string, text: string): string[] {
  const found = name.endsWith('.json')
    ? ofJson(text)
    : /\.ya?ml$/.test(name)
      ? ofYaml(text)
      : text.split('\n').filter((line) => !line.startsWith('#'));
  return found.map((userAgent) => userAgent.trim()).filter((userAgent) => userAgent !== '');
}

/** An array of strings, or of records with `ua`, `user_agent` or a list of `instances`; else nothing. */
function ofJson(text: string): string[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((entry) => {
    const { ua, user_agent: userAgent, instances } = Object(entry);
    return [entry, ua, userAgent, ...(Array.isArray(instances) ? instances : [])].filter(
      (each): each is string => typeof each === 'string',
    );
  });
}

/** Lines with `user_agent:`, or items of a map of lists: the only YAML that these lists use. */
function ofYaml(text: string): string[] {
  const lines = text.split('\n');
  const named = lines.flatMap((line) => /^\s*(?:- )?user_agent:\s*(.+)$/.exec(line)?.[1] ?? []);
  const items = lines.flatMap((line) => /^ {2}- (?!\w+: )(.+)$/.exec(line)?.[1] ?? []);
  // A multi-line string starts with `|` or `>`: a handful, which are omitted.
  return (named.length > 0 ? named : items).filter((scalar) => !/^[|>]/.test(scalar)).map(unquoted);
}

function unquoted(scalar: string): string {
  const text = scalar.trim();
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(["\\/])/g, '$1');
  return text.startsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
}
