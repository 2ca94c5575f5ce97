/** The list of screens: the path of each, and how to tell that it has loaded. */
import type { Page } from 'playwright-core';

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Resolves when the screen shows its main content. */
  readonly loaded: (page: Page) => Promise<unknown>;
  /** The browser problem that is expected on it. */
  readonly expectedProblem?: RegExp;
}

const text = (content: string) => (page: Page) => page.getByRole('main').getByText(content).filter({ visible: true }).first().waitFor();
const element = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();

export const screens: readonly Screen[] = [
  { name: 'overview', path: '/', loaded: element('[data-tool="flight_search"]') },
  { name: 'tools', path: '/tools', loaded: text('flight_search') },
  { name: 'tool', path: '/tools/flight_search', loaded: text('ECONNREFUSED') },
  { name: 'turns', path: '/turns', loaded: element('[data-scroll="turns"] [role="row"]') },
  { name: 'turn', path: '/turns/trip-1?call=flights', loaded: element('[role="treegrid"] [role="row"]') },
  { name: 'what-if', path: '/turns/trip-1/what-if', loaded: element('form') },
  { name: 'failures', path: '/failures', loaded: text('flight_search') },
  { name: 'alerts', path: '/alerts', loaded: text('flight_search') },
  { name: 'not-found', path: '/tools/no_such_tool', loaded: text('no_such_tool'), expectedProblem: /status of 404/ },
];
