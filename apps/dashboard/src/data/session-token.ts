/** Owns the operator's token in the page: taken from the address once, kept for this tab only. */
const key = 'holdfast.token';

/** Takes the token out of `#token=…`, so that it stays in no history and no bookmark. */
export function takeToken(): void {
  const fragment = new URLSearchParams(location.hash.replace(/^#/u, ''));
  const token = fragment.get('token');
  if (token === null) return;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest === '' ? '' : `#${rest}`}`);
  keepToken(token);
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(key, token);
  } catch {
    // A browser that keeps nothing asks again after a reload.
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
