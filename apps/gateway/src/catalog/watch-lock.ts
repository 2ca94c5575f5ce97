/** Owns noticing that the lock file has changed, so that an accepted definition takes effect without a reload. */
import { fileState } from '../plain/large-files.ts';

const checkMs = 500;

/** Calls back after each change of the file at the current path. Returns a function that stops. */
export function watchLock(path: () => string | undefined, onChange: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let last: string | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const file = path();
    const state = file === undefined ? '' : `${file} ${await fileState(file)}`;
    const isChanged = last !== undefined && state !== last;
    last = state;
    if (isChanged && !isOver) await onChange();
    if (!isOver) timer = setTimeout(() => void look(), checkMs).unref();
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
