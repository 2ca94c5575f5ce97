/** Owns the list of screens: where each is, and what is there once it is complete. */
import type { Page } from 'playwright-core';

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Resolves when the screen shows what it is for. */
  readonly shown: (page: Page) => Promise<unknown>;
  /** What the browser says of it, and has to. */
  readonly complains?: RegExp;
}

const text = (words: string) => (page: Page) => page.getByRole('main').getByText(words).filter({ visible: true }).first().waitFor();
const element = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();

export const screens: readonly Screen[] = [
  { name: 'overview', path: '/', shown: element('[data-tool="flight_search"]') },
  { name: 'tools', path: '/tools', shown: text('flight_search') },
  { name: 'tool', path: '/tools/flight_search', shown: text('ECONNREFUSED') },
  { name: 'turns', path: '/turns', shown: element('[data-scroll="turns"] [role="row"]') },
  { name: 'turn', path: '/turns/trip-1?call=flights', shown: element('[role="treegrid"] [role="row"]') },
  { name: 'what-if', path: '/turns/trip-1/what-if', shown: element('form') },
  { name: 'failures', path: '/failures', shown: text('flight_search') },
  { name: 'alerts', path: '/alerts', shown: text('flight_search') },
  { name: 'not-found', path: '/tools/no_such_tool', shown: text('no_such_tool'), complains: /status of 404/ },
];
