/** A failed request, as a value that a screen can show. */
import { fields } from '@holdfast/core/turn-view';
import type { ErrorBody } from '@holdfast/gateway/contract';

type ProblemKind =
  /** No response. */
  | 'gone'
  /** A token is missing or wrong. */
  | 'denied'
  | 'not_found'
  /** The gateway rejected the request, with a reason. */
  | 'refused'
  /** The response could not be parsed. */
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
  title: 'The gateway does not respond',
  detail: 'It may be restarting. This page retries automatically.',
};

const kindOf = (status: number): ProblemKind => {
  if (status === 401 || status === 403) return 'denied';
  return status === 404 ? 'not_found' : 'refused';
};

/** Reads an error response. A body that is not `application/problem+json` is described by its status. */
export function problemOf(status: number, body: unknown): Problem {
  const { title, detail, error } = fields.record(body);
  const known = errorOf(error);
  const kind = kindOf(status);
  return {
    kind,
    status,
    title: text(title) ?? (kind === 'denied' ? 'A token is required' : `The gateway responded with status ${status}`),
    detail: known?.message ?? text(detail) ?? 'No reason given.',
    ...(known === undefined ? {} : { error: known }),
  };
}

const errorOf = (value: unknown): ErrorBody | undefined => {
  const { code, message } = fields.record(value);
  return typeof code === 'string' && typeof message === 'string' ? (value as ErrorBody) : undefined;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
