/** The icons: 16 px, in the colour of the text. Always next to text or with a label. */
import type { ReactNode } from 'react';

const paths = {
  done: 'M3.5 8.5l3 3 6-7',
  failed: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.3',
  retry: 'M12.5 8a4.5 4.5 0 1 1-1.4-3.2M12.8 2.5v2.8H10',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3',
  idle: 'M4 8h8',
  dot: 'M8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6',
  // The contacts of a switch: closed, open, half-open.
  closed: 'M1.5 8h13M5 6.2v3.6M11 6.2v3.6',
  open: 'M1.5 8H5l5.5-4.5M11 8h3.5M5 6.8v2.4M11 6.8v2.4',
  half_open: 'M1.5 8H5l6-1.9M11 8h3.5M5 6.8v2.4M11 6.8v2.4',
  refused: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6',
  skipped: 'M3 4l5 4-5 4zM12.5 4v8',
  alternative: 'M2.5 5.5h10l-2.5-2.5M13.5 10.5h-10l2.5 2.5',
  running: 'M5 3.5l7 4.5-7 4.5z',
  interrupted: 'M5.5 3.5v9M10.5 3.5v9',
  chevron: 'M6 3.5L10.5 8 6 12.5',
  up: 'M3.5 10L8 5.5l4.5 4.5',
  down: 'M3.5 6L8 10.5 12.5 6',
  sort: 'M5 6.5L8 3.5l3 3M5 9.5l3 3 3-3',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3',
  close: 'M4 4l8 8M12 4l-8 8',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1',
  moon: 'M13 9.7A5.6 5.6 0 0 1 6.3 3 5.6 5.6 0 1 0 13 9.7z',
  system: 'M2 3h12v8H2zM6 13.5h4M8 11v2.5',
  bell: 'M4 11V7.5a4 4 0 0 1 8 0V11l1 1.2H3zM6.8 14h2.4',
  silence: 'M4 11V7.5a4 4 0 0 1 6.6-3M12 7.8V11l1 1.2H5M2.5 2.5l11 11M6.8 14h2.4',
  hand: 'M5 8V4.2a1 1 0 0 1 2 0V7.5M7 7V3.2a1 1 0 0 1 2 0V7M9 7V4a1 1 0 0 1 2 0v5.5A4 4 0 0 1 7 13.5C5 13.5 4 12 2.8 9.5 2.4 8.6 3.5 8 4.2 9L5 10',
  flask: 'M6.2 2.5h3.6M7 2.5v4L3.5 13h9L9 6.5v-4M5.2 10h5.6',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  expand: 'M3 6V3h3M13 10v3h-3M3 3l4 4M13 13L9 9',
  wrench: 'M9.5 6.5a3 3 0 0 1 3.8-3.8L11.5 4.5l.4 1.6 1.6.4 1.8-1.8A3 3 0 0 1 9.5 6.5M9.8 6.8l-6 6a1.2 1.2 0 0 1-1.6-1.6l6-6',
  new: 'M8 2l1.6 4.4L14 8l-4.4 1.6L8 14l-1.6-4.4L2 8l4.4-1.6z',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1v-5z',
  rows: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  grid: 'M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
} as const;

export type IconName = keyof typeof paths;

export interface IconProps {
  readonly name: IconName;
  /** For an icon without text next to it. */
  readonly label?: string;
  readonly size?: number;
}

export function Icon({ name, label, size = 16 }: IconProps): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
    >
      <path d={paths[name]} />
    </svg>
  );
}
