/** Owns the paths of the dashboard: its pages, which are all the same document, and its files. None of them contains data of the gateway. */

const page = /^\/(?:(?:tools|turns|failures)(?:\/.*)?|alerts|logins)?$/;

export const assetsPath = '/assets/';

export const isPage = (path: string): boolean => page.test(path);

/** Whether the request needs no token: a browser sends none when it opens a page. */
export const isDashboard = (method: string, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && (isPage(path) || path.startsWith(assetsPath));
