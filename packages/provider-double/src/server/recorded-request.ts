/** What a double keeps about each request. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';
import type { RequestProblem } from '../rules/problem.ts';

/** Why a request was not answered. */
export interface RecordedRefusal {
  readonly status: number;
  readonly message: string;
  /** Every broken rule; the client received the first one. Empty for a wrong key, an unknown model or a scripted error. */
  readonly problems: readonly RequestProblem[];
}

export interface RecordedRequest {
  readonly path: string;
  /** As sent, with the model from the URL added in formats that have it there. */
  readonly body: unknown;
  readonly neutral: NeutralRequest;
  /** `undefined` if the request was answered. */
  readonly refused: RecordedRefusal | undefined;
}
