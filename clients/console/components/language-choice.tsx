import { LANGUAGES, type Language } from '../../shared/languages.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Choice of the language of the console. A plain select: phones show their own list. */
export function LanguageChoice() {
  const { language, text, chooseLanguage } = useTexts();
  return (
    <label className="language">
      <span>{text('language')}</span>
      <select
        value={language}
        onChange={({ currentTarget }) => void chooseLanguage(currentTarget.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
