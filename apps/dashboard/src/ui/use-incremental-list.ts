/** Renders long lists in steps: more rows are added as the user scrolls near the end. */
import { type RefCallback, startTransition, useCallback, useRef, useState } from 'react';

export interface IncrementalList {
  /** How many rows to render. */
  readonly shown: number;
  /** Attach to an element after the list. */
  readonly sentinel: RefCallback<Element>;
}

export function useIncrementalList(total: number, step: number): IncrementalList {
  const [limit, setLimit] = useState(step);
  const watcher = useRef<IntersectionObserver>(undefined);
  const sentinel = useCallback(
    (element: Element | null) => {
      watcher.current?.disconnect();
      if (element === null) return;
      watcher.current = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) startTransition(() => setLimit((before) => before + step));
        },
        { rootMargin: '1200px' },
      );
      watcher.current.observe(element);
    },
    // Observe again after each step, since an element that stays in view is reported only once.
    [step, limit],
  );
  return { shown: Math.min(total, limit), sentinel };
}
