/** Owns which paths are the dashboard's: its pages, which are all the same document, and its files. No data is behind any of them. */

const page = /^\/(?:(?:tools|turns|failures)(?:\/.*)?|alerts)?$/;

export const assetsPath = '/assets/';

export const isPage = (path: string): boolean => page.test(path);

/** Whether somebody without a token may have it: a browser that opens a page brings none. */
export const isDashboard = (method: string, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && (isPage(path) || path.startsWith(assetsPath));
