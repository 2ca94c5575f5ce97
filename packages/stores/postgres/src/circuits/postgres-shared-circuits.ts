/**
 * Owns storing the circuits of a fleet in PostgreSQL: one row per tool. `stepFleetCircuit` alone decides what a message changes.
 *
 * 1. The row is locked from before it is read until it is saved, so changes to one tool are serialized.
 * 2. Time is the server's, read when the lock is held.
 * 3. One transaction at a time; messages that arrive in the meantime go into the next.
 * 4. It rejects when the database fails; then the callers' local breakers decide.
 */
import {
  completeFleetSettings,
  fleetCircuitDefaults,
  stepFleetCircuit,
  type FleetCircuitMessage,
  type FleetCircuitSettings,
  type FleetCircuitState,
  type FleetCircuitStep,
  type SharedCircuits,
} from '@holdfast/core/fleet';
import { refuse, type Fields } from '@holdfast/core/internal/plain';
import { toStoredText } from '@holdfast/core/internal/store';
import { openDatabase } from '../database/database.ts';
import type { Session } from '../database/session.ts';
import type { MigrationPlan } from '../database/migrations.ts';
import { databaseSettings, type DatabaseOptions } from '../database/settings.ts';
import { keyOf } from '../entry.ts';
import { batchRequests } from './batch-requests.ts';

/** The database that stores a fleet's circuits, and when these open and close. */
export interface PostgresSharedCircuitsOptions extends Omit<DatabaseOptions, 'connections'>, Partial<FleetCircuitSettings> {
  /** How long a connection may take. @default 1000 */
  readonly connectTimeoutMs?: number;
  /** How long a statement may take, waiting for locks included. @default 1000 */
  readonly statementTimeoutMs?: number;
}

const plan: MigrationPlan = {
  component: 'circuits',
  migrations: [
    (schema) =>
      `CREATE TABLE ${schema}.shared_circuits (tool_key text PRIMARY KEY, tool text NOT NULL, state text, changed_at timestamptz NOT NULL DEFAULT now())
       WITH (fillfactor = 50)`,
  ],
};

const limits = { connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 };

const ownFields: Fields = {
  // `completeFleetSettings` checks their values.
  ...Object.fromEntries(Object.keys(fleetCircuitDefaults).map((name) => [name, () => undefined])),
  connections: (value, field) => refuse(field, value, 'left out: one connection is used', ''),
};

interface Held {
  readonly state: FleetCircuitState | undefined;
  readonly now: number;
}

/**
 * Circuits that all processes of a fleet share, in PostgreSQL: for fleets without a durable engine. Pass it to `shareCircuits`.
 *
 * Throws a `TypeError` or `RangeError` for a wrong option.
 */
export function postgresSharedCircuits(options: PostgresSharedCircuitsOptions): SharedCircuits {
  const ofDatabase = databaseSettings(options, 'postgresSharedCircuits', ownFields, limits);
  const settings = completeFleetSettings(fleetSettingsOf(options), 'postgresSharedCircuits');
  const database = openDatabase(ofDatabase, { plan, connections: 1 });
  const { schema } = database;

  /** Steps in the order in which they are given; rows are locked in the order of their keys. */
  const step = batchRequests((messages: readonly FleetCircuitMessage[]) =>
    database.write(async (session) => {
      const tools = new Map(messages.map(({ toolName: tool }) => [keyOf(tool), tool]));
      const held = await lockRows(session, schema, tools);
      const states = new Map<string, FleetCircuitState>();
      const steps = messages.map((message) => {
        const key = keyOf(message.toolName);
        const { state, now } = held.get(key) ?? { state: undefined, now: 0 };
        const stepped = stepFleetCircuit(states.get(key) ?? state, message, now, settings);
        states.set(key, stepped.state);
        return stepped;
      });
      await save(session, schema, states);
      return steps;
    }),
  );

  const stepOne = async (message: FleetCircuitMessage): Promise<FleetCircuitStep> => {
    const [stepped] = await step([message]);
    if (stepped === undefined) throw new Error('a message has no answer');
    return stepped;
  };

  return {
    async report(reports) {
      if (reports.length === 0) return [];
      return (await step(reports.map((report) => ({ type: 'report', ...report }) as const))).map(({ circuit }) => circuit);
    },
    async acquireProbe(request) {
      const { probe, circuit } = await stepOne({ type: 'acquire_probe', ...request });
      return probe ?? { kind: 'closed', circuit };
    },
    probeEnded: async (end) => (await stepOne({ type: 'probe_ended', ...end })).circuit,
    reset: async (request) => (await stepOne({ type: 'reset', ...request })).circuit,
    close: () => database.close(),
  };
}

/** The rows of the tools, locked; missing ones are created. */
async function lockRows(session: Session, schema: string, tools: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, Held>> {
  const keys = [...tools.keys()].toSorted();
  const lock = async (): Promise<ReadonlyMap<string, Held>> => {
    // The clock is read in a statement of its own: the one that waits for the lock would return the time at which the wait began.
    const { rows } = await session.query(
      `WITH held AS MATERIALIZED (SELECT tool_key, state FROM ${schema}.shared_circuits WHERE tool_key = ANY($1::text[]) ORDER BY tool_key FOR UPDATE)
       SELECT tool_key, state, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now FROM held`,
      [keys],
    );
    return new Map(rows.map((row) => [String(row['tool_key']), { state: stateOf(row['state']), now: Number(row['now']) }]));
  };
  const held = await lock();
  if (held.size === keys.length) return held;
  await session.query(
    `INSERT INTO ${schema}.shared_circuits (tool_key, tool) SELECT * FROM unnest($1::text[], $2::text[]) AS g (tool_key, tool) ORDER BY tool_key
     ON CONFLICT (tool_key) DO NOTHING`,
    [keys, keys.map((key) => toStoredText(tools.get(key) ?? ''))],
  );
  return lock();
}

async function save(session: Session, schema: string, states: ReadonlyMap<string, FleetCircuitState>): Promise<void> {
  await session.query(
    `UPDATE ${schema}.shared_circuits AS c SET state = g.state, changed_at = clock_timestamp()
     FROM unnest($1::text[], $2::text[]) AS g (tool_key, state) WHERE c.tool_key = g.tool_key`,
    [[...states.keys()], [...states.values()].map((state) => JSON.stringify(state))],
  );
}

/** State of another version is discarded; generations continue after the highest one that is known. */
function stateOf(text: unknown): FleetCircuitState | undefined {
  if (typeof text !== 'string') return undefined;
  const state = JSON.parse(text) as FleetCircuitState;
  return (state.version as number) === 1 ? state : undefined;
}

function fleetSettingsOf(options: PostgresSharedCircuitsOptions): Partial<FleetCircuitSettings> {
  return Object.fromEntries(Object.entries(options).filter(([field]) => field in fleetCircuitDefaults));
}
