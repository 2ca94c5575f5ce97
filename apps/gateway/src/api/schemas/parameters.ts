/** Owns the types of parameters: strings of a query or header that are parsed to other values. */
import { suggest } from '@holdfast/core/internal/plain';
import { z } from '@hono/zod-openapi';

/** An integer. */
export function wholeNumber(min: number, max: number): z.ZodType<number, string>;
export function wholeNumber(min: number, max: number, standard: number): z.ZodType<number, string | undefined>;
export function wholeNumber(
  min: number,
  max: number,
  standard?: number,
): z.ZodType<number, string> | z.ZodType<number, string | undefined> {
  const allowed = `a whole number from ${min} to ${max}`;
  const schema = z
    .string()
    .transform((text) => (/^\d{1,16}$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= min && value <= max, allowed);
  const described = { type: 'integer', minimum: min, maximum: max } as const;
  return standard === undefined ? schema.openapi(described) : schema.default(standard).openapi({ ...described, default: standard });
}

/** ISO 8601, or milliseconds since 1970. */
export const time: z.ZodType<number, string> = z
  .string()
  .max(40)
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN))
  .refine((value) => Number.isFinite(value), 'a time such as 2026-11-22T10:00:00Z, or milliseconds since 1970')
  .openapi({ type: 'string', examples: ['2026-11-22T10:00:00Z'] });

/** A list of words: a repeated parameter, or one parameter with commas. */
export const listOf = <Word extends string>(words: readonly [Word, ...Word[]]): z.ZodType<readonly Word[], string | string[]> =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given, context) => {
      const texts = [given].flat().flatMap((text) => text.split(','));
      const wrong = texts.find((text) => !words.some((word) => word === text));
      if (wrong !== undefined) {
        const suggestion = suggest(wrong, words);
        context.addIssue({ code: 'custom', message: `one or more of ${words.join(', ')}`, params: { suggestion } });
      }
      return texts as readonly string[] as readonly Word[];
    })
    .openapi({ type: 'array', items: { type: 'string', enum: [...words] } });

/** A boolean that may be absent. */
export const optionalFlag: z.ZodType<boolean | undefined, string | undefined> = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .optional()
  .openapi({ type: 'boolean' });

export const flag = (standard: boolean): z.ZodType<boolean, string | undefined> =>
  z
    .enum(['true', 'false'])
    .transform((word) => word === 'true')
    .default(standard)
    .openapi({ type: 'boolean', default: standard });
