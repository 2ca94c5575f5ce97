/** Owns areas that may scroll: reached by the keyboard where they do, and only there. */
import { type ReactNode, useEffect, useRef, useState } from 'react';

export interface ScrollAreaProps {
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function ScrollArea({ label, className, children }: ScrollAreaProps): ReactNode {
  const area = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = area.current;
    if (element === null) return undefined;
    const look = (): void => setScrolls(element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    for (const child of element.children) watcher.observe(child);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={area} className={className} {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}>
      {children}
    </div>
  );
}
