/** The form fields of one label matcher. */
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import style from './alerts.module.css';
import { type DraftMatcher, operators } from './silence.model.ts';

export interface MatcherFieldsProps {
  readonly matcher: DraftMatcher;
  readonly error: string | undefined;
  readonly onChange: (matcher: DraftMatcher) => void;
  readonly onRemove: (() => void) | undefined;
}

export function MatcherFields({ matcher, error, onChange, onRemove }: MatcherFieldsProps): ReactNode {
  return (
    <div className={style['matcher']}>
      <TextField
        label="Label"
        value={matcher.name}
        error={error}
        onChange={(name) => onChange({ ...matcher, name })}
        autoComplete="off"
        spellCheck={false}
      />
      <SelectField
        label="Operator"
        options={operators}
        value={matcher.operator}
        onChange={(operator) => onChange({ ...matcher, operator })}
      />
      <TextField
        label="Value"
        value={matcher.value}
        onChange={(value) => onChange({ ...matcher, value })}
        autoComplete="off"
        spellCheck={false}
      />
      {onRemove && <Button kind="quiet" icon="close" aria-label={`Remove the label ${matcher.name}`} onClick={onRemove} />}
    </div>
  );
}
