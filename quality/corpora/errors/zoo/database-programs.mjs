// Command-line clients of databases, against real servers.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['node'];
/** Starts many programs: not part of a usual run. */
export const slow = true;

const P = (category, more) => ({ label: label('permanent', category, false, more) });
const T = (category, ambiguous, more) => ({ label: label('transient', category, ambiguous, more) });
const run = (program, args, more = {}) => promisify(execFile)(program, args, { timeout: 20_000, ...more, env: { ...process.env, LC_ALL: 'C', ...more.env } });

const psqlAt = (pg, text, more = {}) => run('psql', ['-h', pg.host, '-p', String(pg.port), '-U', more.user ?? pg.user, '-d', more.database ?? pg.database, '-v', 'ON_ERROR_STOP=1', '-c', text], { env: { PGPASSWORD: more.password ?? pg.password } });
const psql = (text, more) => async (w) => psqlAt(await w.postgres(), text, more);
const pg = (program, ...args) => async (w) => { const at = await w.postgres(); return run(program, ['-h', at.host, '-p', String(at.port), '-U', at.user, ...args], { env: { PGPASSWORD: at.password } }); };
const needPg = (rest) => ({ ...rest, needs: ['postgres', 'psql'] });
const mysql = (text, more = {}) => async (w) => { const at = await w.mariadb(); return run('mysql', ['--no-defaults', '-h', at.host, '-P', String(at.port), `-u${at.user}`, `-p${more.password ?? at.password}`, more.database ?? at.database, '-e', text]); };
const needMy = (rest) => ({ ...rest, needs: ['mariadbd', 'mysql'] });
const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const lite = (...args) => (w) => run('sqlite3', args.map((arg) => (typeof arg === 'function' ? arg(w) : arg)));

export const cases = [
  c('psql-syntax', 'psql: a syntax error', psql('SELEC 1'), needPg(P('invalid_input'))),
  c('psql-unique', 'psql: a unique constraint', psql("insert into items values (1, 'a')"), needPg(P('conflict'))),
  c('psql-table', 'psql: no such table', psql('select * from nope'), needPg(P('not_found'))),
  c('psql-right', 'psql: permission denied', psql('select * from items', { user: 'viewer' }), needPg(P('permission'))),
  c('psql-password', 'psql: a wrong password', psql('select 1', { password: 'wrong' }), needPg(P('auth'))),
  c('psql-database', 'psql: no such database', psql('select 1', { database: 'nope' }), needPg(P('not_found'))),
  c('psql-statement-timeout', 'psql: the statement timeout', psql("set statement_timeout = 100; select pg_sleep(3)"), needPg(T('timeout', false, { unscored: ['ambiguous'] }))),
  c('psql-terminated', 'psql: the server ends the connection in a statement', psql('select pg_terminate_backend(pg_backend_pid())'), needPg(T('network', true, { also: ['unavailable'] }))),
  c('psql-number', 'psql: not an integer', psql("select 'x'::int"), needPg(P('invalid_input'))),
  c('psql-closed', 'psql: closed at the startup', (w) => run('psql', ['-h', '127.0.0.1', '-p', String(w.port('close-request')), '-U', 'u', '-c', 'insert']), needPg(T('network', false, { unscored: ['ambiguous'] }))),
  c('psql-lonely', 'psql: too many connections for the role', psql('select 1', { user: 'lonely' }), needPg(T('unavailable', false, { also: ['resource', 'rate_limit', 'quota_exhausted'], unscored: ['category'] }))),
  c('pg-dump-table', 'pg_dump: no such table', pg('pg_dump', '-t', 'nope', 'shop'), needPg(P('not_found'))),
  c('pg-isready', 'pg_isready: nobody listens, on stdout', (w) => run('pg_isready', ['-h', '127.0.0.1', '-p', String(w.refusedPort)]), needPg(T('network', false, { also: ['unavailable'] }))),
  c('createdb-exists', 'createdb: it exists', async (w) => { const at = await w.postgres(); at.admin('alter role app createdb'); return pg('createdb', 'shop')(w); }, needPg(P('conflict'))),
  c('dropdb-missing', 'dropdb: it does not exist', pg('dropdb', 'nope'), needPg(P('not_found'))),
  c('pg-restore-format', 'pg_restore: not an archive', (w) => run('pg_restore', [file(w, 'no.dump', 'nonsense')]), needPg(P('invalid_input', { also: ['contract', 'unsupported'] }))),
  c('mysql-refused', 'mysql: nobody listens', (w) => run('mysql', ['--no-defaults', '-h', '127.0.0.1', '-P', String(w.refusedPort), '-e', 'select 1']), { ...T('network', false), needs: ['mysql'] }),
  c('mysql-password', 'mysql: a wrong password', mysql('select 1', { password: 'wrong' }), needMy(P('auth'))),
  c('mysql-syntax', 'mysql: a syntax error', mysql('selec 1'), needMy(P('invalid_input'))),
  c('mysql-table', 'mysql: no such table', mysql('select * from nope'), needMy(P('not_found'))),
  c('mysql-duplicate', 'mysql: a duplicate key', mysql("insert into items values (1, 'a', 1)"), needMy(P('conflict'))),
  c('mysql-database', 'mysql: denied for a database', mysql('select 1', { database: 'mysql' }), needMy(P('permission', { also: ['auth'] }))),
  c('mysql-deadlock', 'mysql: a deadlock', mysql("signal sqlstate '40001' set mysql_errno = 1213, message_text = 'Deadlock found when trying to get lock; try restarting transaction'"), needMy(T('conflict', false))),
  c('mysql-killed', 'mysql: the connection is killed', mysql('kill connection_id()'), needMy(T('network', true))),
  c('mysql-cut', 'mysql: the connection is lost in a statement', async (w) => { const at = await w.mariadb(); const running = mysql("select sleep(5) as cut")(w); running.catch(() => {}); for (let i = 0; i < 40; i++) { const id = at.admin("select id from information_schema.processlist where info like 'select sleep%' and user='app'"); if (id) { at.admin(`kill ${id}`); break; } await w.sleep(50); } return running; }, needMy(T('network', true))),
  c('mysqldump-table', 'mysqldump: no such table', async (w) => { const at = await w.mariadb(); return run('mysqldump', ['--no-defaults', '-h', at.host, '-P', String(at.port), `-u${at.user}`, `-p${at.password}`, at.database, 'nope']); }, { ...P('not_found'), needs: ['mariadbd', 'mysqldump'] }),
  c('sqlite-locked', 'sqlite3: the database is locked', async (w) => {
    const name = `${w.tmp}/locked.db`;
    await run('sqlite3', [name, 'create table t(a)']);
    const holder = execFile('sqlite3', [name]);
    holder.stdin.write('begin exclusive;\n.print held\n');
    await new Promise((resolve) => { holder.stdout.once('data', resolve); });
    try { return await run('sqlite3', [name, 'insert into t values (1)']); } finally { holder.kill(); }
  }, { ...T('conflict', false), needs: ['sqlite3'] }),
  c('sqlite-no-database', 'sqlite3: not a database', lite((w) => file(w, 'no.db', 'nonsense'.repeat(200)), 'select * from t'), { ...P('invalid_input', { also: ['contract'] }), needs: ['sqlite3'] }),
  c('sqlite-readonly', 'sqlite3: read-only', async (w) => { await run('sqlite3', [`${w.tmp}/ro.db`, 'create table t(a)']); return run('sqlite3', ['-readonly', `${w.tmp}/ro.db`, 'insert into t values (1)']); }, { ...P('permission', { also: ['unsupported', 'resource'] }), needs: ['sqlite3'] }),
  c('redis-cli-wrongtype', 'redis-cli -e: WRONGTYPE', async (w) => { const at = await w.redis(); const cli = ['-e', '-p', String(at.port)]; await run('redis-cli', [...cli, 'SET', 'word', 'x']); return run('redis-cli', [...cli, 'LPUSH', 'word', 'x']); }, { ...P('invalid_input', { also: ['conflict'] }), needs: ['redis-server', 'redis-cli'] }),
  c('redis-cli-noauth', 'redis-cli -e: NOAUTH', async (w) => { const at = await (await w.redis()).auth(); return run('redis-cli', ['-e', '-p', String(at.port), 'SET', 'a', 'b']); }, { ...P('auth'), needs: ['redis-server', 'redis-cli'] }),
  c('redis-cli-loading', 'redis-cli -e: MASTERDOWN', async (w) => { const at = await (await w.redis()).orphan(); return run('redis-cli', ['-e', '-p', String(at.port), 'GET', 'a']); }, { ...T('unavailable', false), needs: ['redis-server', 'redis-cli'] }),
  c('redis-cli-closed', 'redis-cli: closed without an answer', (w) => run('redis-cli', ['-e', '-p', String(w.port('close-request')), 'SET', 'a', 'b']), { ...T('network', true), needs: ['redis-cli'] }),
];
