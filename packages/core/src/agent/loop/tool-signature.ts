/** Owns a one-line description of a tool's parameters, for a model that called it with invalid arguments. Does not own the error (`../../engine/schema/validator.ts`). */
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import { isRecord } from '../../engine/plain/is-object.ts';

const MAX_PARAMETERS = 12;
const MAX_CHARS = 400;

/** Returns `symbol: string, range?: "1d" | "5d"`; `undefined` when the schema has no properties or too many for one line. */
export function describeSignature(schema: JsonSchema | undefined): string | undefined {
  try {
    const { properties, required } = schema ?? {};
    if (!isRecord(properties)) return undefined;
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const all = Object.entries(properties);
    const parameters = all
      .slice(0, MAX_PARAMETERS)
      .map(([name, part]) => `${name}${needed.includes(name) ? '' : '?'}: ${describeType(part)}`);
    const text = [...parameters, ...(all.length > MAX_PARAMETERS ? [`and ${all.length - MAX_PARAMETERS} more`] : [])].join(', ');
    return text === '' || text.length > MAX_CHARS ? undefined : text;
  } catch {
    return undefined;
  }
}

function describeType(part: unknown): string {
  if (!isRecord(part)) return 'any';
  const { type, enum: allowed, items } = part;
  if ('const' in part) return JSON.stringify(part['const']);
  if (Array.isArray(allowed)) return allowed.length > 8 ? 'one of a list' : allowed.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `array of ${describeType(items)}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}
