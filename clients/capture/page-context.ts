import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Flow } from './flow.ts';
import type { TextKey } from './texts/en.ts';

/** Context of every screen: the flow, and its texts in the current language. */
export type PageTools = {
  flow: Flow;
  text: (key: TextKey, values?: Record<string, string | number>) => string;
};

export const PageContext = createContext<PageTools | null>(null);

export function usePage(): PageTools {
  return useContext(PageContext)!;
}
