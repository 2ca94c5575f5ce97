/** Owns the body of an operation: its media type, and its arguments. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { OpenapiDocument, Plain } from './document.ts';
import { objectSchema } from './object-schema.ts';
import { follow } from './reference.ts';

interface BodyField {
  readonly argument: string;
  /** The property; `undefined` if the argument is the body itself. */
  readonly name: string | undefined;
  readonly schema: unknown;
  readonly isRequired: boolean;
}

export interface BodyPlan {
  readonly kind: 'json' | 'form' | 'text';
  readonly contentType: string;
  readonly fields: readonly BodyField[];
  /** Further arguments that go into the body: any (`true`), or those of this schema. `undefined`: none. */
  readonly further: unknown;
  readonly isRequired: boolean;
  /** For a form: the encoding of properties that are not plain values. */
  readonly encoding: Readonly<Record<string, { readonly style: string; readonly explode: boolean }>>;
}

/** Media types in the order of preference. */
const kinds: readonly (readonly [BodyPlan['kind'], RegExp])[] = [
  ['json', /^application\/json\b/i],
  ['json', /\+json\b/i],
  ['json', /^(?:\*\/\*|application\/\*)/],
  ['form', /^application\/x-www-form-urlencoded\b/i],
  ['text', /^text\/|[/+](?:xml|yaml|x-yaml|csv|graphql|javascript)\b/i],
];

/** @throws TypeError if the media type cannot be built from JSON */
export function bodyOf({ root }: OpenapiDocument, body: Plain, named: (wished: string, place: string) => string): BodyPlan | undefined {
  const content = isRecord(body['content']) ? body['content'] : {};
  const types = Object.keys(content);
  if (types.length === 0) return undefined;
  const [kind, type] = chooseType(types);
  const media = isRecord(content[type]) ? content[type] : {};
  const isRequired = body['required'] === true;
  const contentType = type.includes('*') ? 'application/json' : type;
  const plan = { kind, contentType, isRequired, encoding: encodingOf(root, media['encoding']) };
  const object = kind === 'text' ? undefined : objectSchema(root, media['schema']);
  if (object === undefined) {
    if (kind === 'form') throw new TypeError('its form has no properties');
    const schema = kind === 'text' ? { type: 'string' } : (media['schema'] ?? {});
    return { ...plan, further: undefined, fields: [{ argument: named('body', 'whole'), name: undefined, schema, isRequired }] };
  }
  const fields = [...object.properties].map(([name, schema]) => ({
    argument: named(name, 'body'),
    name,
    schema,
    isRequired: isRequired && object.required.has(name),
  }));
  const further = object.further === true || isRecord(object.further) ? object.further : undefined;
  return { ...plan, fields, further };
}

function chooseType(types: readonly string[]): readonly [BodyPlan['kind'], string] {
  for (const [kind, pattern] of kinds) {
    const type = types.find((each) => pattern.test(each.trim()));
    if (type !== undefined) return [kind, type.trim()];
  }
  throw new TypeError(`its body is ${types.join(' or ')}, but only JSON, forms and text can be sent`);
}

function encodingOf(root: Plain, given: unknown): BodyPlan['encoding'] {
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const encoding = follow(root, value) ?? {};
      const style = typeof encoding['style'] === 'string' ? encoding['style'] : 'form';
      return [name, { style, explode: typeof encoding['explode'] === 'boolean' ? encoding['explode'] : style === 'form' }];
    }),
  );
}
