// Starts the world, provokes every case and yields the LIVE error objects.
//   node run.mjs                      one line per case
//   node run.mjs --only got,pg/       only ids that start with one of these
//   node run.mjs --slow               also the cases that start many programs
//   node run.mjs --snapshot           rewrites snapshot.json
//   node run.mjs --check              compares with snapshot.json (class, name, code, status)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { enterNamespace } from './world/namespace.mjs';
import { describe } from './world/describe.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const CASE_LIMIT_MS = 25_000;
const CLIENTS_AT_ONCE = 3;
/** They use up file descriptors, or hold the process up: timers of others would run out. */
const ALONE = new Set(['aborts', 'better-sqlite3', 'child-process', 'fs', 'language', 'node-sqlite', 'odd-throws', 'pg', 'workers']);

export function versionOf(pkg) {
  if (pkg === 'node') return 'node ' + process.versions.node;
  try {
    let dir = path.join(HERE, 'node_modules', pkg);
    if (!fs.existsSync(dir)) dir = path.dirname(require.resolve(pkg + '/package.json'));
    return pkg + ' ' + JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8')).version;
  } catch { return pkg + ' ?'; }
}

/** Yields {id, client, versions, how, via: 'thrown'|'returned', error} | {id, ..., skipped} | {id, ..., failed}. */
export async function* zoo({ only, slow = only !== undefined, log = () => {} } = {}) {
  const { startWorld, Returned } = await import('./world/index.mjs');
  const stray = (e) => log('stray', e);
  process.on('uncaughtException', stray);
  process.on('unhandledRejection', stray);
  const world = await startWorld();
  const one = async (client, versions, k) => {
    const base = { id: `${client}/${k.id}`, client, versions, how: k.how, varies: k.varies };
    const lacks = (k.needs ?? []).find((n) => (n === 'netns' || n === 'root' ? !world.caps[n] : !world.has(n)));
    if (lacks) return { ...base, skipped: 'needs ' + lacks };
    let timer;
    const t0 = performance.now();
    try {
      const out = await Promise.race([
        (async () => k.provoke(world))(),
        new Promise((_, rej) => { timer = setTimeout(() => { const e = new Error('no outcome in time'); ours.add(e); rej(e); }, CASE_LIMIT_MS); }),
      ]);
      if (out instanceof Returned) return { ...base, via: 'returned', error: out.value, at: Date.now(), ms: performance.now() - t0 };
      return { ...base, failed: 'nothing was thrown; got ' + JSON.stringify(describe(out)).slice(0, 300) };
    } catch (error) {
      // (no instanceof here: the error may be a Proxy that throws)
      if (ours.has(error)) return { ...base, failed: error.message };
      return { ...base, via: 'thrown', error, at: Date.now(), ms: performance.now() - t0 };
    } finally { clearTimeout(timer); }
  };
  const ready = []; // results that nobody has taken yet
  let wake = () => {};
  const give = (r) => { ready.push(r); wake(); };
  const modules = new Map();
  const runClient = async (client) => {
    const mod = modules.get(client);
    if (!mod) return;
    const versions = mod.packages.map(versionOf).join(', ');
    const todo = mod.cases.filter((k) => !only || only.some((o) => `${client}/${k.id}`.startsWith(o) || o === client));
    // cases of a client run four at a time, in order of the file; serial ones alone
    for (let i = 0; i < todo.length;) {
      const batch = [];
      if (todo[i].serial) batch.push(todo[i++]);
      else while (i < todo.length && batch.length < 4 && !todo[i].serial) batch.push(todo[i++]);
      await Promise.all(batch.map(async (k) => give(await one(client, versions, k))));
    }
    try { await mod.done?.(); } catch {}
  };
  // Most of a run is waiting, so clients run side by side; those that disturb the whole process run alone, at the end.
  const clients = fs.readdirSync(path.join(HERE, 'zoo')).filter((f) => f.endsWith('.mjs')).map((f) => f.slice(0, -4)).sort()
    .filter((client) => !only || only.some((o) => (client + '/').startsWith(o) || o.startsWith(client + '/') || o === client));
  const lonely = clients.filter((client) => ALONE.has(client));
  const others = clients.filter((client) => !ALONE.has(client));
  // loaded before anything runs: loading modules and setting up databases holds the process up, and timers of others with it
  const load = async () => {
    if (!only) for (const start of [world.certs, world.postgres, world.mariadb, world.redis]) await start?.().catch(() => {});
    for (const client of clients) {
      try {
        const mod = await import('./zoo/' + client + '.mjs');
        if (slow || !mod.slow) modules.set(client, mod);
      } catch (e) { give({ id: client + '/*', client, failed: 'module does not load: ' + (e?.stack ?? e) }); }
    }
  };
  const lane = async () => { for (let client = others.shift(); client; client = others.shift()) await runClient(client); };
  let over = false;
  const all = (async () => {
    await load();
    await Promise.all(Array.from({ length: CLIENTS_AT_ONCE }, lane));
    for (const client of lonely) await runClient(client);
  })().finally(() => { over = true; wake(); });
  try {
    while (!over || ready.length > 0) {
      if (ready.length === 0) await new Promise((r) => { wake = r; });
      while (ready.length > 0) yield ready.shift();
    }
    await all;
  } finally {
    // An error in the loop that reads the cases ends it early. It must end the program, so it is not taken for a stray one.
    const deaf = () => { process.off('uncaughtException', stray); process.off('unhandledRejection', stray); };
    if (!over) deaf();
    await world.close();
    setTimeout(deaf, 50).unref();
  }
}
const ours = new Set();
const esc = (x) => x.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const neutral = (key, v) => (typeof v === 'number' && /^(local|remote)?port$/i.test(key) && v !== 29871 ? '<port>' : typeof v !== 'string' ? v : v
  .replace(new RegExp(esc(path.join(os.tmpdir(), 'misworld-')) + '[A-Za-z0-9]+', 'g'), '<tmp>')
  .replaceAll(process.execPath, '<node>').replaceAll(HERE, '<here>')
  .replace(/\b(127\.0\.0\.1|localhost|::1):(?!29871)\d{4,5}\b/g, '$1:<port>'));

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await enterNamespace();
  const arg = (n) => { const i = process.argv.indexOf(n); return i < 0 ? undefined : process.argv[i + 1]; };
  const only = arg('--only')?.split(',');
  const full = process.argv.includes('--full');
  const snapFile = path.join(HERE, 'snapshot.json');
  const old = process.argv.includes('--check') ? JSON.parse(fs.readFileSync(snapFile, 'utf8')) : null;
  const snap = {};
  let n = 0, skipped = 0, failed = 0, drifted = 0;
  const stray = [];
  for await (const r of zoo({ only, slow: process.argv.includes('--slow') || undefined, log: (k, e) => stray.push(e) })) {
    if (r.skipped) { skipped++; console.log(`skip ${r.id}: ${r.skipped}`); continue; }
    if (r.failed) { failed++; console.log(`FAIL ${r.id}: ${r.failed}`); continue; }
    n++;
    const d = describe(r.error);
    snap[r.id] = { client: r.client, versions: r.versions, how: r.how, via: r.via, error: d };
    if (old) {
      const sig = (x) => JSON.stringify(x && [x.typeof, x.constructors?.[0], x.name, x.code, x.status, x.statusCode]);
      if (!old[r.id]) { drifted++; console.log(`new  ${r.id}`); }
      else if (sig(old[r.id].error) !== sig(d) && !r.varies) { drifted++; console.log(`diff ${r.id}: ${sig(old[r.id].error)} -> ${sig(d)}`); }
    } else if (full) console.log(r.id, `(${Math.round(r.ms)} ms)`, JSON.stringify(d, null, 1).replace(/\n\s*/g, ' '));
    else console.log(`ok   ${r.id} ${Math.round(r.ms)}ms ${d.constructors?.[0] ?? d.typeof} ${d.name ?? ''} ${d.code ?? ''} ${d.status ?? d.statusCode ?? ''} | ${String(d.message ?? d.value ?? '').replace(/\s+/g, ' ').slice(0, 100)}${d.cause ? ' <- ' + (d.cause.constructors?.[0] ?? d.cause) + ' ' + (d.cause.code ?? d.cause.message ?? '') : ''}${d.headersAt ? ' [' + d.headersAt.map((h) => h.path).slice(0, 2).join(' ') + ']' : ''}`);
  }
  for (const s of stray.slice(0, 20)) console.log('stray:', String(s?.stack ?? s).split('\n').slice(0, 3).join(' / '));
  // one case a line; no paths or ports of this machine
  const text = '{\n' + Object.entries(snap).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => `${JSON.stringify(k)}: ${JSON.stringify(v, neutral)}`).join(',\n') + '\n}\n';
  if (process.argv.includes('--snapshot')) fs.writeFileSync(snapFile, text);
  if (process.argv.includes('--json')) fs.writeFileSync(arg('--json'), text);
  console.log(`\n${n} provoked, ${skipped} skipped, ${failed} failed${old ? `, ${drifted} differ from the snapshot` : ''}, ${stray.length} stray errors`);
  process.exit(failed ? 1 : 0);
}
