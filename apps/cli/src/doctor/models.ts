/** Checks the model providers: the address responds, the key is set. No key is shown or sent. */
import type { Manifest } from '@holdfast/manifest';
import type { Finding } from './finding.ts';

const connectTimeoutMs = 5_000;

export async function checkModels({ gateway }: Manifest, environment: NodeJS.ProcessEnv = process.env): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    Object.entries(gateway.models).map(async ([provider, { baseUrl, apiKey, headers }]): Promise<readonly Finding[]> => {
      const common = { check: 'model', subject: provider } as const;
      const names = [apiKey, ...Object.values(headers)].flatMap((value) => (typeof value === 'object' ? [value.env] : []));
      const missing = names.filter((name) => (environment[name] ?? '') === '');
      const keys = missing.map((name): Finding => ({
        ...common,
        status: 'error',
        message: `${name} is not set`,
        advice: 'Set the variable: without it, every request to this provider fails with 500.',
      }));
      return [...keys, { ...common, ...(await checkReachable(provider, baseUrl)) }];
    }),
  );
  return findings.flat();
}

async function checkReachable(provider: string, baseUrl: string): Promise<Pick<Finding, 'status' | 'message' | 'advice'>> {
  const { origin, pathname } = new URL(baseUrl);
  try {
    const response = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(connectTimeoutMs) });
    await response.body?.cancel();
  } catch (error) {
    const cause = (error as { readonly cause?: { readonly code?: unknown } }).cause;
    const why = typeof cause?.code === 'string' ? cause.code : (error as Error).message;
    return { status: 'warning', message: `cannot connect to ${origin} (${why})`, advice: 'Until it is reachable, requests fail with 502.' };
  }
  if (provider === 'openai' && !/\/v\d/.test(pathname))
    return {
      status: 'warning',
      message: `${baseUrl} has no API version`,
      advice: 'OpenAI’s own SDK expects a version in the URL, such as https://api.openai.com/v1.',
    };
  return { status: 'ok', message: baseUrl };
}
