import knex from 'knex';
import { Sequelize, DataTypes } from 'sequelize';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['knex', 'sequelize', 'pg', 'better-sqlite3'];

const sqlite = () => knex({ client: 'better-sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true });
const pg = (port, pool) => knex({ client: 'pg', connection: { host: '127.0.0.1', port, user: 'u', password: 'p', database: 'd' }, pool, acquireConnectionTimeout: 400 });
const P = (category, more) => ({ label: label('permanent', category, false, more) });

export const cases = [
  c('knex-syntax', 'knex: a syntax error', () => sqlite().raw('SELEC 1'), P('invalid_input')),
  c('knex-table', 'knex: no such table', () => sqlite()('orders').insert({ a: 1 }), P('not_found')),
  c('knex-unique', 'knex: a unique constraint', async () => { const db = sqlite(); await db.raw('CREATE TABLE t(a UNIQUE)'); await db('t').insert({ a: 1 }); await db('t').insert({ a: 1 }); }, P('conflict')),
  c('knex-refused', 'knex with pg: nobody listens', (w) => pg(w.refusedPort)('t').insert({ a: 1 }), { label: label('transient', 'network', false) }),
  c('sequelize-refused', 'sequelize with pg: nobody listens', (w) => new Sequelize('d', 'u', 'p', { host: '127.0.0.1', port: w.refusedPort, dialect: 'postgres', logging: false }).authenticate(), { label: label('transient', 'network', false) }),
  c('sequelize-validation', 'sequelize: a value that may not be null', async () => { const db = new Sequelize({ dialect: 'postgres', logging: false }); const T = db.define('T', { a: { type: DataTypes.STRING, allowNull: false } }); await T.build({}).validate(); }, P('invalid_input')),
];
