/** Form fields: every input has a visible label, and a hint and an error that screen readers read with it. */
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react';
import style from './field.module.css';
import { Icon } from './icon.tsx';

interface FieldLabels {
  readonly label: string;
  /** Hides the label visually if the value is self-explanatory. Screen readers still read it. @default false */
  readonly hideLabel?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

export interface TextFieldProps extends FieldLabels, Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, hideLabel = false, hint, error, value, onChange, ...rest }: TextFieldProps): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(input) => (
        <input {...rest} {...input} className={style['input']} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

export interface TextAreaProps extends FieldLabels, Omit<ComponentPropsWithRef<'textarea'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextArea({ label, hideLabel = false, hint, error, value, onChange, ...rest }: TextAreaProps): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(input) => (
        <textarea {...rest} {...input} className={style['input']} value={value} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}

export interface SelectFieldProps<Id extends string> extends FieldLabels {
  readonly options: readonly { readonly id: Id; readonly title: string }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

export function SelectField<Id extends string>({
  label,
  hideLabel = false,
  hint,
  error,
  options,
  value,
  onChange,
}: SelectFieldProps<Id>): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(input) => (
        <select {...input} className={style['input']} value={value} onChange={(event) => onChange(event.target.value as Id)}>
          {options.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface InputProps {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

interface FieldProps extends FieldLabels {
  /** Pass the props to the input. */
  readonly children: (input: InputProps) => ReactNode;
}

function Field({ label, hideLabel = false, hint, error, children }: FieldProps): ReactNode {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={style['field']}>
      <label className={hideLabel ? 'visually-hidden' : style['label']} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint !== undefined && (
        <span id={`${id}-hint`} className={style['hint']}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span id={`${id}-error`} className={style['error']}>
          {error}
        </span>
      )}
    </div>
  );
}

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** For toolbars: the placeholder is the label. */
export function SearchField({ label, value, onChange }: SearchFieldProps): ReactNode {
  return (
    <span className={style['search']}>
      <Icon name="search" />
      <input
        type="search"
        className={style['input']}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </span>
  );
}

export interface CheckProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Check({ label, checked, onChange }: CheckProps): ReactNode {
  return (
    <label className={style['check']}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}
