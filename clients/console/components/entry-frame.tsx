import type { ReactNode } from 'react';
import { LanguageChoice } from './language-choice.tsx';

/** Layout of pages without a signed-in person. */
export function EntryFrame({ children }: { children: ReactNode }) {
  return (
    <div className="entry">
      <header>
        <p className="brand">Vouchgraph</p>
      </header>
      <main className="card">{children}</main>
      <footer>
        <LanguageChoice />
      </footer>
    </div>
  );
}
