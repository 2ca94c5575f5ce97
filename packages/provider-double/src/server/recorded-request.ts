/** What a double keeps about each request. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { RequestProblem } from '../rules/problem.ts';

/** Why a request was not answered. */
export interface RecordedRefusal {
  /** HTTP status of the refusal. */
  readonly status: number;
  /** Message that the client received. */
  readonly message: string;
  /** Every broken rule; the client received the first one. Empty for a wrong key, an unknown model or a scripted error. */
  readonly problems: readonly RequestProblem[];
}

/** One request that reached the double, and how it was answered. */
export interface RecordedRequest {
  /** Path of the URL, without the query. */
  readonly path: string;
  /** As sent, with the model from the URL added in formats that have it there. */
  readonly body: unknown;
  /** The request in terms that belong to no format. */
  readonly neutral: NeutralRequest;
  /** `undefined` if the request was answered. */
  readonly refused: RecordedRefusal | undefined;
}
