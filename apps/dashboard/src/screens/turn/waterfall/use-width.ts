/** A hook that measures the width of an element. */
import { type RefCallback, useCallback, useRef, useState } from 'react';

/** The width in whole pixels, 0 before it is known. */
export function useWidth(): readonly [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const observer = useRef<ResizeObserver>(undefined);
  const measure = useCallback((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (element === null) return;
    setWidth(Math.floor(element.clientWidth));
    observer.current = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.current.observe(element);
  }, []);
  return [measure, width];
}
