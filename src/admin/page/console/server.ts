import type { MethodDoc } from './open-rpc.ts';
import type { ConsoleAnswer, ConsoleRequest, ServiceAddress } from './wire.ts';

export async function fetchMethods(): Promise<readonly MethodDoc[]> {
  const { methods } = (await fetchJson('openrpc.json')) as { methods: readonly MethodDoc[] };
  return methods;
}

export async function fetchServiceAddress(): Promise<ServiceAddress> {
  return (await fetchJson('console')) as ServiceAddress;
}

/** @throws Error in words for people */
export async function sendRequest(request: ConsoleRequest): Promise<ConsoleAnswer> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(request) };
  return (await fetchJson('console', init)) as ConsoleAnswer;
}

async function fetchJson(path: string, init: RequestInit = {}): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new Error('the admin server does not answer');
  }
  if (response.ok) return response.json();
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new Error(error ?? `the admin server answered with ${response.status}`);
}
