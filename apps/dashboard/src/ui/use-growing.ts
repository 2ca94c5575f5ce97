/** Owns long lists that grow as one comes near their end, so that the first picture is there at once. */
import { type RefCallback, startTransition, useCallback, useRef, useState } from 'react';

export interface Growing {
  /** How many to draw. */
  readonly shown: number;
  /** For an element behind the list. */
  readonly sentinel: RefCallback<Element>;
}

export function useGrowing(total: number, step: number): Growing {
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
    // Observed anew after each step: an element that stays in view is told only once.
    [step, limit],
  );
  return { shown: Math.min(total, limit), sentinel };
}
