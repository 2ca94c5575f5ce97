/** A text with the problems of its lines, and suggestions for the place of the cursor. */
import type { JsonSchema } from '@holdfast/core';
import type { Problem } from '@holdfast/manifest/lab';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { type Completion, completionAt, type Suggestion } from './completion.ts';

export interface YamlEditorProps {
  readonly label: string;
  readonly value: string;
  readonly schema: JsonSchema;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
}

const maxSuggestions = 8;
const nothing: Completion = { from: 0, suggestions: [] };

export function YamlEditor({ label, value, schema, problems, onChange }: YamlEditorProps): ReactNode {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [completion, setCompletion] = useState(nothing);
  const shown = completion.suggestions.slice(0, maxSuggestions);

  const look = (): void => {
    const element = area.current;
    if (element) setCompletion(completionAt(element.value, element.selectionStart, schema));
  };
  const insert = (text: string): void => {
    const element = area.current;
    if (!element) return;
    element.setRangeText(text, completion.from, element.selectionStart, 'end');
    onChange(element.value);
    setCompletion(nothing);
    element.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') return setCompletion(nothing);
    if (event.key !== ' ' || !event.ctrlKey) return undefined;
    event.preventDefault();
    return look();
  };
  return (
    <div className="editor">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        ref={area}
        value={value}
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(24, Math.max(8, value.split('\n').length + 1))}
        aria-describedby={`${id}-problems`}
        aria-invalid={problems.length > 0}
        onChange={(event) => {
          onChange(event.target.value);
          look();
        }}
        onKeyDown={press}
        onClick={look}
      />
      <Suggestions suggestions={shown} onChoose={insert} />
      <Problems id={`${id}-problems`} problems={problems} />
    </div>
  );
}

interface SuggestionsProps {
  readonly suggestions: readonly Suggestion[];
  readonly onChoose: (text: string) => void;
}

function Suggestions({ suggestions, onChoose }: SuggestionsProps): ReactNode {
  if (suggestions.length === 0) return null;
  return (
    <ul className="suggestions" aria-label="Suggestions">
      {suggestions.map(({ text, note }) => (
        <li key={text}>
          <button type="button" onClick={() => onChoose(text)}>
            <code>{text.trim()}</code> <span>{note}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Problems({ id, problems }: { readonly id: string; readonly problems: readonly Problem[] }): ReactNode {
  return (
    <div id={id} role="alert">
      <ul className="problems">
        {problems.map(({ line, column, message, allowed, suggestion }) => (
          <li key={`${line}:${column} ${message}`}>
            Line {line}, column {column}: {message}
            {suggestion === undefined ? '' : `. Did you mean ${suggestion}?`}
            {allowed === undefined ? '' : `. Allowed: ${allowed}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
