/** The parts of `adaptive`, one by one. */
export { ablated, nameWith, nameWithout } from './contenders.ts';
export { ablationPage } from './page.ts';
export { parts, type Part } from './parts.ts';
