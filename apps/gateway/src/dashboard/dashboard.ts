/**
 * Owns serving the dashboard: one page for all its paths, and its files.
 *
 * Invariants
 * 1. The served files contain no data of the gateway.
 * 2. A page can load scripts and styles from this origin only; inline ones are blocked.
 * 3. A file under `/assets/` has a hash of its content in its name and is cached forever; the page is revalidated each time.
 */
import { builtAt, type DashboardFile, type DashboardFiles, readDashboard } from './files.ts';
import { encodingFor, isFresh } from './negotiate.ts';
import { notBuiltPage } from './not-built.ts';
import { isPage } from './paths.ts';

/** Location of the files of the dashboard. */
export interface DashboardOptions {
  /** Folder of the built dashboard, with `index.html` and `assets/`. */
  readonly folder: string;
}

export interface Dashboard {
  /** Answers a GET or HEAD request for a path of the dashboard. */
  fetch(request: Request, path: string): Promise<Response>;
}

export const contentSecurityPolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const security: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const immutable = 'public, max-age=31536000, immutable';

export function createDashboard({ folder }: DashboardOptions): Dashboard {
  let known: { readonly files: Promise<DashboardFiles>; readonly builtAt: number } | undefined;

  /** Reads the files again after a new build. */
  const current = async (): Promise<DashboardFiles | undefined> => {
    const built = await builtAt(folder);
    if (built === undefined) return undefined;
    if (known?.builtAt !== built) known = { files: readDashboard(folder), builtAt: built };
    return known.files.catch(() => {
      known = undefined;
      return undefined;
    });
  };

  return {
    async fetch(request, path) {
      if (isPage(path)) {
        const files = await current();
        return files ? answer(request, files.index, 'no-cache') : notBuilt(request);
      }
      const file = (await known?.files.catch(() => undefined))?.assets.get(path) ?? (await current())?.assets.get(path);
      return file ? answer(request, file, immutable) : notFound(request);
    },
  };
}

function answer(request: Request, file: DashboardFile, cacheControl: string): Response {
  const encoding = encodingFor(request.headers.get('accept-encoding'), file.variants);
  const content = file.variants.get(encoding) ?? new Uint8Array();
  const tag = `"${file.hash}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  const headers = { ...security, etag: tag, 'cache-control': cacheControl, vary: 'accept-encoding, origin' };
  if (isFresh(request.headers.get('if-none-match'), tag)) return new Response(null, { status: 304, headers });
  return writeContent(request, content, {
    status: 200,
    headers: { ...headers, 'content-type': file.contentType, ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }) },
  });
}

const notBuilt = (request: Request): Response =>
  writeContent(request, new TextEncoder().encode(notBuiltPage), {
    status: 503,
    headers: { ...security, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });

const notFound = (request: Request): Response =>
  writeContent(request, new TextEncoder().encode('The dashboard has no such file.\n'), {
    status: 404,
    headers: { ...security, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  });

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

function writeContent({ method }: Request, content: Uint8Array<ArrayBuffer>, { status, headers }: Head): Response {
  const length = String(content.byteLength);
  return new Response(method === 'HEAD' ? null : content, { status, headers: { ...headers, 'content-length': length } });
}
