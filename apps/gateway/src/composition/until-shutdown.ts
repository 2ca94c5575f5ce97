/** Owns one run of a program: it starts, reloads its manifest on request, and closes when it is asked to stop. */
import { type ManifestWatch, type ManifestWatchOptions, watchManifest } from './watch-manifest.ts';

export interface ProgramRun extends Pick<ManifestWatchOptions, 'apply' | 'notify' | 'watch'> {
  /** When aborted, the program closes. */
  readonly signal: AbortSignal;
  /** Path of the manifest: it is read again on SIGHUP, and after a change if `watch` is set. `undefined`: never. */
  readonly reloadFrom: string | undefined;
  readonly close: () => Promise<void>;
}

export interface StartedProgram {
  /** Called once, when the program can be reached and reloads its manifest. */
  readonly announce: () => void;
  /** Settles when the program ends by itself. */
  readonly ended?: Promise<unknown> | undefined;
}

/** Resolves after a clean shutdown. Rejects, after closing, if `start` does. */
export async function untilShutdown(
  { signal, reloadFrom, close, ...reload }: ProgramRun,
  start: () => Promise<StartedProgram>,
): Promise<void> {
  let watching: ManifestWatch | undefined;
  const onHangup = (): void => void watching?.reload();
  try {
    const { announce, ended } = await start();
    if (reloadFrom !== undefined) {
      watching = watchManifest({ path: reloadFrom, ...reload });
      process.on('SIGHUP', onHangup);
    }
    announce();
    await Promise.race([whenAborted(signal), ...(ended ? [ended] : [])]);
  } finally {
    process.off('SIGHUP', onHangup);
    watching?.stop();
    await close();
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
