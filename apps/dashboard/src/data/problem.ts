/** Owns what went wrong with a request, as a value that a screen can show. */
import type { ErrorBody } from '@holdfast/gateway/contract';

type ProblemKind =
  /** Nobody answered. */
  | 'gone'
  /** A token is missing or wrong. */
  | 'denied'
  | 'not_found'
  /** The gateway said no, and why. */
  | 'refused'
  /** The answer was none that can be read. */
  | 'broken';

export interface Problem {
  readonly kind: ProblemKind;
  readonly title: string;
  readonly detail: string;
  readonly status?: number;
  readonly error?: ErrorBody;
}

export const gone: Problem = {
  kind: 'gone',
  title: 'The gateway does not answer',
  detail: 'It may be restarting. This page tries again by itself.',
};

const kindOf = (status: number): ProblemKind => {
  if (status === 401 || status === 403) return 'denied';
  return status === 404 ? 'not_found' : 'refused';
};

/** Reads a refusal; what is not `application/problem+json` is told by its status alone. */
export function problemOf(status: number, body: unknown): Problem {
  const { title, detail, error } = record(body);
  const known = errorOf(error);
  const kind = kindOf(status);
  return {
    kind,
    status,
    title: text(title) ?? (kind === 'denied' ? 'A token is needed' : `The gateway answered ${status}`),
    detail: known?.message ?? text(detail) ?? 'It gave no reason.',
    ...(known === undefined ? {} : { error: known }),
  };
}

const errorOf = (value: unknown): ErrorBody | undefined => {
  const { code, message } = record(value);
  return typeof code === 'string' && typeof message === 'string' ? (value as ErrorBody) : undefined;
};

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
