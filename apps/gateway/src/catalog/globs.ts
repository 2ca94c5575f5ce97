/** Owns which names a list of globs takes: `*` is any number of characters, `?` is one. */

/** Whether a source's tool is to be offered: not excluded, and included. */
export function isOffered(
  name: string,
  { include, exclude }: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): boolean {
  return !exclude.some((glob) => matches(name, glob)) && include.some((glob) => matches(name, glob));
}

/** In time proportional to both lengths, whatever the glob. */
export function matches(text: string, glob: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let marked = 0;
  while (at < text.length) {
    if (glob[next] === '*') {
      star = next++;
      marked = at;
    } else if (glob[next] === '?' || glob[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++marked;
    } else return false;
  }
  while (glob[next] === '*') next++;
  return next === glob.length;
}
