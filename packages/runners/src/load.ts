import type { Runner } from '@holdfast/core';

/** A runner that loads its client at its first call: clients take longer to load than everything else, and not every process needs them. */
export interface LoadableRunner extends Runner<unknown> {
  /** Loads the client now, so that the first call does not spend its time on it. Connects to nothing. */
  readonly load: () => Promise<void>;
}
