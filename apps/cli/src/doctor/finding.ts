/** One result of `holdfast doctor`. */

export type FindingStatus = 'ok' | 'warning' | 'error';

export interface Finding {
  /** What was checked: `manifest`, `store`, `server` … */
  readonly check: string;
  /** Which one, if there are several. */
  readonly subject?: string;
  readonly status: FindingStatus;
  /** One line, without secrets. */
  readonly message: string;
  /** What to do. */
  readonly advice?: string;
  /** Further data, such as the end of a server's standard error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Runs a check; an exception becomes a finding. */
export async function runCheck(check: string, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    return [{ check, status: 'error', message: error instanceof Error ? error.message : String(error) }];
  }
}
