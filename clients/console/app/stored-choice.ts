/** A choice of the person that this browser keeps. */
type Choice = 'language' | 'project';

const keyOf = (choice: Choice) => `vouchgraph.console.${choice}`;

/** The stored choice; null without one, or where the browser stores nothing. */
export function storedChoice(choice: Choice): string | null {
  try {
    return localStorage.getItem(keyOf(choice));
  } catch {
    return null;
  }
}

/** Stores a choice; null removes it. A browser that stores nothing keeps it until the page is closed. */
export function storeChoice(choice: Choice, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(keyOf(choice));
    else localStorage.setItem(keyOf(choice), value);
  } catch {
    // The choice lasts as long as the page.
  }
}
