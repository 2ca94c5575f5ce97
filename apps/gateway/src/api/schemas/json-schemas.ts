/** Owns the schemas of plans and policies in the OpenAPI document: those of turn files from `@holdfast/manifest`, under the document's names. */
import { turnJsonSchema } from '@holdfast/manifest';

type Plain = Readonly<Record<string, unknown>>;

const place = '#/components/schemas/';

export const planReference: { readonly $ref: string } = { $ref: `${place}TurnPlan` };
export const policyReference: { readonly $ref: string } = { $ref: `${place}Policy` };

/** Returns the schemas of the plan and of everything that it refers to, by name. */
export function planSchemas(): Readonly<Record<string, Plain>> {
  const {
    $schema: _dialect,
    title: _title,
    definitions = {},
    ...plan
  } = turnJsonSchema() as { readonly definitions?: Readonly<Record<string, Plain>> } & Plain;
  const parts = Object.entries(definitions).map(([name, schema]) => [documentName(name), referring(schema)] as const);
  return { TurnPlan: referring(plan) as Plain, ...(Object.fromEntries(parts) as Readonly<Record<string, Plain>>) };
}

/** `retry_policy` → `RetryPolicy`; `call` → `PlannedCall`, to distinguish it from `CallRequest`. */
function documentName(name: string): string {
  if (name === 'call') return 'PlannedCall';
  return name.replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: readonly [string, unknown]) => {
      const named = key === '$ref' && typeof inner === 'string' ? /^#\/definitions\/(.+)$/.exec(inner)?.[1] : undefined;
      return [key, named === undefined ? referring(inner) : `${place}${documentName(named)}`];
    }),
  );
}
