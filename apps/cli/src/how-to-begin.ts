/** Owns what to do if nothing was recorded yet. */
import { programName } from './terminal/program-name.ts';

export const howToBegin = (): string =>
  `Run a turn (${programName()} run <turn.yaml>), or call a tool through a gateway (${programName()} serve).`;
