/** Owns the checks of single texts and numbers, and suggestions for common YAML mistakes. */
import type { NumberShape, Shape, TextShape } from '../shape/shape.ts';

export function checkNumber(value: number, shape: NumberShape): boolean {
  if (Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) return shape.infinite === true && value > 0;
  return (
    (!shape.integer || Number.isSafeInteger(value)) &&
    value >= (shape.minimum ?? -Infinity) &&
    value <= (shape.maximum ?? Infinity) &&
    (shape.above === undefined || value > shape.above)
  );
}

export interface TextFlaw {
  readonly code: 'wrong_type' | 'bad_regex' | 'bad_identifier' | 'bad_url' | 'not_allowed';
  readonly allowed?: string;
}

const identifier = /^[\p{L}\p{N}_.:/-]+$/u;

export function checkText(text: string, shape: TextShape): TextFlaw | undefined {
  if (!shape.empty && text.trim() === '') return { code: 'wrong_type', allowed: 'a non-empty string' };
  if (text.includes('\0')) return { code: 'wrong_type', allowed: 'a string without NUL characters' };
  if (shape.form && !new RegExp(shape.form.pattern, 'u').test(text)) return { code: 'bad_identifier', allowed: shape.form.description };
  switch (shape.role) {
    case 'identifier':
      return identifier.test(text) ? undefined : { code: 'bad_identifier' };
    case 'regex':
      return checkRegex(text);
    case 'url':
      return checkUrl(text);
    case 'database':
      return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol) ? undefined : { code: 'bad_url' };
    case 'method':
      return /^[A-Z]+$/.test(text) ? undefined : { code: 'not_allowed' };
    default:
      return undefined;
  }
}

function checkRegex(text: string): TextFlaw | undefined {
  try {
    void new RegExp(text, 'u');
    return undefined;
  } catch (strict) {
    try {
      void new RegExp(text);
      return undefined;
    } catch {
      const reason =
        String((strict as Error).message)
          .split(': ')
          .at(-1) ?? '';
      return { code: 'bad_regex', allowed: `a regular expression (${reason})` };
    }
  }
}

/** It may contain a template: `https://host/{{arguments.city}}`. */
function checkUrl(text: string): TextFlaw | undefined {
  const sample = text.replaceAll(/\{\{[^{}]*\}\}/g, 'x');
  if (URL.canParse(sample) && /^https?:$/.test(new URL(sample).protocol)) return undefined;
  return { code: 'bad_url', allowed: 'a URL that begins with http:// or https://' };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, sec: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** Suggests 30000 for `30s`, 5 for `'5'`, true for `yes`. */
export function hintFor(value: unknown, shape: Shape): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const options = shape.kind === 'either' ? shape.options : [shape];
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)%?\s*$/.exec(value) ?? [];
  for (const option of options) {
    if (option.kind === 'number' && amount !== undefined) {
      const factor = option.unit === 'milliseconds' ? units[unit || 'ms'] : unit ? undefined : 1;
      if (factor !== undefined) return String(Number(amount) * factor);
    }
    if (option.kind === 'boolean' && /^(yes|on|true)$/i.test(value)) return 'true';
    if ((option.kind === 'boolean' || (option.kind === 'literal' && option.value === false)) && /^(no|off|false)$/i.test(value))
      return 'false';
  }
  return undefined;
}
