/** A scrollable area that can be focused with the keyboard, but only if it scrolls. */
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
    const update = (): void => setScrolls(element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    const observer = new ResizeObserver(update);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={area} className={className} {...(scrolls ? { tabIndex: 0, role: 'region', 'aria-label': label } : {})}>
      {children}
    </div>
  );
}
