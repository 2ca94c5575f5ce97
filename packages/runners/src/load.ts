import type { Runner } from '@holdfast/core';

/** A runner that loads its client library at its first call: loading it is slow, and not every process needs it. */
export interface LoadableRunner extends Runner<unknown> {
  /** Loads the client library now, so that the first call does not have to. Opens no connection. */
  readonly load: () => Promise<void>;
}
