/** Owns the table of `store`. Its defaults are in `entries/store.ts`. */
import { defaultMaxBytes, defaultRetentionDays, postgresDefaults, sqliteDefaults } from '../entries/store.ts';
import {
  choice,
  count,
  either,
  field,
  textOfForm,
  off,
  path,
  record,
  type EitherShape,
  type NumberShape,
  type RecordShape,
  type TextShape,
} from '../shape/shape.ts';
import { bytes, secretReference } from './strings.ts';

const days: NumberShape = { kind: 'number', above: 0, unit: 'days', infinite: true };

/** It may contain a password by mistake. */
const databaseUrl: TextShape = { kind: 'text', role: 'database', secret: true };

const postgres: RecordShape = record(
  'postgres',
  field('url', either(databaseUrl, secretReference), 'The address of the database.', { required: true }),
  field('password', secretReference, 'The password, instead of one in `url`.', { default: 'none, or `PGPASSWORD`' }),
  field(
    'schema',
    textOfForm('^[a-z_][a-z0-9_]{0,62}$', "a name of lower-case letters, digits and '_'"),
    'The schema of its tables. It is created if it is missing.',
    { default: postgresDefaults.schema },
  ),
  field('connections', count(1), 'Open connections of each process.', { default: postgresDefaults.connections }),
);

const store: RecordShape = record(
  'store',
  field('path', path, 'The database file of the trace.', { default: sqliteDefaults.path }),
  field('durability', choice('normal', 'fsync'), 'For a file: `fsync` also survives a power loss, but is slower.', {
    default: sqliteDefaults.durability,
  }),
  field('postgres', either(databaseUrl, postgres), 'A PostgreSQL database instead of a file, which several machines can share.', {
    default: 'none',
  }),
  field('retention_days', days, 'Older turns are deleted. `none`: never.', { default: defaultRetentionDays }),
  field(
    'max_bytes',
    { ...bytes, infinite: true },
    'For a file: above this size, the turns that ended are deleted, the oldest first. `none`: whatever its size.',
    { default: defaultMaxBytes },
  ),
);

export const storeShape: EitherShape = either(off, databaseUrl, store);
