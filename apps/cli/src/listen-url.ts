/** Owns the URL under which this machine reaches a gateway that listens on a port. */

export function listenUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${connectableHost(host)}:${port}`;
}

/** A wildcard address is reached by loopback. */
function connectableHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (bare === '0.0.0.0') return '127.0.0.1';
  if (bare === '::') return '[::1]';
  return bare.includes(':') ? `[${bare}]` : bare;
}
