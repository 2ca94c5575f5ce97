/** Owns saying in a line what a tool takes, for a model that called it wrongly. Does not own what was wrong (`../../engine/schema/validator.ts`). */
import type { JsonSchema } from '../../engine/schema/standard-schema.ts';
import { isRecord } from '../../engine/plain/is-object.ts';

/** Parameters that are named. */
const NAMED = 12;
const MAX_CHARS = 400;

/** `symbol: string, range?: "1d" | "5d"`; `undefined` where the schema does not say, or says too much for a line. */
export function saySignature(schema: JsonSchema | undefined): string | undefined {
  try {
    const { properties, required } = schema ?? {};
    if (!isRecord(properties)) return undefined;
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const all = Object.entries(properties);
    const said = all.slice(0, NAMED).map(([name, part]) => `${name}${needed.includes(name) ? '' : '?'}: ${sayType(part)}`);
    const text = [...said, ...(all.length > NAMED ? [`and ${all.length - NAMED} more`] : [])].join(', ');
    return text === '' || text.length > MAX_CHARS ? undefined : text;
  } catch {
    return undefined;
  }
}

function sayType(part: unknown): string {
  if (!isRecord(part)) return 'any';
  const { type, enum: allowed, items } = part;
  if ('const' in part) return JSON.stringify(part['const']);
  if (Array.isArray(allowed)) return allowed.length > 8 ? 'one of a list' : allowed.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `array of ${sayType(items)}`;
  if (Array.isArray(type)) return type.join(' | ');
  return typeof type === 'string' ? type : 'any';
}
