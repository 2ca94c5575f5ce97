/** Names the variables of a proxy, of certificates or of a registry that are set here, but that a server does not get: with them, downloads work by hand only. */

const network =
  /^(?:(?:https?|all|no)_proxy|node_extra_ca_certs|ssl_cert_(?:file|dir)|npm_config_registry|(?:pip|uv)_(?:index_url|default_index))$/iu;

export function hiddenVariables(
  {
    env = {},
    inheritEnv = [],
  }: { readonly env?: Readonly<Record<string, unknown>> | undefined; readonly inheritEnv?: readonly string[] | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.keys(environment).filter((name) => network.test(name) && !Object.hasOwn(env, name) && !inheritEnv.includes(name));
}
