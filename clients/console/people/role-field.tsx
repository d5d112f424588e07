import { ROLE_TEXTS } from '../app/labels.ts';
import { SelectField } from '../components/select-field.tsx';
import type { PersonRole } from '../operations/generated/operations.ts';
import { useTexts } from '../texts/texts-context.tsx';

/** Field `role`. */
export function RoleField(props: { defaultValue: PersonRole; onChange?: (role: PersonRole) => void }) {
  const { text } = useTexts();
  const options = (Object.keys(ROLE_TEXTS) as PersonRole[]).map((value) => ({
    value,
    text: text(ROLE_TEXTS[value]),
  }));
  return <SelectField name="role" label={text('people_role')} options={options} {...props} />;
}
