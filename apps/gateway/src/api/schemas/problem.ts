/** Owns the schema of refusals, and describing why a value does not match a schema. */
import { suggest, truncate } from '@holdfast/core/internal/plain';
import { z } from '@hono/zod-openapi';
import type { FieldProblem } from '../../contract.ts';

const fieldProblem = {
  code: z.string().openapi({ description: 'Stable, upper case.' }),
  message: z.string(),
  field: z.string().optional().openapi({ description: 'The field, such as `calls[0].arguments`, or the name of a parameter.' }),
  allowed: z.string().optional().openapi({ description: 'What is allowed.' }),
  suggestion: z.string().optional().openapi({ description: 'A similar known name.' }),
  hint: z.string().optional().openapi({ description: 'How to fix it.' }),
  line: z.int().optional(),
  column: z.int().optional(),
};

export const problemSchema: z.ZodType = z
  .object({
    status: z.int(),
    title: z.string(),
    detail: z.string(),
    error: z
      .object({
        ...fieldProblem,
        retry_after_ms: z.number().optional(),
        problems: z.array(z.object(fieldProblem).openapi('FieldProblem')).optional(),
      })
      .openapi('Error'),
  })
  .openapi('Problem');

/** At most this many unknown keys are reported. */
const maxKeys = 20;

/** Keys of the TypeScript interface and of other APIs, with the key they have here. */
const otherNames: Readonly<Record<string, string>> = {
  tool: 'tool_id',
  tool_name: 'tool_id',
  toolName: 'tool_id',
  name: 'tool_id',
  args: 'arguments',
  input: 'arguments',
  id: 'call_id',
};

/** Returns the problems of a value that a schema rejected. */
export function problemsOf({ issues }: z.ZodError, schema: z.ZodType | undefined, value: unknown): readonly FieldProblem[] {
  return issues.flatMap((issue) => problemsOfIssue(issue, schema, value));
}

function problemsOfIssue(issue: z.core.$ZodIssue, schema: z.ZodType | undefined, value: unknown): readonly FieldProblem[] {
  const field = fieldText(issue.path);
  const place = field === '' ? {} : { field };
  const name = field === '' ? 'The body' : `'${field}'`;
  const input = inputAt(value, issue.path);
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
      return issue.keys.slice(0, maxKeys).map((key) => {
        const near = suggest(key, known) ?? known.find((name) => name === otherNames[key]);
        const problem = {
          code: 'UNKNOWN_KEY',
          message: `Unknown key '${key}'`,
          field: fieldText([...issue.path, key]),
          allowed: known.join(', '),
        };
        return near === undefined ? problem : { ...problem, suggestion: near };
      });
    }
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      const near = typeof input === 'string' ? suggest(input, allowed) : undefined;
      const problem = { code: 'NOT_ALLOWED', message: `${name} is ${describe(input)}`, ...place, allowed: allowed.join(', ') };
      return [near === undefined ? problem : { ...problem, suggestion: near }];
    }
    case 'invalid_type': {
      const missing = input === undefined;
      return [
        { code: missing ? 'MISSING' : 'WRONG_TYPE', message: `${name} is ${describe(input)}`, ...place, allowed: article(issue.expected) },
      ];
    }
    case 'custom': {
      const suggestion: unknown = issue.params?.['suggestion'];
      const problem = { code: 'NOT_ALLOWED', message: `${name} is ${describe(input)}`, ...place, allowed: issue.message };
      return [typeof suggestion === 'string' ? { ...problem, suggestion } : problem];
    }
    default:
      return [{ code: 'OUT_OF_RANGE', message: `${name} is ${describe(input)}`, ...place, allowed: issue.message }];
  }
}

function inputAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner: unknown = value;
  for (const step of path)
    inner = typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<PropertyKey, unknown>>)[step] : undefined;
  return inner;
}

const article = (expected: string): string => (/^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`);

function describe(value: unknown): string {
  if (typeof value === 'string') return `'${truncate(value, 80)}'`;
  if (value === undefined) return 'missing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

function fieldText(path: readonly PropertyKey[]): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? String(step) : `.${String(step)}`)).join('');
}
