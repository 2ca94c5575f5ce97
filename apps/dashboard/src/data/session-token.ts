/** The operator token: read from the URL once, and kept for this tab only. */
const key = 'holdfast.token';

/** Removes the token from `#token=…`, so that it ends up in no history or bookmark. */
export function readTokenFromUrl(): void {
  const fragment = new URLSearchParams(location.hash.replace(/^#/u, ''));
  const token = fragment.get('token');
  if (token === null) return;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest === '' ? '' : `#${rest}`}`);
  saveToken(token);
}

export function saveToken(token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // Without session storage the token is lost on reload.
    remembered = token;
  }
}

let remembered: string | undefined;

export function tokenOf(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? remembered;
  } catch {
    return remembered;
  }
}
