/**
 * Owns putting together what the relay consists of.
 */
import { createRedactor } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { spillPrefix } from '../calls/calls.ts';
import { createAsk } from './ask.ts';
import { type Changes, createChanges } from './changes.ts';
import { createForward, type Forward } from './forward.ts';
import { createGreetings, type Greetings } from './greetings.ts';
import { defaultLimits, type RelayLimits } from './limits.ts';
import { createLogNames } from './log-names.ts';
import { createLogging, type Logging } from './logging.ts';
import { createOffers, type Offers } from './offers.ts';
import { createOpenWatch } from './open-watch.ts';
import type { RelayOptions } from './options.ts';
import { createOwners, type Owners } from './owners.ts';
import { createRequestLogs, type RequestLogs } from './request-logs.ts';
import { createServerLists, type ServerLists } from './server-lists.ts';
import { createWaiting, type Waiting } from './waiting.ts';
import { createWatches, type Watches } from './watches.ts';

export interface RelayParts {
  readonly limits: RelayLimits;
  readonly greetings: Greetings;
  readonly requestLogs: RequestLogs;
  readonly lists: ServerLists;
  readonly changes: Changes;
  readonly offers: Offers;
  readonly owners: Owners;
  readonly waiting: Waiting;
  readonly forward: Forward;
  readonly logging: Logging;
  readonly watches: Watches;
}

const ownTemplate: JsonObject = {
  uriTemplate: `${spillPrefix}{id}{?offset,limit}`,
  name: 'holdfast-result',
  title: 'A tool result that was too large to be sent',
  description: 'The whole result, or with offset and limit a part of it.',
};

export function createParts(options: RelayOptions): RelayParts {
  const { upstreams, settings, readSpilled, publish, onFault = () => {}, redact = createRedactor() } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const inputMs = (): number => settings().inputTimeoutMs;
  const ask = createAsk({ upstreams, limitMs: limits.requestMs, redact });
  const greetings = createGreetings();
  const logNames = createLogNames(upstreams);
  const requestLogs = createRequestLogs();
  const lists = createServerLists({
    ask,
    greetings,
    limits,
    onChange: (_upstream, kind) => changes.listChanged(kind),
    onFault,
  });
  const changes = createChanges({ upstreams, lists, logNames, requestLogs, publish, limits });
  const offers = createOffers({
    upstreams,
    lists,
    nameRules: () => settings().names,
    onFault,
    own: readSpilled === undefined ? {} : { templates: [ownTemplate] },
    pageSize: limits.pageSize,
  });
  const owners = createOwners(upstreams, greetings, offers);
  const waiting = createWaiting(inputMs);
  return {
    limits,
    greetings,
    requestLogs,
    lists,
    changes,
    offers,
    owners,
    waiting,
    forward: createForward({ ask, greetings, logNames, requestLogs, waiting, inputMs }),
    logging: createLogging({ upstreams, ask, greetings, onFault }),
    watches: createWatches({ upstreams, ownersOf: owners.of, open: createOpenWatch(limits.requestMs, redact), onFault }),
  };
}
