/** Owns checking arguments against the Zod types of a tool, to describe mismatches in the words of all adapters: the SDK prints a list of issues. */
import { describeRejection } from '@holdfast/adapter-kit';

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** What every Zod type can do, of version 3.24 or newer. */
interface ZodType {
  readonly '~standard': { readonly validate: (value: unknown) => unknown };
}

const isZodType = (value: unknown): value is ZodType => typeof value === 'object' && value !== null && '~standard' in value;

/** Returns the description of what does not match; `undefined` if everything does, or if it cannot be told. */
export async function mismatchOf(schema: object, value: unknown): Promise<string | undefined> {
  const issues = await issuesOf(schema, value).catch(() => []);
  return issues.length === 0 ? undefined : describeRejection(value, { issues });
}

async function issuesOf(schema: object, value: unknown): Promise<readonly Issue[]> {
  if (isZodType(schema)) return issuesOfType(schema, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ message: 'must be an object' }];
  const given = value as Readonly<Record<string, unknown>>;
  const lists = await Promise.all(
    Object.entries(schema).map(async ([name, type]) => {
      const issues = isZodType(type) ? await issuesOfType(type, given[name]) : [];
      return issues.map((issue): Issue => ({ ...issue, path: [name, ...(issue.path ?? [])] }));
    }),
  );
  return lists.flat();
}

async function issuesOfType(type: ZodType, value: unknown): Promise<readonly Issue[]> {
  const { issues = [] } = (await type['~standard'].validate(value)) as { readonly issues?: readonly Issue[] };
  return issues;
}
