/** Owns what `holdfast doctor` says of one thing. */

export type FindingStatus = 'ok' | 'warning' | 'error';

export interface Finding {
  /** What was looked at: `manifest`, `store`, `server` … */
  readonly check: string;
  /** Which one, where there are several. */
  readonly subject?: string;
  readonly status: FindingStatus;
  /** One line. Never a secret. */
  readonly message: string;
  /** What to do. */
  readonly advice?: string;
  /** More of it, such as the end of a server's standard error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A check finds something, whatever happens in it. */
export async function safely(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [{ check, status: 'error', message: error instanceof Error ? error.message : String(error) }];
  }
}
