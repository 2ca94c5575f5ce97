/** Owns saying why a file of the user's cannot be read. */
export function whyUnreadable(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  switch (code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'this user may not read it';
    default:
      return String(message ?? error);
  }
}
