import { useId } from 'react';

/** A choice of a form. A plain select: phones show their own list. */
export function SelectField<Value extends string>(props: {
  name: string;
  label: string;
  options: readonly { value: Value; text: string }[];
  defaultValue: Value;
  onChange?: (value: Value) => void;
}) {
  const { name, label, options, defaultValue, onChange } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        defaultValue={defaultValue}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value as Value)}
      >
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
