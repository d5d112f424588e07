/** The element of an id that the page has. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** A new element. Text goes in as text, so that nothing that was collected can become markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: { className?: string },
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  made.className = properties.className ?? '';
  made.append(...children);
  return made;
}

/** Fills a description list. */
export function fillFacts(list: HTMLElement, facts: Readonly<Record<string, unknown>>): void {
  const rows = Object.entries(facts).flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, shown(value)),
  ]);
  list.replaceChildren(...rows);
}

function shown(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (value === '' || (Array.isArray(value) && value.length === 0)) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
